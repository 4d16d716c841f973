// Benchmarks in Python: each program of bench/python prints a line of JSON for each of its rows.
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <string>

#include "bench/report.h"

namespace wavesmith::bench {
namespace {

/// 77: what it measures is not installed here.
constexpr int kNotHere = 77;

void python(benchmark::State& state, const std::string& program) {
  for (auto _ : state) {
    FILE* const pipe = popen(
        ("env -u WAVESMITH_GPU PYTHONPATH=" WAVESMITH_BENCH_PACKAGE " " WAVESMITH_BENCH_PYTHON " " + program)
            .c_str(),
        "r");
    if (!pipe) return state.SkipWithError("no process can be started");
    std::string text;
    for (int c = 0; (c = std::fgetc(pipe)) != EOF;) text += static_cast<char>(c);
    const int status = pclose(pipe);
    if (WIFEXITED(status) && WEXITSTATUS(status) == kNotHere)
      return state.SkipWithError("not installed: tools/setup-clients");
    if (status != 0) return state.SkipWithError("the program failed");
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find('\n', at), text.size());
      const auto row = nlohmann::json::parse(text.substr(at, end - at), nullptr, false);
      at = end + 1;
      if (!row.is_object()) return state.SkipWithError("the program printed no JSON");
      report(state, {row.value("name", ""), row.value("value", 0.0), row.value("unit", ""),
                     row.value("ratio", 0.0), row.value("goal", 0.0), row.value("goal_is_ratio", false),
                     row.value("less_is_better", false), row.value("note", "")});
    }
  }
}

/// One benchmark for each program.
[[maybe_unused]] const bool registered = [] {
  for (const char* program : {WAVESMITH_BENCH_PROGRAMS}) {
    const std::string path = program;
    const size_t slash = path.rfind('/'), dot = path.rfind('.');
    benchmark::RegisterBenchmark(("python/" + path.substr(slash + 1, dot - slash - 1)).c_str(), python, path)
        ->Iterations(1)
        ->Unit(benchmark::kMillisecond);
  }
  return true;
}();

}  // namespace
}  // namespace wavesmith::bench
