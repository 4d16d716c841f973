// ptx.h on the host, for tests: the threads of a block are coroutines of one host thread, and the
// instructions that lanes execute together let them meet. Threads run in an order that is drawn anew each
// round, and loads to shared memory happen as late as they may, so that a missing barrier or wait shows.
#pragma once

#include <ucontext.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <numeric>
#include <random>
#include <stdexcept>
#include <utility>
#include <vector>

#include "tile/arch/fragments.h"

#define __device__
#define __forceinline__ inline
#define __shared__
#define __align__(bytes) alignas(bytes)

namespace tile::ptx {

/// A block of threads that runs a kernel, or a cluster of blocks that reach each other's shared memory.
class Block {
 public:
  struct Place {
    int x = 0, y = 0, z = 0;
  };
  Block(int threads, Place place, unsigned seed, int blocks = 1, int grid_x = 1)
      : place_(place),
        grid_x_(grid_x),
        per_block_(static_cast<size_t>(threads)),
        threads_(per_block_ * static_cast<size_t>(blocks)),
        warps_(threads_.size() / kWarp),
        all_(static_cast<size_t>(blocks)),
        random_(seed) {}

  /// Throws where threads wait for one another for ever.
  void run(const std::function<void()>& kernel) {
    here_ = this;
    kernel_ = &kernel;
    for (Thread& thread : threads_) {
      thread.stack = std::make_unique_for_overwrite<char[]>(kStack);
      getcontext(&thread.context);
      thread.context.uc_stack.ss_sp = thread.stack.get();
      thread.context.uc_stack.ss_size = kStack;
      thread.context.uc_link = &scheduler_;
      makecontext(&thread.context, &Block::begin, 0);
    }
    std::vector<size_t> order(threads_.size());
    std::iota(order.begin(), order.end(), 0);
    for (size_t done = 0; done < threads_.size();) {
      std::shuffle(order.begin(), order.end(), random_);
      const int before = events_;
      done = 0;
      for (const size_t i : order) {
        current_ = i;
        if (!threads_[i].done) swapcontext(&scheduler_, &threads_[i].context);
        done += threads_[i].done ? 1 : 0;
      }
      finish_some();
      if (events_ == before) throw std::runtime_error("threads wait for one another");
    }
  }

  static Block& here() { return *here_; }
  [[nodiscard]] Place place() const { return {place_.x + static_cast<int>(rank()), place_.y, place_.z}; }
  [[nodiscard]] int grid_x() const { return grid_x_; }
  [[nodiscard]] int thread() const { return static_cast<int>(current_ % per_block_); }
  [[nodiscard]] size_t rank() const {
    return current_ / per_block_;
  }  ///< of the thread's block in its cluster

  void barrier() { meet(all_[rank()], per_block_); }
  void cluster_barrier() { meet(cluster_, threads_.size()); }
  /// So many threads of a block, of which those that only arrive go on.
  void barrier(int number, int members) { meet(numbered_[{rank(), number}], static_cast<size_t>(members)); }
  void arrive(int number, int members) { come(numbered_[{rank(), number}], static_cast<size_t>(members)); }
  void warp_barrier() { meet(warp().meeting, kWarp); }
  /// What each lane of the warp brings; it stays until the lanes have met twice more.
  template <class T>
  const T* exchange(const T& mine) {
    static_assert(sizeof(T) <= kMost);
    auto& slots = warp().slots[warp().meeting.number % 2];
    std::memcpy(slots.data() + lane() * sizeof(T), &mine, sizeof(T));
    warp_barrier();
    return reinterpret_cast<const T*>(slots.data());
  }
  [[nodiscard]] size_t lane() const { return current_ % kWarp; }

  /// Other threads run, until it is so.
  void wait_until(const std::function<bool()>& is_so) {
    while (!is_so()) swapcontext(&threads_[current_].context, &scheduler_);
  }
  /// Something that others may have waited for has happened.
  void happens() { ++events_; }
  /// Happens at some time.
  void some_time(std::function<void()> copy) { under_way_.push_back(std::move(copy)); }

  /// What a thread has set off, group by group: it happens when the thread waits for it.
  struct Queue {
    std::vector<std::function<void()>> open;
    std::deque<std::vector<std::function<void()>>> groups;

    void commit() { groups.push_back(std::exchange(open, {})); }
    void wait(size_t left) {
      for (; groups.size() > left; groups.pop_front())
        for (const auto& one : groups.front()) one();
    }
  };
  Queue& copies() { return threads_[current_].copies; }
  Queue& products() { return threads_[current_].products; }
  Queue& stores() { return threads_[current_].stores; }

