#include "analysis/analyse.h"

#include <algorithm>
#include <unordered_map>

#include <fmt/format.h>

#include "analysis/code.h"
#include "analysis/estimate/cycles.h"
#include "analysis/estimate/mix.h"
#include "analysis/estimate/occupancy.h"
#include "analysis/estimate/waits.h"
#include "analysis/graph.h"
#include "analysis/kernel.h"
#include "analysis/liveness.h"
#include "analysis/rule.h"
#include "analysis/values/accesses.h"
#include "analysis/values/exec.h"
#include "analysis/values/late_blocks.h"
#include "isa/llvm/demangle.h"
#include "isa/llvm/source_lines.h"

namespace wavesmith::analysis {
namespace {

Result<Code> code_of(const object::CodeObject& object, uint64_t entry, const isa::Target& target, int lanes) {
  for (const object::Segment& segment : object.segments()) {
    if (!segment.executable || entry < segment.address || entry - segment.address >= segment.file_size)
      continue;
    return read_code(target, lanes, object.at(segment.address, segment.file_size), segment.address, entry);
  }
  return fail(ErrorKind::BadInput, "the kernel's entry lies outside of the code",
              fmt::format("pc {:#x}", entry));
}

void add_source_lines(const object::CodeObject& object, KernelAnalysis& kernel) {
  const isa::SourceLines lines(object.file());
  std::unordered_map<std::string, uint32_t> numbers;
  for (Instruction& instruction : kernel.instructions) {
    const auto at = lines.at(instruction.pc);
    if (!at) continue;
    const auto [found, added] = numbers.try_emplace(at->file, static_cast<uint32_t>(kernel.files.size()));
    if (added) kernel.files.push_back(at->file);
    instruction.source = {found->second, at->line, at->column};
  }
}

/// What the hardware writes before a wave begins: the work-item's number in v0 (all three packed, on every
/// target here), arguments and workgroup numbers in the first SGPRs. Source: LLVM, "User Guide for AMDGPU
/// Backend", "Initial Kernel Execution State".
RegisterSet entry_registers(const object::Kernel& kernel) {
  RegisterSet set;
  set.add(reg::kVgpr);
  set.add(reg::kExec);
  set.add(reg::kExec + 1);
  const object::Descriptor& d = kernel.fields;
  uint32_t sgprs = d.user_sgprs() + d.workgroup_info() + d.private_segment();
  for (const int axis : {0, 1, 2}) sgprs += d.workgroup_id(axis);
  for (uint32_t i = 0; i < sgprs && i < 106; ++i) set.add(static_cast<uint16_t>(reg::kSgpr + i));
  for (uint16_t i = 0; i < 16; ++i) set.add(reg::kTtmp + i);
  return set;
}

/// The instruction of `range` where the most VGPRs and AGPRs are live, and the most of each kind.
void add_peak(const KernelAnalysis& kernel, const Block& block, Registers& peak, uint32_t& at) {
  for (uint32_t i = block.begin; i < block.end; ++i) {
    const Registers& live = kernel.instructions[i].live;
    const auto both = [](const Registers& r) { return r.vgprs + r.agprs; };
    if (at == kNone || both(live) > both(kernel.instructions[at].live)) at = i;
    peak = {std::max(peak.vgprs, live.vgprs), std::max(peak.agprs, live.agprs),
            std::max(peak.sgprs, live.sgprs)};
  }
}

/// Cycles of waits in a pass through `blocks` that its own instructions do not fill, a wave alone. What one
/// wait took is gained by loads that were issued before it and are waited for behind it.
double exposed_in(const KernelAnalysis& kernel, const Code& code, const std::vector<uint32_t>& blocks,
                  const gpus::Gpu& gpu, ServedBy by) {
  double total = 0;
  std::vector<std::pair<uint32_t, double>> passed;  // waits, and what they took
  for (const Wait& wait : kernel.waits) {
    const uint32_t block = kernel.instructions[wait.instruction].block;
    if (!std::ranges::binary_search(blocks, block) || wait.for_.empty() || !wait.slack.value) continue;
    const uint32_t from = wait.for_.front();
    // What was loaded before the loop is waited for in the first pass alone.
    if (!std::ranges::binary_search(blocks, kernel.instructions[from].block)) continue;
    double slack = *wait.slack.value;
    for (const auto& [at, took] : passed)
      if (from < wait.instruction ? at > from : true) slack += took;
    const double took = load_latency(code, from, gpu, by) - slack;
    if (took <= 0) continue;
    passed.emplace_back(wait.instruction, took);
    total += took;
  }
  return total;
}

void describe_loop(const KernelAnalysis& kernel, Loop& loop) {
  loop.begin_pc = UINT64_MAX;
  const SourceLine header = kernel.instructions[kernel.blocks[loop.header].begin].source;
  for (const uint32_t b : loop.blocks) {
    const Block& block = kernel.blocks[b];
    for (uint32_t i = block.begin; i < block.end; ++i) {
      const Instruction& instruction = kernel.instructions[i];
      loop.begin_pc = std::min(loop.begin_pc, instruction.pc);
      loop.end_pc = std::max(loop.end_pc, instruction.pc + instruction.size);
      loop.bytes += instruction.size;
      const SourceLine& line = instruction.source;
      if (!line.known() || (header.known() && line.file != header.file)) continue;
      if (!loop.first_line.known() || line.line < loop.first_line.line) loop.first_line = line;
      if (!loop.last_line.known() || line.line > loop.last_line.line) loop.last_line = line;
    }
  }
}

}  // namespace

void describe_code(const Code& code, const Graph& graph, KernelAnalysis& out) {
  out.instructions.resize(code.size());
  for (uint32_t i = 0; i < code.size(); ++i) {
    const isa::Instruction& in = code.instructions[i];
    Instruction& instruction = out.instructions[i];
    instruction.pc = in.pc;
    instruction.size = in.size;
    instruction.text = in.text;
    instruction.mnemonic = in.mnemonic;
    instruction.pipe = isa::pipe_of(in, code.rows[i]);
    instruction.block = graph.block_of[i];
    instruction.loop = graph.blocks[instruction.block].loop;
    const auto edge = code.edges.find(i);
    instruction.clobbers_unknown = edge != code.edges.end() && (edge->second.kind == Edge::Kind::Call ||
                                                                code.flow[i] == isa::Flow::IndirectCall);
    out.resources.code_bytes += in.size;
  }
  out.unknown = code.unknown;
  out.unknown.insert(out.unknown.end(), graph.unknown.begin(), graph.unknown.end());
  out.functions = graph.functions;
  out.blocks = graph.blocks;
  out.loops = graph.loops;
}

void complete(const Code& code, const Graph& graph, const gpus::Gpu& gpu, const Options& options,
              const RegisterSet& entry, const WorkgroupShape& shape, KernelAnalysis& out,
              const EntryValues& begin) {
  out.served_by = options.served_by;
  const ExecSets exec = follow_exec(code, graph);
  const Liveness live = find_live(code, graph, exec, entry);
  LaneValues lanes(code, graph, exec, shape);
  std::optional<LaneValues> of_first_wave;
  const auto first_wave = [&]() -> const LaneValues& {
    WorkgroupShape first = shape;
    first.first_wave = true;
    if (!of_first_wave) of_first_wave.emplace(code, graph, exec, first);
    return *of_first_wave;
  };
  out.accesses = find_accesses(code, lanes, first_wave, gpu);
  // Triton and its like state no LDS in the object and ask for it at launch, beside what HIP's metadata know.
  if (out.resources.lds_bytes == 0)
    out.resources.dynamic_lds |=
        std::any_of(out.accesses.begin(), out.accesses.end(),
                    [](const AccessPattern& access) { return access.space == isa::Space::Lds; });
  const Costs costs = find_costs(code, graph, gpu, out.accesses);
  for (uint32_t i = 0; i < code.size(); ++i) {
    out.instructions[i].live = live.occupied[i];
    out.instructions[i].issue_cycles =
        static_cast<float>(std::max<double>(costs.of[i].issue, costs.data_cycles[i]));
    out.instructions[i].latency = costs.of[i].result;
  }
  out.waits = find_waits(code, graph, costs);
  find_trips(code, graph, begin, out.loops);
  find_usual_blocks(code, graph, begin, out.loops);
  for (Loop& loop : out.loops) {
    describe_loop(out, loop);
    loop.mix = mix_of(code, out.blocks, loop.usual_blocks);
    const auto pass = [&](const std::vector<uint32_t>& blocks) {
      Cycles cycles = cycles_of(code, graph, gpu, costs, blocks);
      cycles.exposed = exposed_in(out, code, blocks, gpu, options.served_by);
      if (gpu.memory_cycles) cycles.exposed_memory = exposed_in(out, code, blocks, gpu, ServedBy::Memory);
      add_memory(cycles, blocks, graph.block_of, out.accesses, gpu, options.served_by);
      return cycles;
    };
    loop.cycles = pass(loop.usual_blocks);
    for (const uint32_t b : loop.usual_blocks)
      if (std::ranges::all_of(loop.latches, [&](uint32_t latch) { return dominates(graph, b, latch); }))
        loop.sure_blocks.push_back(b);
    loop.sure_cycles = loop.sure_blocks == loop.usual_blocks ? loop.cycles : pass(loop.sure_blocks);
    for (const uint32_t b : loop.blocks) add_peak(out, out.blocks[b], loop.live_peak, loop.live_peak_at);
  }
  std::vector<uint32_t> outside;
  for (uint32_t b = 0; b < out.blocks.size(); ++b)
    if (out.blocks[b].loop == kNone) outside.push_back(b);
  if (!outside.empty()) {
    out.outside = cycles_of(code, graph, gpu, costs, outside, Repeated::No);
    add_memory(out.outside, outside, graph.block_of, out.accesses, gpu, options.served_by);
  }
  for (const Block& block : out.blocks) add_peak(out, block, out.live_peak, out.live_peak_at);
  out.mix = mix_of(code, out.blocks, {});
  out.occupancy = occupancy_of(out.resources, gpu, options);
  out.findings = find_all({out, code, graph, costs, gpu, lanes});
}

const gpus::Gpu* usual_gpu(std::string_view target) {
  target = target.substr(0, target.find(':'));
  for (const gpus::Gpu* const gpu : gpus::usual_first())
    if (gpu->target == target) return gpu;
  return nullptr;
}

Result<KernelAnalysis> analyse(const object::CodeObject& object, const object::Kernel& kernel,
                               const gpus::Gpu& gpu, const Options& options) {
  const isa::Target* const target = isa::find_target(gpu.target);
  object::TargetId machine;
  machine.processor = gpu.target;
  object::TargetId code_target = object.target();
  code_target.sramecc = code_target.xnack = object::Setting::Any;
  if (!target || !object::suitability(code_target, machine))
    return fail(ErrorKind::WrongTarget, fmt::format("'{}' is code for {}, and {} runs {}", kernel.name,
                                                    object.target().processor, gpu.id, gpu.target));
  KernelAnalysis out;
  out.name = kernel.name;
  out.target = gpu.target;
  out.gpu = gpu.id;
  out.resources = resources_of(kernel, *target, gpu, options);
  const auto code = code_of(object, kernel.entry(), *target, static_cast<int>(out.resources.wave_size));
  if (!code) return tl::unexpected(code.error());
  const Graph graph = make_graph(*code);
  describe_code(*code, graph, out);
  if (options.source_lines) add_source_lines(object, out);
  for (Function& function : out.functions) {
    const object::Routine* const routine = object.routine_at(function.pc);
    function.name = routine ? routine->name : fmt::format("{:#x}", function.pc);
  }
  WorkgroupShape shape{kernel.fields.workitem_id() == 0, {}};
  for (size_t axis = 0; axis < 3; ++axis) shape.size[axis] = kernel.required_workgroup_size[axis];
  complete(*code, graph, gpu, options, entry_registers(kernel), shape, out, entry_values(kernel, *target));
  return out;
}

}  // namespace wavesmith::analysis
