#include "study/run_options.h"

namespace wavesmith::study {

std::string RunOptions::devices() const {
  // Changes belong to each GPU that is named: "mi300x:8" becomes "mi300x+compute.units=8:8".
  std::string changes, devices, rest = gpu;
  for (const std::string& one : set) changes += "+" + one;
  if (changes.empty()) return gpu;
  while (true) {
    const size_t comma = std::min(rest.find(','), rest.size());
    const std::string one = rest.substr(0, comma);
    const size_t colon = std::min(one.rfind(':'), one.size());
    devices += (devices.empty() ? "" : ",") + one.substr(0, colon) + changes + one.substr(colon);
    if (comma == rest.size()) return devices;
    rest.erase(0, comma + 1);
  }
}

}  // namespace wavesmith::study
