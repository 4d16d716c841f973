// Every instruction that AMD's own compiled libraries use is exact or approximate, and the tables agree with
// each other.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <set>

#include "emulate/engine/handlers.h"
#include "emulate/instructions/rows_testing.h"
#include "emulate/instructions/untested_rows.h"
#include "emulate/translate/fidelity.h"
#include "isa/control/row.h"
#include "isa/rows.h"

namespace wavesmith::emulate {
namespace {

/// The lines of a file in tests/data, comments apart.
std::vector<std::string> lines_of(const std::string& path) {
  std::ifstream file(std::string(WAVESMITH_TEST_DATA) + "/" + path);
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);)
    if (!line.empty() && line[0] != '#') lines.push_back(line);
  return lines;
}

std::vector<std::string_view> words(std::string_view text) {
  std::vector<std::string_view> result;
  while (!text.empty()) {
    const size_t space = text.find(' ');
    if (space != 0) result.push_back(text.substr(0, space));
    text = space == std::string_view::npos ? std::string_view{} : text.substr(space + 1);
  }
  return result;
}

/// Lists can only shrink: what is listed as missing but is served has to be taken off the list.
TEST(Coverage, WhatCompiledLibrariesUseIsServed) {
  for (const isa::Target& target : isa::kTargets) {
    const auto used = lines_of(fmt::format("mnemonics/{}.txt", target.name));
    ASSERT_GT(used.size(), 300u);
    std::set<std::string> missing;
    for (const std::string& printed : used)
      if (fidelity_of_printed(printed, target).fidelity == isa::Fidelity::Unsupported)
        missing.insert(printed);
    std::set<std::string> expected;
    for (const std::string& line : lines_of("mnemonics/missing.txt"))
      if (const auto parts = words(line); parts.size() == 2 && parts[0] == target.name)
        expected.emplace(parts[1]);
    for (const std::string& each : missing)
      if (!expected.contains(each)) ADD_FAILURE() << target.name << " " << each << " is not served";
    for (const std::string& each : expected)
      if (!missing.contains(each))
        fmt::print("served now, take it off missing.txt: {} {}\n", target.name, each);
    fmt::print("{}: {} of {} served\n", target.name, used.size() - missing.size(), used.size());
    RecordProperty(std::string(target.name), static_cast<int>(missing.size()));
  }
}

TEST(Coverage, EveryMnemonicOfATargetHasAVerdict) {
  for (const isa::Target& target : isa::kTargets) {
    const auto all = fidelity_of_all(target);
    ASSERT_TRUE(all) << all.error().text();
    size_t count[3] = {};
    for (const InstructionFidelity& each : *all) {
      count[static_cast<size_t>(each.fidelity)]++;
      EXPECT_EQ(each.note.empty(), each.fidelity == isa::Fidelity::Exact)
          << each.mnemonic << ": " << each.note;
      EXPECT_NE(each.note, kUnexplained)
          << each.mnemonic << " on " << target.name << " has no row, not even in isa/control/unserved.cc";
    }
    fmt::print("{}: {} exact, {} approximate, {} unsupported\n", target.name, count[0], count[1], count[2]);
    EXPECT_GT(count[0], 500u);
  }
}

TEST(Coverage, RowsAreTheEnginesTable) {
  const auto rows = isa::rows();
  const auto implementations = engine().implementations;
  std::multiset<std::string> described, implemented;
  const auto key = [](const isa::Row& row) {
    std::string text =
        fmt::format("{} {} {}", row.mnemonics, static_cast<int>(row.shape), row.facts.generations);
    for (int i = 0; i < row.count; ++i)
      text +=
          fmt::format(" {}{}{}{}", static_cast<int>(row.roles[i].use), static_cast<int>(row.roles[i].type),
                      row.roles[i].printed, row.roles[i].destination_too);
    return text;
  };
  for (const isa::Row& row : rows) described.insert(key(row));
  for (const Implementation& implementation : implementations) implemented.insert(key(implementation.row));
  for (const std::string& each : described)
    if (described.count(each) != implemented.count(each))
      ADD_FAILURE() << "a row without a handler, or twice: " << each;
  for (const std::string& each : implemented)
    if (described.count(each) != implemented.count(each))
      ADD_FAILURE() << "a handler without a row, or twice: " << each;
}

/// A mnemonic has one row a generation (saturating forms apart), and is not in a control row as well, nor
/// among those that are not served.
TEST(Coverage, NoMnemonicIsServedTwice) {
  for (const isa::Target& target : isa::kTargets) {
    std::multiset<std::string> served;
    for (const isa::Row& row : isa::rows())
      if (target.is(row.facts.generations) && !row.facts.saturates)
        for (const std::string_view name : words(row.mnemonics)) served.emplace(name);
    for (const auto& rows : {isa::control_rows(), isa::unserved_rows()})
      for (const isa::ControlRow& row : rows)
        if (target.is(row.facts.generations))
          for (const std::string_view name : words(row.mnemonics)) served.emplace(name);
    for (auto each = served.begin(); each != served.end(); each = served.upper_bound(*each))
      EXPECT_EQ(served.count(*each), 1u) << *each << " on " << target.name;
  }
}

