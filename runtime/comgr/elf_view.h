// The parts of an ELF file for AMD GPUs that comgr exposes: symbols, metadata notes, the target. Unlike
// object::CodeObject it also reads relocatable files.
#pragma once

#include <elf.h>

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "object/target_id.h"

namespace wavesmith::comgr {

struct Symbol {
  std::string name;
  Elf64_Sym fields;
};

class ElfView {
 public:
  /// Reads `file`, which has to outlive the view. Error: BadInput if it is not an ELF file for AMD GPUs, or
  /// is damaged.
  static Result<ElfView> parse(std::span<const uint8_t> file);

  /// "amdgcn-amd-amdhsa--gfx90a:xnack-"; empty for an unknown processor.
  [[nodiscard]] std::string isa_name() const;
  /// The symbol table of a relocatable file, or the exported symbols of a linked one.
  [[nodiscard]] std::vector<Symbol> symbols() const;
  /// What the metadata notes hold, in msgpack.
  [[nodiscard]] std::vector<std::span<const uint8_t>> metadata_notes() const;
  [[nodiscard]] const std::vector<Elf64_Phdr>& segments() const { return segments_; }

 private:
  std::span<const uint8_t> file_;
  Elf64_Ehdr header_{};
  std::vector<Elf64_Shdr> sections_;
  std::vector<Elf64_Phdr> segments_;
};

}  // namespace wavesmith::comgr
