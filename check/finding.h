// What a checker found: one fault, with all that took part in it.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "base/extent3.h"

namespace wavesmith::check {

/// The checkers, by what they look for.
enum class Topic : uint8_t { Memory, Race, Wait, Hazard, Init, Sync, Numeric };
inline constexpr int kTopics = 7;
std::string_view name_of(Topic topic);

/// Errors and warnings make `wavesmith check` fail; hints do not.
enum class Severity : uint8_t {
  Error,    ///< wrong on the GPU
  Warning,  ///< wrong on the GPU unless something holds that the checker cannot see
  Hint,     ///< right, but slower or riskier than need be
};
std::string_view name_of(Severity severity);

/// One that took part: an instruction and who executed it, or a call of the host's.
struct Party {
  std::string role;         ///< "reads", "wrote": the sentence goes on with the rest
  std::string kernel;       ///< demangled; empty: the host
  uint64_t offset = 0;      ///< of the instruction, from the kernel's first one
  std::string instruction;  ///< as printed; of the host: the call
  std::string source;       ///< "function 'f' + 0x10, file.hip:12"; empty where there is no debug information
  uint64_t dispatch = 0;    ///< number of the launch on its device
  Extent3 workgroup{0, 0, 0};
  uint32_t wave = 0;                                 ///< in its workgroup
  uint64_t lanes = 0;                                ///< a bit for each; 0: the wave as a whole
  static constexpr uint32_t kAllWaves = UINT32_MAX;  ///< of `wave`: the launch as a whole
  bool operator==(const Party&) const = default;
};

struct Finding {
  Topic topic = Topic::Memory;
  std::string rule;  ///< "out-of-bounds": what suppressions and SARIF name
  Severity severity = Severity::Error;
  std::string what;            ///< one sentence without a full stop
  std::vector<Party> parties;  ///< the one at fault first
  std::string address = {};    ///< "buffer of 4096 bytes + 0x1000", "LDS + 0x40"; empty: none
  std::string fix = {};        ///< what to do: one sentence
  uint64_t count = 1;          ///< how often it was seen
  bool operator==(const Finding&) const = default;
};

}  // namespace wavesmith::check
