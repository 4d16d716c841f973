// `wavesmith compare`: the differences between two versions of a kernel, and those that explain the
// difference in time.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "study/analysed.h"

namespace wavesmith::study {

/// A figure of both kernels.
struct Change {
  std::string name;
  double a = 0, b = 0;
  analysis::Tag tag = analysis::Tag::Derived;
  enum class Better : uint8_t { Neither, Less, More } better = Better::Less;
  [[nodiscard]] bool changed() const { return a != b; }
  [[nodiscard]] bool improved() const {
    return better == Better::Less ? b < a : better == Better::More && b > a;
  }
};

/// Two loops that do the same work; kNone in one: the other side has none.
struct LoopPair {
  uint32_t a = analysis::kNone, b = analysis::kNone;
};

/// Instructions of a line of the source, or of a mnemonic, and the cycles that they take of their pipes.
struct Share {
  std::string name;              ///< the line's text, or the mnemonic
  std::string place_a, place_b;  ///< of a line: "attention.hip:64"
  uint32_t count_a = 0, count_b = 0;
  double cycles_a = 0, cycles_b = 0;  ///< weighted by executions()
};

/// A part of the difference, in cycles of a pass of the hot loop: negative, where B is faster.
struct Cause {
  std::string text;
  double cycles = 0;
};

struct ComparedKernel {
  const analysis::KernelAnalysis* kernel = nullptr;
  const gpus::Gpu* gpu = nullptr;
};

struct Comparison {
  ComparedKernel a, b;
  bool same_code = false;  ///< the same instructions in the same order
  std::vector<Change> changes;
  std::vector<LoopPair> loops;
  uint32_t hot = analysis::kNone;  ///< of `loops`: A's hot loop
  double work = 1;      ///< what B's pass of it does, in A's passes: 4 when it was unrolled four times
  std::string work_by;  ///< what that was seen by: "matrix operations"; empty: taken as the same
  std::vector<Share> lines, mnemonics;  ///< the greatest change of cycles first; unchanged ones left out
  std::vector<Cause> causes;            ///< the greatest first
  std::string verdict;                  ///< one sentence
};

Comparison compare(const ComparedKernel& a, const ComparedKernel& b);

/// Kernels with the same name, or the only kernels of both files whatever their names.
struct Pairs {
  std::vector<std::pair<const analysis::KernelAnalysis*, const analysis::KernelAnalysis*>> pairs;
  std::vector<std::string> only_a, only_b;
};
Pairs pair_kernels(const Analysed& a, const Analysed& b);

/// Whether the cycles of two loops can be compared: they have the same number of inner loops, or the trips of
/// those are known.
bool comparable(const analysis::KernelAnalysis& a, const analysis::Loop& loop_a,
                const analysis::KernelAnalysis& b, const analysis::Loop& loop_b);

/// Changes of a loop, as of the whole kernel.
std::vector<Change> changes_of(const ComparedKernel& a, const ComparedKernel& b, const LoopPair& loop);

/// Descriptions of the two, for heads: "attention.hip for mi300x with -O2".
struct Versions {
  std::string a, b;
};

/// "-12 (-5 %)", "the same".
std::string change_text(const Change& change);

}  // namespace wavesmith::study
