// Checking: with WAVESMITH_CHECK set to a list of checkers, every launch is heard by them, and what they find
// is written as JSON into the folder that WAVESMITH_CHECK_REPORT names (a file per process), or told as text
// on standard error when the process ends.
#pragma once

#include <memory>

#include "check/session.h"
#include "emulate/run/dispatch.h"

namespace wavesmith::runtime {

/// The checks of this process; nullptr: it is not checked.
check::Session* checks();

/// One launch that is checked.
class CheckedLaunch {
 public:
  /// Adds listeners to the dispatch; nullptr: it is not checked.
  static std::unique_ptr<CheckedLaunch> begin(emulate::Dispatch& dispatch, const emulate::Memory& memory,
                                              int device, uint64_t stream);
  /// The launch has ended; nullptr: well.
  void end(const Error* error);

 private:
  explicit CheckedLaunch(check::Session& session, check::Launch launch) : run_(session, std::move(launch)) {}
  check::Session::Run run_;
};

}  // namespace wavesmith::runtime
