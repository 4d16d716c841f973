#include "study/run_options.h"

#include <algorithm>
#include <string_view>

#include "gpus/chosen.h"
#include "study/gpu_option.h"

namespace wavesmith::study {
namespace {

// Changes belong to each GPU that is named: "mi300x:8" becomes "mi300x+compute.units=8:8".
Result<std::string> changed_devices(const std::string& gpus, const std::vector<std::string>& set) {
  if (set.empty()) return gpus;
  std::string devices;
  for (const std::string& one : split_list(gpus)) {
    const size_t colon = std::min(one.rfind(':'), one.size());
    const Result<std::string> changed = with_changes(std::string_view(one).substr(0, colon), set);
    if (!changed) return tl::unexpected(changed.error());
    if (!devices.empty()) devices += ",";
    devices.append(*changed).append(one.substr(colon));
  }
  return devices;
}

}  // namespace

std::string RunOptions::devices() const { return changed_devices(gpu, set).value_or(""); }

Result<std::vector<const gpus::Gpu*>> RunOptions::machine() const {
  const Result<std::string> devices = changed_devices(gpu, set);
  if (!devices) return tl::unexpected(devices.error());
  return gpus::find_machine(*devices);
}

}  // namespace wavesmith::study
