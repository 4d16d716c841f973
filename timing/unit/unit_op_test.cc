// Which of an instruction's registers the pipelines ask after, by what the kernel's other instructions do.
#include "timing/unit/unit_op.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "isa/llvm/decoder.h"
#include "isa/rows.h"
#include "timing/unit/vector_registers.h"

namespace wavesmith::timing {
namespace {

/// A kernel of these lines of assembly text.
class Kernel {
 public:
  explicit Kernel(const std::vector<std::string>& lines, std::string_view gpu_target = "gfx942")
      : table_(make(lines, *isa::find_target(gpu_target))), ops_(table_, isa::issue_rules(table_.target())) {}
  const UnitOp& operator[](uint32_t line) const { return ops_[line]; }
  const UnitOps& ops() const { return ops_; }

 private:
  static OpTable make(const std::vector<std::string>& lines, const isa::Target& target) {
    OpTable table(target, target.is(isa::kCdna) ? 64 : 32);
    uint64_t pc = 0x1000;
    for (const std::string& line : lines) {
      isa::Instruction instruction = *isa::parse_instruction(line);
      instruction.pc = pc;
      instruction.size = 4;
      pc += 4;
      table.add(instruction, isa::find_row(instruction.mnemonic, target));
    }
    return table;
  }
  OpTable table_;
  UnitOps ops_;
};

using Ranges = std::vector<std::pair<int, int>>;  ///< the first register, and how many

Ranges of(std::span<const RegisterRange> ranges) {
  Ranges result;
  for (const RegisterRange& range : ranges) result.emplace_back(range.first, range.count);
  return result;
}

TEST(UnitOps, WhatNoVectorInstructionWritesIsNotAskedAfter) {
  const Kernel kernel(
      {"global_load_dword v1, v[8:9], off", "v_add_f32_e32 v3, v1, v2", "v_add_f32_e32 v4, v3, v1"});
  EXPECT_EQ(of(kernel[1].vector_reads()), Ranges{});
  EXPECT_EQ(of(kernel[2].vector_reads()), (Ranges{{3, 1}}));
  EXPECT_EQ(of(kernel[0].vector_reads()), Ranges{});
}

TEST(UnitOps, AWriteIsHeldWhereAnInstructionBeforeMayHoldIt) {
  const Kernel plain({"global_load_dword v1, v[8:9], off", "v_add_f32_e32 v3, v1, v2"});
  EXPECT_EQ(of(plain[0].vector_held()), Ranges{});  // nothing of the VALU's is in its registers
  EXPECT_EQ(of(plain[1].vector_held()), Ranges{});  // VALU instructions overwrite each other's results freely
  const Kernel mixed({"global_load_dword v3, v[8:9], off", "v_add_f32_e32 v3, v1, v2"});
  EXPECT_EQ(of(mixed[0].vector_held()), (Ranges{{3, 1}}));
  const Kernel matrix({"v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]", "v_mov_b32_e32 v2, v12",
                       "v_mov_b32_e32 v5, v12"});
  EXPECT_EQ(of(matrix[0].vector_held()), Ranges{});  // its own accumulator, which it reads
  EXPECT_EQ(of(matrix[1].vector_held()), (Ranges{{2, 1}}));
  EXPECT_EQ(of(matrix[2].vector_held()), Ranges{});
}

TEST(UnitOps, AnAccumulatorIsNoneOfTheOtherOperands) {
  const Kernel kernel({"v_mfma_f32_16x16x16_f16 v[0:3], v[8:9], v[10:11], v[0:3]",
                       "v_mfma_f32_16x16x16_f16 v[4:7], v[8:9], v[10:11], v[0:3]",
                       "v_mfma_f32_16x16x16_f16 v[4:7], v[0:1], v[10:11], 0"});
  EXPECT_TRUE(kernel[0].accumulates);
  EXPECT_EQ(of(kernel[0].vector_reads()), Ranges{});  // A and B come from memory
  EXPECT_FALSE(kernel[1].accumulates);
  EXPECT_EQ(of(kernel[1].vector_reads()), (Ranges{{0, 4}}));
  EXPECT_FALSE(kernel[2].accumulates);
  EXPECT_EQ(of(kernel[2].vector_reads()), (Ranges{{0, 2}}));
}

TEST(UnitOps, WhatALoadOverwritesIsKeptForIt) {
  const Kernel kernel({"global_load_dword v1, v[8:9], off", "v_add_f32_e32 v3, v1, v2"});
  EXPECT_EQ(of(kernel[1].vector_keeps()), (Ranges{{1, 1}}));
}

TEST(UnitOps, ScalarRegistersThatLoadsAndTheHostWriteAreNotAskedAfter) {
  const Kernel kernel({"s_load_dword s4, s[0:1], 0x0", "s_add_u32 s6, s5, s2", "s_add_u32 s7, s6, s2"});
  EXPECT_EQ(of(kernel[1].scalar_reads()), Ranges{});
  EXPECT_EQ(of(kernel[2].scalar_reads()), (Ranges{{6, 1}}));
  EXPECT_EQ(of(kernel[2].scalar_writes()).back(), (std::pair{7, 1}));
}

TEST(UnitOps, WhoWritesTheSameRegistersHasTheSameSet) {
  const Kernel kernel({"v_add_f32_e32 v3, v1, v2", "v_mul_f32_e32 v3, v4, v5", "v_mul_f32_e32 v4, v4, v5",
                       "v_pk_mul_f32 v[2:3], v[4:5], v[6:7]"});
  EXPECT_EQ(kernel[0].written_set, kernel[1].written_set);
  EXPECT_NE(kernel[0].written_set, kernel[2].written_set);
  EXPECT_NE(kernel[0].written_set, kernel[3].written_set);
  EXPECT_NE(kernel[0].written_set, VectorRegisters::kNoSet);
  EXPECT_EQ(kernel[0].written, 1U);
  EXPECT_EQ(kernel[3].written, 2U);
}

TEST(UnitOps, KnowWhereTheyStand) {
  const Kernel kernel(std::vector<std::string>(20, "v_mov_b32_e32 v1, v2"));
  EXPECT_EQ(kernel.ops().place(3).pc, 0x100cU);
  EXPECT_EQ(kernel.ops().place(3).size, 4U);
  EXPECT_EQ(kernel.ops().lines(), 2U);
  EXPECT_EQ(kernel[15].line, kernel[0].line);
  EXPECT_NE(kernel[16].line, kernel[0].line);
}

}  // namespace
}  // namespace wavesmith::timing
