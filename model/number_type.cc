#include "model/number_type.h"

#include <utility>

namespace wavesmith::model {
namespace {

struct TypeRow {
  NumberType type;
  std::string_view name;
  uint32_t bits;
};
// clang-format off
constexpr TypeRow kTypes[] = {
    {NumberType::F64,  "f64",  64},
    {NumberType::F32,  "f32",  32},
    {NumberType::XF32, "xf32", 32},
    {NumberType::F16,  "f16",  16},
    {NumberType::BF16, "bf16", 16},
    {NumberType::F8,   "f8",    8},
    {NumberType::I8,   "i8",    8},
    {NumberType::F6,   "f6",    6},
    {NumberType::F4,   "f4",    4},
    {NumberType::I32,  "i32",  32},
    {NumberType::C32,  "c32",  64},
    {NumberType::C64,  "c64", 128},
};
constexpr std::pair<std::string_view, NumberType> kOtherNames[] = {
    {"double", NumberType::F64},   {"fp64", NumberType::F64},    {"float64", NumberType::F64},
    {"float", NumberType::F32},    {"fp32", NumberType::F32},    {"float32", NumberType::F32},
    {"tf32", NumberType::XF32},    {"half", NumberType::F16},    {"fp16", NumberType::F16},
    {"float16", NumberType::F16},  {"bfloat16", NumberType::BF16},
    {"fp8", NumberType::F8},       {"bf8", NumberType::F8},      {"e4m3", NumberType::F8},
    {"e5m2", NumberType::F8},      {"fp8fnuz", NumberType::F8},  {"bf8fnuz", NumberType::F8},
    {"e4m3fnuz", NumberType::F8},  {"e5m2fnuz", NumberType::F8},
    {"mxfp8", NumberType::F8},     {"int8", NumberType::I8},     {"u8", NumberType::I8},
    {"fp6", NumberType::F6},       {"bf6", NumberType::F6},      {"mxfp6", NumberType::F6},
    {"fp4", NumberType::F4},       {"mxfp4", NumberType::F4},    {"nvfp4", NumberType::F4},
    {"e2m1x2", NumberType::F4},
    {"int32", NumberType::I32},    {"complex64", NumberType::C32}, {"complex128", NumberType::C64},
};
// clang-format on

}  // namespace

std::string_view name_of(NumberType type) { return kTypes[static_cast<size_t>(type)].name; }
uint32_t bits_of(NumberType type) { return kTypes[static_cast<size_t>(type)].bits; }

std::optional<NumberType> number_type(std::string_view name) {
  for (const TypeRow& row : kTypes)
    if (row.name == name) return row.type;
  for (const auto& [other, type] : kOtherNames)
    if (other == name) return type;
  return std::nullopt;
}

double real_products(NumberType type) { return type == NumberType::C32 || type == NumberType::C64 ? 4 : 1; }

uint32_t matrix_flops(const gpus::Gpu& gpu, NumberType type) {
  switch (type) {
    case NumberType::F64:
    case NumberType::C64:
      return gpu.matrix_f64;
    case NumberType::F32:
    case NumberType::C32:
      return gpu.matrix_f32;
    case NumberType::XF32:
      return gpu.matrix_xf32;
    case NumberType::F16:
      return gpu.matrix_f16;
    case NumberType::BF16:
      return gpu.matrix_bf16;
    case NumberType::F8:
      return gpu.matrix_f8;
    case NumberType::I8:
      return gpu.matrix_i8;
    case NumberType::F6:
      return gpu.matrix_f6;
    case NumberType::F4:
      return gpu.matrix_f4;
    case NumberType::I32:
      return 0;
  }
  return 0;
}

NumberType computed_as(const gpus::Gpu& gpu, NumberType type) {
  if (matrix_flops(gpu, type) != 0) return type;
  for (const NumberType wider : {NumberType::F8, NumberType::BF16, NumberType::F16, NumberType::F32})
    if (bits_of(wider) >= bits_of(type) && matrix_flops(gpu, wider) != 0) return wider;
  return type;
}

double vector_flops(const gpus::Gpu& gpu, NumberType type) {
  switch (type) {
    case NumberType::F64:
    case NumberType::C64:
      return gpu.vector_f64;
    case NumberType::F16:
      return gpu.vector_f16;
    case NumberType::I8:
      return gpu.vector_i8;
    case NumberType::I32:
      return gpu.vector_i32;
    default:
      return gpu.vector_f32;
  }
}

double peak_mhz(const gpus::Gpu& gpu, NumberType type) {
  const bool matrix = matrix_flops(gpu, type) != 0;
  const bool wide = type == NumberType::F64 || type == NumberType::C64;
  return matrix && !wide ? gpu.matrix_mhz.value_or(gpu.engine_mhz) : gpu.engine_mhz;
}

}  // namespace wavesmith::model
