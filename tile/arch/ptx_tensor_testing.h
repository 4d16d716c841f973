// ptx_tensor.h on the host, for tests: copies of boxes happen at any time after they were set off, stores
// when they are waited for.
#pragma once

#include "tile/arch/ptx_testing.h"

namespace tile::ptx {

/// What a TensorMap holds on the host.
struct HostTensor {
  char* data;
  uint32_t sizes[4], box[4];  ///< elements
  uint64_t strides[3];        ///< bytes
  uint32_t element;           ///< bytes
};
inline TensorMap tensor_map(const HostTensor& tensor) {
  static_assert(sizeof(HostTensor) <= sizeof(TensorMap));
  TensorMap map{};
  std::memcpy(&map, &tensor, sizeof(tensor));
  return map;
}

/// Addresses count from the beginning of the block's shared memory.
inline unsigned shared_address(const void* at) {
  const Block& block = Block::here();
  return static_cast<unsigned>(static_cast<const char*>(at) - block.shared[block.rank()]);
}
/// Where a piece lies that would be at this address without a swizzle of 128 bytes.
inline unsigned swizzled(unsigned address) { return address ^ (address >> 7 & 7) << 4; }

/// Calls use(byte in shared memory, byte in global memory or null outside of the tensor) for each piece of a
/// box.
template <class Use>
void for_each_piece(const HostTensor& tensor, BoxAt at, unsigned shared, Use use) {
  const int first[] = {at.x, at.y, at.z, at.w};
  constexpr uint32_t kPiece = 16, kRow = 128;
  if (tensor.box[0] * tensor.element != kRow || shared % kRow != 0)
    throw std::logic_error("a box has rows of 128 bytes");
  uint32_t number = 0;
  for (uint32_t w = 0; w < tensor.box[3]; ++w)
    for (uint32_t z = 0; z < tensor.box[2]; ++z)
      for (uint32_t y = 0; y < tensor.box[1]; ++y)
        for (uint32_t byte = 0; byte < kRow; byte += kPiece, ++number) {
          const int64_t place[] = {first[0] + byte / tensor.element, first[1] + y, first[2] + z,
                                   first[3] + w};
          bool inside = true;
          int64_t offset = place[0] * tensor.element;
          for (int i = 0; i < 4; ++i) inside &= place[i] >= 0 && place[i] < tensor.sizes[i];
          for (int i = 0; i < 3; ++i) offset += place[i + 1] * static_cast<int64_t>(tensor.strides[i]);
          // The last piece of a row may lie inside in part.
          const uint32_t bytes =
              inside ? std::min<uint32_t>(kPiece, (tensor.sizes[0] - place[0]) * tensor.element) : 0;
          use(swizzled(shared + number * kPiece), inside ? tensor.data + offset : nullptr, bytes);
        }
}

/// A barrier's 64 bits.
struct BarrierState {
  int32_t bytes;  ///< that are to come
  int16_t left;   ///< arrivals of this phase
  int16_t arrivals_and_phase;

  static BarrierState& of(void* barrier) { return *static_cast<BarrierState*>(barrier); }
  [[nodiscard]] unsigned phase() const { return arrivals_and_phase & 1; }
  void change(int arrivals, int more_bytes) {
    left = static_cast<int16_t>(left - arrivals);
    bytes += more_bytes;
    if (left < 0) throw std::logic_error("more arrive at a barrier than it expects");
    if (left > 0 || bytes != 0) return;
    arrivals_and_phase ^= 1;
    left = static_cast<int16_t>(arrivals_and_phase >> 1);
    Block::here().happens();
  }
};
static_assert(sizeof(BarrierState) == sizeof(Barrier));

inline void begin_barrier(Barrier* barrier, unsigned arrivals) {
  BarrierState::of(barrier) = {0, static_cast<int16_t>(arrivals), static_cast<int16_t>(arrivals << 1)};
}
inline void announce_barriers() {}
inline void expect_bytes(Barrier* barrier, unsigned bytes) {
  BarrierState::of(barrier).change(1, static_cast<int>(bytes));
}
inline void arrive(Barrier* barrier) { BarrierState::of(barrier).change(1, 0); }
inline void arrive_in_block(Barrier* barrier, unsigned block) {
  BarrierState::of(Block::here().in_block(barrier, block)).change(1, 0);
}
inline void wait_phase(Barrier* barrier, unsigned parity) {
  Block::here().wait_until([=] { return BarrierState::of(barrier).phase() != parity; });
}

inline void load_box_to_blocks(void* to, const TensorMap* map, BoxAt at, Barrier* barrier, unsigned blocks) {
  Block& here = Block::here();
  HostTensor tensor{};
  std::memcpy(&tensor, map, sizeof(tensor));
  for (size_t block = 0; block < here.shared.size(); ++block) {
    if ((blocks >> block & 1) == 0) continue;
    here.some_time([=, shared = here.shared[block], first = shared_address(to),
                    of_block = here.in_block(barrier, block)] {
      int bytes = 0;
      for_each_piece(tensor, at, first, [&](unsigned place, const char* from, uint32_t inside) {
        std::memset(shared + place, 0, 16);
        if (from) std::memcpy(shared + place, from, inside);
        bytes += 16;
      });
      BarrierState::of(of_block).change(0, -bytes);
    });
  }
}
inline void load_box(void* to, const TensorMap* map, BoxAt at, Barrier* barrier) {
  load_box_to_blocks(to, map, at, barrier, 1U << Block::here().rank());
}
inline void store_box(const TensorMap* map, BoxAt at, const void* from) {
  Block& here = Block::here();
  HostTensor tensor{};
  std::memcpy(&tensor, map, sizeof(tensor));
  here.stores().open.push_back([=, shared = here.shared[here.rank()], first = shared_address(from)] {
    for_each_piece(tensor, at, first, [&](unsigned place, char* to, uint32_t inside) {
      if (to) std::memcpy(to, shared + place, inside);
    });
  });
  here.stores().commit();
}
template <int kCount>
void wait_stores_read() {
  Block::here().stores().wait(kCount);
}
inline void wait_stores() { Block::here().stores().wait(0); }
inline void share_writes() {}

inline unsigned block_in_cluster() { return static_cast<unsigned>(Block::here().rank()); }
inline void cluster_barrier() { Block::here().cluster_barrier(); }
inline int grid_x() { return Block::here().grid_x(); }

}  // namespace tile::ptx
