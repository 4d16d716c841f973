#include "libraries/rccl/group.h"

#include <cstdlib>
#include <cstring>

#include "libraries/shim/stream.h"

extern "C" int hipGetDevice(int* device);
extern "C" int hipSetDevice(int device);
extern "C" int hipStreamGetCaptureInfo(void* stream, int* status, unsigned long long* id);
extern "C" int hipEventCreateWithFlags(void** event, unsigned flags);
extern "C" int hipEventRecord(void* event, void* stream);
extern "C" int hipStreamWaitEvent(void* stream, void* event, unsigned flags);

namespace wavesmith::libraries {
namespace {

/// A list without C++'s library.
template <class T>
struct List {
  T* items;
  int count, capacity;

  bool add(const T& item) {
    if (count == capacity) {
      const int larger = capacity ? 2 * capacity : 8;
      void* const moved = std::realloc(items, static_cast<size_t>(larger) * sizeof(T));
      if (!moved) return false;
      items = static_cast<T*>(moved);
      capacity = larger;
    }
    std::memcpy(static_cast<void*>(items + count++), &item, sizeof(T));
    return true;
  }
  void clear() {
    std::free(items);
    *this = {};
  }
};

struct Call {
  Communicator* communicator;
  void* stream;
  Exchange exchange;
  const char* function;  ///< that the program called
};
struct NewRank {
  Communicator* communicator;
  void** handle;
};
struct Group {
  int depth, error;
  List<Call> calls;
  List<NewRank> ranks;
};
thread_local Group group;

/// The calls of one communicator in one group.
struct Batch {
  Communicator* communicator;
  int count;
  NotedCall call;
  bool once;  ///< a captured one belongs to its graph, which does not say when it ends
  Exchange* exchanges() { return reinterpret_cast<Exchange*>(this + 1); }

