// The types of elements: their words and sizes, for the host.
#pragma once

#include <cstdint>
#include <iterator>
#include <string_view>

#include "kernels/pointwise/operations.h"
#include "kernels/wavesmith_types.h"

namespace wavesmith::kernels {

struct NumberType {
  std::string_view word;
  int bytes;
};
/// By the enumerators of wavesmith_pointwise_type.
inline constexpr NumberType kNumberTypes[] = {{"bool", 1}, {"u8", 1},  {"i8", 1},  {"i16", 2},
                                              {"i32", 4},  {"i64", 8}, {"f16", 2}, {"bf16", 2},
                                              {"f32", 4},  {"f64", 8}, {"c64", 8}, {"c128", 16}};

constexpr bool is_number(Number type) {
  return type >= 0 && type < static_cast<int>(std::size(kNumberTypes));
}
constexpr std::string_view word_of(Number type) { return kNumberTypes[type].word; }
/// Bytes of an element.
constexpr int64_t size_of(Number type) { return kNumberTypes[type].bytes; }
/// Of f32, f16 and bf16.
constexpr Number number_of(wavesmith_kernels_type type) {
  return type == WAVESMITH_KERNELS_F16    ? WAVESMITH_POINTWISE_F16
         : type == WAVESMITH_KERNELS_BF16 ? WAVESMITH_POINTWISE_BF16
                                          : WAVESMITH_POINTWISE_F32;
}

}  // namespace wavesmith::kernels
