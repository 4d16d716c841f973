#include "libraries/rccl/collective.h"

#include <cstring>

namespace wavesmith::libraries {
namespace {

/// Reduces elements from..to of what is sent, into those who want them; `shift`: where a receiver's begin.
void reduce_range(const Collective& what, const Buffers& buffers, int ranks, uint64_t from, uint64_t to,
                  uint64_t shift, void* const* receivers, int count) {
  reduce({.element = what.element,
          .operation = what.operation,
          .inputs = buffers.send,
          .factors = buffers.factors,
          .ranks = ranks,
          .from = from,
          .to = to,
          .outputs = receivers,
          .output_count = count,
          .shift = shift});
}

void copy(void* to, const void* from, uint64_t bytes) {
  if (to != from && bytes != 0) std::memmove(to, from, bytes);
}

}  // namespace

GpuWork work_of(const Collective& what, int ranks) {
  const auto bytes = static_cast<double>(what.count * width_of(what.element));
  if (ranks < 2) return GpuWork("stream").set("read", bytes).set("written", bytes);
  // Of each GPU's buffer; where parts are scattered or gathered the whole of them.
  const auto on = [&](const char* name, double size) {
    return GpuWork("allreduce").set("what", name).set("ranks", int64_t{ranks}).set("bytes", size);
  };
  switch (what.kind) {
    case CollectiveKind::AllReduce:
      return on("all-reduce", bytes);
    case CollectiveKind::ReduceScatter:
      return on("reduce-scatter", bytes * ranks);
    case CollectiveKind::AllGather:
      return on("all-gather", bytes * ranks);
    case CollectiveKind::Broadcast:
    case CollectiveKind::Reduce:
      break;
  }
  return on("broadcast", bytes);
}

uint64_t bytes_sent(const Collective& what, int rank, int ranks) {
  const uint64_t one = what.count * width_of(what.element);
  if (what.kind == CollectiveKind::ReduceScatter) return one * static_cast<uint64_t>(ranks);
  return what.kind == CollectiveKind::Broadcast && rank != what.root ? 0 : one;
}

uint64_t bytes_received(const Collective& what, int rank, int ranks) {
  const uint64_t one = what.count * width_of(what.element);
  if (what.kind == CollectiveKind::AllGather) return one * static_cast<uint64_t>(ranks);
  return what.kind == CollectiveKind::Reduce && rank != what.root ? 0 : one;
}

void perform(const Collective& what, const Buffers& buffers, int rank, int ranks) {
  const uint64_t bytes = what.count * width_of(what.element);
  const auto me = static_cast<uint64_t>(rank), all = static_cast<uint64_t>(ranks);
  // Where every receiver is in reach, each rank computes one slice of the result, for all who get it.
  const uint64_t from = what.count / all * me + (me < what.count % all ? me : what.count % all);
  const uint64_t to = from + what.count / all + (me < what.count % all ? 1 : 0);
  void* const mine = buffers.receive[rank];
  switch (what.kind) {
    case CollectiveKind::AllReduce:
      if (buffers.together)
        reduce_range(what, buffers, ranks, from, to, 0, buffers.receive, ranks);
      else
        reduce_range(what, buffers, ranks, 0, what.count, 0, &mine, 1);
      break;
    case CollectiveKind::Reduce:
      if (buffers.together)
        reduce_range(what, buffers, ranks, from, to, 0, &buffers.receive[what.root], 1);
      else if (rank == what.root)
        reduce_range(what, buffers, ranks, 0, what.count, 0, &mine, 1);
      break;
    case CollectiveKind::ReduceScatter:
      reduce_range(what, buffers, ranks, me * what.count, (me + 1) * what.count, me * what.count, &mine, 1);
      break;
    case CollectiveKind::Broadcast:
      copy(mine, buffers.send[what.root], bytes);
      break;
    case CollectiveKind::AllGather:
      for (uint64_t r = 0; r < all; ++r) copy(static_cast<char*>(mine) + r * bytes, buffers.send[r], bytes);
      break;
  }
}

const char* name_of(CollectiveKind kind) {
  static constexpr const char* kNames[] = {"ncclAllReduce", "ncclReduce", "ncclReduceScatter",
                                           "ncclBroadcast", "ncclAllGather"};
  return kNames[static_cast<int>(kind)];
}

}  // namespace wavesmith::libraries
