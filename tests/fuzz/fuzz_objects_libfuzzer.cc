// The same for libFuzzer, which looks for inputs that reach new code. Give it a folder of code objects to
// start from, and -close_fd_mask=2, with which nothing is said of refused inputs.
#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

#include "tests/fuzz/object_fuzzer.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  static auto& fuzzer = *new wavesmith::fuzz::ObjectFuzzer;
  if (const auto outcome = fuzzer.run(std::span(data, size), true); !outcome.defect.empty()) {
    fmt::print("{}\n", outcome.defect);
    std::fflush(stdout);
    std::abort();
  }
  return 0;
}
