// Profiling: with WAVESMITH_PROFILE set to a path, chosen workgroups of launches are recorded and replayed by
// the cycle model, and the result is written there as JSON when the process ends. With
// WAVESMITH_PROFILE_SAMPLED=1 the chosen workgroups alone are run, so that results are incomplete.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/extent3.h"
#include "emulate/run/dispatch.h"
#include "gpus/gpu.h"
#include "runtime/observe/modelled_time.h"
#include "timing/profile.h"

namespace wavesmith::runtime {

/// One launch that is profiled.
class ProfiledLaunch {
 public:
  /// The launches of a kernel and geometry that are profiled.
  enum class Selection : uint8_t {
    First,   ///< the first few, where nobody asks for the time of each
    This,    ///< this one, since the program is told its time
    Counted  ///< not this one: it repeats the one before
  };
  /// Starts profiling a launch; nullptr: it is not profiled (WAVESMITH_PROFILE is not set, or enough launches
  /// like it were). `resident`: workgroups that a compute unit holds.
  static std::unique_ptr<ProfiledLaunch> begin(emulate::Dispatch& dispatch, const gpus::Gpu& gpu,
                                               uint32_t resident, Selection which);
  /// Sets a budget, because workgroups that run without the others may wait for them for ever.
  void limit(emulate::Limits& limits);
  /// The launch ended with an error. True: it was that budget, no wave seems to wait for another workgroup,
  /// and `limits` has more: run it again.
  bool again(const Error& error, emulate::Limits& limits);
  /// The launch ended with an error. True: because of that budget, and the profile says why.
  bool refuse(const Error& error);
  /// After the launch has run: runs what is to be counted beside the sample, if anything is.
  void count(const emulate::Dispatch& dispatch, const emulate::Memory& memory, emulate::Limits limits);
  /// Ends the profile after the launch has run and returns its time; nullopt: unknown.
  std::optional<KernelTime> end(const emulate::Statistics& statistics,
                                const std::function<std::string(uint64_t)>& locate);

 private:
  ProfiledLaunch() = default;
  const gpus::Gpu* gpu_ = nullptr;
  std::string kernel_;
  timing::GridShape grid_;
  timing::Sample sample_;
  bool sampled_ = false;
  uint64_t limited_ = 0;  ///< wave-instructions of that budget; 0: the user's
  std::vector<uint64_t> only_;
  double counted_ = 0;  ///< wave-instructions of a workgroup, on average over those that were counted
  std::unique_ptr<timing::Recorder> recorder_;
};

}  // namespace wavesmith::runtime