/// Each row serves a name that LLVM knows; a misspelt one would never be found.
TEST(Coverage, ServedNamesExist) {
  std::set<std::string> known;
  for (const isa::Target& target : isa::kTargets) {
    const auto all = fidelity_of_all(target);
    ASSERT_TRUE(all);
    for (const InstructionFidelity& each : *all) {
      std::string name = each.mnemonic;
      for (const std::string_view suffix : {"_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"})
        if (name.ends_with(suffix)) {
          name.resize(name.size() - suffix.size());
          break;
        }
      known.insert(name);
      if (name.starts_with("v_dual_")) known.insert("v_" + name.substr(7));
    }
  }
  const auto any_known = [&](std::string_view names) {
    const auto each = words(names);
    return std::any_of(each.begin(), each.end(),
                       [&](std::string_view name) { return known.contains(std::string(name)); });
  };
  for (const isa::Row& row : isa::rows()) EXPECT_TRUE(any_known(row.mnemonics)) << row.mnemonics;
  for (const isa::ControlRow& row : isa::control_rows())
    EXPECT_TRUE(any_known(row.mnemonics)) << row.mnemonics;
  for (const isa::ControlRow& row : isa::unserved_rows())
    for (const std::string_view name : words(row.mnemonics)) EXPECT_TRUE(any_known(name)) << name;
}

/// What a row has to say beside its signature, and may not contradict.
TEST(Coverage, RowsSayWhatTheirFactsNeed) {
  const auto named = [](std::string_view name) {
    const auto rows = isa::rows();
    return std::find_if(rows.begin(), rows.end(), [&](const isa::Row& row) {
             const auto names = words(row.mnemonics);
             return std::find(names.begin(), names.end(), name) != names.end();
           }) != rows.end();
  };
  for (const isa::Row& row : isa::rows()) {
    using isa::Shape;
    const isa::Facts& facts = row.facts;
    EXPECT_NE(facts.fidelity, isa::Fidelity::Unsupported) << row.mnemonics << " is served";
    EXPECT_EQ(facts.bound.empty(), facts.fidelity == isa::Fidelity::Exact)
        << row.mnemonics << ": an approximate row states its bound, no other does";
    if (!facts.packed.empty()) EXPECT_TRUE(named(facts.packed)) << row.mnemonics << ": " << facts.packed;
    for (const isa::Target& target : isa::kTargets)
      if (!facts.alias.empty() && target.is(facts.generations))
        EXPECT_EQ(isa::find_row(facts.alias, target), nullptr)
            << row.mnemonics << ": " << facts.alias << " has a row of its own on " << target.name;
    if (facts.copies) EXPECT_EQ(row.roles[0].type, row.roles[1].type) << row.mnemonics;
    EXPECT_TRUE(row.shape == Shape::Wave || !(facts.fetches || facts.unmasked)) << row.mnemonics;
    EXPECT_TRUE(row.shape == Shape::Memory ||
                !(facts.by_lane || facts.far || facts.comparand_first || facts.exchanges))
        << row.mnemonics;
  }
}

/// What a row of control has to say beside its operation.
TEST(Coverage, ControlRowsSayWhatTheirOperationNeeds) {
  for (const isa::ControlRow& row : isa::control_rows()) {
    using isa::Operation;
    const isa::ControlFacts& facts = row.facts;
    EXPECT_NE(facts.fidelity, isa::Fidelity::Unsupported) << row.mnemonics;
    EXPECT_EQ(facts.note.empty(), facts.fidelity == isa::Fidelity::Exact) << row.mnemonics;
    EXPECT_EQ(facts.condition.flag != isa::BranchCondition::Flag::None,
              row.operation == Operation::ConditionalBranch)
        << row.mnemonics;
    if (facts.waits[0])
      EXPECT_TRUE(row.operation == Operation::WaitForStores || row.operation == Operation::WaitForOthers)
          << row.mnemonics;
  }
  for (const isa::ControlRow& row : isa::unserved_rows()) {
    EXPECT_EQ(row.operation, isa::Operation::Unserved) << row.mnemonics;
    EXPECT_EQ(row.facts.fidelity, isa::Fidelity::Unsupported) << row.mnemonics;
    EXPECT_FALSE(row.facts.note.empty()) << row.mnemonics;
  }
}

std::string name_of(const isa::Row& row) {
  return std::string(row.mnemonics) + (row.facts.saturates ? " with clamp" : "");
}

/// When all tests have run: each row was run by some of them, but for those that are known to lack a test.
class EveryRowHasATest : public testing::Environment {
 public:
  void TearDown() override {
    if (GTEST_FLAG_GET(filter) != "*" || std::getenv("GTEST_TOTAL_SHARDS")) return;
    const std::set<const isa::Row*> run = rows_run();
    std::set<std::string> untested;
    for (const isa::Row& row : isa::rows())
      if (!run.contains(&row)) untested.insert(name_of(row));
    const std::set<std::string> known(std::begin(kUntestedRows), std::end(kUntestedRows));
    for (const std::string& name : untested)
      EXPECT_TRUE(known.contains(name)) << name << ": no test in emulate/ runs it";
    for (const std::string& name : known)
      EXPECT_TRUE(untested.contains(name)) << name << " has a test, or no row: take it out of kUntestedRows";
  }
};
const testing::Environment* const kEveryRowHasATest = testing::AddGlobalTestEnvironment(new EveryRowHasATest);

}  // namespace
}  // namespace wavesmith::emulate