  static void take(void* data) {
    auto* const batch = static_cast<Batch*>(data);
    run(*batch->communicator, batch->exchanges(), batch->count);
    if (const WorkListener listener = work_listener())
      report_work(*batch->communicator, batch->exchanges(), batch->count,
                  WorkReporter(listener, batch->call));
    if (!batch->once) return;
    release(*batch->communicator);
    std::free(batch);
  }
};

struct Capture {
  int status = 0;
  unsigned long long id = 0;
  [[nodiscard]] unsigned long long now() const { return status ? id : 0; }
};

/// What comes next in `later` waits for what is in `before`.
bool order(Communicator& c, void* before, void* later) {
  return hipEventRecord(c.event, before) == 0 && hipStreamWaitEvent(later, c.event, 0) == 0;
}

/// Whether a rank's work may become part of the graph that is being captured: a graph's nodes follow one
/// another, so that of two ranks in it one would wait for ever for the other.
bool may_be_captured(Communicator& c, const Capture& capture) {
  const CliqueLock lock(*c.clique);
  Member& me = c.clique->members[c.rank];
  for (int r = 0; r < c.ranks; ++r) {
    const Member& other = c.clique->members[r];
    if (r == c.rank || other.process != me.process || other.capture != capture.id) continue;
    complain("ranks %d and %d of a communicator are captured into one graph, which Wavesmith does not serve",
             r, c.rank);
    return false;
  }
  me.capture = capture.id;
  return true;
}

/// On the first stream; the others that the group names wait for it, and it waits for them. What was asked of
/// the communicator before is done before, whatever its stream: RCCL keeps to that order, too.
int enqueue_batch(Communicator& c, Batch& batch, void* const* streams, int count, bool& enqueued) {
  constexpr unsigned kNoTiming = 2;
  if (!c.event && hipEventCreateWithFlags(&c.event, kNoTiming) != 0) return kUnhandledHipError;
  void* const stream = streams[0];
  Capture capture;
  if (hipStreamGetCaptureInfo(stream, &capture.status, &capture.id) != 0) return kInvalidArgument;
  if (capture.status && !may_be_captured(c, capture)) return kInvalidUsage;
  if (c.ordered && c.stream != stream && c.capture == capture.now() &&
      hipStreamWaitEvent(stream, c.event, 0) != 0)
    return kUnhandledHipError;
  for (int i = 1; i < count; ++i)
    if (!order(c, streams[i], stream)) return kUnhandledHipError;
  batch.once = capture.status == 0;
  retain(c);
  if (hipLaunchHostFunc(stream, Batch::take, &batch) != 0) {
    release(c);
    return kUnhandledHipError;
  }
  enqueued = true;
  if (hipEventRecord(c.event, stream) != 0) return kUnhandledHipError;
  for (int i = 1; i < count; ++i)
    if (hipStreamWaitEvent(streams[i], c.event, 0) != 0) return kUnhandledHipError;
  c.ordered = true;
  c.stream = stream;
  c.capture = capture.now();
  return kSuccess;
}

/// All calls of the communicator of the first call from `first` on; those are marked as done.
int enqueue_calls(List<Call>& calls, int first) {
  Communicator& c = *calls.items[first].communicator;
  auto* const batch =
      static_cast<Batch*>(std::malloc(sizeof(Batch) + static_cast<size_t>(calls.count) * sizeof(Exchange)));
  List<void*> streams{};
  if (!batch) return kSystemError;
  *batch = {&c, 0, {calls.items[first].function, false}, true};
  for (int i = first; i < calls.count; ++i) {
    Call& call = calls.items[i];
    if (call.communicator != &c) continue;
    std::memcpy(static_cast<void*>(batch->exchanges() + batch->count++), &call.exchange, sizeof(Exchange));
    call.communicator = nullptr;
    bool known = false;
    for (int s = 0; s < streams.count; ++s) known |= streams.items[s] == call.stream;
    if (!known && !streams.add(call.stream)) return kSystemError;
  }
  // A null stream is that of the communicator's device.
  int device = 0;
  hipGetDevice(&device);
  hipSetDevice(c.device);
  bool enqueued = false;
  const int result = enqueue_batch(c, *batch, streams.items, streams.count, enqueued);
  hipSetDevice(device);
  streams.clear();
  if (!enqueued) std::free(batch);
  return result;
}

int finish_ranks() {
  List<Communicator*> blocking{};
  int result = kSuccess;
  bool in_progress = false;
  for (int i = 0; i < group.ranks.count && result == kSuccess; ++i) {
    Communicator* const made = group.ranks.items[i].communicator;
    const int state = advance_setup(*made);  // all join before any waits
    if (state != kSuccess && state != kInProgress) result = state;
    if (made->blocking && !blocking.add(made)) result = kSystemError;
    in_progress |= !made->blocking && state == kInProgress;
  }
  if (result == kSuccess) result = finish_setup(blocking.items, blocking.count);
  blocking.clear();
  for (int i = 0; i < group.ranks.count; ++i) {
    const auto& [made, handle] = group.ranks.items[i];
    if (result != kSuccess && handle) *handle = nullptr;
    if (result != kSuccess || !handle) release(*made);
  }
  return result == kSuccess && in_progress ? kInProgress : result;
}

int finish_calls() {
  // Communicators that do not block may have been used before they were ready.
  for (int i = 0; i < group.calls.count; ++i)
    if (const int result = finish_setup(&group.calls.items[i].communicator, 1); result != kSuccess)
      return result;
  for (int i = 0; i < group.calls.count; ++i)
    if (group.calls.items[i].communicator)
      if (const int result = enqueue_calls(group.calls, i); result != kSuccess) return result;
  return kSuccess;
}

}  // namespace

void start_group() { ++group.depth; }

int end_group() {
  if (group.depth == 0) return kInvalidUsage;
  if (--group.depth > 0) return kSuccess;
  int result = group.error;
  if (result == kSuccess && group.ranks.count > 0) result = finish_ranks();
  if ((result == kSuccess || result == kInProgress) && group.calls.count > 0)
    if (const int called = finish_calls(); called != kSuccess) result = called;
  group.calls.clear();
  group.ranks.clear();
  group.error = kSuccess;
  return result;
}

int add(Communicator& communicator, void* stream, const Exchange& exchange) {
  return group.calls.add({&communicator, stream, exchange, Called::function()}) ? kSuccess : kSystemError;
}

int add_setup(Communicator& communicator, void** handle) {
  return group.ranks.add({&communicator, handle}) ? kSuccess : kSystemError;
}

int note(int result) {
  if (result != kSuccess && group.error == kSuccess) group.error = result;
  return result;
}

}  // namespace wavesmith::libraries
