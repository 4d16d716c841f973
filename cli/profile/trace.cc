// The replay's events as a trace.
#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "cli/profile/views.h"
#include "study/names.h"

namespace wavesmith::cli {

report::Trace trace_of_profile(const timing::ProgramProfile& profile) {
  report::Trace trace;
  const auto kernels = profile.costliest_first();
  for (uint32_t k = 0; k < kernels.size(); ++k) {
    const timing::KernelProfile& kernel = *kernels[k];
    if (!kernel.timeline) continue;
    const double mhz = std::max(1.0, kernel.clock_mhz);
    const auto at = [&](uint64_t cycle) { return static_cast<double>(cycle) / mhz; };
    std::set<std::pair<uint32_t, uint32_t>> waves;
    for (const auto& event : kernel.timeline->events) {
      if (event.instruction >= kernel.instructions.size()) continue;
      const timing::KernelProfile::Instruction& one = kernel.instructions[event.instruction];
      waves.insert({event.wave, event.simd});
      if (event.issued > event.reached)
        trace.events.push_back({k,
                                event.wave,
                                at(event.reached),
                                at(event.issued - event.reached),
                                kernel.timeline->wait(event),
                                "stall",
                                {{"before", one.text}}});
      trace.events.push_back({k,
                              event.wave,
                              at(event.issued),
                              4 / mhz,
                              one.text,
                              std::string(isa::name_of(one.pipe)),
                              {{"offset", fmt::format("{:#x}", one.offset)}, {"source", one.source}}});
    }
    for (const auto& [wave, simd] : waves)
      trace.threads.push_back(
          {k, wave, study::readable(kernel.name), fmt::format("wave {} on SIMD {}", wave, simd)});
  }
  return trace;
}

}  // namespace wavesmith::cli
