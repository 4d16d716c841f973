// Events that several processes know: two counters in memory that they share.
#pragma once

#include <atomic>
#include <memory>

#include "emulate/memory/memory.h"

namespace wavesmith::runtime {

/// Counts of the event's recordings, and of those that were reached.
struct EventCounters {
  std::atomic<uint64_t> asked{0}, reached{0};
};

/// The counters in this process.
struct SharedEvent {
  std::shared_ptr<emulate::SharedPages> pages;
  EventCounters* counters = nullptr;
  ~SharedEvent();
};

/// New counters, or another process's. Empty: the system refused.
std::shared_ptr<SharedEvent> create_shared_event();
std::shared_ptr<SharedEvent> open_shared_event(int process, int file, uint64_t serial);

/// Marks recording `number` and all before it as reached.
void reach(EventCounters& counters, uint64_t number);
/// Waits until all recordings made so far are reached.
void wait_for(const EventCounters& counters);
inline bool is_reached(const EventCounters& counters) {
  return counters.reached.load() >= counters.asked.load();
}

}  // namespace wavesmith::runtime
