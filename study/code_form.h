// Recognises the form of a file with GPU code, by its contents first and its name second.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace wavesmith::study {

enum class CodeForm : uint8_t {
  HipSource,
  IrText,
  Bitcode,
  Assembly,
  CodeObject,
  Relocatable,  ///< a code object before linking
  Bundle,
  CompressedBundle,
  TextBundle,  ///< what `clang -S` writes for several targets
  HostObject,  ///< a host's ELF file, with code in .hip_fatbin: before linking
  HostProgram,
  SharedLibrary,
  Archive,  ///< ar's
  Unknown,
};

/// "HIP source", "a code object".
std::string_view name_of(CodeForm form);

CodeForm form_of(std::span<const uint8_t> bytes, const std::string& path);

/// An entry of a text bundle. Source: LLVM, "Clang Offload Bundler", section "Bundled Text File Layout".
struct TextEntry {
  std::string target;  ///< "gfx942"; empty: the host's
  std::string_view text;
};
std::vector<TextEntry> split_text_bundle(std::string_view text);

/// Facts that a module of LLVM IR states about itself.
struct IrFacts {
  std::string triple;
  std::vector<std::string> targets;  ///< each "target-cpu" once
  bool has_kernel = false;
};
IrFacts facts_of_ir(std::string_view text);

/// The target id of ".amdgcn_target", without the triple: "gfx90a:xnack-"; nullopt when there is none.
std::optional<std::string> target_of_assembly(std::string_view text);

}  // namespace wavesmith::study
