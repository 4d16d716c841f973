// `wavesmith check`: runs a program, or one kernel of a code object, under checkers, and tells what they
// found.
#include <fmt/format.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>

#include "base/file.h"
#include "base/scratch.h"
#include "check/accepted.h"
#include "check/checker.h"
#include "check/findings.h"
#include "check/json.h"
#include "check/sarif.h"
#include "check/text.h"
#include "cli/check/orders.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/file.h"
#include "cli/run/run.h"
#include "cli/terminal.h"
#include "gpus/chosen.h"
#include "gpus/gpu.h"
#include "study/profiled_run.h"
#include "toolchain/process.h"

namespace wavesmith::cli {
namespace {

namespace fs = std::filesystem;

struct CheckOptions {
  study::RunOptions run;
  std::string checkers = "memory,race,wait,hazard,init,sync";
  std::string sarif, suppressions, baseline;
  uint32_t orders = 0;
  bool json = false, hints = false, equal_writes = false;
};

/// Files of findings that were accepted before.
struct Accepted {
  std::vector<check::Suppression> suppressions;
  std::optional<check::Report> baseline;
};

/// Becomes the program that is checked, or `wavesmith run` of a code object's kernel.
[[noreturn]] void become_program(const CheckOptions& options, const std::string& folder) {
  setenv("WAVESMITH_CHECK", options.checkers.c_str(), 1);
  setenv("WAVESMITH_CHECK_REPORT", folder.c_str(), 1);
  if (options.equal_writes) setenv("WAVESMITH_CHECK_RACE", "equal-writes", 1);
  study::RunOptions run = options.run;
  if (options.json) dup2(2, 1);  // standard output is the report's
  if (!run.program.empty()) _exit(run_program(run));
  run.program = run_of_kernel(options.run);
  run.program.insert(run.program.begin(), "/proc/self/exe");
  _exit(run_program(run));
}

/// What a run without checkers gives, whose workgroups and waves come in the order of a seed: its exit code,
/// its standard output, and the buffers of a kernel of a code object. One host thread, so that nothing but
/// the order says which workgroup is first.
Result<Output> output_of(const CheckOptions& options, const fs::path& folder, uint64_t seed) {
  study::RunOptions run = options.run;
  run.threads = 1;
  // The shell keeps standard error apart: what programs say there may hold addresses and times.
  toolchain::Command command{"/bin/sh",
                             "-c",
                             "exec \"$@\" 2>/dev/null",
                             "sh",
                             "env",
                             fmt::format("WAVESMITH_ORDER={}", seed),
                             study::this_command()};
  std::vector<std::string> words;
  std::vector<fs::path> buffers;
  if (run.program.empty()) {
    words = run_of_kernel(run);
    for (size_t i = 0; i < run.arguments.size(); ++i) {
      if (run.arguments[i].find('[') >= run.arguments[i].find('=')) continue;  // a number
      buffers.push_back(folder / fmt::format("order{}.npy", i));
      words.insert(words.end(), {"--dump", fmt::format("{}={}", i, buffers.back().string())});
    }
  } else {
    words = {"run", "--quiet", "--threads", "1", "--gpu", run.devices()};
    if (run.timeout > 0) words.insert(words.end(), {"--timeout", fmt::to_string(run.timeout)});
    if (run.max_instructions)
      words.insert(words.end(), {"--max-instructions", fmt::to_string(run.max_instructions)});
    words.emplace_back("--");
    words.insert(words.end(), run.program.begin(), run.program.end());
  }
  command.insert(command.end(), words.begin(), words.end());
  auto ran = toolchain::run(command, true);
  if (!ran) return tl::unexpected(ran.error());
  Output output{.code = ran->code, .text = std::move(ran->output), .buffers = {}};
  for (const fs::path& buffer : buffers) {
    const auto bytes = wavesmith::read_file(buffer.string()).value_or(std::vector<uint8_t>());
    output.buffers.emplace_back(bytes.begin(), bytes.end());
  }
  return output;
}

/// Runs it in other orders, and adds a finding when it gives something else.
Result<void> try_orders(const CheckOptions& options, const fs::path& folder, check::Report& report) {
  const auto first = output_of(options, folder, 0);
  if (!first) return tl::unexpected(first.error());
  std::optional<Twice> natural;  // the second run is made when an order gives something else
  std::vector<uint64_t> different;
  std::string where;
  for (uint64_t seed = 1; seed <= options.orders; ++seed) {
    const auto other = output_of(options, folder, seed);
    if (!other) return tl::unexpected(other.error());
    if (*other == *first) continue;
    if (!natural) {
      const auto second = output_of(options, folder, 0);
      if (!second) return tl::unexpected(second.error());
      natural = {*first, *second};
    }
    const auto again = output_of(options, folder, seed);
    if (!again) return tl::unexpected(again.error());
    const std::string found = difference(*natural, {*other, *again});
    if (found.empty()) continue;
    different.push_back(seed);
    if (where.empty()) where = found;
  }
  fmt::print(stderr, "wavesmith check: {} of {} other orders gave something else\n", different.size(),
             options.orders);
  if (const size_t own = natural ? words_of_their_own(*natural) : 0)
    fmt::print(
        stderr,
        "wavesmith check: {} word{} of the output differ{} between runs in the same order: not compared\n",
        own, own == 1 ? "" : "s", own == 1 ? "s" : "");
  if (different.empty()) return {};
  report.findings.push_back(
      {.topic = check::Topic::Race,
       .rule = "order-dependent",
       .severity = check::Severity::Warning,
       .what = fmt::format("the output depends on the order in which workgroups and waves run: with "
                           "WAVESMITH_ORDER={} it differs; {}",
                           fmt::join(different, ", "), where),
       .parties = {{.role = "runs",
                    .instruction = options.run.program.empty() ? options.run.file
                                                               : toolchain::quoted(options.run.program)}},
       .fix =
           "see what the race checker finds; if sums of floats in any order are meant, compare them with a "
           "tolerance",
       .count = different.size()});
  return {};
}

/// What all processes of the program found.
Result<check::Report> read_reports(const fs::path& folder) {
  check::Report all;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    const std::string text((std::istreambuf_iterator<char>(file)), {});
    auto one = check::report_of_json(text);
    if (!one) return tl::unexpected(one.error());
    all.topics = one->topics;
    all.launches += one->launches;
    all.findings.insert(all.findings.end(), one->findings.begin(), one->findings.end());
  }
  check::sort(all.findings);
  return all;
}

Result<Accepted> read_accepted(const CheckOptions& options) {
  Accepted accepted;
  const auto text = [](const std::string& path) -> Result<std::string> {
    const auto bytes = read_file(path);
    if (!bytes) return tl::unexpected(bytes.error());
    return std::string(bytes->begin(), bytes->end());
  };
  if (!options.suppressions.empty()) {
    const auto file = text(options.suppressions);
    if (!file) return tl::unexpected(file.error());
    auto read = check::suppressions_of(*file, options.suppressions);
    if (!read) return tl::unexpected(read.error());
    accepted.suppressions = std::move(*read);
  }
  if (!options.baseline.empty()) {
    const auto file = text(options.baseline);
    if (!file) return tl::unexpected(file.error());
    auto read = check::report_of_json(*file);
    if (!read) {
      Error error = read.error();
      error.where = options.baseline;
      error.hint = "write it by wavesmith check --json";
      return tl::unexpected(error);
    }
    accepted.baseline = std::move(*read);
  }
  return accepted;
}

/// Takes out what is accepted, and says how much that was.
void take_accepted(check::Report& report, Accepted& accepted, const CheckOptions& options) {
  const size_t before = report.findings.size();
  check::suppress(report, accepted.suppressions);
  const size_t suppressed = before - report.findings.size();
  if (suppressed)
    fmt::print(stderr, "wavesmith check: {} suppressed by '{}'\n", suppressed, options.suppressions);
  for (const check::Suppression& one : accepted.suppressions)
    if (one.used == 0)
      fmt::print(stderr, "wavesmith check: {}:{} suppresses nothing: {}\n", options.suppressions, one.line,
                 one.reason);
  if (!accepted.baseline) return;
  if (const size_t known = check::take_baseline(report, *accepted.baseline))
    fmt::print(stderr, "wavesmith check: {} known from '{}'\n", known, options.baseline);
}

Exit show(const check::Report& report, const CheckOptions& options, int code) {
  if (!options.sarif.empty())
    if (const auto written = write_text(options.sarif, check::to_sarif(report)); !written)
      return cli::report(written.error());
  const auto wrong = std::ranges::count_if(
      report.findings, [](const check::Finding& one) { return one.severity != check::Severity::Hint; });
  if (options.json) {
    fmt::print("{}\n", check::to_json(report));
  } else {
    for (const check::Finding& finding : report.findings)
      if (options.hints || finding.severity != check::Severity::Hint)
        fmt::print(stderr, "{}\n", check::text_of(finding));
    std::string names;
    for (const check::Topic topic : report.topics)
      names += (names.empty() ? "" : ", ") + std::string(name_of(topic));
    fmt::print(stderr, "wavesmith check: {} in {} launch{} ({})\n",
               wrong == 0   ? std::string("nothing found")
               : wrong == 1 ? std::string("1 finding")
                            : fmt::format("{} findings", wrong),
               report.launches, report.launches == 1 ? "" : "es", names);
  }
  if (wrong) return Exit::Different;
  return static_cast<Exit>(code);
}

Exit check_run(const CheckOptions& options) {
  // Before a long run, not after it.
  auto accepted = read_accepted(options);
  if (!accepted) return report(accepted.error());
  const Scratch scratch("check");
  if (!scratch.made())
    return report({ErrorKind::BadInput, "cannot make a temporary folder", {}, "set TMPDIR"});
  const fs::path folder = scratch / "reports";
  fs::create_directory(folder);
  const auto code = run_child([&] { become_program(options, folder.string()); });
  if (!code) return report(code.error());
  auto found = read_reports(folder);
  if (!found) return report(found.error());
  const bool by_signal = *code > 128 && *code < 128 + SIGRTMIN;
  if (found->launches == 0 && found->findings.empty()) {
    if (by_signal)
      fmt::print(stderr,
                 "wavesmith check: signal {} ended the program before a launch was over; nothing was found "
                 "until then\n",
                 *code - 128);
    else
      fmt::print(stderr, "wavesmith check: the program launched no kernel\n");
    return *code ? static_cast<Exit>(*code) : Exit::Unsupported;
  }
  if (by_signal)
    fmt::print(stderr, "wavesmith check: signal {} ended the program; what was found until then:\n",
               *code - 128);
  if (options.orders > 0)
    if (const auto tried = try_orders(options, fs::path(folder).parent_path(), *found); !tried)
      return report(tried.error());
  take_accepted(*found, *accepted, options);
  return show(*found, options, *code);
}

/// The checkers, for --help.
std::string list_of_checkers() {
  std::string text = "Checkers:\n";
  for (const check::CheckerKind& kind : check::checkers())
    text += fmt::format("  {:8} {}\n           not seen: {}\n", name_of(kind.topic), kind.finds,
                        kind.does_not_see);
  return text;
}

}  // namespace

