// Runs bytes as the code of one wave: decoded, parsed, translated, executed with a budget. Whatever the bytes
// are, the outcome is an end, a typed error or a spent budget; never a crash, a hang or a write outside the
// wave's own state.
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "isa/target.h"

namespace wavesmith::fuzz {

/// What became of one input.
struct Outcome {
  std::string first;        ///< its first instruction as printed; empty when the bytes are none
  bool claimed = false;     ///< the tables say that the first instruction is served
  bool ended = false;       ///< the wave ran to its end or spent its budget
  Error error = {};         ///< of one that did not end
  std::string defect = {};  ///< what should never happen; empty when nothing did
};

class InstructionFuzzer {
 public:
  /// Registers and memory of the runs are drawn from `seed`.
  InstructionFuzzer(const isa::Target& target, int lanes, uint64_t seed);
  ~InstructionFuzzer();
  InstructionFuzzer(const InstructionFuzzer&) = delete;
  InstructionFuzzer& operator=(const InstructionFuzzer&) = delete;

  /// Bytes of an input; what is beyond is ignored.
  static constexpr size_t kMostBytes = 48;

  /// Also runs the first instruction of each input alone, twice: it may write nothing but what its row says,
  /// and what the row does not name as read makes no difference. Counts the mnemonics for which that was
  /// seen.
  void check_effects() { check_effects_ = true; }
  [[nodiscard]] size_t proved() const;

  /// Runs inputs, each as a kernel of its own.
  std::vector<Outcome> run(std::span<const std::vector<uint8_t>> inputs);

 private:
  struct State;
  std::unique_ptr<State> state_;
  bool check_effects_ = false;
};

/// Makes inputs: random bytes, and instructions seen before with bits, fields and neighbours changed.
class InputSource {
 public:
  explicit InputSource(uint64_t seed) : random_(seed) {}
  std::vector<uint8_t> next();
  /// Keeps an input whose first instruction is one of a name not kept before.
  void keep(const std::vector<uint8_t>& input, const std::string& mnemonic);
  [[nodiscard]] size_t kept() const { return seen_.size(); }

 private:
  std::mt19937_64 random_;
  std::vector<std::string> names_;
  std::vector<std::vector<uint8_t>> seen_;
};

}  // namespace wavesmith::fuzz
