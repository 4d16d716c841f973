// `wavesmith profile`: the cycle model on a program's kernels, or on one kernel of a code object.
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/file.h"
#include "cli/profile/views.h"
#include "cli/run/run.h"
#include "cli/terminal.h"
#include "gpus/gpu.h"
#include "report/html.h"
#include "study/gpu_option.h"
#include "study/names.h"
#include "toolchain/process.h"

namespace wavesmith::cli {
namespace {

namespace fs = std::filesystem;
using nlohmann::ordered_json;

struct ProfileOptions {
  study::RunOptions run;
  bool json = false, verbose = false, sampled = false, all = false, time = false;
  std::string html, perfetto, statistics;
};

double number(const ordered_json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_number() ? at->get<double>() : 0;
}
std::string text(const ordered_json& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? at->get<std::string>() : std::string();
}
std::string extents(const ordered_json& list) {
  std::string words;
  size_t last = 1;
  for (size_t i = 0; i < list.size(); ++i)
    if (list[i].get<uint64_t>() != 1) last = i + 1;
  for (size_t i = 0; i < last && i < list.size(); ++i)
    words += (i ? " x " : "") + std::to_string(list[i].get<uint64_t>());
  return words;
}
std::string time_text(double seconds) {
  return seconds < 1e-3 ? fmt::format("{:.4g} us", seconds * 1e6)
         : seconds < 1  ? fmt::format("{:.4g} ms", seconds * 1e3)
                        : fmt::format("{:.4g} s", seconds);
}

void print_kernel(const ordered_json& kernel, bool verbose) {
  fmt::print("{}\n", study::readable(text(kernel, "name")));
  const std::string grid = extents(kernel["grid"]);
  fmt::print("  {} workgroup{} of {} work-items, {} launch{}\n", grid, grid == "1" ? "" : "s",
             extents(kernel["block"]), number(kernel, "launches"),
             number(kernel, "launches") == 1 ? "" : "es");
  fmt::print("  sampled       {}\n", text(kernel, "sample"));
  if (const std::string refused = text(kernel, "refused"); !refused.empty()) {
    fmt::print("  no time       {}\n", refused);
    return;
  }
  fmt::print("  time          {} [modelled]: {:.0f} cycles\n", time_text(number(kernel, "seconds")),
             number(kernel, "cycles"));
  fmt::print("  bound by      {}: {}\n", text(kernel, "bound"), text(kernel, "bound_why"));
  fmt::print("  clock         {:.0f} MHz [{}], {}\n", number(kernel, "clock_mhz"), text(kernel, "clock_tag"),
             text(kernel, "clock_why"));
  if (number(kernel, "matrix_flops") > 0) {
    double busy = 0;
    for (const ordered_json& pipe : kernel["pipes"])
      if (text(pipe, "pipe") == "matrix") busy = number(pipe, "utilisation");
    fmt::print("  matrix work   {:.4g} TFLOP/s, matrix pipes {:.0f} % busy\n",
               number(kernel, "matrix_tflops"), 100 * busy);
  }
  std::string pipes;
  for (const ordered_json& pipe : kernel["pipes"])
    if (text(pipe, "pipe") != "internal")
      pipes += fmt::format("{}{} {:.0f} %", pipes.empty() ? "" : ", ", text(pipe, "pipe"),
                           100 * number(pipe, "utilisation"));
  fmt::print("  pipes busy    {}\n", pipes);
  fmt::print("  issued        {:.2f} instructions a cycle and compute unit; {} workgroup{} at a time\n",
             number(kernel, "instructions_per_cycle"), number(kernel, "workgroups_per_unit"),
             number(kernel, "workgroups_per_unit") == 1 ? "" : "s");
  std::string stalls;
  int shown = 0;
  for (const ordered_json& stall : kernel["stalls"])
    if (number(stall, "exposed_share") >= 0.005 && shown++ < 5)
      stalls += fmt::format("{}{} {:.0f} %", stalls.empty() ? "" : ", ", text(stall, "cause"),
                            100 * number(stall, "exposed_share"));
  fmt::print("  nothing issued {:.0f} % of the SIMDs' cycles: {}\n", 100 * number(kernel, "exposed_share"),
             stalls);
  const ordered_json& lds = kernel["lds"];
  if (number(lds, "cycles") > 0)
    fmt::print("  LDS           {:.0f} cycles, {:.0f} % of them for bank conflicts\n", number(lds, "cycles"),
               100 * number(lds, "conflict_share"));
  const ordered_json& memory = kernel["memory"];
  if (number(memory, "l2_requests") > 0)
    fmt::print("  memory        L1 {:.0f} % hits, L2 {:.0f} %{}\n", 100 * number(memory, "l1_hit_rate"),
               100 * number(memory, "l2_hit_rate"),
               number(memory, "grid_bytes") > 0
                   ? fmt::format("; the grid touches {}: once each is {:.0f} of {:.0f} GB/s",
                                 bytes_text(static_cast<uint64_t>(number(memory, "grid_bytes"))),
                                 number(memory, "grid_bytes_per_second") / 1e9,
                                 number(memory, "peak_bytes_per_second") / 1e9)
                   : "");  // what lies in none of the program's allocations is not known
  for (const ordered_json& note : kernel["notes"])
    fmt::print("  note          {}\n", note.get<std::string>());

  std::vector<const ordered_json*> instructions;
  double whole = 0;
  for (const ordered_json& one : kernel["instructions"])
    instructions.push_back(&one), whole += number(one, "latency");
  if (!verbose) {
    std::sort(instructions.begin(), instructions.end(), [](const ordered_json* a, const ordered_json* b) {
      return number(*a, "stall") > number(*b, "stall");
    });
    instructions.resize(std::min<size_t>(instructions.size(), 5));
    fmt::print("  most stalled  (share of wave time, cause)\n");
  } else {
    fmt::print("  stalls\n    {:<24} {:>14} {:>14} {:>14}\n", "cause", "wave-cycles", "exposed", "hidden");
    for (const ordered_json& stall : kernel["stalls"])
      fmt::print("    {:<24} {:>14.0f} {:>14.0f} {:>14.0f}\n", text(stall, "cause"),
                 number(stall, "wave_cycles"), number(stall, "exposed"), number(stall, "hidden"));
    fmt::print("  instructions\n    {:>8} {:>9} {:>11} {:>11} {:>9}  {}\n", "offset", "hits", "latency",
               "stall", "idle", "instruction");
  }
  for (const ordered_json* const one : instructions) {
    std::string cause;
    double most = 0;
    for (const auto& [name, cycles] : (*one)["causes"].items())
      if (cycles.get<double>() > most) most = cycles.get<double>(), cause = name;
    std::string line = text(*one, "text");
    if (verbose)
      fmt::print("    {:>#8x} {:>9.0f} {:>11.0f} {:>11.0f} {:>9.0f}  {}{}{}\n",
                 static_cast<uint64_t>(number(*one, "offset")), number(*one, "hits"), number(*one, "latency"),
                 number(*one, "stall"), number(*one, "idle"), line, most > 0 ? "  ; " + cause : "",
                 text(*one, "source").empty() ? "" : "  ; " + text(*one, "source"));
    else
      fmt::print("    {:>5.1f} %  {:<48.48}  {}\n", whole > 0 ? 100 * number(*one, "stall") / whole : 0, line,
                 cause);
  }
}

/// As rocprofv3 writes the statistics of a thread trace.
bool write_statistics(const std::string& path, const ordered_json& json) {
  std::ofstream file(path);
  const auto quoted = [](std::string words) {
    for (size_t at = 0; (at = words.find('"', at)) != std::string::npos; at += 2) words.insert(at, 1, '"');
    return "\"" + words + "\"";
  };
  file << "CodeObj,Vaddr,Instruction,Hitcount,Latency,Stall,Idle,Source\n";
  size_t object = 0;
  for (const ordered_json& kernel : json["kernels"]) {
    ++object;
    if (!kernel.contains("instructions")) continue;
    for (const ordered_json& one : kernel["instructions"])
      file << fmt::format("{},{:.0f},{},{:.0f},{:.0f},{:.0f},{:.0f},{}\n", object, number(one, "offset"),
                          quoted(text(one, "text")), number(one, "hits"), number(one, "latency"),
                          number(one, "stall"), number(one, "idle"), quoted(text(one, "source")));
  }
  return static_cast<bool>(file);
}

Exit print_profile(const std::string& json_text, const ProfileOptions& options, int code) {
  const ordered_json json = ordered_json::parse(json_text, nullptr, false);
  if (json.is_discarded() || !json.contains("kernels") || json["kernels"].empty()) {
    fmt::print(stderr, "wavesmith: the program launched no kernel\n");
    return code ? static_cast<Exit>(code) : Exit::Unsupported;
  }
  if (!options.html.empty())
    if (const auto written = write_text(options.html, report::html(page_of_profile(json))); !written)
      return report(written.error());
  if (!options.perfetto.empty())
    if (const auto written = write_text(options.perfetto, report::chrome_trace(trace_of_profile(json)));
        !written)
      return report(written.error());
  if (!options.statistics.empty() && !write_statistics(options.statistics, json))
    return report({ErrorKind::BadInput, fmt::format("cannot write '{}'", options.statistics)});
  if (options.json) {
    fmt::print("{}\n", json.dump(1, ' ', false, ordered_json::error_handler_t::replace));
    return static_cast<Exit>(code);
  }
  std::vector<const ordered_json*> kernels;
  for (const ordered_json& kernel : json["kernels"]) kernels.push_back(&kernel);
  const auto cost = [](const ordered_json* kernel) {
    return number(*kernel, "seconds") * number(*kernel, "launches");
  };
  std::sort(kernels.begin(), kernels.end(),
            [&](const ordered_json* a, const ordered_json* b) { return cost(a) > cost(b); });
  const size_t shown = options.verbose || options.all ? kernels.size() : 1;
  for (size_t i = 0; i < kernels.size() && i < shown; ++i) print_kernel(*kernels[i], options.verbose);
  for (size_t i = shown; i < std::min(kernels.size(), shown + 4); ++i)
    fmt::print("then {} x {:g}: {}\n", study::readable(text(*kernels[i], "name")),
               number(*kernels[i], "launches"),
               text(*kernels[i], "refused").empty() ? time_text(number(*kernels[i], "seconds")) : "no time");
  if (kernels.size() > shown + 4)
    fmt::print("... and {} more; --all shows each\n", kernels.size() - shown - 4);
  bool refused = false;
  for (const ordered_json* const kernel : kernels) refused |= !text(*kernel, "refused").empty();
  return code ? static_cast<Exit>(code) : refused && kernels.size() == 1 ? Exit::Unsupported : Exit::Ok;
}

/// `whole`: a kernel of a code object is run by all its workgroups, not by the sampled ones alone.
Exit profile_run(const ProfileOptions& options, bool whole = false) {
  const std::string path =
      (fs::temp_directory_path() / fmt::format("wavesmith-profile-{}.json", getpid())).string();
  const pid_t pid = fork();
  if (pid < 0) return report({ErrorKind::Internal, "cannot start a process"});
  if (pid == 0) {
    setenv("WAVESMITH_PROFILE", path.c_str(), 1);
    const bool kernel = options.run.program.empty();
    if (options.sampled || (kernel && !whole)) setenv("WAVESMITH_PROFILE_SAMPLED", "1", 1);
    if (!options.html.empty() || !options.perfetto.empty()) setenv("WAVESMITH_PROFILE_TIMELINE", "1", 1);
    study::RunOptions run = options.run;
    if (options.time) run.time = options.sampled ? "sampled" : "modelled";
    if (kernel) {
      run.program = {"/proc/self/exe", "run",     run.file, "--grid",      run.grid,
                     "--block",        run.block, "--gpu",  run.devices(), "--quiet"};
      const auto add = [&](const char* name, const std::string& value) {
        run.program.insert(run.program.end(), {name, value});
      };
      if (!run.kernel.empty()) add("--kernel", run.kernel);
      if (run.shared) add("--shared", fmt::to_string(run.shared));
      for (const std::string& value : run.arguments) add("--arg", value);
      // What the kernel computes is of no interest, only how.
      if (!freopen("/dev/null", "w", stdout)) _exit(126);
    } else if (options.json) {
      dup2(2, 1);  // standard output is the profile's
    }
    _exit(run_program(run));
  }
  int status = 0;
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  const int code = toolchain::exit_code(status);
  std::ifstream file(path);
  const std::string json((std::istreambuf_iterator<char>(file)), {});
  file.close();
  std::error_code ignored;
  fs::remove(path, ignored);
  if (json.empty() && code) return static_cast<Exit>(code);
  if (options.run.program.empty() && !whole && json.find("\"want_whole\": true") != std::string::npos) {
    fmt::print(stderr, "wavesmith: its workgroups take their work from a queue: all of them are run\n");
    return profile_run(options, true);
  }
  return print_profile(json, options, code);
}

}  // namespace

void add_profile(CLI::App& app, Action& action, std::vector<std::string> program) {
  auto options = std::make_shared<ProfileOptions>();
  options->run.program = std::move(program);
  const char* environment = std::getenv("WAVESMITH_GPU");
  options->run.gpu = environment && *environment ? environment : "mi300x";
  CLI::App* command = add_command(
      app, "profile",
      "Says how long kernels take on a GPU that is not there, cycle by cycle, and what holds them up");
  command->add_option("--gpu", options->run.gpu, "mi300x, rx7900xtx, ./my.toml: see wavesmith gpus")
      ->capture_default_str();
  command->add_option("--set", options->run.set, "change a number of the GPU: --set compute.units=8");
  command->add_option("--threads", options->run.threads, "host threads; 0: all")
      ->check(CLI::NonNegativeNumber);
  command->add_flag(
      "--sampled", options->sampled,
      "of each launch run the sampled workgroups only: fast, and what the program computes is incomplete");
  command->add_flag("--time", options->time,
                    "the program's events and clocks tell modelled time, as of wavesmith run --time");
  command->add_flag("--all", options->all, "a summary of each kernel, not of the costliest alone");
  command->add_flag("--verbose", options->verbose, "every kernel, every stall, every instruction");
  command->add_flag("--json", options->json, "all of it as JSON");
  command->add_option("--html", options->html, "write a page that needs no network and no script");
  command->add_option("--perfetto", options->perfetto,
                      "write the waves' instructions as a trace for ui.perfetto.dev");
  command->add_option("--statistics", options->statistics,
                      "write a CSV file with the columns of rocprofv3's thread-trace statistics");
  const char* const group = "Profiling a kernel of a code object";
  command->add_option("file", options->run.file, "code object, bundle or host program with a fat binary")
      ->group(group);
  command->add_option("--kernel", options->run.kernel, "its name; not needed when there is only one")
      ->group(group);
  command->add_option("--grid", options->run.grid, "workgroups: 16 or 16,4,1")
      ->capture_default_str()
      ->group(group);
  command->add_option("--block", options->run.block, "work-items of a workgroup: 256 or 16,16")
      ->capture_default_str()
      ->group(group);
  command->add_option("--shared", options->run.shared, "bytes of dynamic LDS")->group(group);
  command->add_option("--arg", options->run.arguments, "an argument, as of wavesmith run")
      ->allow_extra_args(false)
      ->group(group);
  teach(*command,
        "  wavesmith profile --gpu mi300x -- ./app\n"
        "  wavesmith profile --gpu mi355x gemm.co --kernel gemm --grid 16,16 --block 256 --arg "
        "f16[4096x4096]=random ...\n");
  command->callback([options, &action] {
    action = [options] {
      if (options->run.program.empty() && options->run.file.empty())
        return report(
            {ErrorKind::BadInput, "nothing to profile", {}, "name a code object, or a program behind --"});
      if (const auto machine = gpus::find_machine(options->run.devices()); !machine)
        return report(machine.error());
      return profile_run(*options);
    };
  });
}

}  // namespace wavesmith::cli
