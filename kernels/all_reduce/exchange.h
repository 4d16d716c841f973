// A workgroup's dealings with the workgroups of its number on the other ranks: where data are put for them,
// and how they are told that they are there.
//
// A rank writes what others need into their buffers and reads nothing but its own. So links are crossed once
// for data and once for the flag behind them, and a rank's x is never read by another. Launches use the two
// halves of the buffers in turn: a rank that writes for a launch has seen flags of the one before from all
// others, so that these have ended the one before that, and none reads that half any more.
#pragma once

#include "kernels/all_reduce/arguments.h"
#include "tile/arch/peers.h"

namespace wavesmith::kernels {

class Exchange {
 public:
  TILE_DEVICE explicit Exchange(const AllReduceArguments& g)
      : g_(g), launch_(tile::arch::read_word(tile::arch::word_at(g.buffers[g.rank], kLaunchesWord))) {}

  /// This launch's half of a rank's buffer.
  TILE_DEVICE char* half_of(int rank) const {
    // Not ahead of a loop: what is loaded first does not wait for this number.
    const int odd = tile::arch::late(static_cast<int>(launch_ & 1));
    return static_cast<char*>(g_.buffers[rank]) + kHeadBytes + odd * g_.half_bytes;
  }
  TILE_DEVICE char* own_half() const { return half_of(g_.rank); }

  /// What this workgroup has put into others' buffers is theirs, and theirs is here.
  template <int kStage>
  TILE_DEVICE void meet() const {
    using namespace tile::arch;
    release_to_all();
    barrier_of_all_memory();
    const int other = thread_id();
    if (other < g_.ranks) {
      const tile::u32 flags = kFlagsWord + kStage * kFlagWords + workgroup_id() * kMostRanks;
      write_word(word_at(g_.buffers[other], flags + g_.rank), launch_ + 1);
      // A rank that ends this launch first may have set the next one's flag.
      const Word* const flag = word_at(g_.buffers[g_.rank], flags + other);
      while (any_lane(static_cast<int>(read_word(flag) - (launch_ + 1)) < 0)) rest();
    }
    barrier_of_all_memory();
    acquire_from_all();
  }

  /// Behind the last meeting: the last workgroup to come here counts the launch. All have read that number.
  TILE_DEVICE void end(int workgroups) const {
    using namespace tile::arch;
    if (thread_id() != 0) return;
    void* const own = g_.buffers[g_.rank];
    if (count_up(word_at(own, kEndedWord)) + 1 != static_cast<tile::u32>(workgroups)) return;
    write_word(word_at(own, kEndedWord), 0);
    write_word(word_at(own, kLaunchesWord), launch_ + 1);
  }

 private:
  const AllReduceArguments& g_;
  tile::u32 launch_;  ///< launches before this one, in each lane
};

}  // namespace wavesmith::kernels
