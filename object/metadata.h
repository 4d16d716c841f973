// The metadata of a code object: msgpack in a note.
// Source: LLVM, "User Guide for AMDGPU Backend", sections "Code Object V3 Metadata" to "V6 Metadata".
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "object/kernel.h"

namespace wavesmith::object {

/// The contents of the note: kernels without their descriptors, and the formats of OpenCL's printf.
struct Metadata {
  struct Entry {
    Kernel kernel;
    std::string symbol;  ///< of the descriptor, usually the name and ".kd"
  };
  std::vector<Entry> kernels;
  std::vector<std::string> printf_formats;
  std::string target;  ///< "amdgcn-amd-amdhsa--gfx90a:xnack-", empty in version 3

  /// Adds the contents of another note of the same object.
  void add(Metadata other);
};

/// Reads the note's contents. Error: BadInput for malformed metadata.
Result<Metadata> parse_metadata(std::span<const uint8_t> note);

}  // namespace wavesmith::object
