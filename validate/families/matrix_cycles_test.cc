// Cycles of matrix instructions against the table: AMD's matrix instruction calculator; CDNA4's from LLVM and
// Origami.
#include <gtest/gtest.h>

#include "isa/cost/cost.h"
#include "isa/matrix/instruction.h"
#include "isa/rows.h"
#include "validate/csv.h"
#include "validate/table.h"

namespace wavesmith::validate {
namespace {

TEST(MatrixCycles, EqualTheTableInAllCases) {
  const auto folder = data_folder();
  ASSERT_TRUE(folder) << folder.error().text();
  const auto csv = Csv::read(*folder + "/matrix_instructions.csv.gz");
  ASSERT_TRUE(csv) << csv.error().text();
  const size_t chip = *csv->column("gfx"), name = *csv->column("instr"),
               cycles = *csv->column("cycles_issue_to_issue"), type = *csv->column("dtype_AB");
  size_t judged = 0;
  for (size_t row = 0; row < csv->rows(); ++row) {
    SCOPED_TRACE(csv->where(row));
    std::string_view gfx = csv->cell(row, chip);
    if (gfx == "gfx1200") gfx = "gfx1201";
    const isa::Target* const target = isa::find_target(gfx);
    ASSERT_NE(target, nullptr) << gfx;
    isa::Instruction instruction;
    const std::string_view text = csv->cell(row, name);
    instruction.mnemonic = text.substr(0, text.find(' '));
    const isa::Row* found = isa::find_row(instruction.mnemonic, *target);
    ASSERT_NE(found, nullptr) << instruction.mnemonic;
    ASSERT_NE(found->matrix, nullptr);
    // One mnemonic takes 8-, 6- and 4-bit operands; the table says which.
    const std::string_view operands = csv->cell(row, type);
    if (found->matrix->a == isa::MatrixElement::F8f6f4 && operands.find('8') == std::string_view::npos)
      instruction.modifiers = {{"cbsz", {4}}, {"blgp", {4}}};
    const isa::Cost cost = isa::cost_of(instruction, found, *target, target->wave64_only ? 64 : 32);
    EXPECT_EQ(cost.pipe, isa::Pipe::Matrix);
    EXPECT_EQ(cost.issue, number<int>(csv->cell(row, cycles)).value_or(-1))
        << instruction.mnemonic << ' ' << operands;
    ++judged;
  }
  EXPECT_EQ(judged, 116u);
}

}  // namespace
}  // namespace wavesmith::validate
