// fuzz_instructions [--seed N] [--count N] [--target NAME] [--claims] [--effects]: random and mutated
// instructions, on every target. Exit status 1 when something happened that never should; the input is
// printed as bytes.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdlib>
#include <map>
#include <string_view>

#include "base/stopwatch.h"
#include "tests/fuzz/instruction_fuzzer.h"

namespace {

using namespace wavesmith;

struct Options {
  uint64_t seed = 1, count = 100'000;
  std::string_view target;
  bool claims = false, effects = false;
};

std::string hex(const std::vector<uint8_t>& bytes) {
  std::string text;
  for (const uint8_t byte : bytes) text += fmt::format("{:02x}", byte);
  return text;
}

/// Returns the number of defects.
int run(const isa::Target& target, int lanes, const Options& options) {
  constexpr size_t kBatch = 128;
  const Stopwatch watch;
  fuzz::InstructionFuzzer fuzzer(target, lanes, options.seed);
  if (options.effects) fuzzer.check_effects();
  fuzz::InputSource source(options.seed * 2654435761u + static_cast<uint64_t>(lanes));
  uint64_t done = 0, ended = 0, instructions = 0;
  int defects = 0;
  std::map<std::string, std::string> unkept;  // claims: mnemonic, error
  while (done < options.count) {
    std::vector<std::vector<uint8_t>> inputs;
    for (size_t i = 0; i < kBatch; ++i) inputs.push_back(source.next());
    alarm(60);  // a hang ends the process
    const auto outcomes = fuzzer.run(inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      const fuzz::Outcome& outcome = outcomes[i];
      const std::string mnemonic = outcome.first.substr(0, outcome.first.find(' '));
      source.keep(inputs[i], mnemonic);
      ended += outcome.ended;
      instructions += !outcome.first.empty();
      if (outcome.claimed && !outcome.ended && outcome.error.kind == ErrorKind::Unsupported &&
          outcome.error.what.find(outcome.first) != std::string::npos)
        unkept.try_emplace(mnemonic, outcome.error.what);
      if (outcome.defect.empty()) continue;
      if (++defects <= 20)
        fmt::print("{} wave{}: {}\n  '{}' {}\n", target.name, lanes, outcome.defect, outcome.first,
                   hex(inputs[i]));
    }
    done += inputs.size();
  }
  alarm(0);
  fmt::print(
      "{} wave{}: {} inputs in {:.1f} s, {} began with an instruction, {} mnemonics, {} ended, {} defects, "
      "{} not served as claimed\n",
      target.name, lanes, done, watch.seconds(), instructions, source.kept(), ended, defects, unkept.size());
  if (options.effects) fmt::print("  effects as stated: {} mnemonics\n", fuzzer.proved());
  if (options.claims)
    for (const auto& [mnemonic, error] : unkept) fmt::print("  {}: {}\n", mnemonic, error);
  return defects;
}

}  // namespace

int main(int count, char** arguments) {
  Options options;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    const char* const value = i + 1 < count ? arguments[i + 1] : "";
    if (name == "--claims")
      options.claims = true;
    else if (name == "--effects")
      options.effects = true;
    else if (name == "--seed")
      options.seed = std::strtoull(value, nullptr, 10), ++i;
    else if (name == "--count")
      options.count = std::strtoull(value, nullptr, 10), ++i;
    else if (name == "--target")
      options.target = value, ++i;
    else {
      fmt::print(
          stderr,
          "unknown option '{}'; there are --seed N, --count N, --target NAME, --claims and --effects\n",
          name);
      return 2;
    }
  }
  int defects = 0;
  fmt::print("seed {}\n", options.seed);
  for (const isa::Target& target : isa::kTargets)
    for (const int lanes : {64, 32}) {
      if (lanes == 32 && target.wave64_only) continue;
      if (options.target.empty() || options.target == target.name) defects += run(target, lanes, options);
    }
  return defects != 0;
}
