// Settings of the compiler's scheduler, register allocator and unroller that need no change of the source.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace wavesmith::study {

/// One setting. Knobs of a group exclude each other.
struct Knob {
  std::string group, name;
  std::vector<std::string> flags;  ///< of the compiler
  std::vector<std::pair<std::string, std::string>> attributes =
      {};            ///< of the kernels' functions, in LLVM IR, and their values
  std::string what;  ///< what it does, and what it risks
  /// Instructions for using it in the source or on a command line.
  [[nodiscard]] std::string how() const;
};

/// Combines two settings.
Knob both(const Knob& a, const Knob& b);

/// Properties of a kernel and its target on which knobs depend.
struct KnobContext {
  uint32_t most_waves = 8;         ///< waves per SIMD that the GPU holds
  bool accumulators = false;       ///< MFMA and accumulation registers
  bool chooses_wave_size = false;  ///< generations with dual issue and delays in the code
  uint32_t workgroup = 1024;       ///< work-items that the kernel allows
};

/// All knobs that may matter in that context. A flag that the compiler lacks shows as a failed compilation.
std::vector<Knob> knobs(const KnobContext& context);

/// LLVM IR with an attribute of all its kernels set.
std::string with_attribute(std::string_view ir, std::string_view attribute, std::string_view value);

}  // namespace wavesmith::study
