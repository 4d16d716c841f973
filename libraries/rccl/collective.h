// Collectives: RCCL's operations on the data of all ranks, executed once every rank has requested them.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libraries/rccl/reduction.h"
#include "libraries/shim/work.h"

namespace wavesmith::libraries {

enum class CollectiveKind : uint8_t { AllReduce, Reduce, ReduceScatter, Broadcast, AllGather };

/// One rank's request. The ranks have to agree about the members before `factor`.
struct Collective {
  CollectiveKind kind;
  Element element;
  Operation operation;
  int32_t root;
  uint64_t count;   ///< as RCCL's function has it: of a rank's part where the parts are scattered or gathered
  uint64_t factor;  ///< the rank's own, in the element's type, for PreMulSum

  [[nodiscard]] bool operator==(const Collective& other) const {
    return kind == other.kind && element == other.element && operation == other.operation &&
           root == other.root && count == other.count;
  }
};

/// The work of GPUs for it: a reduction to one rank counts as a broadcast, a collective of one rank as a
/// copy.
GpuWork work_of(const Collective& what, int ranks);

/// Bytes that a rank sends and receives, 0 where it takes no part.
uint64_t bytes_sent(const Collective& what, int rank, int ranks);
uint64_t bytes_received(const Collective& what, int rank, int ranks);

/// The buffers of all ranks, as mapped in one of them.
struct Buffers {
  const void* const* send;
  void* const* receive;
  const uint64_t* factors;
  bool together;  ///< whether what others receive is in reach; each rank fetches its own results where not
};
/// Does a rank's share of the work. The results are complete when all ranks have done theirs.
void perform(const Collective& what, const Buffers& buffers, int rank, int ranks);

const char* name_of(CollectiveKind kind);

}  // namespace wavesmith::libraries
