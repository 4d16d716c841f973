#include "study/sweep/knob_sweep.h"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <cmath>
#include <mutex>
#include <set>
#include <thread>
#include <tuple>

#include "base/file.h"
#include "base/scratch.h"
#include "base/stopwatch.h"
#include "isa/target.h"
#include "object/code_object.h"
#include "study/names.h"
#include "study/sweep/knob_compile.h"

namespace wavesmith::study {
namespace {

namespace fs = std::filesystem;

class Sweeper {
 public:
  Sweeper(const SweepRequest& request, const std::function<void(const std::string&)>& progress)
      : request_(request),
        progress_(progress),
        compiler_(request.path, request.gpu->target, request.flags),
        launcher_(request.launch, request.devices, scratch_) {}

  Result<Sweep> run() {
    const Stopwatch watch;
    sweep_.gpu = request_.gpu;
    if (auto done = compiler_.read(); !done) return tl::unexpected(done.error());
    if (!scratch_.made()) return fail(ErrorKind::NotFound, "no folder for temporary files can be made");
    Trial baseline;
    baseline.knob.name = "baseline";
    baseline.knob.what = "as it is";
    sweep_.trials.push_back(std::move(baseline));
    if (auto done = compile(sweep_.trials[0], 0); !done) return tl::unexpected(done.error());
    if (auto done = run_baseline(); !done) {
      if (request_.must_run) return tl::unexpected(done.error());
      const Error& error = done.error();
      const std::string why = error.hint.substr(0, error.hint.find('\n'));
      sweep_.ranking =
          fmt::format("static cycles of the hot loop, since the program could not be run: {}{}{}", error.what,
                      why.empty() ? "" : ": ", why);
    }
    if (auto done = analyse(sweep_.trials[0], 0); !done) return tl::unexpected(done.error());
    name_ = sweep_.trials[0].kernel->name;
    sweep_.kernel = readable(name_);
    add_knobs();
    compile_all(1);
    compare_code();
    simulate_all(1);
    judge_all(1);
    if (request_.combine) combine();
    rank();
    sweep_.seconds = watch.seconds();
    return std::move(sweep_);
  }

 private:
  [[nodiscard]] fs::path code_of(size_t index) const { return scratch_ / fmt::format("{}.co", index); }
  [[nodiscard]] bool launched() const { return request_.launch.method != KernelLaunch::Method::Nothing; }
  [[nodiscard]] bool own_program(const Knob& knob) const {
    return request_.launch.method == KernelLaunch::Method::Source && for_front_end(knob.flags);
  }

