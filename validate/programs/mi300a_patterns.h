// Patterns of the MI300A programs by the mechanisms of the model that they need, and how to take those out.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::validate {

struct Mi300aPattern {
  std::string_view name;
  std::vector<std::string_view> programs;  ///< as mi300a_program_of names them; none: all
  double below_us = 1e30;                  ///< rows that were measured to take less
  struct Mechanism {
    std::string_view name;
    std::vector<std::string_view> without;  ///< settings of the GPU that take it out
  };
  std::vector<Mechanism> mechanisms;

  [[nodiscard]] bool has(std::string_view kernel, double milliseconds) const;
  /// "launches that wait for one another (bitonicsort, floydwarshall): left out"
  [[nodiscard]] std::string stratum(std::string_view what) const;
};

std::span<const Mi300aPattern> mi300a_patterns();

}  // namespace wavesmith::validate
