#include "runtime/device/visible_devices.h"

#include <algorithm>

#include <fmt/format.h>

#include "base/split.h"

namespace wavesmith::runtime {
namespace {

/// -1 for a text that names none.
int find(std::string_view name, const std::vector<std::string>& uuids) {
  const bool by_uuid = name.find("GPU-") != name.npos;
  for (size_t i = 0; i < uuids.size(); ++i)
    if (by_uuid ? uuids[i].find(name) != std::string::npos : fmt::to_string(i) == name)
      return static_cast<int>(i);
  return -1;
}

}  // namespace

std::vector<int> visible_devices(std::string_view list, const std::vector<std::string>& uuids) {
  std::vector<int> visible;
  for (const std::string_view name : split(list, ',')) {
    const int number = find(name, uuids);
    if (number < 0) break;
    if (std::find(visible.begin(), visible.end(), number) == visible.end()) visible.push_back(number);
  }
  return visible;
}

}  // namespace wavesmith::runtime