  /// Runs the unchanged kernels twice, and finds which of them count.
  Result<void> run_baseline() {
    sweep_.ranking = "static cycles of the hot loop, memory answering at once";
    if (!launched()) {
      sweep_.ranking +=
          ": the launch of the kernel is unknown (-- ./app, or --grid, --block and --arg; --help)";
      return {};
    }
    if (request_.launch.method == KernelLaunch::Method::Source)
      if (auto built = launcher_.build(request_.path, request_.flags, 0); !built) return built;
    constexpr double kLong = 3600;
    Result<Simulation> runs[2];
    for (size_t i = 0; i < 2; ++i) {
      progress_(fmt::format("{} of 2 runs of the baseline", i));
      const int all = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
      runs[i] = launcher_.simulate(code_of(0), 0, i, all, kLong);
      if (!runs[i]) return tl::unexpected(runs[i].error());
      if (runs[i]->kernels.empty() || (runs[i]->code != 0 && runs[i]->code != 6))
        return fail(ErrorKind::BadInput, fmt::format("it ended with exit code {}", runs[i]->code), {},
                    runs[i]->complaint);
    }
    if (request_.launch.method != KernelLaunch::Method::Kernel && runs[0]->replaced == 0)
      return fail(ErrorKind::NotFound,
                  fmt::format("the program has no code object for {} whose kernels are all in this file",
                              request_.gpu->target),
                  {},
                  "give the source that its kernels were compiled from, with the same flags after --flags");
    const auto file = read_file(code_of(0));
    if (!file) return tl::unexpected(file.error());
    const auto object = object::CodeObject::parse(*file);
    if (!object) return tl::unexpected(object.error());
    std::string refused;
    double most = 0;
    for (const auto& [name, kernel] : runs[0]->kernels) {
      if (!object->kernel(name) || !wanted(name)) continue;
      if (!kernel.refused.empty()) refused = fmt::format("{}: {}", readable(name), kernel.refused);
      counted_.push_back(name);
      if (kernel.seconds >= most) most = kernel.seconds, costliest_ = name;
    }
    if (counted_.empty())
      return fail(ErrorKind::NotFound, request_.kernel.empty()
                                           ? "none of the file's kernels is launched"
                                           : fmt::format("no kernel '{}' is launched", request_.kernel));
    if (!refused.empty()) return fail(ErrorKind::Unsupported, "the cycle model gives no time for " + refused);
    limit_ = 60 + 20 * runs[0]->host_seconds;
    sweep_.simulations = 2;
    sweep_.simulated = true;
    sweep_.ranking = fmt::format("the cycle model's time of {}",
                                 counted_.size() == 1 ? "its launches in this run"
                                                      : fmt::format("{} kernels together", counted_.size()));
    if (!request_.launch.sampled) check_.emplace(*runs[0], *runs[1]);
    sweep_.checked = request_.launch.sampled ? "results not compared: --sampled runs parts of the grids"
                     : request_.launch.method == KernelLaunch::Method::Kernel
                         ? fmt::format("the contents of {} buffers compared", runs[0]->buffers.size())
                         : fmt::format("exit codes and {} of {} lines of output compared", check_->lines(),
                                       std::count(runs[0]->output.begin(), runs[0]->output.end(), '\n'));
    take(sweep_.trials[0], *runs[0]);
    return {};
  }

  [[nodiscard]] bool wanted(const std::string& name) const {
    return request_.kernel.empty() || means(request_.kernel, name) ||
           readable(name).find(request_.kernel) != std::string::npos;
  }

  void take(Trial& trial, const Simulation& run) {
    double sum = 0;
    for (const std::string& name : counted_) {
      const auto at = run.kernels.find(name);
      if (at == run.kernels.end() || !at->second.refused.empty()) {
        trial.refused = at == run.kernels.end() ? "it is not launched" : at->second.refused;
        return;
      }
      sum += at->second.seconds;
    }
    trial.kernel_seconds = sum;
  }

