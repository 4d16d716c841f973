// NumPy's .npy files. Source: NumPy's documentation, "numpy.lib.format".
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/result.h"

namespace wavesmith::study {

/// An array in C order, little-endian, as in the file.
struct Npy {
  std::string type;  ///< "f4", "i8", "u2", "V2": the descriptor without its byte order
  std::vector<uint64_t> shape;
  std::vector<uint8_t> bytes;
  [[nodiscard]] uint64_t count() const;
  [[nodiscard]] uint64_t item_size() const;
};

/// Reads a file. Errors: NotFound; BadInput for a file that is not .npy, is damaged, or has objects,
/// big-endian numbers or Fortran order.
Result<Npy> read_npy(const std::string& path);
Result<Npy> parse_npy(const std::string& file, const std::string& name);

/// Writes a file that numpy.load reads.
Result<void> write_npy(const std::string& path, const Npy& array);
std::string format_npy(const Npy& array);

}  // namespace wavesmith::study
