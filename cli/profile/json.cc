#include "cli/profile/json.h"

#include <algorithm>
#include <utility>

namespace wavesmith::cli {

using nlohmann::ordered_json;

double number(const ordered_json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_number() ? at->get<double>() : 0;
}
std::string text(const ordered_json& object, const char* key) {
  const auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}
const ordered_json& list(const ordered_json& object, const char* key) {
  static const ordered_json kNone = ordered_json::array();
  const auto at = object.is_object() ? object.find(key) : object.end();
  return at != object.end() && at->is_array() ? *at : kNone;
}

std::vector<const ordered_json*> kernels_of(const ordered_json& profile) {
  std::vector<const ordered_json*> kernels;
  for (const ordered_json& kernel : list(profile, "kernels"))
    if (kernel.is_object()) kernels.push_back(&kernel);
  // Of equal ones the first comes first, as it does in memory.
  std::ranges::sort(kernels, {}, [](const ordered_json* kernel) {
    return std::pair(-number(*kernel, "seconds") * std::max(1.0, number(*kernel, "launches")), kernel);
  });
  return kernels;
}

// Each is [wave, simd, reached, ready, issued, instruction, cause].
std::vector<WaveEvent> events_of(const ordered_json& kernel) {
  std::vector<WaveEvent> events;
  const auto at = kernel.find("timeline");
  if (at == kernel.end() || !at->is_object()) return events;
  const ordered_json& causes = list(*at, "causes");
  for (const ordered_json& one : list(*at, "events")) {
    if (!one.is_array() || one.size() != 6) continue;
    const auto of = [&](size_t i) { return one[i].is_number() ? one[i].get<double>() : 0.0; };
    WaveEvent event{static_cast<uint32_t>(of(0)),
                    static_cast<uint32_t>(of(1)),
                    of(2),
                    of(3),
                    static_cast<size_t>(of(4)),
                    {}};
    if (const auto cause = static_cast<size_t>(of(5)); cause < causes.size() && causes[cause].is_string())
      event.cause = causes[cause].get<std::string>();
    events.push_back(std::move(event));
  }
  return events;
}

}  // namespace wavesmith::cli
