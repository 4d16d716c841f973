// The table and the maps against AMD's calculator (calculator.csv) and against LLVM's assembler.
#include "isa/matrix/table.h"

#include <gtest/gtest.h>

#include <fstream>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include "isa/llvm/assembler.h"
#include "isa/llvm/mnemonics.h"
#include "isa/matrix/layout.h"

namespace wavesmith::isa {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> pieces(1);
  for (const char c : text)
    if (c == separator)
      pieces.emplace_back();
    else
      pieces.back() += c;
  return pieces;
}

using Line = std::map<std::string, std::string>;

std::vector<Line> read_calculator() {
  std::ifstream file(WAVESMITH_CALCULATOR);
  std::vector<Line> lines;
  std::vector<std::string> names;
  for (std::string text; std::getline(file, text);) {
    if (!text.empty() && text.back() == '\r') text.pop_back();
    if (text.empty() || text[0] == '#') continue;
    const auto pieces = split(text, ',');
    if (names.empty()) {
      names = pieces;
      continue;
    }
    Line& line = lines.emplace_back();
    for (size_t i = 0; i < names.size() && i < pieces.size(); ++i) line[names[i]] = pieces[i];
  }
  return lines;
}

/// One map of the file: what each bit of a coordinate adds.
struct Map {
  std::map<char, std::vector<MatrixPlace>> steps;
  explicit Map(const std::string& text) {
    for (std::string part : split(text, ';')) {
      while (!part.empty() && part[0] == ' ') part.erase(0, 1);
      if (part.empty() || part.starts_with("copies")) continue;
      std::istringstream words(part.substr(2));
      for (std::string word; words >> word;) {
        MatrixPlace step;
        for (const std::string& piece : split(word, '+')) {
          if (piece[0] == 'L') step.lane = std::stoi(piece.substr(1));
          if (piece[0] == 'R') step.bit = std::stoi(piece.substr(1));
        }
        steps[part[0]].push_back(step);
      }
    }
  }
  [[nodiscard]] MatrixPlace at(std::map<char, int> coordinates) const {
    MatrixPlace place;
    for (const auto& [name, value] : coordinates) {
      const auto found = steps.find(name);
      for (size_t bit = 0; value >> bit; ++bit)
        if (value >> bit & 1) {
          place.lane += found->second.at(bit).lane;
          place.bit += found->second.at(bit).bit;
        }
    }
    return place;
  }
};

MatrixElement element_named(std::string name) {
  if (name.starts_with("amd_")) name = name.substr(4);
  const std::map<std::string, MatrixElement> elements = {
      {"fp64", MatrixElement::F64}, {"fp32", MatrixElement::F32},  {"xf32", MatrixElement::Xf32},
      {"fp16", MatrixElement::F16}, {"bf16", MatrixElement::Bf16}, {"fp8", MatrixElement::Fp8},
      {"bf8", MatrixElement::Bf8},  {"int8", MatrixElement::I8},   {"iu8", MatrixElement::Iu8},
      {"iu4", MatrixElement::Iu4},  {"int32", MatrixElement::I32}};
  return elements.at(name);
}

TEST(MatrixTable, AgreesWithTheCalculator) {
  const auto lines = read_calculator();
  ASSERT_EQ(lines.size(), 129u);
  for (const Line& line : lines) {
    SCOPED_TRACE(line.at("target") + " " + line.at("wave") + " " + line.at("mnemonic"));
    const auto number = [&](const char* name) { return std::stoi(line.at(name)); };
    const MatrixInstruction* const in =
        find_matrix_instruction(line.at("mnemonic"), *find_target(line.at("target")));
    ASSERT_NE(in, nullptr);
    EXPECT_EQ(in->m, number("M"));
    EXPECT_EQ(in->n, number("N"));
    EXPECT_EQ(in->k, number("K"));
    EXPECT_EQ(in->blocks, number("blocks"));
    EXPECT_EQ(in->cycles, number("cycles"));
    EXPECT_EQ(in->sparse, number("sparse") != 0);
    EXPECT_EQ(in->a, element_named(line.at("A type")));
    EXPECT_EQ(in->b, element_named(line.at("B type")));
    EXPECT_EQ(in->d, element_named(line.at("D type")));
    if (in->d != MatrixElement::F64 && !in->sparse) {
      EXPECT_EQ((in->modifiers & kBroadcastA) != 0, number("cbsz_abid") != 0);
      EXPECT_EQ((in->modifiers & kPermuteB) != 0, number("blgp") != 0);
    }
  }
}

