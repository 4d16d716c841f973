// `wavesmith run`: its options, and which of the two forms is meant.
#include "cli/run/run.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>

#include "cli/command.h"
#include "cli/gpu_option.h"
#include "cli/terminal.h"
#include "gpus/chosen.h"

namespace wavesmith::cli {

namespace {

/// What is said of every run.
void add_options(CLI::App& command, study::RunOptions& options) {
  command
      .add_option("--gpu", options.gpu, "mi300x; mi300x:8 for eight; mi300x,mi210 for two kinds; ./my.toml")
      ->capture_default_str();
  add_set_option(command, options.set);
  command.add_option("--threads", options.threads, "host threads; 0: all")->check(CLI::NonNegativeNumber);
  command.add_option("--max-instructions", options.max_instructions,
                     "stop a kernel after this many wave-instructions; 0: never");
  command.add_option("--timeout", options.timeout, "stop a kernel after this many seconds; 0: never")
      ->check(CLI::NonNegativeNumber);
  command.add_flag("--xnack", options.xnack, "as HSA_XNACK=1: kernels may use pageable host memory");
  command.add_flag("--no-guard", options.no_guard,
                   "let accesses just past the end of a buffer pass unnoticed, as hardware often does");
  command.add_option(
      "--interleave", options.interleave,
      "switch waves of a workgroup every N instructions (1: in lockstep, several times slower), for programs that lack a barrier; 0: at barriers only");
  command
      .add_option(
          "--time", options.time,
          "events report the modelled GPU's time; --time=sampled: also run only the workgroups of each grid that the model looks at: fast, but results are incomplete")
      ->expected(0, 1)
      ->default_str("modelled")
      ->check(CLI::IsMember({"modelled", "sampled"}));
  command.add_option("--libraries", options.libraries,
                     "whose rocBLAS, hipBLAS, MIOpen, ...: auto (AMD's where this machine has them, else "
                     "stand-ins), amd, stand-ins, or a folder of 'wavesmith libraries install --to'; also "
                     "WAVESMITH_LIBRARIES");
  command.add_flag(
      "--torch-cuda", options.torch_cuda,
      "PyTorch's 'cuda' device is the emulated GPU, with a PyTorch for the CPU: for scripts that "
      "know no other; Python needs the package wavesmith");
  command.add_flag("--report", options.report, "report afterwards what ran: waves, instructions, time");
  command.add_flag("--fidelity", options.fidelity,
                   "report afterwards which instructions ran, and how close each is to the hardware");
  command.add_flag(
      "--quiet", options.quiet,
      "report neither the emulated GPU nor the progress of a long run on stderr (also WAVESMITH_QUIET=1)");
  command.add_flag("--json", options.json, "reports and results as JSON");
}

/// A kernel of a code object: how it is launched, and what becomes of its buffers.
void add_options_of_kernel(CLI::App& command, study::RunOptions& options) {
  const char* const group = "Running a kernel of a code object";
  add_kernel_options(command, options, group);
  command.add_option("--dump", options.dump, "write a buffer afterwards: 1=out.npy")
      ->group(group)
      ->allow_extra_args(false);
  command.add_option("--print", options.print, "print a buffer afterwards: 1 or 1:16 (that many numbers)")
      ->group(group)
      ->allow_extra_args(false);
  command
      .add_option("--expect", options.expect,
                  "compare a buffer afterwards: 1=want.npy or 1=NUMBER; exit 1 when it differs")
      ->group(group)
      ->allow_extra_args(false);
  command
      .add_option("--rtol", options.rtol, "relative tolerance of --expect; without it 1e-5, integers exactly")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
  command
      .add_option("--atol", options.atol, "absolute tolerance of --expect; without it 1e-8, integers exactly")
      ->check(CLI::NonNegativeNumber)
      ->group(group);
}

/// Runs whichever of the two is meant.
Exit run(const study::RunOptions& options) {
  const auto machine = options.machine();
  if (!machine) return report(machine.error());
  if (!options.program.empty() && !options.file.empty())
    return report({ErrorKind::BadInput,
                   fmt::format("both a code object ('{}') and a program are given", options.file)}),
           Exit::Usage;
  if (!options.program.empty()) return static_cast<Exit>(run_program(options));
  if (options.file.empty()) {
    report({ErrorKind::BadInput,
            "nothing to run",
            {},
            "write wavesmith run -- ./app, or wavesmith run kernel.co; --help has examples"});
    return Exit::Usage;
  }
  return run_kernel(options);
}

}  // namespace

void add_run(CLI::App& app, Action& action, std::vector<std::string> program) {
  auto options = std::make_shared<study::RunOptions>();
  options->program = std::move(program);
  options->gpu = gpus::chosen_devices();

  CLI::App* command =
      add_command(app, "run", "Runs a HIP program, or a kernel of a code object, on an emulated GPU");
  add_options(*command, *options);
  add_options_of_kernel(*command, *options);
  teach(
      *command,
      "  wavesmith run --gpu mi300x -- ./app --size 100         an unmodified HIP program\n"
      "  wavesmith run --gpu mi355x:8 --report -- ./train       eight of them, and what ran\n"
      "  wavesmith run --time --gpu mi300a -- ./app             a benchmark prints the modelled GPU's times\n"
      "  wavesmith run --libraries amd -- python train.py       AMD's own rocBLAS, RCCL, ... (see wavesmith "
      "libraries)\n"
      "  wavesmith run --torch-cuda -- python train.py          a PyTorch script that says 'cuda'\n"
      "  wavesmith run --timeout 10 -- ./app                    a kernel that never ends becomes a HIP "
      "error\n"
      "  wavesmith run kernel.co --grid 16 --block 256 --arg f32[4096]=iota --arg f32[4096]=zeros --arg "
      "i32=4096 --print 1:8\n"
      "  wavesmith run kernel.co --kernel axpy --arg x.npy --arg y.npy --arg f32=2 --expect 1=want.npy "
      "--rtol 1e-3\n");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace wavesmith::cli
