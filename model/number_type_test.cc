#include "model/number_type.h"

#include <gtest/gtest.h>

#include <optional>
#include <tuple>

namespace wavesmith::model {
namespace {

TEST(NumberType, NamesOfAllLibrariesAreUnderstood) {
  for (int i = 0; i <= static_cast<int>(NumberType::C64); ++i) {
    const NumberType type = static_cast<NumberType>(i);
    EXPECT_EQ(number_type(name_of(type)), type) << name_of(type);
  }
  EXPECT_EQ(number_type("fp16"), NumberType::F16);
  EXPECT_EQ(number_type("e4m3"), NumberType::F8);
  EXPECT_EQ(number_type("e5m2fnuz"), NumberType::F8);
  EXPECT_EQ(number_type("e2m1x2"), NumberType::F4);
  EXPECT_EQ(number_type("mxfp4"), NumberType::F4);
  EXPECT_FALSE(number_type("f7"));
}

TEST(NumberType, SizesInBits) {
  EXPECT_EQ(bits_of(NumberType::F4), 4u);
  EXPECT_EQ(bytes_of(NumberType::F6), 0.75);
  EXPECT_EQ(bytes_of(NumberType::C64), 16);
}

// Each type's rate and clock, as the model takes them, give the peak that the GPU's file cites of its data
// sheet.
TEST(NumberType, RatesGiveThePeaksOfTheDataSheets) {
  using gpus::Gpu;
  const std::tuple<NumberType, std::optional<double> Gpu::*, bool> peaks[] = {
      {NumberType::F64, &Gpu::sheet_vector_f64, false}, {NumberType::F32, &Gpu::sheet_vector_f32, false},
      {NumberType::F16, &Gpu::sheet_vector_f16, false}, {NumberType::F64, &Gpu::sheet_matrix_f64, true},
      {NumberType::F32, &Gpu::sheet_matrix_f32, true},  {NumberType::XF32, &Gpu::sheet_matrix_xf32, true},
      {NumberType::F16, &Gpu::sheet_matrix_f16, true},  {NumberType::BF16, &Gpu::sheet_matrix_bf16, true},
      {NumberType::I8, &Gpu::sheet_matrix_i8, true},    {NumberType::F8, &Gpu::sheet_matrix_f8, true},
      {NumberType::F6, &Gpu::sheet_matrix_f6, true},    {NumberType::F4, &Gpu::sheet_matrix_f4, true},
  };
  for (const Gpu* gpu : gpus::gpus())
    for (const auto& [type, sheet, matrix] : peaks) {
      if (!(gpu->*sheet)) continue;
      const double flops = matrix ? matrix_flops(*gpu, type) : vector_flops(*gpu, type);
      const double mhz = matrix ? peak_mhz(*gpu, type) : gpu->engine_mhz;
      EXPECT_NEAR(flops * gpu->compute_units * mhz * 1e-6 / *(gpu->*sheet), 1, 0.02)
          << gpu->id << " " << name_of(type) << (matrix ? ", matrix" : ", vector");
    }
}

TEST(NumberType, WhatAGpuHasNoInstructionForIsWidened) {
  const auto as = [](const char* id, NumberType type) { return computed_as(**gpus::find_gpu(id), type); };
  EXPECT_EQ(as("mi355x", NumberType::F4), NumberType::F4);
  EXPECT_EQ(as("mi300x", NumberType::F4), NumberType::F8);
  EXPECT_EQ(as("mi210", NumberType::F8), NumberType::BF16);
  EXPECT_EQ(as("rx7900xtx", NumberType::F8), NumberType::BF16);
  EXPECT_EQ(as("rx6900xt", NumberType::F16), NumberType::F16) << "there are no matrix instructions at all";
}

}  // namespace
}  // namespace wavesmith::model