void add_check(CLI::App& app, Action& action, std::vector<std::string> program) {
  auto options = std::make_shared<CheckOptions>();
  options->run.program = std::move(program);
  options->run.gpu = gpus::chosen_devices();
  CLI::App* command =
      add_command(app, "check", "Finds races, stray accesses, missing waits and more on the machine code");
  command->add_option("--gpu", options->run.gpu, "mi300x, rx7900xtx, ./my.toml: see wavesmith gpus")
      ->capture_default_str();
  command->add_option("--checks", options->checkers, "which checkers, or all")->capture_default_str();
  command->add_option("--threads", options->run.threads, "host threads; 0: all")
      ->check(CLI::NonNegativeNumber);
  command
      ->add_option("--timeout", options->run.timeout,
                   "seconds that a kernel may take; what its waves wait for then is told")
      ->check(CLI::PositiveNumber);
  command
      ->add_option("--max-instructions", options->run.max_instructions,
                   "wave-instructions that a kernel may take")
      ->check(CLI::PositiveNumber);
  command->add_option("--orders", options->orders,
                      "run it in so many other orders of workgroups and waves, too, and tell whether its "
                      "standard output or a kernel's buffers differ");
  command->add_flag("--hints", options->hints, "tell hints too");
  command->add_flag("--equal-writes", options->equal_writes,
                    "take unordered writes of equal values to one place for races, too: by lanes, waves or "
                    "workgroups");
  command->add_flag("--json", options->json, "all of it as JSON, hints too");
  command->add_option("--sarif", options->sarif, "write the findings for code hosts, as SARIF 2.1.0");
  command->add_option(
      "--suppress", options->suppressions,
      "a TOML file of [[suppress]] tables: reason, and the rule, kernel and source that it is "
      "for (* and ? fit anything)");
  command->add_option("--baseline", options->baseline,
                      "what an earlier --json wrote: only what is new is told");
  add_kernel_options(*command, options->run, "Checking a kernel of a code object");
  teach(*command,
        "  wavesmith check -- ./app\n"
        "  wavesmith check --checks race,wait --gpu mi355x gemm.co --grid 16,16 --block 256 --arg "
        "f16[4096x4096]=random ...\n"
        "  wavesmith check --json -- ./app > known.json; wavesmith check --baseline known.json -- ./app\n\n" +
            list_of_checkers() + "\nExit code 1: something was found (hints do not count).\n");
  command->callback([options, &action] {
    action = [options] {
      if (options->run.program.empty() && options->run.file.empty())
        return report(
            {ErrorKind::BadInput, "nothing to check", {}, "name a code object, or a program after --"});
      if (const auto machine = options->run.machine(); !machine) return report(machine.error());
      if (const auto topics = check::topics_of(options->checkers); !topics) return report(topics.error());
      return check_run(*options);
    };
  });
}

}  // namespace wavesmith::cli
