// Modelled time: with WAVESMITH_TIME set, streams, copies and events run on a clock of the emulated GPU, not
// on the host's. Each thread of the program has a clock too, which its calls advance, so that launches queue
// up and waiting for them takes as long as on the GPU. Without WAVESMITH_TIME none of this happens.
#pragma once

#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "emulate/run/dispatch.h"
#include "runtime/memory/copy.h"
#include "timing/grid/grid.h"

namespace wavesmith::runtime {

struct KernelFunction;
struct Geometry;

/// The modelled time of a kernel.
struct KernelTime {
  double seconds = 0, dirty = 0;  ///< and the bytes that it left in the L2s to be written back
};

/// The modelled time of a launch, and what limits it: "compute", "address", "lds", "memory" or "links" where
/// that is busy most of the time, else "latency".
struct GridSeconds {
  double seconds;
  const char* bound;
};

/// The mode that WAVESMITH_TIME selects.
enum class TimeMode : uint8_t {
  Host,  ///< nothing: events tell the host's time
  Modelled,
  Sampled,  ///< modelled, and of each grid only the workgroups that the model looks at are run: fast, and
            ///< what the kernels compute is incomplete
};
TimeMode time_mode();

/// Seconds of the calling thread's modelled clock.
double& host_time();

/// Writes a line to WAVESMITH_TIME_LOG, if set, for work that is not a kernel; `how` tells how its time is
/// known.
void log_modelled(const std::string& what, double seconds, const char* how);

/// The program's allocations on devices and in host memory for them, in ascending order.
std::vector<timing::Region> allocated_regions();

/// Modelled time of one device.
class ModelledDevice {
 public:
  /// `number`: of the GPU in the machine.
  ModelledDevice(const gpus::Gpu& gpu, int number);

  /// Seconds that a launch takes on the calling thread.
  [[nodiscard]] double call_seconds() const { return call_; }
  /// The start of a kernel or copy: its arrival, or a gap after the end of the previous work once the L2s
  /// have written back what that left, whichever is later.
  double start(const Stream& stream);
  /// Seconds from the end of one kernel to the start of the next.
  [[nodiscard]] double gap_seconds() const { return gap_; }
  /// Seconds from the end of the previous work to the time that an event records.
  [[nodiscard]] double event_seconds() const { return event_; }

  /// `allocated_regions`, with the paths to those that are not this GPU's own.
  std::vector<timing::Region> regions();
  /// Starts observing a launch, until finish(). `code_bytes`: size of the kernel's own code.
  std::unique_ptr<timing::GridLaunch> listen(emulate::Dispatch& dispatch, const Stream& stream,
                                             uint64_t code_bytes, uint32_t waves, uint32_t resident,
                                             std::vector<uint64_t>& only);
  /// The time of a launch that has run and executed so many instructions. `otherwise`: the time of a more
  /// detailed model, which then counts.
  GridSeconds finish(timing::GridLaunch& launch, const emulate::Dispatch& dispatch, uint64_t stream,
                     uint64_t instructions, const std::optional<KernelTime>& otherwise = {});
  /// Seconds for which the stream's next kernel or copy would wait until the L2s have written back. The first
  /// call resets them.
  double write_back_seconds(uint64_t stream);

  /// Of a copy between host and GPU: its call, the staging of a short one to or from pageable memory, the
  /// transfer.
  double copy_seconds(const Box& box);
  double fill_seconds(const void* destination, size_t bytes);

 private:
  bool reads_clock(const emulate::Dispatch& dispatch, uint64_t code_bytes);
  /// The path to the memory of the GPU of that number, or to the host's (kHost).
  const timing::FarPath* path_to(int number);
  double stream_seconds(std::span<const timing::Region> touched, double bytes);
  static constexpr int kHost = -1;
  const gpus::Gpu& gpu_;
  const int number_;
  std::mutex mutex_, paths_mutex_;
  std::unordered_map<int, timing::FarPath> paths_;
  std::unordered_map<uint64_t, bool>
      stays_;  ///< kernels by their first instruction: they used own memory alone
  timing::GridModel model_;
  std::unordered_map<uint64_t, bool> reads_clock_;   ///< kernels by their first instruction
  std::unordered_map<uint64_t, double> write_back_;  ///< of each stream's last kernel
  double call_, first_wave_, gap_, event_;
};

}  // namespace wavesmith::runtime
