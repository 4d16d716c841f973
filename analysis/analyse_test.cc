#include "analysis/analyse.h"

#include <gtest/gtest.h>

#include "object/testing.h"

namespace wavesmith::analysis {
namespace {

const object::CodeObject& sample_object() {
  static const auto bytes = object::sample("v5.co");
  static const auto object = object::CodeObject::parse(bytes);
  return *object;
}

TEST(Analyse, AKernelOfACompiledObject) {
  const object::CodeObject& object = sample_object();
  const auto kernel = analyse(object, *object.kernel("scale"), *usual_gpu("gfx942"));
  ASSERT_TRUE(kernel) << kernel.error().text();
  EXPECT_GT(kernel->instructions.size(), 10u);
  EXPECT_EQ(kernel->instructions.back().mnemonic, "s_endpgm");
  EXPECT_TRUE(kernel->unknown.empty());
  EXPECT_GE(kernel->blocks.size(), 3u);
  EXPECT_TRUE(kernel->loops.empty());
  EXPECT_EQ(kernel->occupancy.now.waves_per_simd, 8u);
  EXPECT_EQ(kernel->functions.at(0).name, "scale");
  EXPECT_GT(kernel->mix.store_bytes, 0);
  bool lines = false;
  for (const Instruction& instruction : kernel->instructions) lines |= instruction.source.line > 0;
  EXPECT_TRUE(lines) << "the sample has debug information";
}

TEST(Analyse, CodeForAnotherGpuIsRefused) {
  const object::CodeObject& object = sample_object();
  const auto kernel = analyse(object, *object.kernel("scale"), *usual_gpu("gfx1100"));
  ASSERT_FALSE(kernel);
  EXPECT_EQ(kernel.error().kind, ErrorKind::WrongTarget);
}

TEST(Analyse, EveryTargetHasAUsualGpu) {
  for (const isa::Target& target : isa::kTargets) {
    const gpus::Gpu* const gpu = usual_gpu(target.name);
    ASSERT_TRUE(gpu) << target.name;
    EXPECT_EQ(gpu->target, target.name);
    EXPECT_FALSE(gpu->is_apu);
  }
}

}  // namespace
}  // namespace wavesmith::analysis
