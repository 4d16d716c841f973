// `wavesmith profile`: the cycle model on a program's kernels, or on one kernel of a code object.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <memory>

#include "base/scratch.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/file.h"
#include "cli/gpu_option.h"
#include "cli/profile/text.h"
#include "cli/profile/views.h"
#include "cli/run/run.h"
#include "cli/terminal.h"
#include "gpus/chosen.h"
#include "gpus/gpu.h"
#include "report/html.h"
#include "study/gpu_option.h"
#include "timing/profile_json.h"

namespace wavesmith::cli {
namespace {

struct ProfileOptions {
  study::RunOptions run;
  bool json = false, verbose = false, sampled = false, all = false, time = false;
  std::string html, perfetto, statistics;
};

/// As rocprofv3 writes the statistics of a thread trace.
bool write_statistics(const std::string& path, const timing::ProgramProfile& profile) {
  std::ofstream file(path);
  const auto quoted = [](std::string words) {
    for (size_t at = 0; (at = words.find('"', at)) != std::string::npos; at += 2) words.insert(at, 1, '"');
    return "\"" + words + "\"";
  };
  file << "CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source\n";
  size_t object = 0;
  for (const timing::KernelProfile& kernel : profile.kernels) {
    ++object;
    for (const auto& one : kernel.instructions)
      file << fmt::format("{},{},{},{},{},{},{},{}\n", object, one.offset, quoted(one.text), one.hits,
                          one.latency, one.stall, one.idle, quoted(one.source));
  }
  return static_cast<bool>(file);
}

/// Writes the files that are asked for.
Result<void> write_files(const timing::ProgramProfile& profile, const ProfileOptions& options) {
  if (!options.html.empty())
    if (auto written = write_text(options.html, report::html(page_of_profile(profile))); !written)
      return written;
  if (!options.perfetto.empty())
    if (auto written = write_text(options.perfetto, report::chrome_trace(trace_of_profile(profile)));
        !written)
      return written;
  if (!options.statistics.empty() && !write_statistics(options.statistics, profile))
    return fail(ErrorKind::BadInput, fmt::format("cannot write '{}'", options.statistics));
  return {};
}

Exit show_profile(const timing::ProgramProfile& profile, const ProfileOptions& options, int code) {
  if (profile.kernels.empty()) {
    fmt::print(stderr, "wavesmith: the program launched no kernel\n");
    return code ? static_cast<Exit>(code) : Exit::Unsupported;
  }
  if (const auto written = write_files(profile, options); !written) return report(written.error());
  if (options.json) {
    fmt::print("{}\n", timing::to_json(profile));
    return static_cast<Exit>(code);
  }
  print_profile(profile, {.verbose = options.verbose, .all = options.all});
  if (code) return static_cast<Exit>(code);
  return profile.kernels.size() == 1 && !profile.kernels[0].has_time() ? Exit::Unsupported : Exit::Ok;
}

/// Becomes the program that is profiled, or `wavesmith run` of a code object's kernel. `path`: where the
/// runtime writes the profile. `whole`: a kernel of a code object is run by all its workgroups, not by the
/// sampled ones alone.
[[noreturn]] void become_program(const ProfileOptions& options, const std::string& path, bool whole) {
  setenv("WAVESMITH_PROFILE", path.c_str(), 1);
  const bool kernel = options.run.program.empty();
  if (options.sampled || (kernel && !whole)) setenv("WAVESMITH_PROFILE_SAMPLED", "1", 1);
  if (!options.html.empty() || !options.perfetto.empty()) setenv("WAVESMITH_PROFILE_TIMELINE", "1", 1);
  study::RunOptions run = options.run;
  if (options.time) run.time = options.sampled ? "sampled" : "modelled";
  if (kernel) {
    run.program = run_of_kernel(options.run);
    run.program.insert(run.program.begin(), "/proc/self/exe");
    // What the kernel computes is of no interest, only how.
    if (!freopen("/dev/null", "w", stdout)) _exit(126);
  } else if (options.json) {
    dup2(2, 1);  // standard output is the profile's
  }
  _exit(run_program(run));
}

Exit profile_run(const ProfileOptions& options, bool whole = false) {
  const Scratch scratch("profile");
  if (!scratch.made())
    return report({ErrorKind::BadInput, "cannot make a temporary folder", {}, "set TMPDIR"});
  const std::string path = (scratch / "profile.json").string();
  const auto ended = run_child([&] { become_program(options, path, whole); });
  if (!ended) return report(ended.error());
  const int code = *ended;
  std::ifstream file(path);
  const std::string json((std::istreambuf_iterator<char>(file)), {});
  if (json.empty()) {
    if (code) return static_cast<Exit>(code);
    return show_profile({}, options, code);
  }
  const auto profile = timing::program_profile(json);
  if (!profile) return report(profile.error());
  if (options.run.program.empty() && !whole &&
      std::ranges::any_of(profile->kernels, &timing::KernelProfile::want_whole)) {
    fmt::print(stderr, "wavesmith: its workgroups take their work from a queue: all of them are run\n");
    return profile_run(options, true);
  }
  return show_profile(*profile, options, code);
}

}  // namespace

void add_profile(CLI::App& app, Action& action, std::vector<std::string> program) {
  auto options = std::make_shared<ProfileOptions>();
  options->run.program = std::move(program);
  options->run.gpu = gpus::chosen_devices();
  CLI::App* command = add_command(
      app, "profile", "Times kernels on an emulated GPU, cycle by cycle, and shows what holds them up");
  command->add_option("--gpu", options->run.gpu, "mi300x, rx7900xtx, ./my.toml: see wavesmith gpus")
      ->capture_default_str();
  add_set_option(*command, options->run.set);
  command->add_option("--threads", options->run.threads, "host threads; 0: all")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--sampled", options->sampled,
                    "run only the sampled workgroups of each launch: fast, but results are incomplete");
  command->add_flag("--time", options->time,
                    "the program's events and clocks report modelled time, as under wavesmith run --time");
  command->add_flag("--all", options->all, "summarise every kernel, not only the costliest");
  command->add_flag("--verbose", options->verbose, "every kernel, every stall, every instruction");
  command->add_flag("--json", options->json, "all of it as JSON");
  command->add_option("--html", options->html, "write a page that needs no network and no script");
  command->add_option("--perfetto", options->perfetto,
                      "write the waves' instructions as a trace for ui.perfetto.dev");
  command->add_option("--statistics", options->statistics,
                      "write a CSV file with the columns of rocprofv3's thread-trace statistics");
  add_kernel_options(*command, options->run, "Profiling a kernel of a code object");
  teach(*command,
        "  wavesmith profile --gpu mi300x -- ./app\n"
        "  wavesmith profile --gpu mi355x gemm.co --kernel gemm --grid 16,16 --block 256 --arg "
        "f16[4096x4096]=random ...\n");
  command->callback([options, &action] {
    action = [options] {
      if (options->run.program.empty() && options->run.file.empty())
        return report(
            {ErrorKind::BadInput, "nothing to profile", {}, "name a code object, or a program after --"});
      if (const auto machine = options->run.machine(); !machine) return report(machine.error());
      return profile_run(*options);
    };
  });
}

}  // namespace wavesmith::cli
