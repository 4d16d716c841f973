// RCCL's collectives, sends and receives (exchange.h). rccl.h of ROCm 7.0.
#include "libraries/rccl/group.h"
#include "libraries/shim/stream.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;

namespace {

/// Checks in RCCL's order (src/misc/argcheck.cc) and as a group of its own where the program has started
/// none.
template <class Body>
int call(void* handle, const char* function, int type, int root, Body body) {
  const Called called(function);
  Communicator* const communicator = communicator_of(handle);
  if (!communicator) {
    complain("%s: that is no communicator", function);
    return kInvalidArgument;
  }
  start_group();
  int result = kSuccess;
  if (root < 0 || root >= communicator->ranks) {
    complain("%s: rank %d of %d", function, root, communicator->ranks);
    result = kInvalidArgument;
  } else if (type < 0 || type >= kElementTypes) {
    complain("%s: %d is no data type", function, type);
    result = kInvalidArgument;
  } else {
    auto element = static_cast<Element>(type);
    if (communicator->fnuz && element == Element::Fp8) element = Element::Fp8Fnuz;
    if (communicator->fnuz && element == Element::Bf8) element = Element::Bf8Fnuz;
    result = body(*communicator, element);
  }
  note(result);
  const int ended = end_group();
  return result == kSuccess ? ended : result;
}

/// Whether the bytes lie in their allocation; null pointers point to nothing.
bool is_there(const char* function, const void* data, uint64_t bytes) {
  if (bytes == 0) return true;
  if (data && reaches(data, 0, static_cast<int64_t>(bytes) - 1, 1)) return true;
  complain("%s: %llu bytes at %p reach past their allocation", function,
           static_cast<unsigned long long>(bytes), data);
  return false;
}

int collective(CollectiveKind kind, const void* send, void* receive, size_t count, int type, int operation,
               int root, void* handle, void* stream) {
  const char* const function = name_of(kind);
  return call(handle, function, type, root, [&](Communicator& c, Element element) -> int {
    Exchange exchange{};
    exchange.kind = Exchange::Kind::Collective;
    exchange.send = send;
    exchange.receive = receive;
    auto& what = exchange.collective;
    what = {kind, element, static_cast<Operation>(operation), root, count, 0};
    if (operation >= kOperations && operation < kOperations + Communicator::kMostScaledSums &&
        c.sums[operation - kOperations].used) {
      const ScaledSum& sum = c.sums[operation - kOperations];
      if (sum.element != element) {
        complain("%s: the operation was created for %s", function, name_of(sum.element));
        return kInvalidArgument;
      }
      what.operation = Operation::PreMulSum;
      what.factor = sum.factor;
      exchange.factor = sum.device;
    } else if (operation < 0 || operation >= kOperations) {
      complain("%s: %d is no operation of this communicator", function, operation);
      return kInvalidArgument;
    }
    if (count == 0) return kSuccess;
    if (!is_there(function, send, bytes_sent(what, c.rank, c.ranks)) ||
        !is_there(function, receive, bytes_received(what, c.rank, c.ranks)))
      return kInvalidArgument;
    return add(c, stream, exchange);
  });
}

/// Between this rank and another, or itself. Nothing is sent and received, too, as RCCL does.
int message(Exchange::Kind kind, Communicator& c, void* stream, const void* data, uint64_t bytes, int peer,
            bool in_place = false) {
  const bool sends = kind == Exchange::Kind::Send;
  if (!is_there(sends ? "ncclSend" : "ncclRecv", data, bytes)) return kInvalidArgument;
  Exchange exchange{};
  exchange.kind = kind;
  (sends ? const_cast<void*&>(exchange.send) : exchange.receive) = const_cast<void*>(data);
  exchange.peer = peer;
  exchange.bytes = bytes;
  exchange.in_place = sends && in_place;
  return add(c, stream, exchange);
}
int send(Communicator& c, void* stream, const void* data, uint64_t bytes, int peer, bool in_place = false) {
  return message(Exchange::Kind::Send, c, stream, data, bytes, peer, in_place);
}
int receive(Communicator& c, void* stream, const void* data, uint64_t bytes, int peer) {
  return message(Exchange::Kind::Receive, c, stream, data, bytes, peer);
}

const char* at(const void* data, uint64_t bytes) { return static_cast<const char*>(data) + bytes; }

}  // namespace