  /// The shared memory that kernels are given, of each block of the cluster.
  std::vector<char*> shared;
  char* in_block(const void* at, size_t block) const {
    return shared[block] + (static_cast<const char*>(at) - shared[rank()]);
  }

 private:
  static constexpr size_t kWarp = 32, kStack = 512 << 10, kMost = 32;
  struct Thread {
    ucontext_t context{};
    std::unique_ptr<char[]> stack;
    bool done = false;
    Queue copies, products, stores;
  };
  /// Where threads wait until all have arrived.
  struct Meeting {
    size_t arrived = 0;
    unsigned number = 0;
  };
  struct Warp {
    Meeting meeting;
    alignas(16) std::array<std::array<char, kWarp * kMost>, 2> slots{};
  };

  static void begin() {
    Block& block = here();
    (*block.kernel_)();
    block.threads_[block.current_].done = true;
    ++block.events_;
  }
  void meet(Meeting& meeting, size_t members) {
    const unsigned number = meeting.number;
    come(meeting, members);
    wait_until([&] { return meeting.number != number; });
  }
  void come(Meeting& meeting, size_t members) {
    if (++meeting.arrived < members) return;
    meeting.arrived = 0;
    ++meeting.number;
    ++events_;
  }
  /// Half of what is under way, in any order.
  void finish_some() {
    std::shuffle(under_way_.begin(), under_way_.end(), random_);
    for (size_t left = under_way_.size() / 2; under_way_.size() > left; under_way_.pop_back()) {
      under_way_.back()();
      ++events_;
    }
  }
  Warp& warp() { return warps_[current_ / kWarp]; }

