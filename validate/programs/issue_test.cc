// What the documentation says of issue cycles is what the command finds, and fits look not at what they leave
// out.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>

#include "validate/families/family.h"
#include "validate/programs/issue_fit.h"

namespace wavesmith::validate {
namespace {

std::vector<IssueTrace> traces_of(const std::string& text) {
  const Result<Csv> csv = Csv::parse(text, "traces");
  EXPECT_TRUE(csv.has_value());
  Result<std::vector<IssueTrace>> traces = read_issue_traces(*csv);
  EXPECT_TRUE(traces.has_value());
  return *std::move(traces);
}

constexpr const char* kColumns = "kernel,se,exec,simd,wave,pc,inst,issue_cycle,packet\n";

/// A branch that is passed after `passed` cycles, and a VALU result that LDS waits for.
std::string program(int passed) {
  return fmt::format(
      "{}made,0,1,0,0,0x100,s_mov_b32 s1 0,100,INST\n"
      "made,0,1,0,0,0x104,s_cbranch_scc0 10,120,INST\n"
      "made,0,1,0,0,0x108,v_mov_b32 v1 v2,{},VALUINST\n"
      "made,0,1,0,0,0x10c,v_mov_b32 v3 v4,{},VALUINST\n",
      kColumns, 120 + passed, 121 + passed);
}

uint16_t value(const IssueFit& fit, std::string_view name, bool told) {
  for (size_t i = 0; i < fit.values().size(); ++i)
    if (issue_constants()[i].name == name) {
      EXPECT_EQ(fit.values()[i].told, told) << name;
      return fit.values()[i].value;
    }
  ADD_FAILURE() << name;
  return 0;
}

TEST(IssueFit, FindsWhatATraceTells) {
  for (const int passed : {3, 6}) {
    std::vector<IssueTrace> traces = traces_of(program(passed));
    ASSERT_EQ(traces.size(), 1U);
    IssueTrace* const all[] = {traces.data()};
    const IssueFit fit(all);
    EXPECT_EQ(value(fit, "branch passed", true), passed);
    EXPECT_EQ(value(fit, "SALU to a branch", true), 20);
  }
}

TEST(IssueFit, TakesWhatNoTraceTellsFromItsLikeOrAsNothing) {
  std::vector<IssueTrace> traces = traces_of(program(3));
  IssueTrace* const all[] = {traces.data()};
  const IssueFit fit(all);
  EXPECT_EQ(value(fit, "SALU to memory", false), 20);
  EXPECT_EQ(value(fit, "branch taken", false), 1);
  EXPECT_EQ(value(fit, "memory to VALU", false), 1);
}

TEST(IssueFit, TakesABranchThatIsPassedForASequencersOwnInstruction) {
  std::vector<IssueTrace> traces = traces_of(std::string(kColumns) +
                                             "made,0,1,0,0,0x100,v_mov_b32 v1 v2,100,VALUINST\n"
                                             "made,0,1,0,0,0x104,s_nop 0x0,105,IMMEDIATE\n");
  ASSERT_EQ(traces.size(), 1U);
  IssueTrace* const all[] = {traces.data()};
  const IssueFit fit(all);
  EXPECT_EQ(value(fit, "memory to a wait", true), 5);
  EXPECT_EQ(value(fit, "branch passed", false), 5);
}

TEST(IssueFit, KeepsWhatWasThereBeforeWhereItExplainsTheTracesAsWell) {
  std::vector<IssueTrace> traces = traces_of(program(3));
  IssueTrace* const all[] = {traces.data()};
  const IssueFit fit(all);
  EXPECT_EQ(value(fit, "SALU instruction under way", false), 7);
  EXPECT_EQ(value(fit, "lane mask from VALU to VALU", false), 5);
}

/// A SALU instruction at the first byte of a line of the instruction cache, `behind` cycles after another.
size_t late(uint64_t behind) {
  const std::vector<IssueTrace> traces = traces_of(
      fmt::format("{}made,0,1,0,0,0x13c,s_mov_b32 s1 0,100,INST\nmade,0,1,0,0,0x140,s_mov_b32 s2 0,{},INST\n",
                  kColumns, 100 + behind));
  return traces.empty() || traces[0].units[0].waves[0].rows[1].late ? 1 : 0;
}

TEST(IssueTrace, ASalusLineThatComesAfterAllThatAreUnderWayIsLate) {
  EXPECT_EQ(late(11), 0U);
  EXPECT_EQ(late(12), 1U);
}

TEST(IssueFit, LeavesRulesAloneThatNoTraceOfTheFamilyTells) {
  const IssueFit none{std::span<IssueTrace* const>()};
  for (const IssueFit::Value& each : none.values()) EXPECT_FALSE(each.told);
}

/// The figures of docs/ACCURACY.md.
std::string page() {
  const Result<std::string> folder = data_folder();
  EXPECT_TRUE(folder.has_value());
  std::ifstream file(*folder + "/../../docs/ACCURACY.md");
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

TEST(Issue, ThePageSaysWhatTheCommandFinds) {
  const std::string text = page();
  ASSERT_FALSE(text.empty());
  Data data;
  const Result<FamilyReport> report = judge_issue(data);
  ASSERT_TRUE(report) << report.error().text();
  EXPECT_GE(report->summary.size(), 12U);
  for (const Summary& figure : report->summary) {
    const std::string line = fmt::format("| `{}` | {:.4f} | {} |\n", figure.name, figure.value, figure.n);
    EXPECT_NE(text.find(line), std::string::npos) << line << "wavesmith validate --markdown writes it anew";
  }
  for (const std::string& note : report->notes)
    EXPECT_NE(text.find("- " + note + "\n"), std::string::npos) << note;
}

}  // namespace
}  // namespace wavesmith::validate