WAVESMITH_SERVED int ncclAllReduce(const void* send, void* receive, size_t count, int type, int operation,
                                   void* comm, void* stream) {
  return collective(CollectiveKind::AllReduce, send, receive, count, type, operation, 0, comm, stream);
}
WAVESMITH_SERVED int ncclReduce(const void* send, void* receive, size_t count, int type, int operation,
                                int root, void* comm, void* stream) {
  return collective(CollectiveKind::Reduce, send, receive, count, type, operation, root, comm, stream);
}
WAVESMITH_SERVED int ncclReduceScatter(const void* send, void* receive, size_t count, int type, int operation,
                                       void* comm, void* stream) {
  return collective(CollectiveKind::ReduceScatter, send, receive, count, type, operation, 0, comm, stream);
}
WAVESMITH_SERVED int ncclBroadcast(const void* send, void* receive, size_t count, int type, int root,
                                   void* comm, void* stream) {
  return collective(CollectiveKind::Broadcast, send, receive, count, type, 0, root, comm, stream);
}
WAVESMITH_SERVED int ncclBcast(void* data, size_t count, int type, int root, void* comm, void* stream) {
  return collective(CollectiveKind::Broadcast, data, data, count, type, 0, root, comm, stream);
}
WAVESMITH_SERVED int ncclAllGather(const void* send, void* receive, size_t count, int type, void* comm,
                                   void* stream) {
  return collective(CollectiveKind::AllGather, send, receive, count, type, 0, 0, comm, stream);
}

WAVESMITH_SERVED int ncclSend(const void* data, size_t count, int type, int peer, void* comm, void* stream) {
  return call(comm, "ncclSend", type, peer, [&](Communicator& c, Element element) {
    return send(c, stream, data, count * width_of(element), peer);
  });
}
WAVESMITH_SERVED int ncclRecv(void* data, size_t count, int type, int peer, void* comm, void* stream) {
  return call(comm, "ncclRecv", type, peer, [&](Communicator& c, Element element) {
    return receive(c, stream, data, count * width_of(element), peer);
  });
}

// These are messages between all that take part, as in RCCL (src/collectives.cc).
WAVESMITH_SERVED int ncclGather(const void* from, void* to, size_t count, int type, int root, void* comm,
                                void* stream) {
  return call(comm, "ncclGather", type, root, [&](Communicator& c, Element element) {
    const uint64_t bytes = count * width_of(element);
    if (bytes == 0) return int{kSuccess};
    int result = send(c, stream, from, bytes, root);
    for (int r = 0; c.rank == root && r < c.ranks && result == kSuccess; ++r)
      result = receive(c, stream, at(to, static_cast<uint64_t>(r) * bytes), bytes, r);
    return result;
  });
}
WAVESMITH_SERVED int ncclScatter(const void* from, void* to, size_t count, int type, int root, void* comm,
                                 void* stream) {
  return call(comm, "ncclScatter", type, root, [&](Communicator& c, Element element) {
    const uint64_t bytes = count * width_of(element);
    if (bytes == 0) return int{kSuccess};
    int result = receive(c, stream, to, bytes, root);
    for (int r = 0; c.rank == root && r < c.ranks && result == kSuccess; ++r)
      result = send(c, stream, at(from, static_cast<uint64_t>(r) * bytes), bytes, r);
    return result;
  });
}
WAVESMITH_SERVED int ncclAllToAll(const void* from, void* to, size_t count, int type, void* comm,
                                  void* stream) {
  return call(comm, "ncclAllToAll", type, 0, [&](Communicator& c, Element element) {
    const uint64_t bytes = count * width_of(element);
    int result = kSuccess;
    for (int r = 0; bytes != 0 && r < c.ranks && result == kSuccess; ++r) {
      result = send(c, stream, at(from, static_cast<uint64_t>(r) * bytes), bytes, r, from == to);
      if (result == kSuccess) result = receive(c, stream, at(to, static_cast<uint64_t>(r) * bytes), bytes, r);
    }
    return result;
  });
}
WAVESMITH_SERVED int ncclAllToAllv(const void* from, const size_t* send_counts, const size_t* send_places,
                                   void* to, const size_t* receive_counts, const size_t* receive_places,
                                   int type, void* comm, void* stream) {
  return call(comm, "ncclAllToAllv", type, 0, [&](Communicator& c, Element element) {
    if (!send_counts || !send_places || !receive_counts || !receive_places) return int{kInvalidArgument};
    const size_t width = width_of(element);
    int result = kSuccess;
    for (int r = 0; r < c.ranks && result == kSuccess; ++r) {
      result = send(c, stream, at(from, send_places[r] * width), send_counts[r] * width, r, from == to);
      if (result == kSuccess)
        result = receive(c, stream, at(to, receive_places[r] * width), receive_counts[r] * width, r);
    }
    return result;
  });
}

WAVESMITH_SERVED int ncclGroupStart() {
  start_group();
  return kSuccess;
}
WAVESMITH_SERVED int ncclGroupEnd() { return end_group(); }
