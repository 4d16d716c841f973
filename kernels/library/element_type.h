// The element types: their words and sizes.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

#include "kernels/wavesmith_types.h"

namespace wavesmith::kernels {

struct ElementType {
  std::string_view word;
  int bytes;
};
/// By the enumerators of wavesmith_kernels_type.
inline constexpr ElementType kElementTypes[] = {{"f32", 4},      {"f16", 2},    {"bf16", 2}, {"i32", 4},
                                                {"i8", 1},       {"e4m3", 1},   {"e5m2", 1}, {"e4m3fnuz", 1},
                                                {"e5m2fnuz", 1}, {"e2m1x2", 1}, {"i4x2", 1}};

constexpr bool is_type(wavesmith_kernels_type type) {
  return type >= 0 && type < static_cast<int>(std::size(kElementTypes));
}
/// The types that every kernel may be given for what it adds or writes.
constexpr bool is_common_float(wavesmith_kernels_type type) {
  return type >= WAVESMITH_KERNELS_F32 && type <= WAVESMITH_KERNELS_BF16;
}
/// Floats of 8 bits of OCP's formats, and of those without a negative zero and infinities.
constexpr bool is_ocp(wavesmith_kernels_type type) {
  return type == WAVESMITH_KERNELS_E4M3 || type == WAVESMITH_KERNELS_E5M2;
}
constexpr bool is_fnuz(wavesmith_kernels_type type) {
  return type == WAVESMITH_KERNELS_E4M3_FNUZ || type == WAVESMITH_KERNELS_E5M2_FNUZ;
}
/// What quantising writes with any scales.
constexpr bool is_quantised(wavesmith_kernels_type type) {
  return type == WAVESMITH_KERNELS_I8 || is_ocp(type) || is_fnuz(type);
}
constexpr std::string_view word_of(wavesmith_kernels_type type) { return kElementTypes[type].word; }
/// Bytes of an element.
constexpr int64_t size_of(wavesmith_kernels_type type) { return kElementTypes[type].bytes; }
/// Columns of a row that share a scale in OCP's Microscaling formats.
inline constexpr int64_t kMxBlock = 32;
/// Elements that hold so many numbers.
constexpr int64_t elements_of(wavesmith_kernels_type type, int64_t numbers) {
  const bool two = type == WAVESMITH_KERNELS_E2M1X2 || type == WAVESMITH_KERNELS_I4X2;
  return two ? (numbers + 1) / 2 : numbers;
}

}  // namespace wavesmith::kernels
