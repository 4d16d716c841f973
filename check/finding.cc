#include "check/finding.h"

#include <array>

namespace wavesmith::check {

std::string_view name_of(Topic topic) {
  static constexpr std::array<std::string_view, kTopics> kNames = {"memory", "race", "wait",   "hazard",
                                                                   "init",   "sync", "numeric"};
  return kNames[static_cast<size_t>(topic)];
}

std::string_view name_of(Severity severity) {
  static constexpr std::array<std::string_view, 3> kNames = {"error", "warning", "hint"};
  return kNames[static_cast<size_t>(severity)];
}

}  // namespace wavesmith::check
