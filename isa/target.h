// What code is compiled for: the generation of the instruction set and the wave size, never a chip.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace wavesmith::isa {

/// A generation of the instruction set. Common code asks Target for a capability instead of comparing these.
enum class Generation : uint8_t { Cdna2, Cdna3, Cdna4, Rdna3, Rdna35, Rdna4 };

/// A set of generations; rows say in which of them they hold.
using Generations = uint8_t;
constexpr Generations in(Generation g) { return static_cast<Generations>(1u << static_cast<unsigned>(g)); }
inline constexpr Generations kCdna2 = in(Generation::Cdna2), kCdna3 = in(Generation::Cdna3),
                             kCdna4 = in(Generation::Cdna4), kRdna35 = in(Generation::Rdna35),
                             kRdna4 = in(Generation::Rdna4);
/// RDNA3.5 is RDNA3 with scalar floating point: what holds for the one holds for the other.
inline constexpr Generations kRdna3 = in(Generation::Rdna3) | kRdna35;
inline constexpr Generations kCdna = kCdna2 | kCdna3 | kCdna4, kRdna = kRdna3 | kRdna4,
                             kEvery = kCdna | kRdna;

/// An instruction-set target as LLVM names it, with what common code may ask of it.
struct Target {
  std::string_view name;  ///< LLVM's processor name, for example "gfx942"
  Generation generation;
  bool wave64_only;  ///< waves have 64 lanes; otherwise a kernel chooses 32 or 64

  [[nodiscard]] constexpr bool is(Generations set) const { return (in(generation)&set) != 0; }
  /// 16-bit results in 32-bit registers clear the upper half (most instructions of CDNA), or leave it (RDNA).
  [[nodiscard]] constexpr bool clears_high_half() const { return is(kCdna); }
  /// The register file has an ECC that a chip may switch on: a register is then written as a whole, so a load
  /// of 16 bits clears the half that it does not fill. Source: LLVM, GCNSubtarget::d16PreservesUnusedBits.
  [[nodiscard]] constexpr bool may_have_sram_ecc() const { return is(kCdna); }
  /// LDS permutes reach all lanes of a wave64, not only those of the same half.
  [[nodiscard]] constexpr bool permutes_whole_wave() const { return !is(kRdna3); }
  /// A buffer resource says how its bounds are checked; otherwise the instruction's form does.
  [[nodiscard]] constexpr bool selects_buffer_bounds() const { return is(kRdna); }
  /// Buffers' data and number formats are one code.
  [[nodiscard]] constexpr bool has_unified_formats() const { return is(kRdna); }
  /// Private memory is reached by scratch instructions from a base that the hardware sets up.
  [[nodiscard]] constexpr bool has_architected_scratch() const { return !is(kCdna2); }
  /// Accumulation registers and MFMA.
  [[nodiscard]] constexpr bool has_accumulators() const { return is(kCdna); }
  /// MODE has the bits IEEE and DX10_CLAMP.
  [[nodiscard]] constexpr bool has_ieee_mode() const { return !is(kRdna4); }
  /// MODE has the bits GPR_IDX_EN and VSKIP.
  [[nodiscard]] constexpr bool has_index_mode() const { return is(kCdna); }
  /// Matrix instructions of 16-bit floats take subnormal numbers, and give them, as 0.
  [[nodiscard]] constexpr bool matrix_flushes_subnormals() const { return is(kCdna2); }
  /// 8-bit floats use the FNUZ encodings rather than the OCP ones.
  [[nodiscard]] constexpr bool fp8_is_fnuz() const { return is(kCdna3); }
};

inline constexpr std::array kTargets = {
    Target{"gfx90a", Generation::Cdna2, true},    Target{"gfx942", Generation::Cdna3, true},
    Target{"gfx950", Generation::Cdna4, true},    Target{"gfx1100", Generation::Rdna3, false},
    Target{"gfx1151", Generation::Rdna35, false}, Target{"gfx1201", Generation::Rdna4, false},
};

/// The target of that name, features such as ":sramecc+" apart; nullptr when it is not one of kTargets.
constexpr const Target* find_target(std::string_view name) {
  name = name.substr(0, name.find(':'));
  for (const Target& target : kTargets)
    if (target.name == name) return &target;
  return nullptr;
}

}  // namespace wavesmith::isa
