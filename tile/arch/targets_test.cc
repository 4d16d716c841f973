// What tile/arch says of the targets, against the GPUs' data files and the emulator's table of matrix
// instructions.
#include "tile/arch/targets.h"

#include <gtest/gtest.h>

#include "gpus/gpu.h"
#include "gpus/lds_phases.h"
#include "isa/matrix/table.h"
#include "tile/arch/shapes.h"

namespace {

using namespace wavesmith;
using tile::arch::Capabilities;
using tile::arch::SharedPhases;

struct Pair {
  const char* gpu;
  const Capabilities& target;
};
const Pair kPairs[] = {{"mi210", tile::arch::kCdna2},       {"mi300x", tile::arch::kCdna3},
                       {"mi355x", tile::arch::kCdna4},      {"rx7900xtx", tile::arch::kRdna3},
                       {"radeon8060s", tile::arch::kRdna3}, {"rx9070xt", tile::arch::kRdna4}};

/// Two lanes are in one phase for the one where they are for the other.
void expect_same(const SharedPhases& tile, const gpus::LdsPhases& gpu, int lanes) {
  EXPECT_EQ(static_cast<uint32_t>(tile.banks), gpu.banks);
  const auto phase_of = [&](int lane) {
    for (size_t phase = 0; phase < gpu.phases.size(); ++phase)
      if (gpu.phases[phase] >> lane & 1) return phase;
    return gpu.phases.size();
  };
  for (int a = 0; a < lanes; ++a)
    for (int b = 0; b < a; ++b)
      ASSERT_EQ(tile.phase(a) == tile.phase(b), phase_of(a) == phase_of(b)) << "lanes " << a << " and " << b;
}

TEST(TileTargets, AreThoseOfTheGpusFiles) {
  for (const Pair& pair : kPairs) {
    SCOPED_TRACE(pair.gpu);
    const gpus::Gpu& gpu = **gpus::find_gpu(pair.gpu);
    const auto lanes = static_cast<uint32_t>(pair.target.wave_lanes);
    EXPECT_EQ(static_cast<uint64_t>(pair.target.shared_bytes), static_cast<uint64_t>(gpu.lds_per_workgroup));
    expect_same(pair.target.read_16, gpus::lds_phases(gpu, gpus::LdsAccess::Read, 16, lanes),
                pair.target.wave_lanes);
    expect_same(pair.target.write_16, gpus::lds_phases(gpu, gpus::LdsAccess::Write, 16, lanes),
                pair.target.wave_lanes);
  }
}

TEST(TileAtoms, AreInstructionsOfTheirTargets) {
  using isa::MatrixElement;
  const auto is_there = [](const isa::MatrixShape& shape, isa::Generations generations) {
    for (const isa::MatrixInstruction& row : isa::kMatrixInstructions)
      if (row.layout == shape.layout && row.a == shape.a && row.b == shape.b && row.d == shape.d &&
          row.m == shape.m && row.n == shape.n && row.k == shape.k && row.blocks == shape.blocks &&
          row.sparse == shape.sparse && (row.generations & generations) == generations)
        return true;
    return false;
  };
  using enum MatrixElement;
  const auto mfma = [](MatrixElement element, int depth) {
    return tile::arch::mfma16(element, element, depth);
  };
  for (const MatrixElement half : {F16, Bf16}) {
    EXPECT_TRUE(is_there(mfma(half, 16), isa::kCdna2));
    EXPECT_TRUE(is_there(mfma(half, 16), isa::kCdna3));
    EXPECT_TRUE(is_there(mfma(half, 32), isa::kCdna4));
    EXPECT_TRUE(is_there(tile::arch::wmma3(half), isa::kRdna3));
    EXPECT_TRUE(is_there(tile::arch::wmma4(half, half), isa::kRdna4));
    EXPECT_TRUE(is_there(tile::arch::mfma32(half, half, 8), isa::kCdna2));
    EXPECT_TRUE(is_there(tile::arch::mfma32(half, half, 8), isa::kCdna3));
    EXPECT_TRUE(is_there(tile::arch::mfma32(half, half, 16), isa::kCdna4));
  }
  EXPECT_TRUE(is_there(mfma(F32, 4), isa::kCdna2));
  EXPECT_TRUE(is_there(mfma(F32, 4), isa::kCdna3 | isa::kCdna4));
  EXPECT_TRUE(is_there(mfma(I8, 16), isa::kCdna2));
  EXPECT_TRUE(is_there(mfma(I8, 32), isa::kCdna3));
  EXPECT_TRUE(is_there(mfma(I8, 64), isa::kCdna4));
  EXPECT_TRUE(is_there(tile::arch::wmma3(Iu8), isa::kRdna3));
  EXPECT_TRUE(is_there(tile::arch::wmma4(Iu8, Iu8), isa::kRdna4));
  EXPECT_TRUE(is_there(tile::arch::mfma32(F8f6f4, F8f6f4, 64), isa::kCdna4));
  EXPECT_TRUE(is_there(tile::arch::mfma16(F8f6f4, F8f6f4, 128), isa::kCdna4));
  for (const MatrixElement a : {Fp8, Bf8})
    for (const MatrixElement b : {Fp8, Bf8}) {
      EXPECT_TRUE(is_there(tile::arch::mfma16(a, b, 32), isa::kCdna3));
      EXPECT_TRUE(is_there(tile::arch::wmma4(a, b), isa::kRdna4));
    }
}

}  // namespace