TEST(MatrixLayout, AgreesWithTheCalculatorForEveryElement) {
  for (const Line& line : read_calculator()) {
    SCOPED_TRACE(line.at("target") + " " + line.at("wave") + " " + line.at("mnemonic"));
    const MatrixInstruction& in =
        *find_matrix_instruction(line.at("mnemonic"), *find_target(line.at("target")));
    const int wave = std::stoi(line.at("wave"));
    const Map a(line.at("A")), b(line.at("B")), d(line.at("D"));
    for (int block = 0; block < in.blocks; ++block) {
      for (int i = 0; i < in.m; ++i)
        for (int k = 0; k < held_k(in); ++k) {
          // The calculator names the columns that an element may stand for, four to two elements.
          MatrixPlace expected = a.at({{'i', i}, {'k', in.sparse ? k / 2 * 4 : k}, {'b', block}});
          if (in.sparse) expected.bit += k % 2 * bits_of_element(in.a);
          ASSERT_EQ(place_a(in, in.a, wave, i, k, block), expected) << "A " << i << " " << k << " " << block;
        }
      for (int j = 0; j < in.n; ++j)
        for (int k = 0; k < in.k; ++k)
          ASSERT_EQ(place_b(in, in.b, wave, k, j, block), b.at({{'j', j}, {'k', k}, {'b', block}}))
              << "B " << k << " " << j;
      for (int i = 0; i < in.m; ++i)
        for (int j = 0; j < in.n; ++j)
          ASSERT_EQ(place_d(in, wave, i, j, block), d.at({{'i', i}, {'j', j}, {'b', block}}))
              << "D " << i << " " << j;
    }
    if (!in.sparse) continue;
    const Map index(line.at("index"));
    for (int i = 0; i < in.m; ++i)
      for (int k = 0; k < held_k(in); ++k) {
        MatrixPlace expected = index.at({{'i', i}, {'k', k / 2 * 4}});
        expected.bit += k % 2 * 2;
        ASSERT_EQ(place_index(in, wave, i, k, 0), expected) << "index " << i << " " << k;
      }
  }
}

/// Every element has a place of its own, inside the wave: also where the calculator knows nothing.
TEST(MatrixLayout, GivesEveryElementAPlaceOfItsOwn) {
  for (const Target& target : kTargets)
    for (const MatrixInstruction& in : kMatrixInstructions) {
      if (!target.is(in.generations)) continue;
      SCOPED_TRACE(in.mnemonic());
      for (const int wave : {32, 64}) {
        if (wave == 32 && target.wave64_only) continue;
        for (int format = 0; format < kF8f6f4Formats; ++format) {
          const MatrixElement a = in.a == MatrixElement::F8f6f4 ? f8f6f4_element(format) : in.a;
          std::set<std::pair<int, int>> of_a, of_d;
          for (int block = 0; block < in.blocks; ++block) {
            for (int i = 0; i < in.m; ++i)
              for (int k = 0; k < held_k(in); ++k) {
                const MatrixPlace place = place_a(in, a, wave, i, k, block);
                ASSERT_LT(place.lane, wave);
                of_a.emplace(place.lane, place.bit);
              }
            for (int i = 0; i < in.m; ++i)
              for (int j = 0; j < in.n; ++j) {
                const MatrixPlace place = place_d(in, wave, i, j, block);
                ASSERT_LT(place.lane, wave);
                of_d.emplace(place.lane, place.bit);
              }
          }
          EXPECT_EQ(of_a.size(), static_cast<size_t>(in.m * held_k(in) * in.blocks));
          EXPECT_EQ(of_d.size(), static_cast<size_t>(in.m * in.n * in.blocks));
        }
      }
    }
}

std::string registers(int first, int count) {
  return count == 1 ? "v" + std::to_string(first)
                    : "v[" + std::to_string(first) + ":" + std::to_string(first + count - 1) + "]";
}

std::string assembly_of(const MatrixInstruction& in, int wave) {
  const MatrixElement a = in.a == MatrixElement::F8f6f4 ? MatrixElement::Fp8 : in.a,
                      b = in.b == MatrixElement::F8f6f4 ? MatrixElement::Fp8 : in.b;
  const int d = registers_of_d(in, wave);
  std::string text =
      std::string(in.mnemonic()) + " " + registers(0, d) + ", " + registers(64, registers_of_a(in, a, wave)) +
      ", " + registers(96, registers_of_b(in, b, wave)) + ", " + (in.sparse ? "v128" : registers(32, d));
  if (in.modifiers & kScaled) text += ", v130, v131";
  return text;
}

/// LLVM accepts an instruction of the register counts that follow from the map, on those targets that the row
/// names.
TEST(MatrixTable, AgreesWithTheAssembler) {
  for (const Target& target : kTargets)
    for (const MatrixInstruction& in : kMatrixInstructions)
      for (const int wave : {32, 64}) {
        if (wave == 32 && target.wave64_only) continue;
        const bool here = target.is(in.generations);
        // Names that an older generation prints are aliases in newer ones.
        if (!here && find_matrix_instruction(in.mnemonic(), target)) continue;
        if (!here && in.layout == MatrixLayout::Mfma && target.is(kCdna)) continue;
        EXPECT_EQ(assemble(target, wave, assembly_of(in, wave)).has_value(), here)
            << target.name << " " << assembly_of(in, wave);
      }
}

TEST(MatrixTable, HasEveryMatrixInstructionThatLlvmKnows) {
  for (const Target& target : kTargets) {
    const auto known = mnemonics(target);
    ASSERT_TRUE(known) << known.error().text();
    int count = 0;
    for (const Mnemonic& mnemonic : *known) {
      // The first half of a scaled instruction, which LLVM decodes as a whole.
      if (!is_matrix(mnemonic.name) || mnemonic.name == "v_mfma_ld_scale_b32") continue;
      ++count;
      EXPECT_NE(find_matrix_instruction(mnemonic.name, target), nullptr)
          << target.name << " " << mnemonic.name;
    }
    EXPECT_GT(count, 0) << target.name;
  }
}

}  // namespace
}  // namespace wavesmith::isa
