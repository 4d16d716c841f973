// The replay's events as a trace.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/profile/json.h"
#include "cli/profile/views.h"
#include "study/names.h"

namespace wavesmith::cli {

using nlohmann::ordered_json;

report::Trace trace_of_profile(const ordered_json& profile) {
  report::Trace trace;
  const auto kernels = kernels_of(profile);
  for (uint32_t k = 0; k < kernels.size(); ++k) {
    const ordered_json& kernel = *kernels[k];
    const ordered_json& instructions = list(kernel, "instructions");
    const double mhz = std::max(1.0, number(kernel, "clock_mhz"));
    std::set<std::pair<uint32_t, uint32_t>> waves;
    for (const WaveEvent& event : events_of(kernel)) {
      if (event.instruction >= instructions.size()) continue;
      const ordered_json& one = instructions[event.instruction];
      waves.insert({event.wave, event.simd});
      if (event.issued > event.reached)
        trace.events.push_back({k,
                                event.wave,
                                event.reached / mhz,
                                (event.issued - event.reached) / mhz,
                                event.cause.empty() ? "wait" : event.cause,
                                "stall",
                                {{"before", text(one, "text")}}});
      trace.events.push_back({k,
                              event.wave,
                              event.issued / mhz,
                              4 / mhz,
                              text(one, "text"),
                              text(one, "pipe"),
                              {{"offset", fmt::format("{:#x}", static_cast<uint64_t>(number(one, "offset")))},
                               {"source", text(one, "source")}}});
    }
    for (const auto& [wave, simd] : waves)
      trace.threads.push_back(
          {k, wave, study::readable(text(kernel, "name")), fmt::format("wave {} on SIMD {}", wave, simd)});
  }
  return trace;
}

}  // namespace wavesmith::cli
