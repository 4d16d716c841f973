#include "study/run_options.h"

#include "base/split.h"

namespace wavesmith::study {

std::string RunOptions::devices() const {
  // Changes belong to each GPU that is named: "mi300x:8" becomes "mi300x+compute.units=8:8".
  std::string changes, devices;
  for (const std::string& one : set) changes += "+" + one;
  if (changes.empty()) return gpu;
  for (const std::string_view one : split(gpu, ',')) {
    const size_t colon = std::min(one.rfind(':'), one.size());
    if (!devices.empty()) devices += ",";
    devices.append(one.substr(0, colon)).append(changes).append(one.substr(colon));
  }
  return devices;
}

}  // namespace wavesmith::study
