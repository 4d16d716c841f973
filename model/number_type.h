// The number types that models know: sizes, and the matrix rate of a GPU for them.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

#include "gpus/gpu.h"

namespace wavesmith::model {

enum class NumberType : uint8_t { F64, F32, XF32, F16, BF16, F8, I8, F6, F4, I32, C32, C64 };

/// "f64", "f32", "xf32", "f16", "bf16", "f8", "i8", "f6", "f4", "i32"; "c32" and "c64" are complex numbers
/// whose parts are f32 and f64.
std::string_view name_of(NumberType type);

/// Parses that name, or a common synonym: "fp16", "half", "bfloat16", "fp8", "e4m3", "bf8", "mxfp4", "int8",
/// "double"...
std::optional<NumberType> number_type(std::string_view name);

/// Bits of one number in memory. Scales of block-scaled types come on top.
uint32_t bits_of(NumberType type);
inline double bytes_of(NumberType type) { return bits_of(type) / 8.0; }

/// Multiply-adds of real numbers that one of this type takes: 4 for complex numbers.
double real_products(NumberType type);

/// FLOP (2 a multiply-add) a clock and compute unit that matrix instructions reach for operands of this type;
/// 0: there are none.
uint32_t matrix_flops(const gpus::Gpu& gpu, NumberType type);

/// The type whose matrix instructions multiply numbers of `type` there: itself, or the narrowest wider one
/// that the GPU has instructions for; itself when there is none.
NumberType computed_as(const gpus::Gpu& gpu, NumberType type);

/// The highest clock at which a GPU multiplies numbers of that type: with matrix instructions where it has
/// them.
double peak_mhz(const gpus::Gpu& gpu, NumberType type);

/// The same as matrix_flops for vector instructions, packed or dual-issued where the generation supports it.
double vector_flops(const gpus::Gpu& gpu, NumberType type);

}  // namespace wavesmith::model
