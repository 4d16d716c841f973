// The clock of DistributedDataParallel's log, which a device called "cuda" has to have: the host's time.
#include <torch/csrc/distributed/c10d/reducer_timer.hpp>

#include "device/device_type.h"

namespace wavesmith::device {
namespace {

class HostTimer final : public c10d::Timer {
 public:
  explicit HostTimer(c10::Device) {}
  std::optional<std::int64_t> measureDifference(Event start, Event end) override {
    const auto from = getTimestamp(start), to = getTimestamp(end);
    if (!from.has_value() || !to.has_value() || *to < *from) return std::nullopt;
    return *to - *from;
  }
};

const c10d::RegistererTimerRegistry registered(kDevice, c10d::TimerRegistry(),
                                               c10d::RegistererTimerRegistry::DefaultCreator<HostTimer>);

}  // namespace
}  // namespace wavesmith::device
