#include "timing/kernel_profile.h"

#include <algorithm>
#include <string_view>

#include "timing/grid/bound.h"
#include "timing/grid/engine_clock.h"
#include "timing/memory/parameters.h"

namespace wavesmith::timing {
namespace {

double share(double part, double whole) { return whole > 0 ? part / whole : 0; }

std::string_view mnemonic(const Op& op) { return std::string_view(op.text).substr(0, op.text.find(' ')); }

/// Matrix work of the grid by what costs power.
gpus::Activity work_of(const LaunchProfile& launch) {
  double sum = 0;
  for (uint32_t i = 0; i < launch.ops->size(); ++i)
    sum += (*launch.ops)[i].flops * static_cast<double>(launch.unit.ops[i].hits);
  gpus::Activity work;
  if (sum <= 0) return work;
  for (uint32_t i = 0; i < launch.ops->size(); ++i)
    if (const Op& op = (*launch.ops)[i]; op.flops > 0)
      add_matrix_work(work, mnemonic(op),
                      op.flops * static_cast<double>(launch.unit.ops[i].hits) / sum * launch.flops,
                      op.cost.issue);
  return work;
}

/// Turns one launch's replay into the profile of its kernel.
class Summary {
 public:
  Summary(const gpus::Gpu& gpu, const LaunchProfile& launch) : gpu_(gpu), launch_(launch) {
    out_.grid = launch.grid.extent;
    out_.waves_per_workgroup = launch.grid.waves;
    out_.workgroups_per_unit = launch.grid.resident;
    out_.sample = launch.sample.why;
    out_.refused = launch.refused;
    out_.want_whole = launch.want_whole;
    out_.notes = launch.notes;
  }

  KernelProfile make(const std::function<std::string(uint64_t)>& locate, bool timeline) {
    if (!out_.has_time()) return std::move(out_);
    time();
    pipes();
    stalls();
    memory();
    bound();
    const std::vector<uint32_t> order = executed();
    instructions(order, locate);
    if (timeline) this->timeline(order);
    return std::move(out_);
  }

 private:
  void time() {
    const UnitProfile& unit = launch_.unit;
    const EngineClock clock = engine_clock(gpu_, work_of(launch_), launch_.cycles);
    out_.cycles = launch_.cycles;
    out_.clock_mhz = clock.mhz;
    out_.clock_limited_by_power = clock.limited;
    out_.clock_why = clock.why;
    out_.clock_tag = gpus::name_of(clock.kind);
    out_.seconds = launch_.cycles / (clock.mhz * 1e6);
    out_.units = launch_.units;
    out_.cycles_per_workgroup = launch_.pace;
    out_.wave_instructions = launch_.wave_instructions;
    out_.matrix_flops = launch_.flops;
    out_.matrix_tflops = share(launch_.flops, out_.seconds) / 1e12;
    out_.replay = {unit.cycles, unit.waves, unit.groups, launch_.replayed, launch_.host_seconds};
    out_.instructions_per_cycle = static_cast<double>(unit.instructions) / cycles_;
  }

  void pipes() {
    for (size_t i = 0; i < isa::kPipes; ++i) {
      const auto pipe = static_cast<isa::Pipe>(i);
      if (launch_.unit.issued[i] == 0) continue;
      const double busy = static_cast<double>(launch_.unit.busy[i]) / cycles_ / units_of(pipe, gpu_);
      out_.pipes.push_back({pipe, launch_.unit.issued[i], std::min(1.0, busy)});
    }
  }

  void stalls() {
    const UnitProfile& unit = launch_.unit;
    const double simd_cycles = cycles_ * std::max(1u, gpu_.simds_per_unit);
    const auto add = [&](std::string_view cause, double stalled, double exposed) {
      out_.exposed_share += exposed / simd_cycles;
      out_.stalls.push_back(
          {std::string(cause), stalled, exposed, std::max(0.0, stalled - exposed), exposed / simd_cycles});
    };
    for (size_t i = 1; i < kCauses; ++i)
      if (unit.stalled[i] != 0 || unit.exposed[i] != 0)
        add(name_of(static_cast<Cause>(i)), static_cast<double>(unit.stalled[i]),
            static_cast<double>(unit.exposed[i]));
    if (unit.empty) add("no wave", 0, static_cast<double>(unit.empty));
    std::ranges::sort(out_.stalls, std::greater(), &KernelProfile::Stall::exposed);
  }

  void memory() {
    const MemoryCounts& m = launch_.memory;
    const auto loads = static_cast<double>(m.l1_hits + m.l1_misses);
    const double behind = m.l2_hits + m.infinity_cache_hits + m.memory_lines;
    out_.lds = {
        launch_.unit.lds_cycles, launch_.unit.lds_conflicts,
        share(static_cast<double>(launch_.unit.lds_conflicts), static_cast<double>(launch_.unit.lds_cycles))};
    out_.memory = {.l1_hit_rate = share(static_cast<double>(m.l1_hits), loads),
                   .l2_hit_rate = share(m.l2_hits, behind),
                   .infinity_cache_lines = m.infinity_cache_hits,
                   .memory_lines = m.memory_lines,
                   .l1_requests = loads,
                   .l2_requests = behind,
                   .line_bytes = gpu_.l1_line_bytes,
                   .grid_bytes = launch_.grid_bytes,
                   .grid_bytes_per_second = share(launch_.grid_bytes, out_.seconds),
                   .peak_bytes_per_second = gpu_.memory_gigabytes_per_second * 1e9};
  }

