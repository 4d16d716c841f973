// The same for libFuzzer, which looks for inputs that reach new code. Give it a folder of code objects to
// start from.
#include <fmt/format.h>

#include <cstdlib>

#include "tests/fuzz/object_fuzzer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto& fuzzer = *new wavesmith::fuzz::ObjectFuzzer;
  if (const auto outcome = fuzzer.run(std::span(data, size), true); !outcome.defect.empty()) {
    fmt::print("{}\n", outcome.defect);
    std::abort();
  }
  return 0;
}
