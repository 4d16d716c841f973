#include "cli/knob_sweep.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <mutex>
#include <thread>

#include "cli/command.h"
#include "cli/file.h"
#include "cli/names.h"
#include "cli/terminal.h"
#include "isa/target.h"
#include "report/html.h"
#include "toolchain/device_code.h"
#include "toolchain/scratch.h"

namespace wavesmith::cli {
namespace {

namespace fs = std::filesystem;
using analysis::kNone;

/// LLVM IR of the file, before any pass where it is source.
Result<std::string> ir_of(const SweepRequest& request, const toolchain::Toolchain& tools) {
  const auto file = read_file(request.path);
  if (!file) return tl::unexpected(file.error());
  const CodeForm form = form_of(*file, request.path);
  if (form == CodeForm::HipSource)
    return toolchain::device_ir(
        tools, {request.path, toolchain::DeviceLanguage::Hip, request.gpu->target, request.flags});
  if (form != CodeForm::IrText && form != CodeForm::Bitcode)
    return fail(ErrorKind::Unsupported, fmt::format("{} is compiled already", name_of(form)), request.path,
                "give the HIP source or LLVM IR");
  Result<std::string> text = form == CodeForm::Bitcode ? toolchain::ir_text(tools, request.path)
                                                       : std::string(file->begin(), file->end());
  if (!text) return text;
  const IrFacts facts = facts_of_ir(*text);
  if (std::any_of(facts.targets.begin(), facts.targets.end(),
                  [&](const std::string& target) { return target != request.gpu->target; }))
    return fail(
        ErrorKind::WrongTarget,
        fmt::format("LLVM IR for {}, not for {}", fmt::join(facts.targets, ", "), request.gpu->target),
        request.path);
  return text;
}

/// Flags that say something to the passes: what the front end was told is in the IR.
std::vector<std::string> flags_for_passes(const std::vector<std::string>& flags) {
  std::vector<std::string> out;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == "-mllvm" && i + 1 < flags.size())
      out.push_back(flags[i]), out.push_back(flags[++i]);
    else if (flags[i].starts_with("-O") || flags[i].starts_with("-m") ||
             (flags[i].starts_with("-f") && !flags[i].starts_with("-foffload")))
      out.push_back(flags[i]);
  }
  return out;
}

double weight_of(const analysis::Kernel& kernel) {
  const std::vector<double> counts = executions(kernel);
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) sum += counts[i] * cost_of(kernel.instructions[i]);
  return sum;
}

/// The baseline's hot loop against the trial's, for the same work; without loops, all instructions.
void judge(const Side& baseline, Trial& trial, const gpus::Gpu& gpu) {
  const Comparison comparison = compare(baseline, {&*trial.kernel, &gpu});
  trial.verdict = comparison.verdict;
  if (comparison.hot == kNone) {
    const double before = weight_of(*baseline.kernel);
    if (baseline.kernel->loops.empty() && before > 0) trial.time = weight_of(*trial.kernel) / before;
    return;
  }
  const LoopPair& pair = comparison.loops[comparison.hot];
  if (pair.b == kNone) return;
  const auto a = loop_time(*baseline.kernel, baseline.kernel->loops[pair.a]),
             b = loop_time(*trial.kernel, trial.kernel->loops[pair.b]);
  if (a && b &&
      comparable(*baseline.kernel, baseline.kernel->loops[pair.a], *trial.kernel,
                 trial.kernel->loops[pair.b]))
    trial.time = b->cycles / comparison.work / a->cycles;
}

bool same_code(const analysis::Kernel& a, const analysis::Kernel& b) {
  return a.resources.vgprs_total == b.resources.vgprs_total &&
         a.resources.lds_bytes == b.resources.lds_bytes &&
         std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                    b.instructions.end(), [](const auto& x, const auto& y) { return x.text == y.text; });
}

class Sweeper {
 public:
  Sweeper(const SweepRequest& request,
          const std::function<void(size_t, size_t, const std::string&)>& progress)
      : request_(request), progress_(progress), tools_(toolchain::discover()) {}

  Result<Sweep> run() {
    const auto begin = std::chrono::steady_clock::now();
    sweep_.gpu = request_.gpu;
    Result<std::string> ir = ir_of(request_, tools_);
    if (!ir) return tl::unexpected(ir.error());
    ir_ = std::move(*ir);
    if (!scratch_.made()) return fail(ErrorKind::NotFound, "no folder for temporary files can be made");
    Trial baseline;
    baseline.knob.name = "baseline";
    baseline.knob.what = "as it is";
    if (auto done = try_it(baseline, 0); !done) return tl::unexpected(done.error());
    name_ = baseline.kernel->name;
    sweep_.kernel = readable(name_);
    sweep_.trials.push_back(std::move(baseline));
    add_knobs();
    try_all();
    rank();
    sweep_.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return std::move(sweep_);
  }

