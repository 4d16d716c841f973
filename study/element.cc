#include "study/element.h"

#include <fmt/format.h>

#include <bit>
#include <charconv>
#include <cstring>

#include "base/small_float.h"

namespace wavesmith::study {
namespace {

// clang-format off
constexpr Element kElements[] = {
    {"f64", 8, "f8", false, true}, {"f32", 4, "f4", false, true}, {"f16", 2, "f2", false, true}, {"bf16", 2, "u2", false, true},
    {"fp8", 1, "u1", false, true}, {"bf8", 1, "u1", false, true}, {"fp8fnuz", 1, "u1", false, true}, {"bf8fnuz", 1, "u1", false, true},
    {"i8", 1, "i1", true, true},   {"i16", 2, "i2", true, true},  {"i32", 4, "i4", true, true},  {"i64", 8, "i8", true, true},
    {"u8", 1, "u1", true, false},  {"u16", 2, "u2", true, false}, {"u32", 4, "u4", true, false}, {"u64", 8, "u8", true, false},
};
// clang-format on

uint64_t load(const uint8_t* bytes, uint32_t size) {
  uint64_t value = 0;
  std::memcpy(&value, bytes, size);
  return value;
}

/// Calls `action` with the small float format of that name; false when it is none.
template <class Action>
bool with_format(std::string_view name, Action action) {
  if (name == "f16") return action.template operator()<kF16>(), true;
  if (name == "bf16") return action.template operator()<kBf16>(), true;
  if (name == "fp8") return action.template operator()<kFp8>(), true;
  if (name == "bf8") return action.template operator()<kBf8>(), true;
  if (name == "fp8fnuz") return action.template operator()<kFp8Fnuz>(), true;
  if (name == "bf8fnuz") return action.template operator()<kBf8Fnuz>(), true;
  return false;
}

}  // namespace

const Element* find_element(std::string_view name) {
  for (const Element& element : kElements)
    if (element.name == name) return &element;
  return nullptr;
}

const Element* element_of_npy(std::string_view npy) {
  if (npy == "b1") return find_element("u8");
  for (const Element& element : kElements)
    if (element.npy == npy && (element.integer || npy.front() == 'f')) return &element;
  return nullptr;
}

std::string element_names() {
  std::string names;
  for (const Element& element : kElements) names += (names.empty() ? "" : " ") + std::string(element.name);
  return names;
}

long double value_of(const Element& element, const uint8_t* bytes) {
  const uint64_t bits = load(bytes, element.size);
  if (element.integer) {
    const int shift = 64 - 8 * static_cast<int>(element.size);
    return element.is_signed ? static_cast<long double>(static_cast<int64_t>(bits << shift) >> shift)
                             : static_cast<long double>(bits);
  }
  if (element.size == 8) return std::bit_cast<double>(bits);
  if (element.size == 4) return std::bit_cast<float>(static_cast<uint32_t>(bits));
  double value = 0;
  with_format(element.name,
              [&]<FloatFormat F>() { value = static_cast<double>(decode<F>(static_cast<uint32_t>(bits))); });
  return value;
}

void from_double(const Element& element, double value, uint8_t* bytes) {
  uint64_t bits = 0;
  if (element.integer)
    bits =
        element.is_signed ? static_cast<uint64_t>(static_cast<int64_t>(value)) : static_cast<uint64_t>(value);
  else if (element.size == 8)
    bits = std::bit_cast<uint64_t>(value);
  else if (element.size == 4)
    bits = std::bit_cast<uint32_t>(static_cast<float>(value));
  else
    with_format(element.name, [&]<FloatFormat F>() { bits = encode<F>(value); });
  std::memcpy(bytes, &bits, element.size);
}

bool from_text(const Element& element, std::string_view text, uint8_t* bytes) {
  const char* const end = text.data() + text.size();
  if (!element.integer) {
    double value = 0;
    const auto [stop, code] = std::from_chars(text.data(), end, value);
    if (code != std::errc() || stop != end) return false;
    return from_double(element, value, bytes), true;
  }
  const bool negative = text.starts_with('-');
  std::string_view digits = text.substr(negative);
  const bool hex = digits.starts_with("0x");
  digits.remove_prefix(hex ? 2 : 0);
  uint64_t value = 0;
  const auto [stop, code] = std::from_chars(digits.data(), end, value, hex ? 16 : 10);
  if (code != std::errc() || stop != end || digits.empty()) return false;
  const uint32_t bits = 8 * element.size;
  const uint64_t most = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
  if (negative ? (!element.is_signed || value > uint64_t{1} << (bits - 1))
               : value > (element.is_signed && !hex ? most >> 1 : most))
    return false;
  if (negative) value = 0 - value;
  std::memcpy(bytes, &value, element.size);
  return true;
}

std::string to_text(const Element& element, const uint8_t* bytes) {
  const uint64_t bits = load(bytes, element.size);
  if (!element.integer) {
    const auto value = static_cast<double>(value_of(element, bytes));
    return element.size == 8 ? fmt::to_string(value) : fmt::to_string(static_cast<float>(value));
  }
  const int shift = 64 - 8 * static_cast<int>(element.size);
  return element.is_signed ? fmt::to_string(static_cast<int64_t>(bits << shift) >> shift)
                           : fmt::to_string(bits);
}

}  // namespace wavesmith::study
