// One workgroup under execution: its waves, its LDS, and how they take turns.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/extent3.h"
#include "base/result.h"
#include "emulate/run/events.h"
#include "emulate/run/wave.h"

namespace wavesmith::emulate {

class Program;
struct Dispatch;

/// Why and where a kernel was stopped.
struct Fault {
  Error error;
  const Uop* uop = nullptr;
};

struct Workgroup {
  Program* program = nullptr;  ///< with events in it when there is a listener
  std::unique_ptr<WorkgroupListener> listener;
  const Dispatch* dispatch = nullptr;
  Extent3 id{0, 0, 0};
  std::vector<Wave*> waves;
  Wave* running = nullptr;  ///< the one whose turn it is, or was last
  uint8_t* lds = nullptr;
  uint64_t grid_phase = 0;  ///< the phase of the grid barrier that one of its waves waits for; 0: none
  std::optional<Fault> fault;
  bool leaving_barrier = false;  ///< its waves have met at the barrier and none went on yet
  uint32_t short_slices = 0;     ///< that its waves still get behind the barrier
  bool waited = false;           ///< in the short slices before this turn
  uint32_t meetings = 0;         ///< turns that ended at a barrier, with waiting in between
  uint32_t mixed_turns = 0;      ///< turns in which some waves waited and others computed
  uint64_t turns = 0;            ///< counted where their order is a seed's
  uint32_t barrier_signals = 0;  ///< waves that have signalled the split barrier in its present phase

  /// Waves that have not ended.
  [[nodiscard]] uint32_t members() const {
    return static_cast<uint32_t>(std::count_if(
        waves.begin(), waves.end(), [](const Wave* wave) { return wave->status != Status::Done; }));
  }
  /// When every wave that still runs has signalled the split barrier: lets those go on that wait, begins a
  /// new phase.
  void complete_barrier() {
    if (barrier_signals == 0 || barrier_signals < members()) return;
    barrier_signals = 0;
    leaving_barrier = true;
    if (listener) listener->barrier_completes();
    for (Wave* wave : waves) {
      wave->barrier_complete = 1;
      if (wave->status == Status::SplitBarrier) wave->status = Status::Ready;
    }
  }

  /// Stops `wave` with an error at `uop`; the first one of a workgroup is kept.
  void fail(Wave& wave, const Uop* uop, Error error) {
    wave.status = Status::Fault;
    wave.resume = uop;
    if (!fault) fault = Fault{std::move(error), uop};
  }
};

}  // namespace wavesmith::emulate
