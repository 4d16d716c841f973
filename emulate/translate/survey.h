// What would become of code if it were run: every instruction of it translated, none executed.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/target.h"
#include "object/code_object.h"

namespace wavesmith::emulate {

/// Code with a name: from `begin` up to `end`, both offsets into what is surveyed.
struct Stretch {
  std::string name;
  uint64_t begin = 0, end = 0;
};

struct Survey {
  /// An instruction that would end its wave with an error.
  struct Refusal {
    std::string routine;
    uint64_t pc = 0;  ///< virtual address in the object
    std::string instruction;
    Error error;
  };
  struct Count {
    uint64_t all = 0, refused = 0;
  };
  uint64_t instructions = 0, refused = 0;
  uint64_t data = 0;                         ///< bytes within routines that no code reaches and that are none
  std::map<std::string, Count> mnemonics{};  ///< as printed, the halves of dual-issue instructions apart
  std::vector<Refusal> refusals{};           ///< the first ones, kMostRefusals at most
  static constexpr size_t kMostRefusals = 1000;

  Survey& operator+=(const Survey& other);
};

/// Surveys stretches of code, each from its beginning along the flow of control, and then what lies between.
/// `address` is where the code lies in its object.
Result<Survey> survey(const isa::Target& target, int wave_lanes, std::span<const uint8_t> code,
                      uint64_t address, std::span<const Stretch> stretches);

/// Surveys all kernels and functions of an object. Error: WrongTarget when its target is not emulated.
Result<Survey> survey(const object::CodeObject& object);

}  // namespace wavesmith::emulate
