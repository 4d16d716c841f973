#include "model/number_type.h"

#include <gtest/gtest.h>

namespace wavesmith::model {
namespace {

TEST(NumberType, NamesOfAllLibrariesAreUnderstood) {
  for (int i = 0; i <= static_cast<int>(NumberType::C64); ++i) {
    const NumberType type = static_cast<NumberType>(i);
    EXPECT_EQ(number_type(name_of(type)), type) << name_of(type);
  }
  EXPECT_EQ(number_type("fp16"), NumberType::F16);
  EXPECT_EQ(number_type("e4m3"), NumberType::F8);
  EXPECT_EQ(number_type("mxfp4"), NumberType::F4);
  EXPECT_FALSE(number_type("f7"));
}

TEST(NumberType, SizesInBits) {
  EXPECT_EQ(bits_of(NumberType::F4), 4u);
  EXPECT_EQ(bytes_of(NumberType::F6), 0.75);
  EXPECT_EQ(bytes_of(NumberType::C64), 16);
}

// AMD's data sheets: MI300X 1307.4 TFLOP/s bf16 and 163.4 f32, MI355X 10.1 PFLOP/s f4, RX 7900 XTX 61.4
// TFLOP/s f32 vector.
TEST(NumberType, RatesGiveThePeaksOfTheDataSheets) {
  const auto tera = [](std::string_view id, double flops) {
    const gpus::Gpu& gpu = **gpus::find_gpu(id);
    return flops * gpu.compute_units * gpu.engine_mhz * 1e-6;
  };
  EXPECT_NEAR(tera("mi300x", matrix_flops(**gpus::find_gpu("mi300x"), NumberType::BF16)), 1307.4, 1);
  EXPECT_NEAR(tera("mi300x", vector_flops(**gpus::find_gpu("mi300x"), NumberType::F32)), 163.4, 1);
  EXPECT_NEAR(tera("mi355x", matrix_flops(**gpus::find_gpu("mi355x"), NumberType::F4)), 10066, 10);
  EXPECT_NEAR(tera("rx7900xtx", vector_flops(**gpus::find_gpu("rx7900xtx"), NumberType::F32)), 61.4, 0.2);
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
