// Collectives: what RCCL's functions do with the data of all ranks, when every rank has asked for it.
#pragma once

#include <cstddef>
#include <cstdint>

#include "libraries/rccl/reduction.h"
#include "libraries/shim/work.h"

namespace wavesmith::libraries {

enum class CollectiveKind : uint8_t { AllReduce, Reduce, ReduceScatter, Broadcast, AllGather };

/// One rank's request. What the ranks have to agree about stands before `factor`.
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

/// What GPUs would do for it: of a reduction to one rank, what a broadcast takes. Among themselves alone, a
/// rank copies.
GpuWork work_of(const Collective& what, int ranks);

/// Bytes that a rank sends and receives, 0 where it takes no part.
uint64_t bytes_sent(const Collective& what, int rank, int ranks);
uint64_t bytes_received(const Collective& what, int rank, int ranks);

/// The data of the ranks as one of them sees them.
struct Buffers {
  const void* const* send;
  void* const* receive;
  const uint64_t* factors;
  bool together;  ///< whether what others receive is in reach; each rank fetches its own results where not
};
/// A rank's share of the work. Its result is complete when all ranks have done theirs.
void perform(const Collective& what, const Buffers& buffers, int rank, int ranks);

const char* name_of(CollectiveKind kind);

}  // namespace wavesmith::libraries
