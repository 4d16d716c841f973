// Kernel arguments from the command line: what `--arg` takes, matched with what the kernel's metadata asks
// for.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/result.h"
#include "object/kernel.h"
#include "study/element.h"

namespace wavesmith::study {

/// One argument: a buffer, a scalar, a null pointer or plain bytes.
struct KernelArgument {
  std::string text;                  ///< as written
  const Element* element = nullptr;  ///< of a buffer or scalar; nullptr for plain bytes and null
  bool buffer = false, null = false;
  std::vector<uint64_t> shape;  ///< of a buffer
  std::vector<uint8_t> bytes;   ///< the contents, or the value
  void* device = nullptr;       ///< of a buffer, once allocated
  [[nodiscard]] uint64_t count() const;
};

/// How to write arguments, for help and errors.
extern const char* const kArgumentHelp;

/// "f32[64x64]=random:7", "i32=4", "in.npy", "null", "hex=00ff". Errors: BadInput, NotFound.
Result<KernelArgument> parse_argument(const std::string& text);

/// Whether these arguments fit the kernel: count, sizes, pointers where pointers are asked for.
Result<void> match_arguments(const object::Kernel& kernel, const std::vector<KernelArgument>& arguments);

/// "0: global_buffer float* (8 B) 'x'", a line for each explicit argument.
std::string describe_arguments(const object::Kernel& kernel);

}  // namespace wavesmith::study
