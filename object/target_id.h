// Target ids: the processor and settings that code is compiled for: "gfx90a:sramecc+:xnack-". Source: LLVM,
// "User Guide for AMDGPU Backend", section "Target ID".
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "base/result.h"

namespace wavesmith::object {

/// The setting of a feature that code requires. Code for Any runs with the feature on or off.
enum class Setting : uint8_t { Any, Off, On };

struct TargetId {
  std::string processor;
  Setting sramecc = Setting::Any, xnack = Setting::Any;

  /// Parses "gfx90a:sramecc+:xnack-". Error: BadInput for an unknown or repeated feature.
  static Result<TargetId> parse(std::string_view text);
  /// The target of an ELF file for AMD GPUs, from e_flags and e_ident[EI_ABIVERSION]; nullopt for an unknown
  /// processor.
  static std::optional<TargetId> of_elf(uint32_t flags, uint8_t abi_version);
  /// The canonical text: features in alphabetical order, those that are Any left out.
  [[nodiscard]] std::string text() const;
  friend bool operator==(const TargetId&, const TargetId&) = default;
};

/// How well code for `code` suits the GPU `gpu`, whose settings are known: the higher the better; nullopt if
/// it may not run there. Code for the exact processor ranks above code for its family, and code for exact
/// settings above code for any.
std::optional<int> suitability(const TargetId& code, const TargetId& gpu);

}  // namespace wavesmith::object
