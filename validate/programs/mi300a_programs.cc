#include "validate/programs/mi300a_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <vector>

namespace wavesmith::validate {
namespace {

using Words = HipPrograms::Words;

/// How a row's program is called: the numbers of its size go to these options.
struct Program {
  std::string_view kernel, file;
  Words options;
};

const Program* find_program(std::string_view kernel) {
  static const std::vector<Program> all{
      {"atax", "atax", {"--size"}},
      {"bitonicsort", "bitonicsort", {"--size"}},
      {"fir", "fir", {"--length", "--taps"}},
      {"floydwarshall", "floydwarshall", {"--nodes"}},
      {"kmeans", "kmeans", {"--points", "--features", "--clusters"}},
      {"matrixmultiplication", "matrixmultiplication", {"--size"}},
      {"matrixtranspose", "matrixtranspose", {"--size"}},
      {"memcopy_d2d", "memcopy", {"--size"}},
      {"memcopy_d2h", "memcopy", {"--size"}},
      {"memcopy_h2d", "memcopy", {"--size"}},
      {"nbody", "nbody", {"--bodies"}},
      {"relu", "relu", {"--size"}},
      {"stencil2d", "stencil2d", {"--size"}},
      {"vectoradd", "vectoradd", {"--size"}},
  };
  const auto found = std::ranges::find(all, kernel, &Program::kernel);
  return found == all.end() ? nullptr : &*found;
}

/// The runs of digits of a text.
Words numbers(std::string_view text) {
  Words found;
  bool inside = false;
  for (const char c : text) {
    const bool digit = c >= '0' && c <= '9';
    if (digit && !inside) found.emplace_back();
    if (digit) found.back() += c;
    inside = digit;
  }
  return found;
}

}  // namespace

bool Mi300aPrograms::known(std::string_view kernel) { return find_program(kernel) != nullptr; }

Result<double> Mi300aPrograms::milliseconds(const std::string& kernel, const std::string& size) {
  const Program* const program = find_program(kernel);
  if (!program) return fail(ErrorKind::NotFound, fmt::format("no program for '{}'", kernel));
  const Words values = numbers(size);
  Words arguments;
  for (size_t i = 0; i < std::min(values.size(), program->options.size()); ++i) {
    arguments.push_back(program->options[i]);
    arguments.push_back(values[i]);
  }
  const std::string call = fmt::format("{} {}", program->file, fmt::join(arguments, " "));
  const auto of_kernel = [&](const std::map<std::string, double>& found) {
    const auto at = found.find(kernel);
    return at == found.end() ? 0 : at->second;
  };
  if (const auto known = times_.find(call); known != times_.end()) return of_kernel(known->second);
  // The model gives each iteration after the first, which warms caches up, the same time.
  arguments.insert(arguments.end(), {"--iterations", "1"});
  const Result<std::vector<Words>> lines = programs_.run(std::string(program->file), arguments);
  if (!lines) return tl::unexpected(lines.error());
  std::map<std::string, double> found;
  for (const Words& fields : *lines)
    if (fields.size() == 6) found[fields[0]] = std::atof(fields[3].c_str());
  if (found.empty()) return fail(ErrorKind::Internal, fmt::format("{} printed no times", call));
  return of_kernel(times_[call] = found);
}

}  // namespace wavesmith::validate