  void bound() {
    std::vector<BoundEvidence::PipeShare> busy;
    for (const KernelProfile::PipeUse& use : out_.pipes)
      if (use.pipe != isa::Pipe::Internal) busy.push_back({use.pipe, use.utilisation});
    std::vector<BoundEvidence::CauseShare> causes;
    for (const KernelProfile::Stall& stall : out_.stalls)
      causes.push_back({stall.cause, stall.exposed_share});
    const double reached =
        gpu_.sustained_memory ? *gpu_.sustained_memory * 1e9 : out_.memory.peak_bytes_per_second;
    const double way = launch_.memory.l2_bytes / memory_parameters(gpu_).unit_rate;
    const Verdict verdict = bound_of({.pipes = busy,
                                      .causes = causes,
                                      .nothing_issued = out_.exposed_share,
                                      .memory = share(out_.memory.grid_bytes_per_second, reached),
                                      .way_to_l2 = std::min(1.0, share(way, cycles_)),
                                      .units = launch_.units,
                                      .units_of_gpu = gpu_.compute_units});
    out_.bound = name_of(verdict.bound);
    out_.bound_why = verdict.why;
  }

  /// The instructions that were executed, by their numbers in the launch, by pc.
  [[nodiscard]] std::vector<uint32_t> executed() const {
    std::vector<uint32_t> order;
    for (uint32_t i = 0; i < launch_.ops->size(); ++i)
      if (launch_.unit.ops[i].hits) order.push_back(i);
    std::ranges::sort(order, {}, [&](uint32_t i) { return (*launch_.ops)[i].pc; });
    return order;
  }

  void instructions(const std::vector<uint32_t>& order, const std::function<std::string(uint64_t)>& locate) {
    const uint64_t first = order.empty() ? 0 : (*launch_.ops)[order.front()].pc;
    for (const uint32_t i : order) {
      const Op& op = (*launch_.ops)[i];
      const OpTime& time = launch_.unit.ops[i];
      KernelProfile::Instruction one{.offset = op.pc - first,
                                     .text = op.text,
                                     .pipe = op.cost.pipe,
                                     .hits = time.hits,
                                     .latency = time.latency,
                                     .stall = time.stall,
                                     .idle = time.idle,
                                     .causes = {},
                                     .source = locate ? locate(op.pc) : std::string()};
      for (size_t cause = 1; cause < kCauses; ++cause)
        if (time.by_cause[cause])
          one.causes.emplace_back(name_of(static_cast<Cause>(cause)), time.by_cause[cause]);
      out_.instructions.push_back(std::move(one));
    }
  }

  void timeline(const std::vector<uint32_t>& order) {
    std::vector<uint32_t> number(launch_.ops->size());
    for (uint32_t i = 0; i < order.size(); ++i) number[order[i]] = i;
    KernelProfile::Timeline& timeline = out_.timeline.emplace();
    for (size_t cause = 0; cause < kCauses; ++cause)
      timeline.causes.emplace_back(cause ? name_of(static_cast<Cause>(cause)) : "");
    for (const IssueEvent& event : launch_.unit.events)
      timeline.events.push_back({event.wave, event.simd, event.reached, event.issued, number[event.op],
                                 static_cast<uint32_t>(event.cause)});
  }

  const gpus::Gpu& gpu_;
  const LaunchProfile& launch_;
  const double cycles_ = static_cast<double>(std::max<uint64_t>(1, launch_.unit.cycles));
  KernelProfile out_;
};

}  // namespace

std::string KernelProfile::Instruction::main_cause() const {
  const auto most = std::ranges::max_element(causes, {}, &std::pair<std::string, uint64_t>::second);
  return most == causes.end() || most->second == 0 ? std::string() : most->first;
}

std::string KernelProfile::Timeline::wait(const Event& event) const {
  return event.cause < causes.size() && !causes[event.cause].empty() ? causes[event.cause] : "wait";
}

double KernelProfile::utilisation(isa::Pipe pipe) const {
  const auto found = std::ranges::find(pipes, pipe, &PipeUse::pipe);
  return found == pipes.end() ? 0 : found->utilisation;
}

std::vector<const KernelProfile*> ProgramProfile::costliest_first() const {
  std::vector<const KernelProfile*> order;
  for (const KernelProfile& kernel : kernels) order.push_back(&kernel);
  // Of equal ones the first comes first, as it does in memory.
  std::ranges::sort(order, {},
                    [](const KernelProfile* kernel) { return std::pair(-kernel->total_seconds(), kernel); });
  return order;
}

KernelProfile kernel_profile(const gpus::Gpu& gpu, const LaunchProfile& launch,
                             const std::function<std::string(uint64_t)>& locate, bool timeline) {
  return Summary(gpu, launch).make(locate, timeline);
}

}  // namespace wavesmith::timing
