#include "analysis/analyse.h"

#include <gtest/gtest.h>

#include "object/bundle.h"
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

/// Every kernel of a file, on the usual GPU of its target; how many there were.
size_t analyse_all(std::span<const uint8_t> file) {
  const auto bundle = object::Bundle::parse(file);
  if (!bundle) return 0;
  size_t kernels = 0;
  for (const object::BundleEntry& entry : bundle->entries()) {
    const gpus::Gpu* const gpu = usual_gpu(entry.target.processor);
    const auto object = gpu ? object::CodeObject::parse(entry.bytes)
                            : Result<object::CodeObject>(fail(ErrorKind::NotFound, "no such GPU"));
    if (!object) continue;
    for (const object::Kernel& each : object->kernels()) {
      const auto kernel = analyse(*object, each, *gpu);
      if (!kernel) continue;
      ++kernels;
      // What is live has a register, and every index leads somewhere.
      for (const Instruction& instruction : kernel->instructions)
        EXPECT_LT(instruction.block, kernel->blocks.size());
      for (const Wait& wait : kernel->waits) EXPECT_LT(wait.instruction, kernel->instructions.size());
    }
  }
  return kernels;
}

TEST(Analyse, WhatIsLiveIsAllocated) {
  size_t kernels = 0;
  for (const char* const name :
       {"v4.co", "v5.co", "v6.co", "xnack.co", "bundle.hipfb", "compressed.hipfb", "program.o"}) {
    SCOPED_TRACE(name);
    const auto file = object::sample(name);
    kernels += analyse_all(file);
    const auto bundle = object::Bundle::parse(file);
    ASSERT_TRUE(bundle);
    for (const object::BundleEntry& entry : bundle->entries()) {
      const gpus::Gpu* const gpu = usual_gpu(entry.target.processor);
      const auto object = object::CodeObject::parse(entry.bytes);
      ASSERT_TRUE(gpu && object);
      for (const object::Kernel& each : object->kernels()) {
        const auto kernel = analyse(*object, each, *gpu);
        ASSERT_TRUE(kernel) << kernel.error().text();
        EXPECT_LE(kernel->live_peak.vgprs, kernel->resources.allocated.vgprs);
        EXPECT_LE(kernel->live_peak.agprs, kernel->resources.allocated.agprs);
        EXPECT_LE(kernel->live_peak.sgprs, kernel->resources.allocated.sgprs);
        EXPECT_TRUE(kernel->unknown.empty());
      }
    }
  }
  EXPECT_GE(kernels, 14u);
}

TEST(Analyse, DamagedObjectsAreAnswered) {
  const auto bytes = object::sample("v5.co");
  object::flip_at_random(bytes, 300, std::random_device{}(),
                         [](std::span<const uint8_t> file) { analyse_all(file); });
}

TEST(Analyse, EveryTargetHasAUsualGpu) {
  for (const isa::Target& target : isa::kTargets) {
    const gpus::Gpu* const gpu = usual_gpu(target.name);
    ASSERT_TRUE(gpu) << target.name;
    EXPECT_EQ(gpu->target, target.name);
    if (target.name != "gfx1151") EXPECT_FALSE(gpu->is_apu);  // of which there are only such
  }
}

}  // namespace
}  // namespace wavesmith::analysis
