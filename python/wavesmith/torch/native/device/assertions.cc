#include "device/assertions.h"

#include <atomic>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

#include <c10/util/Exception.h>

#include "device/hip.h"
#include "device/streams.h"

namespace wavesmith::device {
namespace {

// A program has few different texts, but may say each at every step.
struct Assertions {
  std::mutex mutex;
  std::unordered_map<std::string, std::int64_t> numbers;
  std::vector<std::string> texts{""};
  std::atomic<std::int64_t*> failed = nullptr;  // the memory lives as long as the process
};

Assertions& assertions() {
  static auto* const all = new Assertions;  // errors are raised while the process ends, too
  return *all;
}

// The text of the assertion that failed; empty if there is none. A device that failed stays so.
std::string said() {
  auto& all = assertions();
  std::int64_t* const failed = all.failed;
  if (failed == nullptr) return "";
  const auto number = std::atomic_ref(*failed).load();
  const std::lock_guard lock(all.mutex);
  return number > 0 && number < static_cast<std::int64_t>(all.texts.size())
             ? all.texts[static_cast<std::size_t>(number)]
             : "";
}

}  // namespace

std::int64_t number_of_assertion(std::string_view text) {
  auto& all = assertions();
  const std::lock_guard lock(all.mutex);
  const auto [found, is_new] =
      all.numbers.try_emplace(std::string(text), static_cast<std::int64_t>(all.texts.size()));
  if (is_new) all.texts.emplace_back(text);
  return found->second;
}

std::int64_t* failed_assertion() {
  auto& all = assertions();
  const std::lock_guard lock(all.mutex);
  if (all.failed == nullptr) {
    const CaptureAllows relaxed;
    void* memory = nullptr;
    check(hipHostMalloc(&memory, sizeof(std::int64_t), 0), "hipHostMalloc");
    auto* const failed = static_cast<std::int64_t*>(memory);
    *failed = 0;
    all.failed = failed;
  }
  return all.failed;
}

void raise_error(int error, const char* what) {
  hipGetLastError();  // so that a later call does not report it again
  const std::string failed = said();
  throw c10::AcceleratorError({__func__, __FILE__, __LINE__}, error,
                              c10::str("HIP error: ", hipGetErrorString(error), " (", error, ") in ", what,
                                       failed.empty() ? "" : ": assertion failed: ", failed));
}

}  // namespace wavesmith::device
