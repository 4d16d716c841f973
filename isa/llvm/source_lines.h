// Which line of the source an instruction comes from, by the debug information of a code object.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>

namespace wavesmith::isa {

struct SourceLine {
  std::string file;  ///< as the compiler was given it, absolute
  uint32_t line = 0, column = 0;
  [[nodiscard]] std::string text() const;  ///< "kernel.hip:12"
};

/// The line table of an ELF file. Copies nothing: the file has to live as long. Not shared between threads.
class SourceLines {
 public:
  explicit SourceLines(std::span<const uint8_t> file);
  SourceLines(SourceLines&&) noexcept;
  SourceLines& operator=(SourceLines&&) noexcept;
  ~SourceLines();

  /// Of the instruction at a virtual address of the object; nullopt without debug information for it.
  [[nodiscard]] std::optional<SourceLine> at(uint64_t address) const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wavesmith::isa
