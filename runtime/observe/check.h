// Checking: with WAVESMITH_CHECK set to a list of checkers, every launch is heard by them, and what they find
// is written as JSON into the folder that WAVESMITH_CHECK_REPORT names (a file per process), or told as text
// on standard error when the process ends.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "check/json.h"
#include "check/session.h"
#include "check/stream_point.h"
#include "emulate/run/dispatch.h"

namespace wavesmith::runtime {

class Stream;
struct Ticket;
struct Allocation;

/// The checks under way; nullptr: there are none.
std::shared_ptr<check::Session> checks();

/// Begins checks by these checkers, in place of those of WAVESMITH_CHECK. The devices are idle. Error:
/// BadInput for a list that topics_of() refuses, or when such checks are under way.
Result<void> begin_checks(std::string_view names);
/// Ends them, and returns what they found; nullopt: there are none under way.
std::optional<check::Report> end_checks();

// What the host does, told to the checkers where the process is checked. Which call it is, they know by
// check::HostCallScope.

void tell_allocated(const void* pointer, size_t bytes);
void tell_released(const void* pointer, size_t bytes);
/// A library that works on the host may have written from there to the allocation's end.
void tell_served(const void* pointer, const Allocation& allocation);
/// A pointer was to be freed that cannot be.
void tell_release_refused(const emulate::Memory& memory, const void* pointer);
/// A copy or fill was refused that leaves what is allocated; `bytes`: empty where no memory is so large.
void tell_access_refused(const emulate::Memory& memory, const void* pointer, std::optional<size_t> bytes,
                         bool writes);
/// Whether released addresses are not to be used again soon.
bool checks_memory();

/// A point of a stream's order, where streams are checked.
check::StreamPoint point_of(const Ticket& ticket);
/// A stream was given an operation, before it may run. `after`: what it waits for besides its stream's.
void tell_asked(const Stream& stream, uint64_t number, std::vector<check::StreamPoint> after);
/// The host knows that all up to there is done.
void tell_known(const Stream& stream, uint64_t number);
void tell_ended(const Stream& stream);
/// A value in memory has been seen for which work waited.
void tell_seen_in_memory();

/// An operation, or a step of a graph's run, while it runs.
class RunningWork {
 public:
  explicit RunningWork(check::StreamPoint point) : point_(point), scope_(std::move(point)) {}
  ~RunningWork();
  RunningWork(const RunningWork&) = delete;
  RunningWork& operator=(const RunningWork&) = delete;

 private:
  check::StreamPoint point_;
  check::StreamPointScope scope_;
};

/// One launch that is checked.
class CheckedLaunch {
 public:
  /// What the dispatch does not say.
  struct About {
    int device = 0;
    uint64_t stream = 0;
    bool meets_others = false;
    std::vector<std::span<const uint8_t>> constants = {};
  };
  /// Adds listeners to the dispatch; nullptr: it is not checked.
  static std::unique_ptr<CheckedLaunch> begin(emulate::Dispatch& dispatch, const emulate::Memory& memory,
                                              const std::function<About()>& about);
  /// The launch has ended; nullptr: well.
  void end(const Error* error);

 private:
  CheckedLaunch(std::shared_ptr<check::Session> session, check::Launch launch)
      : session_(std::move(session)), run_(*session_, std::move(launch)) {}
  std::shared_ptr<check::Session> session_;
  check::Session::Run run_;
};

}  // namespace wavesmith::runtime
