#include "study/sweep/knobs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <set>
#include <span>

namespace wavesmith::study {
namespace {

Knob option(std::string group, std::string name, const std::string& option, std::string what) {
  return {std::move(group), std::move(name), {"-mllvm", option}, {}, std::move(what)};
}

// Names as of LLVM 22: `llc -mtriple=amdgcn --help-hidden`, and AMDGPUUsage, "AMDGPU Attributes".

/// A knob that is one option of LLVM's code generator.
struct Option {
  const char *group, *name, *option, *what;
};

constexpr Option kScheduling[] = {
    {"scheduler", "max-ilp", "-amdgpu-sched-strategy=max-ilp",
     "independent instructions apart, occupancy second"},
    {"scheduler", "max-memory-clause", "-amdgpu-sched-strategy=max-memory-clause", "loads together"},
    {"scheduler", "iterative-ilp", "-amdgpu-sched-strategy=iterative-ilp",
     "the iterative scheduler, for parallelism"},
    {"scheduler", "iterative-minreg", "-amdgpu-sched-strategy=iterative-minreg",
     "the iterative scheduler, for few registers"},
    {"scheduler", "iterative-maxocc", "-amdgpu-sched-strategy=iterative-maxocc",
     "the iterative scheduler, for occupancy"},
    {"scheduler", "no-scheduler", "-enable-misched=0", "no scheduling before registers are given"},
    {"metric", "metric-bias=0", "-amdgpu-schedule-metric-bias=0", "latency alone counts"},
    {"metric", "metric-bias=100", "-amdgpu-schedule-metric-bias=100", "occupancy alone counts"},
    {"occupancy", "relaxed-occupancy", "-amdgpu-schedule-relaxed-occupancy",
     "lower occupancy where memory bounds"},
    {"trackers", "amdgpu-trackers", "-amdgpu-use-amdgpu-trackers", "pressure as the target counts it"},
    {"pending", "no-pending-limit", "-amdgpu-scheduler-pending-queue-limit=0",
     "no look at instructions that are not ready"},
    {"reschedule", "no-unclustered-reschedule", "-amdgpu-disable-unclustered-high-rp-reschedule",
     "one stage less"},
    {"reschedule", "no-clustered-reschedule", "-amdgpu-disable-clustered-low-occupancy-reschedule",
     "one stage less"},
    {"igrouplp", "igrouplp-exact", "-amdgpu-igrouplp-exact-solver",
     "the exact solver for sched_group_barrier; slow"},
    {"cluster", "no-clusters", "-misched-cluster=0", "memory accesses are not kept together"},
    {"post", "no-post-scheduler", "-enable-post-misched=0", "no scheduling after registers are given"},
    {"priority", "wave-priority", "-amdgpu-set-wave-priority", "s_setprio around loads"},
    {"clause", "memory-clause=4", "-amdgpu-max-memory-clause=4", "at most 4 loads together"},
};

constexpr Option kCodeGeneration[] = {
    {"allocator", "basic-allocator", "-vgpr-regalloc=basic", "a simpler allocator of VGPRs"},
    {"liverange", "no-vgpr-liverange", "-amdgpu-opt-vgpr-liverange=0",
     "registers are not shared by both sides of a branch"},
    {"rewrite", "no-partial-rewrite", "-amdgpu-enable-rewrite-partial-reg-uses=0",
     "unused parts of register tuples stay"},
    {"sink", "sink-against-spills", "-sink-insts-to-avoid-spills", "values are made where they are used"},
    {"preload", "kernarg-preload=16", "-amdgpu-kernarg-preload-count=16",
     "arguments arrive in SGPRs, where the GPU can"},
    {"exec", "no-exec-mask-opt", "-amdgpu-opt-exec-mask-pre-ra=0", "EXEC masks as they are"},
    {"alias", "no-alias-analysis", "-amdgpu-use-aa-in-codegen=0", "loads and stores keep their order"},
    {"vectorizer", "no-load-vectorizer", "-amdgpu-load-store-vectorizer=0",
     "loads and stores are not joined"},
    {"ifcvt", "early-if-conversion", "-amdgpu-early-ifcvt", "short branches become selects"},
    {"uniform", "skip-uniform-regions", "-structurizecfg-skip-uniform-regions",
     "uniform branches stay branches"},
    {"prefetch", "loop-prefetch", "-amdgpu-loop-prefetch", "data prefetch in loops"},
    {"inline", "inline-all", "-amdgpu-early-inline-all", "no calls are left"},
};

constexpr Option kUnrolling[] = {
    {"unroll", "unroll-threshold=2000", "-unroll-threshold=2000", "larger bodies are unrolled"},
    {"unroll", "unroll-local=4000", "-amdgpu-unroll-threshold-local=4000",
     "loops over LDS are unrolled further"},
    {"unroll", "unroll-private=8000", "-amdgpu-unroll-threshold-private=8000",
     "loops over private arrays are unrolled further"},
};

/// Of targets with accumulation registers.
constexpr Option kMatrix[] = {
    {"mfma", "mfma-vgpr-form", "-amdgpu-mfma-vgpr-form", "MFMA accumulates in VGPRs"},
    {"mfma", "mfma-vgpr-form=0", "-amdgpu-mfma-vgpr-form=0", "MFMA accumulates in AGPRs"},
    {"padding", "mfma-padding=50", "-amdgpu-mfma-padding-ratio=50", "s_nop between MFMAs"},
    {"sdwa", "no-sdwa", "-amdgpu-sdwa-peephole=0", "no SDWA forms"},
};

/// Of targets that choose between waves of 32 and 64 lanes.
constexpr Option kWaveSize[] = {
    {"vopd", "no-dual-issue", "-amdgpu-enable-vopd=0", "no VOPD instructions"},
    {"delay", "no-delay-alu", "-amdgpu-enable-delay-alu=0", "no s_delay_alu"},
    {"expert", "expert-scheduling", "-amdgpu-expert-scheduling-mode",
     "the compiler keeps the hazards; RDNA 4"},
};

void add(std::vector<Knob>& all, std::span<const Option> options) {
  for (const Option& each : options) all.push_back(option(each.group, each.name, each.option, each.what));
}

}  // namespace

std::string Knob::how() const {
  std::string text;
  for (const auto& [attribute, value] : attributes)
    text += fmt::format(
        "{}__attribute__(({}({})))", text.empty() ? "" : " ",
        attribute == "amdgpu-waves-per-eu" ? "amdgpu_waves_per_eu" : "amdgpu_flat_work_group_size", value);
  return text + fmt::format("{}{}", text.empty() || flags.empty() ? "" : " ", fmt::join(flags, " "));
}

Knob both(const Knob& a, const Knob& b) {
  Knob knob = a;
  knob.group += "+" + b.group;
  knob.name += " + " + b.name;
  knob.flags.insert(knob.flags.end(), b.flags.begin(), b.flags.end());
  knob.attributes.insert(knob.attributes.end(), b.attributes.begin(), b.attributes.end());
  knob.what += "; " + b.what;
  return knob;
}

std::vector<Knob> knobs(const KnobContext& context) {
  std::vector<Knob> all;
  for (uint32_t waves = 1; waves <= context.most_waves; ++waves)
    all.push_back({"waves",
                   fmt::format("waves-per-eu={}", waves),
                   {},
                   {{"amdgpu-waves-per-eu", fmt::format("{0},{0}", waves)}},
                   fmt::format("registers for just {} waves per SIMD", waves)});
  for (uint32_t size = 64; size < context.workgroup; size *= 2)
    all.push_back({"workgroup",
                   fmt::format("workgroup={}", size),
                   {},
                   {{"amdgpu-flat-work-group-size", fmt::format("1,{}", size)}},
                   fmt::format("launches of more than {} work-items fail", size)});
  add(all, kScheduling);
  add(all, kCodeGeneration);
  all.push_back(
      {"unroll", "no-unroll", {"-fno-unroll-loops"}, {}, "loops stay rolled unless a pragma says so"});
  for (const int count : {2, 4, 8})
    all.push_back(option("unroll", fmt::format("unroll={}", count), fmt::format("-unroll-count={}", count),
                         "every loop that can be is unrolled so often"));
  add(all, kUnrolling);
  all.push_back({"level", "O2", {"-O2"}, {}, "in place of -O3"});
  all.push_back({"slp", "no-slp", {"-fno-slp-vectorize"}, {}, "no packed arithmetic made from scalar code"});
  if (context.accumulators) add(all, kMatrix);
  if (context.chooses_wave_size) {
    add(all, kWaveSize);
    all.push_back({"mode", "cu-mode", {"-mcumode"}, {}, "a workgroup stays on one compute unit"});
  }
  return all;
}

std::string with_attribute(std::string_view ir, std::string_view attribute, std::string_view value) {
  // The groups of attributes that kernels name: "define amdgpu_kernel void @f(...) #5 {".
  std::set<std::string> groups;
  for (size_t at = 0; at < ir.size();) {
    const size_t end = std::min(ir.find('\n', at), ir.size());
    const std::string_view line = ir.substr(at, end - at);
    if (line.starts_with("define ") && line.find("amdgpu_kernel ") != line.npos)
      for (size_t hash = line.rfind(") "); hash != line.npos && (hash = line.find('#', hash)) != line.npos;
           ++hash) {
        const size_t digits = std::min(line.find_first_not_of("0123456789", hash + 1), line.size());
        if (digits > hash + 1) groups.insert(std::string(line.substr(hash, digits - hash)));
      }
    at = end + 1;
  }
  std::string out;
  out.reserve(ir.size() + 256);
  const std::string name = fmt::format("\"{}\"=", attribute),
                    setting = fmt::format("\"{}\"=\"{}\"", attribute, value);
  for (size_t at = 0; at < ir.size();) {
    const size_t end = std::min(ir.find('\n', at), ir.size());
    std::string line(ir.substr(at, end - at));
    at = end + 1;
    const size_t space = line.starts_with("attributes #") ? line.find(' ', 11) : line.npos;
    if (space != line.npos && groups.contains(line.substr(11, space - 11))) {
      const size_t old = line.find(name);
      if (old != line.npos) {
        const size_t close = line.find('"', line.find('"', old + name.size()) + 1);
        if (close != line.npos) line.replace(old, close + 1 - old, setting);
      } else if (const size_t brace = line.rfind('}'); brace != line.npos) {
        line.insert(brace, setting + " ");
      }
    }
    out += line;
    if (end < ir.size()) out += '\n';
  }
  return out;
}

}  // namespace wavesmith::study
