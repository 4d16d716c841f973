// The element types of kernel arguments, and conversion of their bits to numbers and back.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wavesmith::study {

/// A type as written on the command line: f64 f32 f16 bf16 fp8 bf8 fp8fnuz bf8fnuz i8 ... i64 u8 ... u64.
struct Element {
  std::string_view name;
  uint32_t size;         ///< bytes
  std::string_view npy;  ///< how a .npy file calls it; types that NumPy lacks are saved as unsigned integers
  bool integer, is_signed;
};

/// nullptr: no such type.
const Element* find_element(std::string_view name);
/// The type of a .npy file's numbers; nullptr for structures and the like.
const Element* element_of_npy(std::string_view npy);
std::string element_names();

/// The exact value, for 64-bit integers too.
long double value_of(const Element& element, const uint8_t* bytes);
/// Stores a value; integers are truncated, floats rounded to nearest even.
void from_double(const Element& element, double value, uint8_t* bytes);
/// Parses a number exactly, integers beyond 2^53 included; false if `text` is not a number of the type.
bool from_text(const Element& element, std::string_view text, uint8_t* bytes);
/// The shortest text that reads back as the same number.
std::string to_text(const Element& element, const uint8_t* bytes);

}  // namespace wavesmith::study
