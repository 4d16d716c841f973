// ptx_warpgroup.h on the host, for tests: products happen when they are waited for, and read shared memory
// then.
#pragma once

#include "tile/arch/ptx_tensor_testing.h"

namespace tile::ptx {

/// A matrix in shared memory as a product's description says, with a swizzle of 128 bytes.
struct Described {
  const char* shared;
  unsigned start, leading, stride;  ///< bytes; from eight rows to the next

  Described(unsigned long bits, const char* memory)
      : shared(memory),
        start((bits & 0x3fff) << 4),
        leading((bits >> 16 & 0x3fff) << 4),
        stride((bits >> 32 & 0x3fff) << 4) {
    if (bits >> 62 != 1) throw std::logic_error("a description without a swizzle of 128 bytes");
  }
  /// Of rows along K, byte k of a row.
  [[nodiscard]] const char* along_k(int row, int k) const { return at(row / 8 * stride + row % 8 * 128 + k); }
  /// Of columns along K, 64 elements of 2 bytes of which lie together.
  [[nodiscard]] const char* across_k(int column, int k) const {
    return at(column / 64 * leading + k / 8 * stride + k % 8 * 128 + column % 64 * 2);
  }

 private:
  [[nodiscard]] const char* at(unsigned further) const { return shared + swizzled(start + further); }
};

template <class T>
T of_memory(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(value));
  return value;
}
struct Bf16 {
  static constexpr int kDepth = 16, kBytes = 2;
  static float read(const char* at) { return from_bf16(of_memory<uint16_t>(at)); }
};
struct F16 {
  static constexpr int kDepth = 16, kBytes = 2;
  static float read(const char* at) { return from_f16(of_memory<uint16_t>(at)); }
};
struct E4m3 {
  static constexpr int kDepth = 32, kBytes = 1;
  static float read(const char* at) { return from_e4m3(of_memory<uint8_t>(at)); }
};

/// Sets off sums (+)= a(row, k) * b(column, k) of the sums that the thread has: of rows eight apart, and of
/// two columns in each eight.
template <int kColumns, int kDepth, class Sums, class A, class B>
void set_off(Sums& sums, bool add, A a, B b) {
  const int thread = Block::here().thread() % 128;
  Block::here().products().open.push_back([=, &sums] {
    for (int j = 0; j < kColumns / 8; ++j) {
      for (int i = 0; i < 4; ++i) {
        const int row = thread / 32 * 16 + thread % 32 / 4 + i / 2 * 8,
                  column = j * 8 + thread % 4 * 2 + i % 2;
        float& sum = sums.at[i / 2][j].at[i % 2];
        if (!add) sum = 0;
        for (int k = 0; k < kDepth; ++k) sum += a(row, k) * b(column, k);
      }
    }
  });
}

template <int kColumns, class Type, class Sums>
void multiply(Sums& sums, unsigned long m, unsigned long n, int add) {
  const char* const memory = Block::here().shared[Block::here().rank()];
  const auto element = [=](unsigned long bits) {
    return [matrix = Described(bits, memory)](int line, int k) {
      return Type::read(matrix.along_k(line, k * Type::kBytes));
    };
  };
  set_off<kColumns, Type::kDepth>(sums, add != 0, element(m), element(n));
}
template <int kColumns, class Type, class Sums>
void multiply_held(Sums& sums, const uint32_t (&m)[4], unsigned long n) {
  Block& block = Block::here();
  struct Held {
    uint32_t at[4];
  } held{};
  std::memcpy(held.at, m, sizeof(m));
  std::array<Held, 32> lanes;
  std::copy_n(block.exchange(held), lanes.size(), lanes.begin());
  const auto a = [lanes](int row, int k) {
    const auto at = arch::fragment_a(16, row % 16, k);
    return Type::read(reinterpret_cast<const char*>(lanes[at.lane].at) + at.bit / 8);
  };
  const auto b = [matrix = Described(n, block.shared[block.rank()])](int column, int k) {
    return Type::read(matrix.across_k(column, k));
  };
  set_off<kColumns, Type::kDepth>(sums, true, a, b);
}

#define TILE_PTX_WARPGROUP(columns)                                                       \
  template <class Sums>                                                                   \
  void multiply_##columns##_bf16(Sums& s, unsigned long m, unsigned long n, int add) {    \
    multiply<columns, Bf16>(s, m, n, add);                                                \
  }                                                                                       \
  template <class Sums>                                                                   \
  void multiply_##columns##_f16(Sums& s, unsigned long m, unsigned long n, int add) {     \
    multiply<columns, F16>(s, m, n, add);                                                 \
  }                                                                                       \
  template <class Sums>                                                                   \
  void multiply_##columns##_e4m3(Sums& s, unsigned long m, unsigned long n, int add) {    \
    multiply<columns, E4m3>(s, m, n, add);                                                \
  }                                                                                       \
  template <class Sums>                                                                   \
  void multiply_held_##columns##_bf16(Sums& s, const uint32_t (&m)[4], unsigned long n) { \
    multiply_held<columns, Bf16>(s, m, n);                                                \
  }                                                                                       \
  template <class Sums>                                                                   \
  void multiply_held_##columns##_f16(Sums& s, const uint32_t (&m)[4], unsigned long n) {  \
    multiply_held<columns, F16>(s, m, n);                                                 \
  }
TILE_PTX_WARPGROUP(64)
TILE_PTX_WARPGROUP(128)
TILE_PTX_WARPGROUP(256)
#undef TILE_PTX_WARPGROUP

inline void begin_products() {}
inline void commit_products() { Block::here().products().commit(); }
template <int kCount>
void wait_products() {
  Block::here().products().wait(kCount);
}
template <int kCount>
void take_registers() {}
template <int kCount>
void give_registers() {}

inline void meet(int barrier, int threads) { Block::here().barrier(barrier, threads); }
inline void arrive_at(int barrier, int threads) { Block::here().arrive(barrier, threads); }

inline void store_matrices(void* row, const uint32_t (&held)[4]) {
  Block& block = Block::here();
  char* const own = static_cast<char*>(row);
  char* const* const rows = block.exchange(own);
  const size_t lane = block.lane();
  for (size_t i = 0; i < 4; ++i) std::memcpy(rows[i * 8 + lane / 4] + lane % 4 * 4, &held[i], 4);
  block.warp_barrier();
}

}  // namespace tile::ptx
