// Kernel arguments from the command line (`--arg`), matched with the kernel's metadata.
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

/// The syntax of arguments, for help and errors.
extern const char* const kArgumentHelp;

/// "f32[64x64]=random:7", "i32=4", "in.npy", "null", "hex=00ff". Errors: BadInput, NotFound.
Result<KernelArgument> parse_argument(const std::string& text);

/// Checks that the arguments match the kernel: count, sizes, pointers where it takes pointers.
Result<void> match_arguments(const object::Kernel& kernel, const std::vector<KernelArgument>& arguments);

/// "0: global_buffer float* (8 B) 'x'", a line for each explicit argument.
std::string describe_arguments(const object::Kernel& kernel);

}  // namespace wavesmith::study
