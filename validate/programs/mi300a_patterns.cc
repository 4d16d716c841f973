#include "validate/programs/mi300a_patterns.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "validate/programs/mi300a_fit.h"

namespace wavesmith::validate {

bool Mi300aPattern::has(std::string_view kernel, double milliseconds) const {
  return milliseconds * 1e3 < below_us &&
         (programs.empty() || std::ranges::find(programs, mi300a_program_of(kernel)) != programs.end());
}

std::string Mi300aPattern::stratum(std::string_view what) const {
  return fmt::format("{} ({}): {}", name,
                     programs.empty() ? "all programs" : fmt::format("{}", fmt::join(programs, ", ")), what);
}

std::span<const Mi300aPattern> mi300a_patterns() {
  static const std::vector<Mi300aPattern> all{
      {.name = "launches that wait for one another",
       .programs = {"bitonicsort", "floydwarshall"},
       .mechanisms = {{"gap between two kernels", {"launch.gap_us=0.001"}},
                      {"L2s written back between two kernels",
                       {"sustained.infinity_cache_write_gigabytes_per_second=1000000000"}}}},
      {.name = "stencils and butterflies with reused neighbours",
       .programs = {"bitonicsort", "stencil2d"},
       .mechanisms = {{"lines that neighbours brought into the die's L2", {"cache.l2_bytes=65536"}},
                      {"lines that the Infinity Cache kept", {"cache.infinity_cache_bytes=0"}}}},
      {.name = "rows that a work-item walks alone",
       .programs = {"atax", "kmeans"},
       .mechanisms = {{"lines that stay in the L1 from number to number", {"cache.l1_vector_bytes=1024"}}}},
      {.name = "kernels below 10 us",
       .below_us = 10,
       .mechanisms = {{"delay to the first wave, and of the event",
                       {"launch.first_wave_us=0.001", "launch.event_us=0.001"}}}},
      {.name = "copies",
       .programs = {"memcopy"},
       .mechanisms = {{"host's part of a copy", {"copy.call_us=0.001"}}}},
  };
  return all;
}

}  // namespace wavesmith::validate
