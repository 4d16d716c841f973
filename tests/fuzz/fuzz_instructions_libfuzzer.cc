// The same for libFuzzer, which looks for inputs that reach new code. The first byte chooses target and wave
// size.
#include <fmt/format.h>

#include <cstdlib>
#include <memory>

#include "tests/fuzz/instruction_fuzzer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace wavesmith;
  static std::array<std::array<std::unique_ptr<fuzz::InstructionFuzzer>, 2>, isa::kTargets.size()> fuzzers;
  if (size < 5) return 0;
  const size_t target = data[0] / 2 % isa::kTargets.size();
  const bool small = (data[0] & 1) != 0 && !isa::kTargets[target].wave64_only;
  auto& fuzzer = fuzzers[target][small];
  if (!fuzzer) fuzzer = std::make_unique<fuzz::InstructionFuzzer>(isa::kTargets[target], small ? 32 : 64, 1);
  const std::vector<uint8_t> input(data + 1, data + size);
  for (const fuzz::Outcome& outcome : fuzzer->run(std::span(&input, 1)))
    if (!outcome.defect.empty()) {
      fmt::print(stderr, "{}: {}\n", outcome.first, outcome.defect);
      std::abort();
    }
  return 0;
}