  inline static Block* here_ = nullptr;
  Place place_;
  int grid_x_;
  size_t per_block_;  ///< threads
  std::vector<Thread> threads_;
  std::vector<Warp> warps_;
  std::vector<Meeting> all_;
  Meeting cluster_;
  std::map<std::pair<size_t, int>, Meeting> numbered_;
  std::vector<std::function<void()>> under_way_;
  size_t current_ = 0;
  int events_ = 0;  ///< meetings and ends of threads
  const std::function<void()>* kernel_ = nullptr;
  ucontext_t scheduler_{};
  std::mt19937 random_;
};

inline float ex2(float x) { return std::exp2(x); }
inline float lg2(float x) { return std::log2(x); }
inline float rcp(float x) { return 1 / x; }
inline float rsqrt(float x) { return 1 / std::sqrt(x); }
inline float nearest(float x) { return std::nearbyint(x); }
inline float max(float a, float b) { return std::fmax(a, b); }
inline float min(float a, float b) { return std::fmin(a, b); }
inline float max_nan(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmax(a, b); }
inline float min_nan(float a, float b) { return std::isnan(a) || std::isnan(b) ? NAN : std::fmin(a, b); }

inline uint16_t to_bf16(float x) {
  const auto bits = std::bit_cast<uint32_t>(x);
  if (std::isnan(x)) return static_cast<uint16_t>(bits >> 16 | 0x40);
  return static_cast<uint16_t>((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}
inline uint16_t to_f16(float x) { return std::bit_cast<uint16_t>(static_cast<_Float16>(x)); }
inline float from_f16(uint16_t x) { return static_cast<float>(std::bit_cast<_Float16>(x)); }
inline uint32_t to_bf16x2(float low, float high) { return to_bf16(low) | uint32_t{to_bf16(high)} << 16; }
inline uint32_t to_f16x2(float low, float high) { return to_f16(low) | uint32_t{to_f16(high)} << 16; }

/// OCP's floats of 8 bits.
inline float from_e4m3(uint32_t x) {
  const int exponent = static_cast<int>(x >> 3 & 15), mantissa = static_cast<int>(x & 7);
  const float size = exponent == 0 ? std::ldexp(static_cast<float>(mantissa), -9)
                                   : std::ldexp(static_cast<float>(mantissa + 8), exponent - 10);
  return x & 0x80 ? -size : size;
}
inline float from_e5m2(uint32_t x) { return from_f16(static_cast<uint16_t>(x << 8)); }
inline uint32_t e4m3x2_to_f16x2(uint16_t x) { return to_f16x2(from_e4m3(x & 0xff), from_e4m3(x >> 8)); }
inline uint32_t e5m2x2_to_f16x2(uint16_t x) { return (x & 0xff) << 8 | (x & 0xff00U) << 16; }
// No test rounds to them.
inline uint16_t to_e4m3x2(float, float) { throw std::logic_error("e4m3 is only read"); }
inline uint16_t to_e5m2x2(float, float) { throw std::logic_error("e5m2 is only read"); }

/// c += A * B of kDepth along K, whose elements of so many bits `from_a` and `from_b` read.
template <int kDepth, class FromA, class FromB>
void mma(float (&c)[4], const uint32_t (&a)[4], const uint32_t (&b)[2], FromA from_a, FromB from_b) {
  constexpr int kBits = 256 / kDepth;
  struct Held {
    uint32_t a[4], b[2];
  } held{};
  std::memcpy(held.a, a, sizeof(a));
  std::memcpy(held.b, b, sizeof(b));
  Block& block = Block::here();
  const Held* const lanes = block.exchange(held);
  const auto bits = [](const uint32_t* registers, int bit) {
    return registers[bit / 32] >> bit % 32 & ((1U << kBits) - 1);
  };
  const int group = static_cast<int>(block.lane()) / 4, in_group = static_cast<int>(block.lane()) % 4;
  for (int i = 0; i < 4; ++i) {
    const int row = group + i / 2 * 8, column = in_group * 2 + i % 2;
    for (int k = 0; k < kDepth; ++k) {
      const auto at_a = arch::fragment_a(kBits, row, k), at_b = arch::fragment_b(kBits, k, column);
      c[i] += from_a(bits(lanes[at_a.lane].a, at_a.bit)) * from_b(bits(lanes[at_b.lane].b, at_b.bit));
    }
  }
}
inline float from_bf16(uint32_t x) { return std::bit_cast<float>(x << 16); }
using Sums = float (&)[4];
using FragmentA = const uint32_t (&)[4];
using FragmentB = const uint32_t (&)[2];
inline void mma_bf16(Sums c, FragmentA a, FragmentB b) { mma<16>(c, a, b, from_bf16, from_bf16); }
inline void mma_f16(Sums c, FragmentA a, FragmentB b) {
  const auto from = [](uint32_t x) { return from_f16(static_cast<uint16_t>(x)); };
  mma<16>(c, a, b, from, from);
}
inline void mma_e4m3_e4m3(Sums c, FragmentA a, FragmentB b) { mma<32>(c, a, b, from_e4m3, from_e4m3); }
inline void mma_e4m3_e5m2(Sums c, FragmentA a, FragmentB b) { mma<32>(c, a, b, from_e4m3, from_e5m2); }
inline void mma_e5m2_e4m3(Sums c, FragmentA a, FragmentB b) { mma<32>(c, a, b, from_e5m2, from_e4m3); }
inline void mma_e5m2_e5m2(Sums c, FragmentA a, FragmentB b) { mma<32>(c, a, b, from_e5m2, from_e5m2); }

template <int kBytes>
void load_async(void* to, const void* from, uint32_t inside) {
  Block::here().copies().open.push_back([=] {
    std::memset(to, 0, kBytes);
    std::memcpy(to, from, inside);
  });
}
inline void commit_group() { Block::here().copies().commit(); }
template <int kCount>
void wait_group() {
  Block::here().copies().wait(kCount);
}
inline void max_global(uint32_t* at, uint32_t value) { *at = std::max(*at, value); }
template <class T>
T* global(const void* at) {
  return static_cast<T*>(const_cast<void*>(at));
}

inline void keep(int& /*value*/) {}
inline void keep(float& /*value*/) {}
inline void keep(unsigned& /*value*/) {}
inline void keep_accesses() {}
inline void keep_branch() {}

inline int thread() { return Block::here().thread(); }
inline int block_x() { return Block::here().place().x; }
inline int block_y() { return Block::here().place().y; }
inline int block_z() { return Block::here().place().z; }
inline float swap_lanes(float value, int distance) {
  Block& block = Block::here();
  return block.exchange(value)[block.lane() ^ static_cast<size_t>(distance)];
}
inline float of_lane(float value, int lane) {
  return Block::here().exchange(value)[static_cast<size_t>(lane)];
}
inline bool any_lane(bool so) {
  const bool* const all = Block::here().exchange(so);
  return std::find(all, all + 32, true) != all + 32;
}
inline void barrier() { Block::here().barrier(); }
inline void warp_barrier() { Block::here().warp_barrier(); }

}  // namespace tile::ptx