 private:
  void add_knobs() {
    const analysis::Kernel& kernel = *sweep_.trials[0].kernel;
    const isa::Target* target = isa::find_target(request_.gpu->target);
    std::vector<Knob> all;
    if (request_.all_knobs)
      all = knobs({request_.gpu->waves_per_simd, target && target->has_accumulators(),
                   target && !target->wave64_only, kernel.resources.max_workgroup});
    all.insert(all.end(), request_.tried.begin(), request_.tried.end());
    for (Knob& knob : all) {
      Trial trial;
      trial.knob = std::move(knob);
      sweep_.trials.push_back(std::move(trial));
    }
  }

  /// Compiles and analyses; the kernel that was asked for, or the one with the most work in it.
  Result<void> try_it(Trial& trial, size_t index) {
    const fs::path path = scratch_ / fmt::format("{}.ll", index);
    const std::string changed = trial.knob.attribute.empty()
                                    ? std::string()
                                    : with_attribute(ir_, trial.knob.attribute, trial.knob.value);
    if (!toolchain::write_file(path, trial.knob.attribute.empty() ? ir_ : changed))
      return fail(ErrorKind::NotFound, fmt::format("cannot write '{}'", path.string()));
    toolchain::DeviceJob job{path.string(), toolchain::DeviceLanguage::Ir, request_.gpu->target,
                             flags_for_passes(request_.flags)};
    job.flags.insert(job.flags.end(), trial.knob.flags.begin(), trial.knob.flags.end());
    const auto made = toolchain::compile_device(tools_, job);
    std::error_code ignored;
    fs::remove(path, ignored);
    if (!made) return tl::unexpected(made.error());
    trial.seconds = made->seconds;
    const auto object = object::CodeObject::parse(made->file);
    if (!object) return tl::unexpected(object.error());
    std::vector<const object::Kernel*> found;
    for (const object::Kernel& kernel : object->kernels())
      if (name_.empty() ? request_.kernel.empty() || means(request_.kernel, kernel.name) ||
                              readable(kernel.name).find(request_.kernel) != std::string::npos
                        : kernel.name == name_)
        found.push_back(&kernel);
    if (found.empty())
      return fail(
          ErrorKind::NotFound,
          request_.kernel.empty() ? "no kernel in it" : fmt::format("no kernel '{}'", request_.kernel),
          request_.path);
    std::optional<Error> error;
    for (const object::Kernel* kernel : found) {
      auto analysed = analysis::analyse(*object, *kernel, *request_.gpu);
      if (!analysed)
        error = analysed.error();
      else if (!trial.kernel || weight_of(*analysed) > weight_of(*trial.kernel))
        trial.kernel = std::move(*analysed);
    }
    if (!trial.kernel) return tl::unexpected(*error);
    return {};
  }

  void try_all() {
    std::atomic<size_t> next = 1;
    std::mutex lock;
    size_t done = 0;
    const auto work = [&] {
      for (size_t i = next++; i < sweep_.trials.size(); i = next++) {
        Trial& trial = sweep_.trials[i];
        if (const auto tried = try_it(trial, i); !tried) {
          const Error& error = tried.error();
          trial.failure = error.hint.empty() ? error.what : error.hint.substr(0, error.hint.find('\n'));
        }
        const std::lock_guard guard(lock);
        progress_(++done, sweep_.trials.size() - 1, trial.knob.name);
      }
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < request_.jobs; ++i) threads.emplace_back(work);
    work();
    for (std::thread& thread : threads) thread.join();
  }

