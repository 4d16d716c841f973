// Work on the host in the order of a stream, in graphs, too: what functions of the libraries are served by.
// The host reaches the memory that the emulated GPUs do.
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

/// What became of a request. BadPointer: a matrix reaches past its allocation, said on stderr.
enum class Outcome : uint8_t { Done, NotServed, BadPointer, NoMemory, NotLaunched };

/// A library's own numbers for that.
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

/// Calls `run()` of a copy of the request when its turn has come, after `tell(Teller)` where somebody wants
/// to know what a GPU would do.
template <class Request>
Outcome enqueue(void* stream, const Request& request) {
  static_assert(std::is_trivially_copyable_v<Request>);
  struct Turn {
    Request request;
    NotedCall call;
    bool once;  ///< runs once: goes after it. A captured one belongs to its graph, which does not say when it
                ///< ends.
    static void take(void* data) {
      auto* const turn = static_cast<Turn*>(data);
      if (const TellWork listener = who_listens()) turn->request.tell(Teller(listener, turn->call));
      turn->request.run();
      if (turn->once) std::free(turn);
    }
  };
  int capturing = 0;
  if (hipStreamIsCapturing(stream, &capturing) != 0) return Outcome::NotLaunched;
  auto* const turn = static_cast<Turn*>(std::malloc(sizeof(Turn)));
  if (!turn) return Outcome::NoMemory;
  *turn = {request, {}, capturing == 0};
  if (hipLaunchHostFunc(stream, Turn::take, turn) == 0) return Outcome::Done;
  std::free(turn);
  return Outcome::NotLaunched;
}

/// Whether the elements from `lowest` to `highest`, seen from `data`, lie in their allocation. What lies in
/// none is not judged: the host's.
inline bool reaches(const void* data, int64_t lowest, int64_t highest, size_t width) {
  void* base = nullptr;
  size_t size = 0;
  if (hipMemGetAddressRange(&base, &size, const_cast<void*>(data)) != 0) return true;
  const auto bytes = static_cast<int64_t>(width);
  const int64_t offset = static_cast<const char*>(data) - static_cast<char*>(base);
  return offset + lowest * bytes >= 0 && offset + (highest + 1) * bytes <= static_cast<int64_t>(size);
}

}  // namespace wavesmith::libraries
