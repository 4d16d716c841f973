// `wavesmith sweep`: its options.
#include <fmt/format.h>
#include <algorithm>
#include <memory>
#include <thread>

#include "base/file.h"
#include "base/progress.h"
#include "base/split.h"
#include "cli/command.h"
#include "cli/file.h"
#include "cli/sweep/show.h"
#include "cli/terminal.h"
#include "gpus/chosen.h"
#include "report/html.h"
#include "study/code_form.h"
#include "study/code_input.h"

namespace wavesmith::cli {
namespace {

struct SweepOptions {
  std::string file, gpu, kernel, html, flags, arguments;
  std::vector<std::string> behind, tried;
  study::RunOptions launch;
  int jobs = 0;
  bool knobs = false, verbose = false, json = false, by_static = false, sampled = false, alone = false;
};

std::vector<std::string> words_of(const std::string& text) {
  const std::vector<std::string_view> found = words(text);
  return {found.begin(), found.end()};
}

/// What the user said of how the kernel is launched; a source with a main launches it by itself.
Result<void> choose_launch(const SweepOptions& options, bool program, study::SweepRequest& request) {
  study::KernelLaunch& launch = request.launch;
  launch.sampled = options.sampled;
  const bool kernel = !options.launch.arguments.empty() || !options.launch.grid.empty();
  if (program + kernel + !options.arguments.empty() > 1)
    return fail(ErrorKind::BadInput, "several ways to launch the kernel are given", {},
                "-- ./app launches it, or --grid, --block and --arg do, or the file's own main with --args");
  request.must_run = program || kernel || !options.arguments.empty();
  if (options.by_static) {
    if (request.must_run || options.sampled)
      return fail(ErrorKind::BadInput, "--static runs nothing, but options for running are given");
    return {};
  }
  if (program) {
    launch.method = study::KernelLaunch::Method::Program;
    launch.words = options.behind;
  } else if (kernel) {
    launch.method = study::KernelLaunch::Method::Kernel;
    launch.kernel = options.launch;
    if (launch.kernel.grid.empty()) launch.kernel.grid = "1";
    launch.kernel.kernel = options.kernel;
  } else {
    const auto file = read_file(options.file);
    if (!file) return tl::unexpected(file.error());
    const bool main = study::form_of(*file, options.file) == study::CodeForm::HipSource &&
                      study::has_main({reinterpret_cast<const char*>(file->data()), file->size()});
    if (!main && !options.arguments.empty())
      return fail(ErrorKind::BadInput, "--args are for a program, and this file has no main", options.file);
    if (main) launch.method = study::KernelLaunch::Method::Source;
    launch.words = words_of(options.arguments);
  }
  return {};
}

Exit sweep_file(const SweepOptions& options) {
  study::SweepRequest request;
  request.path = options.file;
  request.kernel = options.kernel;
  request.flags = words_of(options.flags);
  const bool program = !options.behind.empty() && !options.behind.front().starts_with('-');
  if (!program) request.flags.insert(request.flags.end(), options.behind.begin(), options.behind.end());
  const auto gpu = options.gpu.empty() ? gpus::chosen_gpu() : gpus::find_gpu(options.gpu);
  if (!gpu) return report(gpu.error());
  request.gpu = *gpu;
  request.devices = options.gpu.empty() ? (*gpu)->id : options.gpu;
  for (const std::string& text : options.tried) {
    study::Knob knob;
    knob.group = knob.name = text;
    knob.flags = words_of(text);
    request.tried.push_back(std::move(knob));
  }
  request.all_knobs = options.knobs || options.tried.empty();
  request.combine = !options.alone;
  request.jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  if (const auto chosen = choose_launch(options, program, request); !chosen) return report(chosen.error());
  Progress progress("wavesmith sweep");
  const auto result = study::sweep(request, [&progress](const std::string& what) { progress.step(what); });
  progress.clear();
  if (!result) return report(result.error());
  if (!options.html.empty())
    if (const auto written = write_text(options.html, report::html(page_of(*result, options.file))); !written)
      return report(written.error());
  if (options.json)
    fmt::print("{}\n",
               json_of(*result).dump(1, ' ', false, nlohmann::ordered_json::error_handler_t::replace));
  else
    print_sweep(*result, options.verbose);
  return Exit::Ok;
}

}  // namespace

void add_sweep(CLI::App& app, Action& action, std::vector<std::string> behind) {
  auto options = std::make_shared<SweepOptions>();
  options->behind = std::move(behind);
  options->launch.grid.clear();
  CLI::App* command = add_command(
      app, "sweep",
      "Tries the compiler's scheduling and allocation knobs on a kernel: which have an effect, and which help");
  command->add_option("file", options->file, "HIP source or LLVM IR")->required();
  command->add_option("--gpu", options->gpu, "the GPU to compile for and to simulate: mi300x");
  command->add_option("--kernel", options->kernel,
                      "the kernel whose time counts; without it, all that are launched");
  command->add_flag("--knobs", options->knobs, "all known knobs; the default");
  command
      ->add_option("--try", options->tried,
                   "your own flags to try; may be repeated: --try=\"-mllvm -unroll-threshold=500\"")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("--flags", options->flags,
                      "flags for every compilation: --flags=\"-DTILE=128 -Iinclude\"");
  command->add_flag("--alone", options->alone, "do not combine settings that help alone");
  command->add_option("-j,--jobs", options->jobs,
                      "parallel compilations and simulations; default: one per CPU");
  command->add_flag("-v,--verbose", options->verbose, "all settings, and the effect of each");
  command->add_flag("--json", options->json, "everything, as JSON");
  command->add_option("--html", options->html,
                      "write everything as a page that needs no network and no script");
  const char* const group = "How the kernel is launched, for the cycle model";
  command
      ->add_option("--args", options->arguments,
                   "for a file with a main, which is compiled and run: its arguments, --args=\"--size 4096\"")
      ->group(group);
  command
      ->add_option("--grid", options->launch.grid,
                   "for a single kernel, as for wavesmith run: workgroups, 16 or 16,4,1")
      ->group(group);
  command->add_option("--block", options->launch.block, "work-items per workgroup: 256 or 16,16")
      ->group(group);
  command->add_option("--shared", options->launch.shared, "bytes of dynamic LDS")->group(group);
  command->add_option("--arg", options->launch.arguments, "an argument, as for wavesmith run")
      ->allow_extra_args(false)
      ->group(group);
  command
      ->add_flag("--sampled", options->sampled,
                 "run only the workgroups that the model looks at: fast, but results are not compared")
      ->group(group);
  command->add_flag("--static", options->by_static, "run nothing: rank by static cycles of the hot loop")
      ->group(group);
  teach(
      *command,
      "  wavesmith sweep gemm.hip --knobs                          a program with a main: about 60 settings, "
      "each that\n"
      "                                                            changes the code is run and timed by the "
      "cycle model\n"
      "  wavesmith sweep gemm.hip --knobs -- ./app 4096            another program, with its kernels replaced by this file's\n"
      "  wavesmith sweep gemm.hip --kernel gemm --grid 16,16 --block 256 --arg f16[4096x4096]=random ...\n"
      "  wavesmith sweep gemm.hip --gpu mi355x -- -DTILE=128       after -- also flags for every "
      "compilation\n"
      "  wavesmith sweep gemm.hip --try=-DUNROLL=2 --try=\"-mllvm -unroll-count=8\"  only these\n"
      "A setting that changes what the program prints, its exit code or a kernel's buffers is never "
      "ranked.\n");
  command->callback([options, &action] { action = [options] { return sweep_file(*options); }; });
}

}  // namespace wavesmith::cli