  void rank() {
    const Side baseline{&*sweep_.trials[0].kernel, request_.gpu};
    std::vector<uint32_t> unlike;
    for (uint32_t i = 0; i < sweep_.trials.size(); ++i) {
      Trial& trial = sweep_.trials[i];
      trial.same_as = i;
      if (!trial.kernel) {
        sweep_.failed.push_back(i);
        continue;
      }
      for (const uint32_t j : unlike)
        if (trial.same_as == i && same_code(*sweep_.trials[j].kernel, *trial.kernel)) trial.same_as = j;
      if (i > 0 && trial.same_as == 0) sweep_.idle.push_back(i);
      if (trial.same_as != i) continue;
      unlike.push_back(i);
      judge(baseline, trial, *request_.gpu);
      if (i == 0) trial.time = 1;
    }
    sweep_.ranked = std::move(unlike);
    const auto key = [&](uint32_t i) {
      const Trial& trial = sweep_.trials[i];
      const analysis::Kernel& kernel = *trial.kernel;
      // What can't be judged comes last; then the time, spills, occupancy, size.
      return std::tuple(trial.time > 0 ? std::round(trial.time * 1e4) : 1e9,
                        kernel.resources.vgpr_spills + kernel.resources.scratch_bytes,
                        -static_cast<int>(kernel.occupancy.now.waves_per_simd), kernel.mix.total, i);
    };
    std::sort(sweep_.ranked.begin(), sweep_.ranked.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  }

  const SweepRequest& request_;
  const std::function<void(size_t, size_t, const std::string&)>& progress_;
  const toolchain::Toolchain tools_;
  const toolchain::Scratch scratch_{"sweep"};
  std::string ir_, name_;
  Sweep sweep_;
};

struct SweepOptions {
  std::string file, gpu, kernel, html;
  std::vector<std::string> flags, tried;
  int jobs = 0;
  bool knobs = false, verbose = false, json = false;
};

Exit sweep_file(const SweepOptions& options) {
  SweepRequest request;
  request.path = options.file;
  request.kernel = options.kernel;
  request.flags = options.flags;
  const auto gpu = options.gpu.empty() ? default_gpu() : gpus::find_gpu(options.gpu);
  if (!gpu) return report(gpu.error());
  request.gpu = *gpu;
  for (const std::string& text : options.tried) {
    Knob knob;
    knob.group = knob.name = text;
    for (size_t at = 0; at < text.size();) {
      const size_t end = std::min(text.find(' ', at), text.size());
      if (end > at) knob.flags.push_back(text.substr(at, end - at));
      at = end + 1;
    }
    request.tried.push_back(std::move(knob));
  }
  request.all_knobs = options.knobs || options.tried.empty();
  request.jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  const bool shown = isatty(STDERR_FILENO);
  const auto result = sweep(request, [shown](size_t done, size_t all, const std::string& name) {
    if (shown) fmt::print(stderr, "\r\033[K[{}/{}] {}", done, all, name), std::fflush(stderr);
  });
  if (shown) fmt::print(stderr, "\r\033[K");
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

Result<Sweep> sweep(const SweepRequest& request,
                    const std::function<void(size_t, size_t, const std::string&)>& progress) {
  return Sweeper(request, progress).run();
}

void add_sweep(CLI::App& app, Action& action, std::vector<std::string> flags) {
  auto options = std::make_shared<SweepOptions>();
  options->flags = std::move(flags);
  CLI::App* command = app.add_subcommand(
      "sweep",
      "A kernel under the compiler's scheduling and allocation knobs: which do anything, and which help");
  command->add_option("file", options->file, "HIP source or LLVM IR")->required();
  command->add_option("--gpu", options->gpu, "the GPU to compile for: mi300x");
  command->add_option("--kernel", options->kernel,
                      "the kernel; without it, the one with the most work in it");
  command->add_flag("--knobs", options->knobs,
                    "all knobs that are known; what it does when nothing else is asked for");
  command
      ->add_option("--try", options->tried,
                   "flags of your own to try, once or more: --try=\"-mllvm -unroll-threshold=500\"")
      ->expected(1)
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  command->add_option("-j,--jobs", options->jobs, "compilations at once; one a CPU without it");
  command->add_flag("-v,--verbose", options->verbose, "all settings, and what each is good for");
  command->add_flag("--json", options->json, "everything, as JSON");
  command->add_option("--html", options->html,
                      "write everything as a page that needs no network and no script");
  teach(
      *command,
      "  wavesmith sweep gemm.hip --knobs                           about 60 settings, those that help "
      "first\n"
      "  wavesmith sweep gemm.hip --gpu mi355x --kernel gemm -- -DTILE=128     flags for every compilation\n"
      "  wavesmith sweep gemm.hip --try=-DUNROLL=2 --try=\"-mllvm -unroll-count=8\"  only these\n"
      "Time is explain's estimate for the hot loop, which takes memory to answer at once: measure what comes "
      "out first.\n");
  command->callback([options, &action] { action = [options] { return sweep_file(*options); }; });
}

}  // namespace wavesmith::cli
