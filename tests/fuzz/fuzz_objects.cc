// fuzz_objects [--seed N] [--count N] FILE...: damaged code objects and bundles, loaded and launched. Exit
// status 1 when something happened that never should. A crash leaves the input in fuzz_objects.input.
#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <string_view>

#include "base/stopwatch.h"
#include "tests/fuzz/object_fuzzer.h"

namespace {

using wavesmith::fuzz::Bytes;

Bytes contents(const char* path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void keep(const Bytes& input) {
  std::ofstream("fuzz_objects.input", std::ios::binary)
      .write(reinterpret_cast<const char*>(input.data()), static_cast<std::streamsize>(input.size()));
}

/// The input that is running: what a crash leaves behind.
const Bytes* running = nullptr;

void crashed(int signal) {
  if (running) keep(*running);
  fmt::print("signal {}; the input is in fuzz_objects.input\n", signal);
  std::fflush(stdout);
  std::_Exit(3);
}

}  // namespace

int main(int count, char** arguments) {
  uint64_t seed = 1, inputs = 10'000;
  bool plain = false;
  std::vector<Bytes> seeds;
  for (int i = 1; i < count; ++i) {
    const std::string_view name = arguments[i];
    if (name == "--plain") {
      plain = true;  // runs the files as they are
    } else if (name == "--seed" && i + 1 < count) {
      seed = std::strtoull(arguments[++i], nullptr, 10);
    } else if (name == "--count" && i + 1 < count) {
      inputs = std::strtoull(arguments[++i], nullptr, 10);
    } else if (name.starts_with("--")) {
      fmt::print("unknown option '{}'; there are --seed N, --count N and --plain\n", name);
      return 2;
    } else if (seeds.emplace_back(contents(arguments[i])).empty()) {
      fmt::print("cannot read '{}'\n", name);
      return 2;
    }
  }
  if (seeds.empty()) {
    fmt::print("no files to start from\n");
    return 2;
  }
  // Before the emulator's own handlers, which pass on what is not a kernel's fault.
  for (const int signal : {SIGSEGV, SIGBUS, SIGABRT, SIGFPE, SIGILL, SIGALRM}) std::signal(signal, crashed);
  // What is reported of refused inputs.
  const int nowhere = open("/dev/null", O_WRONLY | O_CLOEXEC);
  if (nowhere < 0 || dup2(nowhere, STDERR_FILENO) < 0) return 2;
  close(nowhere);
  wavesmith::fuzz::ObjectFuzzer fuzzer;
  const std::vector<Bytes> whole = seeds;
  wavesmith::fuzz::ObjectSource source(std::move(seeds), seed);
  const wavesmith::Stopwatch watch;
  uint64_t loaded = 0, launched = 0, ended = 0;
  int defects = 0;
  if (plain) inputs = whole.size();
  for (uint64_t i = 0; i < inputs; ++i) {
    const Bytes input = plain ? whole[i] : source.next();
    running = &input;
    alarm(60);  // a hang ends the process
    const auto outcome = fuzzer.run(input, plain);
    loaded += outcome.loaded, launched += static_cast<uint64_t>(outcome.launched),
        ended += static_cast<uint64_t>(outcome.ended);
    if (outcome.defect.empty()) continue;
    if (++defects <= 20) fmt::print("input {}: {}\n", i, outcome.defect);
    keep(input);
  }
  alarm(0);
  fmt::print(
      "seed {}: {} inputs in {:.1f} s, {} loaded, {} kernels launched, {} of them ended well, {} defects\n",
      seed, inputs, watch.seconds(), loaded, launched, ended, defects);
  return defects != 0;
}
