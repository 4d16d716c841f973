#include "runtime/launch_progress.h"

#include <cxxabi.h>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <string_view>

#include <fmt/format.h>

#include "base/progress.h"

namespace wavesmith::runtime {
namespace {

/// Never destroyed: programs launch kernels while they exit.
Progress* asked() {
  static Progress* const progress = []() -> Progress* {
    const char* const wanted = std::getenv("WAVESMITH_PROGRESS");
    return wanted && std::string_view(wanted) == "1" ? new Progress("wavesmith", Progress::Shape::Lines)
                                                     : nullptr;
  }();
  return progress;
}

/// "attention" of "_Z9attentionPf".
std::string name_of(const std::string& kernel) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(kernel.c_str(), nullptr, nullptr, &status), std::free);
  if (!text || status != 0) return kernel;
  const std::string_view readable(text.get());
  return std::string(readable.substr(0, readable.find('(')));
}

}  // namespace

std::function<void(uint64_t, uint64_t)> launch_progress(const std::string& kernel) {
  Progress* const progress = asked();
  if (!progress) return {};
  static std::atomic<uint64_t> launches{0};
  return [progress, &kernel, number = ++launches](uint64_t begun, uint64_t workgroups) {
    if (!progress->due()) return;
    progress->step(
        fmt::format("launch {}, {}: {} of {} workgroups", number, name_of(kernel), begun, workgroups));
  };
}

}  // namespace wavesmith::runtime
