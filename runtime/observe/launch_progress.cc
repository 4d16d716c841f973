#include "runtime/observe/launch_progress.h"

#include <atomic>
#include <cstdlib>
#include <string_view>

#include <fmt/format.h>

#include "base/progress.h"
#include "isa/llvm/demangle.h"

namespace wavesmith::runtime {
namespace {

/// Never destroyed: programs launch kernels while they exit.
Progress* asked() {
  static Progress* const progress = []() -> Progress* {
    const char* const wanted = std::getenv("WAVESMITH_PROGRESS");
    return wanted && std::string_view(wanted) == "1" ? new Progress("wavesmith", Progress::Style::Lines)
                                                     : nullptr;
  }();
  return progress;
}

}  // namespace

std::function<void(uint64_t, uint64_t, uint64_t)> launch_progress(const std::string& kernel) {
  Progress* const progress = asked();
  if (!progress) return {};
  static std::atomic<uint64_t> launches{0};
  return
      [progress, &kernel, number = ++launches](uint64_t begun, uint64_t workgroups, uint64_t instructions) {
        if (!progress->due()) return;
        progress->step(fmt::format(
            "launch {}, {}: {} of {} workgroups begun, {:.3g} million wave-instructions", number,
            isa::function_name(kernel), begun, workgroups, static_cast<double>(instructions) / 1e6));
      };
}

}  // namespace wavesmith::runtime
