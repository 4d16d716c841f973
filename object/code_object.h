// A code object: AMD's ELF file, read once and loaded any number of times. Source: LLVM, "User Guide for
// AMDGPU Backend", section "ELF Code Object". Every offset is checked; nothing in the file is trusted.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "object/kernel.h"
#include "object/target_id.h"

namespace wavesmith::object {

/// A variable of the object. Managed variables are a pointer `NAME` and initial contents `NAME.managed`.
struct Variable {
  std::string name;
  uint64_t address = 0, size = 0;  ///< virtual address in the object
  bool managed = false;
};

/// Code with a name: a kernel or a function that kernels call.
struct Routine {
  std::string name;
  uint64_t address = 0, size = 0;
};

/// A piece of the file that is loaded.
struct Segment {
  uint64_t address = 0, file_offset = 0, file_size = 0, memory_size = 0, align = 1;
  bool executable = false, writable = false;
};

/// A relocation that loading applies: at `address`, with `type` of R_AMDGPU_*.
struct Relocation {
  uint64_t address = 0;
  uint32_t type = 0;
  std::string symbol = {};  ///< only of a symbol that the object does not define
  uint64_t value = 0;       ///< of the symbol, an address in the object
  int64_t addend = 0;
  bool defined = true, weak = false;
};

class CodeObject {
 public:
  /// Copies what it needs of `file`. Errors: BadInput for a file that is not a code object or is damaged;
  /// Unsupported for an unknown version of the format.
  static Result<CodeObject> parse(std::span<const uint8_t> file);

  [[nodiscard]] const TargetId& target() const { return target_; }
  /// The version of the format, 3 to 6.
  [[nodiscard]] int version() const { return version_; }
  [[nodiscard]] const std::vector<Kernel>& kernels() const { return kernels_; }
  /// The kernel of that name; nullptr when there is none.
  [[nodiscard]] const Kernel* kernel(std::string_view name) const;
  [[nodiscard]] const std::vector<Variable>& variables() const { return variables_; }
  [[nodiscard]] const Variable* variable(std::string_view name) const;
  /// The routines, kernels included, in the order of the symbol table.
  [[nodiscard]] const std::vector<Routine>& routines() const { return routines_; }
  /// The routine that an address of the object lies in; nullptr when the symbol table has none.
  [[nodiscard]] const Routine* routine_at(uint64_t address) const;
  [[nodiscard]] const std::vector<Segment>& segments() const { return segments_; }
  [[nodiscard]] std::span<const uint8_t> file() const { return file_; }
  /// printf formats of the metadata (OpenCL's buffered printf), as written there.
  [[nodiscard]] const std::vector<std::string>& printf_formats() const { return printf_formats_; }

  /// Bytes from the first to the end of the last segment, from a page's start.
  [[nodiscard]] uint64_t load_size() const { return load_end_ - load_begin_; }
  /// Where the object's virtual address lies when it is loaded at `base`.
  [[nodiscard]] uint64_t loaded(uint64_t base, uint64_t address) const {
    return base + (address - load_begin_);
  }
  /// The object's virtual address of what lies at `loaded` when it is loaded at `base`.
  [[nodiscard]] uint64_t unloaded(uint64_t base, uint64_t loaded) const {
    return loaded - base + load_begin_;
  }
  /// Copies the segments to `memory` (load_size() bytes, page aligned) and relocates them. `externals` are
  /// the addresses of symbols that the object leaves undefined. Error: NotFound for one that is not there.
  [[nodiscard]] Result<void> load(std::span<uint8_t> memory,
                                  const std::map<std::string, uint64_t>& externals = {}) const;
  /// The executable part when loaded at `base`.
  [[nodiscard]] std::span<const uint8_t> loaded_code(uint64_t base) const;
  /// `size` bytes at a virtual address of the object, or an empty span when the file does not hold them.
  [[nodiscard]] std::span<const uint8_t> at(uint64_t address, uint64_t size) const;

 private:
  struct Reader;
  std::vector<uint8_t> file_;
  TargetId target_;
  int version_ = 0;
  std::vector<Kernel> kernels_;
  std::vector<Variable> variables_;
  std::vector<Routine> routines_;
  std::vector<Segment> segments_;
  std::vector<Relocation> relocations_;
  std::vector<std::string> printf_formats_;
  uint64_t load_begin_ = 0, load_end_ = 0;
};

}  // namespace wavesmith::object
