// The programs of the fp8 ladder's steps: that there is one for each. Their products are compared with those
// in double where they run (tests/hip).
#include "validate/programs/cdna4_fp8.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "validate/gemm/ladder.h"

namespace wavesmith::validate {
namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream stream(file);
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

TEST(Cdna4Fp8, EveryStepOfTheLadderHasAProgramThatKnowsIt) {
  const Ladder ladder = fp8_ladder();
  const std::span<const StepProgram> programs = fp8_step_programs();
  const Result<std::string> data = data_folder();
  ASSERT_TRUE(data) << data.error().text();
  ASSERT_EQ(programs.size(), ladder.rungs.size());
  for (size_t i = 0; i < programs.size(); ++i) {
    const StepProgram& each = programs[i];
    EXPECT_EQ(each.rung, ladder.rungs[i].name);
    const fs::path source =
        fs::path(*data).parent_path() / "cdna4_fp8" / (std::string(each.program) + ".hip");
    EXPECT_NE(text_of(source).find('"' + std::string(each.step) + '"'), std::string::npos)
        << source << " has no step " << each.step;
  }
}

}  // namespace
}  // namespace wavesmith::validate
