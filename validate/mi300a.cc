// Fourteen benchmark programs on an MI300A: their own event times under modelled time against those measured.
// The programs (validate/mi300a/*.hip) are compiled here and run with WAVESMITH_TIME=sampled: of each grid
// the workgroups that the model looks at, so that sizes which no emulator would finish take seconds.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>

#include "gpus/gpu.h"
#include "toolchain/process.h"
#include "toolchain/scratch.h"
#include "validate/family.h"
#include "validate/split.h"

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

class Runs {
 public:
  Result<void> prepare() {
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

  /// Milliseconds by kernel that a program prints for these arguments.
  Result<std::map<std::string, double>> times(const Program& program, const Words& values) {
    Words call{(scratch_ / program.file).string()};
    if (!fs::exists(call[0]))
      if (Result<void> done = compile(program, call[0]); !done) return tl::unexpected(done.error());
    for (size_t i = 0; i < std::min(values.size(), program.options.size()); ++i) {
      call.push_back(program.options[i]);
      call.push_back(values[i]);
    }
    const std::string key = fmt::format("{}", fmt::join(call, " "));
    if (const auto known = known_.find(key); known != known_.end()) return known->second;
    // The model gives each iteration after the first, which warms caches up, the same time.
    call.insert(call.end(), {"--iterations", "1"});
    toolchain::Command words{command_, "run", "--quiet", "--time=sampled", "--gpu", "mi300a", "--"};
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
    return known_[key] = found;
  }

 private:
  Result<void> compile(const Program& program, const std::string& to) {
    fmt::print(stderr, "mi300a: compiling {}\n", program.file);
    const Result<toolchain::Outcome> done = toolchain::run(
        {command_, "cc", "--gpu=mi300a", "-O2", fmt::format("{}/{}.hip", sources_, program.file), "-o", to},
        true);
    if (!done) return tl::unexpected(done.error());
    if (done->code != 0)
      return fail(ErrorKind::Unsupported, "the MI300A programs could not be compiled", done->output,
                  "'wavesmith cc --doctor' says what is missing");
    return {};
  }

  std::string sources_, command_;
  toolchain::Scratch scratch_{"mi300a"};
  std::map<std::string, std::map<std::string, double>> known_;
};

}  // namespace

Result<FamilyReport> judge_mi300a(Data& data) {
  const auto tables = data.judged(TableKind::Mi300a);
  if (!tables) return tl::unexpected(tables.error());
  Runs runs;
  if (Result<void> ready = runs.prepare(); !ready) return tl::unexpected(ready.error());
  std::vector<Case> cases;
  FamilyReport report;
  report.family = "mi300a";
  report.method =
      "Average event times of fourteen programs on an MI300A (51 iterations) against what the same programs "
      "print "
      "under modelled time. Each grid is executed in part, the workgroups that the model looks at.";
  size_t unknown = 0;
  for (const Csv* const table : *tables) {
    const auto kernels = table->column("kernel_name"), sizes = table->column("problem_size"),
               averages = table->column("avg_ms");
    if (!kernels || !sizes || !averages)
      return fail(ErrorKind::BadInput, "columns are missing", table->name());
    for (size_t row = 0; row < table->rows(); ++row) {
      const std::string kernel(table->cell(row, *kernels)), size(table->cell(row, *sizes));
      const double measured = number<double>(table->cell(row, *averages)).value_or(0);
      const Program* const program = find_program(kernel);
      if (!program || measured <= 0) {
        ++unknown;
        continue;
      }
      const auto times = runs.times(*program, numbers(size));
      if (!times) return tl::unexpected(times.error());
      const auto found = times->find(kernel);
      if (found == times->end()) continue;
      Case one;
      one.gpu = "MI300A";
      one.label = fmt::format("{} {}", kernel, size);
      one.where = table->where(row);
      one.measured = measured * 1e-3;
      one.predicted = found->second * 1e-3;
      one.strata = {kernel, "all"};
      if (!data.foreign())
        one.strata.push_back(half_of("MI300A", kernel, "", size) == Half::A ? "half A (fitted)" : "half B");
      fmt::print(stderr, "mi300a: {} of {}: {} {:.4f} ms, measured {:.4f}\n", row + 1, table->rows(),
                 one.label, found->second, measured);
      cases.push_back(std::move(one));
    }
  }
  if (unknown) report.notes.push_back(fmt::format("{} rows are of programs that are not here", unknown));
  const gpus::Gpu& gpu = **gpus::find_gpu("mi300a");
  for (const gpus::Field& field : gpus::fields())
    if (const auto source = gpu.sources.find(field.path);
        source != gpu.sources.end() && source->second.text.find("data/mi300a") != std::string::npos)
      report.constants.push_back(fmt::format("{} = {} {} ({}: {})", field.path, gpus::value_text(gpu, field),
                                             field.unit, gpus::name_of(source->second.kind),
                                             source->second.text));
  report.strata = strata_of(cases);
  report.worst = worst_of(cases);
  std::vector<double> errors;
  for (const Case& one : cases) errors.push_back(one.error());
  report.summary = {
      {"mi300a_wmape", weighted_error(cases), cases.size()},
      {"mi300a_mean",  mean(errors),          cases.size()},
  };
  return report;
}

}  // namespace wavesmith::validate