  void add_knobs() {
    const analysis::KernelAnalysis& kernel = *sweep_.trials[0].kernel;
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

  Result<void> compile(Trial& trial, size_t index) {
    const Result<double> seconds = compiler_.compile(trial.knob, code_of(index));
    if (!seconds) return tl::unexpected(seconds.error());
    trial.seconds = *seconds;
    if (!own_program(trial.knob) || !sweep_.simulated) return {};
    std::vector<std::string> flags = request_.flags;
    flags.insert(flags.end(), trial.knob.flags.begin(), trial.knob.flags.end());
    return launcher_.build(request_.path, flags, index);
  }

  /// The kernel that was asked for, or the one that takes the most time, or the one with the most work in it.
  Result<void> analyse(Trial& trial, size_t index) {
    const auto file = read_file(code_of(index));
    if (!file) return tl::unexpected(file.error());
    const auto object = object::CodeObject::parse(*file);
    if (!object) return tl::unexpected(object.error());
    trial.code = hash_of_functions(*object);
    const std::string& name = name_.empty() ? costliest_ : name_;
    std::vector<const object::Kernel*> found;
    for (const object::Kernel& kernel : object->kernels())
      if (name.empty() ? wanted(kernel.name) : kernel.name == name) found.push_back(&kernel);
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
    // Of the others it matters only whether they are the same.
    for (const std::string& other : counted_)
      if (other != trial.kernel->name)
        if (const object::Kernel* const kernel = object->kernel(other))
          if (const auto analysed = analysis::analyse(*object, *kernel, *request_.gpu))
            trial.code = hash_of(*analysed, trial.code);
    return {};
  }

  /// Keeps a trial that is the fastest so far.
  void note_best(size_t index) {
    const Trial& trial = sweep_.trials[index];
    const std::optional<double> baseline = sweep_.trials[0].kernel_seconds;
    double time = trial.static_time;
    if (sweep_.simulated)
      time = trial.kernel_seconds && baseline && *baseline > 0 ? *trial.kernel_seconds / *baseline : 0;
    if (time <= 0 || time >= best_time_) return;
    best_time_ = time;
    best_ = fmt::format(", the best so far {:+.1f} % with {}", 100 * (time - 1), trial.knob.name);
  }

  /// Does `work(i)` for each index, several at once, and tells of it.
  void each(const std::vector<size_t>& indices, int jobs, const char* what,
            const std::function<void(size_t)>& work) {
    std::atomic<size_t> next = 0;
    std::mutex lock;
    size_t done = 0;
    const auto loop = [&] {
      for (size_t i = next++; i < indices.size(); i = next++) {
        work(indices[i]);
        const std::lock_guard guard(lock);
        note_best(indices[i]);
        progress_(fmt::format("{} of {} {}{}", ++done, indices.size(), what, best_));
      }
    };
    std::vector<std::thread> threads;
    for (int i = 1; i < std::min<int>(jobs, static_cast<int>(indices.size())); ++i)
      threads.emplace_back(loop);
    loop();
    for (std::thread& thread : threads) thread.join();
  }

  /// Trials from `first` on.
  void compile_all(size_t first) {
    std::vector<size_t> indices;
    for (size_t i = first; i < sweep_.trials.size(); ++i) indices.push_back(i);
    each(indices, request_.jobs, "compiled", [&](size_t i) {
      Trial& trial = sweep_.trials[i];
      Result<void> tried = compile(trial, i);
      if (tried) tried = analyse(trial, i);
      if (tried) {
        if (!sweep_.simulated) judge({&*sweep_.trials[0].kernel, request_.gpu}, trial, *request_.gpu);
        return;
      }
      const Error& error = tried.error();
      trial.failure = error.hint.empty() ? error.what : error.hint.substr(0, error.hint.find('\n'));
    });
  }

  /// Which trials have the code of one before.
  void compare_code() {
    for (uint32_t i = 0; i < sweep_.trials.size(); ++i) {
      Trial& trial = sweep_.trials[i];
      trial.same_as = i;
      if (!trial.kernel) continue;
      for (uint32_t j = 0; j < i && trial.same_as == i; ++j)
        if (const Trial& other = sweep_.trials[j]; other.kernel && other.same_as == j &&
                                                   other.code == trial.code && !own_program(trial.knob) &&
                                                   same_code(*other.kernel, *trial.kernel))
          trial.same_as = j;
    }
  }

  /// Runs those of the trials from `first` on that have code of their own: as many at once as there are
  /// threads.
  void simulate_all(size_t first) {
    if (!sweep_.simulated) return;
    std::vector<size_t> indices;
    for (size_t i = first; i < sweep_.trials.size(); ++i)
      if (sweep_.trials[i].kernel && sweep_.trials[i].same_as == i) indices.push_back(i);
    const int threads = static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
    const int jobs = std::clamp(static_cast<int>(indices.size()), 1, request_.jobs);
    each(indices, jobs, "simulated", [&](size_t i) {
      Trial& trial = sweep_.trials[i];
      const auto ran = launcher_.simulate(code_of(i), own_program(trial.knob) ? i : 0, i + 2,
                                          std::max(1, threads / jobs), limit_);
      if (!ran) {
        trial.refused = ran.error().text();
        return;
      }
      if (check_) trial.refused = check_->difference(*ran);
      trial.changed = !trial.refused.empty();
      if (!trial.changed) take(trial, *ran);
    });
    sweep_.simulations += indices.size();
  }

  void judge_all(size_t first) {
    const ComparedKernel baseline{&*sweep_.trials[0].kernel, request_.gpu};
    for (size_t i = first; i < sweep_.trials.size(); ++i) {
      Trial& trial = sweep_.trials[i];
      if (!trial.kernel || trial.same_as != i) continue;
      if (sweep_.simulated) judge(baseline, trial, *request_.gpu);  // otherwise judged already
      if (!sweep_.simulated)
        trial.time = trial.static_time;
      else if (trial.kernel_seconds && *sweep_.trials[0].kernel_seconds > 0)
        trial.time = *trial.kernel_seconds / *sweep_.trials[0].kernel_seconds;
    }
    sweep_.trials[0].time = sweep_.trials[0].static_time = 1;
  }

  /// The settings that help alone, the best first, each kept that helps beside those before.
  void combine() {
    constexpr double kHelps = 0.995;
    constexpr size_t kMost = 8;
    std::vector<uint32_t> helpful;
    for (uint32_t i = 1; i < sweep_.trials.size(); ++i)
      if (const Trial& trial = sweep_.trials[i];
          trial.kernel && trial.same_as == i && trial.time > 0 && trial.time < kHelps)
        helpful.push_back(i);
    std::ranges::sort(helpful, {}, [&](uint32_t i) { return sweep_.trials[i].time; });
    if (helpful.size() < 2) return;
    size_t best = helpful.front();
    std::set<std::string> groups{sweep_.trials[best].knob.group};
    for (size_t k = 1; k < helpful.size() && sweep_.combinations < kMost; ++k) {
      const Knob& more = sweep_.trials[helpful[k]].knob;
      if (groups.contains(more.group)) continue;
      Trial trial;
      trial.knob = both(sweep_.trials[best].knob, more);
      const std::string group = more.group;
      sweep_.trials.push_back(std::move(trial));
      ++sweep_.combinations;
      const size_t now = sweep_.trials.size() - 1;
      compile_all(now);
      compare_code();
      simulate_all(now);
      judge_all(now);
      const Trial& made = sweep_.trials[now];
      if (made.time > 0 && made.same_as == now && made.time < sweep_.trials[best].time * 0.999) {
        best = now;
        groups.insert(group);
      }
    }
  }

  void rank() {
    for (uint32_t i = 0; i < sweep_.trials.size(); ++i) {
      const Trial& trial = sweep_.trials[i];
      if (!trial.kernel)
        sweep_.failed.push_back(i);
      else if (i > 0 && trial.same_as == 0)
        sweep_.idle.push_back(i);
      else if (trial.changed)
        sweep_.changed.push_back(i);
      else if (trial.same_as == i)
        sweep_.ranked.push_back(i);
    }
    const auto key = [&](uint32_t i) {
      const Trial& trial = sweep_.trials[i];
      const analysis::KernelAnalysis& kernel = *trial.kernel;
      // What can't be judged comes last; then the time, spills, occupancy, size.
      return std::tuple(trial.time > 0 ? std::round(trial.time * 1e4) : 1e9,
                        kernel.resources.vgpr_spills + kernel.resources.scratch_bytes,
                        -static_cast<int>(kernel.occupancy.now.waves_per_simd), kernel.mix.total, i);
    };
    std::sort(sweep_.ranked.begin(), sweep_.ranked.end(),
              [&](uint32_t a, uint32_t b) { return key(a) < key(b); });
  }

  const SweepRequest& request_;
  const std::function<void(const std::string&)>& progress_;
  const wavesmith::Scratch scratch_{"sweep"};
  KnobCompiler compiler_;
  KnobLauncher launcher_;
  std::string name_, costliest_;
  double best_time_ = 1;
  std::string best_;  ///< for people: the fastest trial so far; empty: none is faster than the baseline
  std::vector<std::string> counted_;  ///< kernels whose times are added up
  std::optional<OutputCheck> check_;
  double limit_ = 0;  ///< seconds after which a kernel is stopped
  Sweep sweep_;
};

}  // namespace

Result<Sweep> sweep(const SweepRequest& request, const std::function<void(const std::string&)>& progress) {
  return Sweeper(request, progress).run();
}

}  // namespace wavesmith::study
