#include "runtime/observe/timeline.h"

#include <atomic>
#include <deque>
#include <mutex>

#include "runtime/device/device.h"
#include "runtime/device/platform.h"
#include "runtime/observe/modelled_time.h"

namespace wavesmith::runtime {
namespace {

struct Timeline {
  std::atomic<bool> recorded{false};
  std::atomic<uint64_t> asked{0};
  std::mutex mutex;
  std::deque<TimelineEntry> entries;
};

Timeline& timeline() {
  static Timeline& only = *new Timeline();  // threads note until the process ends
  return only;
}

}  // namespace

void note_timed(const Stream& stream, const std::string& name, const char* bound, double begin, double end) {
  Timeline& line = timeline();
  if (!line.recorded.load(std::memory_order_acquire)) return;
  const std::scoped_lock lock(line.mutex);
  line.entries.push_back(
      {name, bound, stream.device.ordinal, stream.id, stream.operation_number(), begin, end});
}

bool record_timeline(bool on) {
  Timeline& line = timeline();
  for (const auto& device : Platform::get()->devices) {
    if (!on && time_mode() == TimeMode::Host) device->modelled.turn_off();
    if (on)
      device->modelled.turn_on(
          device->modelled.made() ? nullptr : std::make_shared<ModelledDevice>(device->gpu, device->number));
  }
  const std::scoped_lock lock(line.mutex);
  if (on && !line.recorded) line.entries.clear();
  return line.recorded.exchange(on);
}

size_t timeline_size() {
  Timeline& line = timeline();
  const std::scoped_lock lock(line.mutex);
  return line.entries.size();
}

const TimelineEntry* timeline_entry(size_t index) {
  Timeline& line = timeline();
  const std::scoped_lock lock(line.mutex);
  return index < line.entries.size() ? &line.entries[index] : nullptr;
}

uint64_t next_operation() { return timeline().asked.fetch_add(1, std::memory_order_relaxed); }
uint64_t operations_asked() { return timeline().asked.load(std::memory_order_relaxed); }

}  // namespace wavesmith::runtime
