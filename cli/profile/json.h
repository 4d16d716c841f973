// The JSON that the runtime writes of a profile (runtime/observe/profile.cc), read as far as it is there:
// what is missing or of another kind is 0 or empty.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace wavesmith::cli {

double number(const nlohmann::ordered_json& object, const char* key);
std::string text(const nlohmann::ordered_json& object, const char* key);
const nlohmann::ordered_json& list(const nlohmann::ordered_json& object, const char* key);

/// A profile's kernels by what they cost in all, the costliest first.
std::vector<const nlohmann::ordered_json*> kernels_of(const nlohmann::ordered_json& profile);

/// What a wave of the replay issued, and since when it had waited for it, in clocks.
struct WaveEvent {
  uint32_t wave = 0, simd = 0;
  double reached = 0, issued = 0;
  size_t instruction = 0;
  std::string cause;
};
std::vector<WaveEvent> events_of(const nlohmann::ordered_json& kernel);

}  // namespace wavesmith::cli
