#include "validate/mi300a_programs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "toolchain/process.h"
#include "validate/table.h"

namespace wavesmith::validate {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

/// How a row's program is called: the numbers of its size go to these options.
struct Program {
  std::string_view kernel, file;
  Words options;
};

const Program* find_program(std::string_view kernel) {
  static const std::vector<Program> all{
      {"atax",                 "atax",                 {"--size"}                              },
      {"bitonicsort",          "bitonicsort",          {"--size"}                              },
      {"fir",                  "fir",                  {"--length", "--taps"}                  },
      {"floydwarshall",        "floydwarshall",        {"--nodes"}                             },
      {"kmeans",               "kmeans",               {"--points", "--features", "--clusters"}},
      {"matrixmultiplication", "matrixmultiplication", {"--size"}                              },
      {"matrixtranspose",      "matrixtranspose",      {"--size"}                              },
      {"memcopy_d2d",          "memcopy",              {"--size"}                              },
      {"memcopy_d2h",          "memcopy",              {"--size"}                              },
      {"memcopy_h2d",          "memcopy",              {"--size"}                              },
      {"nbody",                "nbody",                {"--bodies"}                            },
      {"relu",                 "relu",                 {"--size"}                              },
      {"stencil2d",            "stencil2d",            {"--size"}                              },
      {"vectoradd",            "vectoradd",            {"--size"}                              },
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

/// The folder of the programs' sources.
Result<std::string> sources() {
  const Result<std::string> data = data_folder();
  if (!data) return data;
  for (const fs::path& place : {fs::path(*data) / "mi300a", fs::path(*data).parent_path() / "mi300a"})
    if (fs::exists(place / "benchmark.h")) return place.string();
  return fail(ErrorKind::NotFound, "the MI300A programs' sources are not there", *data);
}

/// The command itself, which compiles and runs programs.
std::string command() {
  std::error_code ignored;
  const std::string self = fs::read_symlink("/proc/self/exe", ignored).string();
  if (fs::path(self).filename() == "wavesmith") return self;
  return toolchain::find_program({"wavesmith"});
}

}  // namespace

bool Mi300aPrograms::known(std::string_view kernel) { return find_program(kernel) != nullptr; }

Result<void> Mi300aPrograms::prepare() {
  const Result<std::string> folder = sources();
  if (!folder) return tl::unexpected(folder.error());
  sources_ = *folder;
  command_ = command();
  if (command_.empty())
    return fail(ErrorKind::NotFound, "the wavesmith command is not there", {},
                "it compiles and runs the MI300A programs: put it into PATH");
  if (!scratch_.made()) return fail(ErrorKind::Internal, "no folder for the MI300A programs could be made");
  return {};
}

Result<double> Mi300aPrograms::milliseconds(const std::string& kernel, const std::string& size) {
  const Program* const program = find_program(kernel);
  if (!program) return fail(ErrorKind::NotFound, fmt::format("no program for '{}'", kernel));
  const Words values = numbers(size);
  Words call{(scratch_ / program->file).string()};
  if (!fs::exists(call[0]))
    if (Result<void> done = compile(program->file, call[0]); !done) return tl::unexpected(done.error());
  for (size_t i = 0; i < std::min(values.size(), program->options.size()); ++i) {
    call.push_back(program->options[i]);
    call.push_back(values[i]);
  }
  const std::string key = fmt::format("{}", fmt::join(call, " "));
  const auto of_kernel = [&](const std::map<std::string, double>& found) {
    const auto at = found.find(kernel);
    return at == found.end() ? 0 : at->second;
  };
  if (const auto known = times_.find(key); known != times_.end()) return of_kernel(known->second);
  // The model gives each iteration after the first, which warms caches up, the same time.
  call.insert(call.end(), {"--iterations", "1"});
  toolchain::Command words{command_};
  words.insert(words.end(), how_.begin(), how_.end());
  words.emplace_back("--");
  words.insert(words.end(), call.begin(), call.end());
  const Result<toolchain::Outcome> done = toolchain::run(words, true);
  if (!done) return tl::unexpected(done.error());
  std::map<std::string, double> found;
  for (size_t begin = 0; begin < done->output.size();) {
    const size_t end = std::min(done->output.find('\n', begin), done->output.size());
    Words fields;
    for (size_t at = begin; at <= end;) {
      const size_t comma = std::min(done->output.find(',', at), end);
      fields.push_back(done->output.substr(at, comma - at));
      at = comma + 1;
    }
    if (fields.size() == 6) found[fields[0]] = std::atof(fields[3].c_str());
    begin = end + 1;
  }
  if (done->code != 0 || found.empty())
    return fail(ErrorKind::Internal, fmt::format("{} ended with {}", key, done->code), done->output);
  return of_kernel(times_[key] = found);
}

Result<void> Mi300aPrograms::compile(std::string_view file, const std::string& to) {
  data_.tell(fmt::format("compiling {}", file));
  const Result<toolchain::Outcome> done = toolchain::run(
      {command_, "cc", "--gpu=mi300a", "-O2", fmt::format("{}/{}.hip", sources_, file), "-o", to}, true);
  if (!done) return tl::unexpected(done.error());
  if (done->code != 0)
    return fail(ErrorKind::Unsupported, "the MI300A programs could not be compiled", done->output,
                "'wavesmith cc --doctor' says what is missing");
  return {};
}

}  // namespace wavesmith::validate
