// Formats of typed buffer memory: what the elements of a formatted load or store look like, and their values.
// Sources: CDNA3 ISA manual, "Memory Buffer Resource Descriptor" (data and number formats); RDNA3 and RDNA4
// ISA manuals, "Buffer Formats" (unified formats); names as LLVM prints them (AMDGPU operand syntax,
// "format").
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace wavesmith::isa {

/// What a component's bits mean.
enum class Number : uint8_t { Unorm, Snorm, Uscaled, Sscaled, Uint, Sint, Float, Invalid };

/// Components from the lowest bits up. A format without components is invalid.
struct BufferFormat {
  uint8_t components = 0;
  std::array<uint8_t, 4> bits = {};
  Number number = Number::Invalid;

  bool operator==(const BufferFormat&) const = default;
  [[nodiscard]] constexpr uint32_t bytes() const {
    return (uint32_t{bits[0]} + bits[1] + bits[2] + bits[3]) / 8;
  }
  [[nodiscard]] constexpr bool is_integer() const { return number == Number::Uint || number == Number::Sint; }
};

/// A format's code as resources and instructions hold it: older generations' data format in bits 0 to 3 and
/// number format in bits 4 to 6; with kUnified the unified format of newer ones in bits 0 to 5.
struct FormatCode {
  static constexpr uint32_t kUnified = 0x80;
  static constexpr uint32_t of_resource(uint32_t word3, bool newer) {
    return newer ? kUnified | (word3 >> 12 & 0x3f) : (word3 >> 15 & 15) | (word3 >> 12 & 7) << 4;
  }
};

namespace formats {

inline constexpr std::array<std::string_view, 16> kData = {
    "INVALID",    "8",          "16",      "8_8",   "32",          "16_16",    "10_11_11",    "11_11_10",
    "10_10_10_2", "2_10_10_10", "8_8_8_8", "32_32", "16_16_16_16", "32_32_32", "32_32_32_32", "RESERVED_15"};
inline constexpr std::array<std::string_view, 8> kNumber = {"UNORM", "SNORM", "USCALED",    "SSCALED",
                                                            "UINT",  "SINT",  "RESERVED_6", "FLOAT"};
inline constexpr std::array<std::string_view, 64> kUnified = {"INVALID",
                                                              "8_UNORM",
                                                              "8_SNORM",
                                                              "8_USCALED",
                                                              "8_SSCALED",
                                                              "8_UINT",
                                                              "8_SINT",
                                                              "16_UNORM",
                                                              "16_SNORM",
                                                              "16_USCALED",
                                                              "16_SSCALED",
                                                              "16_UINT",
                                                              "16_SINT",
                                                              "16_FLOAT",
                                                              "8_8_UNORM",
                                                              "8_8_SNORM",
                                                              "8_8_USCALED",
                                                              "8_8_SSCALED",
                                                              "8_8_UINT",
                                                              "8_8_SINT",
                                                              "32_UINT",
                                                              "32_SINT",
                                                              "32_FLOAT",
                                                              "16_16_UNORM",
                                                              "16_16_SNORM",
                                                              "16_16_USCALED",
                                                              "16_16_SSCALED",
                                                              "16_16_UINT",
                                                              "16_16_SINT",
                                                              "16_16_FLOAT",
                                                              "10_11_11_FLOAT",
                                                              "11_11_10_FLOAT",
                                                              "10_10_10_2_UNORM",
                                                              "10_10_10_2_SNORM",
                                                              "10_10_10_2_UINT",
                                                              "10_10_10_2_SINT",
                                                              "2_10_10_10_UNORM",
                                                              "2_10_10_10_SNORM",
                                                              "2_10_10_10_USCALED",
                                                              "2_10_10_10_SSCALED",
                                                              "2_10_10_10_UINT",
                                                              "2_10_10_10_SINT",
                                                              "8_8_8_8_UNORM",
                                                              "8_8_8_8_SNORM",
                                                              "8_8_8_8_USCALED",
                                                              "8_8_8_8_SSCALED",
                                                              "8_8_8_8_UINT",
                                                              "8_8_8_8_SINT",
                                                              "32_32_UINT",
                                                              "32_32_SINT",
                                                              "32_32_FLOAT",
                                                              "16_16_16_16_UNORM",
                                                              "16_16_16_16_SNORM",
                                                              "16_16_16_16_USCALED",
                                                              "16_16_16_16_SSCALED",
                                                              "16_16_16_16_UINT",
                                                              "16_16_16_16_SINT",
                                                              "16_16_16_16_FLOAT",
                                                              "32_32_32_UINT",
                                                              "32_32_32_SINT",
                                                              "32_32_32_FLOAT",
                                                              "32_32_32_32_UINT",
                                                              "32_32_32_32_SINT",
                                                              "32_32_32_32_FLOAT"};

/// "2_10_10_10" and "UNORM": AMD names components from the highest bits down.
constexpr BufferFormat parse(std::string_view data, std::string_view number) {
  BufferFormat format;
  uint8_t widths[4] = {};
  int count = 0;
  while (!data.empty()) {
    unsigned width = 0;
    while (!data.empty() && data[0] != '_') {
      if (data[0] < '0' || data[0] > '9' || count == 4) return {};
      width = width * 10 + static_cast<unsigned>(data[0] - '0');
      data.remove_prefix(1);
    }
    widths[count++] = static_cast<uint8_t>(width);
    if (!data.empty()) data.remove_prefix(1);
  }
  for (int i = 0; i < count; ++i) format.bits[static_cast<size_t>(i)] = widths[count - 1 - i];
  format.components = static_cast<uint8_t>(count);
  for (size_t i = 0; i < kNumber.size(); ++i)
    if (kNumber[i] == number)
      format.number = i == 7 ? Number::Float : i < 6 ? static_cast<Number>(i) : Number::Invalid;
  for (int i = 0; i < count; ++i)
    if (format.number == Number::Float && format.bits[static_cast<size_t>(i)] < 10) return {};
  return format.number == Number::Invalid ? BufferFormat{} : format;
}

constexpr BufferFormat parse_unified(std::string_view name) {
  const size_t at = name.rfind('_');
  return at == std::string_view::npos ? BufferFormat{} : parse(name.substr(0, at), name.substr(at + 1));
}

inline constexpr std::array<BufferFormat, 256> kByCode = [] {
  std::array<BufferFormat, 256> table{};
  for (size_t number = 0; number < 8; ++number)
    for (size_t data = 1; data < 15; ++data) table[number << 4 | data] = parse(kData[data], kNumber[number]);
  for (size_t i = 0; i < 64; ++i) table[FormatCode::kUnified | i] = parse_unified(kUnified[i]);
  return table;
}();

}  // namespace formats

constexpr const BufferFormat& buffer_format(uint32_t code) { return formats::kByCode[code & 0xff]; }

}  // namespace wavesmith::isa
