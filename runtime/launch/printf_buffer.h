// printf of code compiled with -mprintf-kind=buffered: the kernel leaves its messages in memory, and the host
// prints them when the kernel is done.
// Source: LLVM, AMDGPUEmitPrintf.cpp; "User Guide for AMDGPU Backend", hidden_printf_buffer and
// amdhsa.printf.
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "emulate/memory/memory.h"

namespace wavesmith::runtime {

/// The buffer of one launch, from a free list. Messages that do not fit are lost, as on a GPU.
class PrintfBuffer {
 public:
  /// Takes an empty buffer.
  static Result<PrintfBuffer> take(emulate::Memory& memory);
  PrintfBuffer(PrintfBuffer&& other) noexcept;
  PrintfBuffer& operator=(PrintfBuffer&&) = delete;
  ~PrintfBuffer();
  [[nodiscard]] const void* address() const { return memory_; }
  /// Prints the kernel's messages; `formats` are those of its code object.
  void print(const std::vector<std::string>& formats) const;

 private:
  explicit PrintfBuffer(uint32_t* memory) : memory_(memory) {}
  uint32_t* memory_ = nullptr;  ///< bytes used, bytes there, then the messages
};

/// Calls `print` with the text of every message in `data` and whether it is for stderr. Error: BadInput for a
/// malformed message, after printing those before it.
Result<void> read_messages(std::span<const uint8_t> data, const std::vector<std::string>& formats,
                           const std::function<void(std::string_view text, bool to_stderr)>& print);

}  // namespace wavesmith::runtime
