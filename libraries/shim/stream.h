// Work on the host in stream order, in graphs too: this is how the libraries' functions are served. The host
// reaches the same memory as the emulated GPUs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <type_traits>

#include "libraries/shim/work.h"

extern "C" int hipLaunchHostFunc(void* stream, void (*function)(void*), void* data);
extern "C" int hipStreamIsCapturing(void* stream, int* status);
extern "C" int hipMemGetAddressRange(void** base, size_t* size, void* pointer);

namespace wavesmith::libraries {

/// The fate of a request. BadPointer: a matrix reaches past its allocation, as stderr says.
enum class Outcome : uint8_t { Done, NotServed, BadPointer, NoMemory, NotLaunched };

/// A library's status for each outcome.
struct Statuses {
  int done, not_served, bad_pointer, no_memory, not_launched;
};
inline int status_of(Outcome outcome, const Statuses& statuses) {
  switch (outcome) {
    case Outcome::Done:
      return statuses.done;
    case Outcome::NotServed:
      return statuses.not_served;
    case Outcome::BadPointer:
      return statuses.bad_pointer;
    case Outcome::NoMemory:
      return statuses.no_memory;
    case Outcome::NotLaunched:
      return statuses.not_launched;
  }
  return statuses.not_launched;
}

/// Enqueues a copy of the request: in stream order its `run()` is called, after `report_work(WorkReporter)`
/// where something listens to the work that a GPU would do.
template <class Request>
Outcome enqueue(void* stream, const Request& request) {
  static_assert(std::is_trivially_copyable_v<Request>);
  struct QueuedRequest {
    Request request;
    NotedCall call;
    bool once;  ///< freed after its only run. A captured one belongs to its graph, which does not say when it
                ///< ends.
    static void execute(void* data) {
      auto* const queued = static_cast<QueuedRequest*>(data);
      if (const WorkListener listener = work_listener())
        queued->request.report_work(WorkReporter(listener, queued->call));
      queued->request.run();
      tell_served(&queued->request, sizeof(Request));
      if (queued->once) std::free(queued);
    }
  };
  int capturing = 0;
  if (hipStreamIsCapturing(stream, &capturing) != 0) return Outcome::NotLaunched;
  auto* const queued = static_cast<QueuedRequest*>(std::malloc(sizeof(QueuedRequest)));
  if (!queued) return Outcome::NoMemory;
  *queued = {request, {}, capturing == 0};
  if (hipLaunchHostFunc(stream, QueuedRequest::execute, queued) == 0) return Outcome::Done;
  std::free(queued);
  return Outcome::NotLaunched;
}

/// Whether an allocation holds the address: memory that GPUs reach.
inline bool is_allocated(const void* data) {
  void* base = nullptr;
  size_t size = 0;
  return hipMemGetAddressRange(&base, &size, const_cast<void*>(data)) == 0;
}

/// Whether the elements from `lowest` to `highest`, counted from `data`, lie within their allocation. True
/// for memory that no allocation holds, such as the host's.
inline bool reaches(const void* data, int64_t lowest, int64_t highest, size_t width) {
  void* base = nullptr;
  size_t size = 0;
  if (hipMemGetAddressRange(&base, &size, const_cast<void*>(data)) != 0) return true;
  const auto bytes = static_cast<int64_t>(width);
  const int64_t offset = static_cast<const char*>(data) - static_cast<char*>(base);
  return offset + lowest * bytes >= 0 && offset + (highest + 1) * bytes <= static_cast<int64_t>(size);
}

}  // namespace wavesmith::libraries
