#include "study/explained.h"

#include "study/names.h"

namespace wavesmith::study {
namespace {

using analysis::kNone;
using nlohmann::ordered_json;

ordered_json json_of(const analysis::Figure& figure) {
  ordered_json out{{"value", figure.value ? ordered_json(*figure.value) : ordered_json()},
                   {"tag", gpus::name_of(figure.tag)}};
  if (!figure.value) out["unknown_because"] = figure.unknown_because;
  return out;
}

ordered_json index(uint32_t value) { return value == kNone ? ordered_json() : ordered_json(value); }

ordered_json json_of(const analysis::Registers& r) {
  return {{"vgprs", r.vgprs}, {"agprs", r.agprs}, {"sgprs", r.sgprs}};
}

ordered_json line_of(const analysis::KernelAnalysis& kernel, const analysis::SourceLine& line) {
  if (!line.known() || line.file >= kernel.files.size()) return {};
  return {{"file", kernel.files[line.file]}, {"line", line.line}, {"column", line.column}};
}

ordered_json json_of(const analysis::Mix& mix) {
  ordered_json out{{"total", mix.total},
                   {"scratch", mix.scratch},
                   {"doubles", mix.doubles},
                   {"barriers", mix.barriers},
                   {"matrix_operations", mix.matrix_operations},
                   {"vector_operations", mix.vector_operations},
                   {"load_bytes", mix.load_bytes},
                   {"store_bytes", mix.store_bytes},
                   {"lds_load_bytes", mix.lds_load_bytes},
                   {"lds_store_bytes", mix.lds_store_bytes}};
  for (size_t i = 0; i < mix.count.size(); ++i)
    if (mix.count[i] > 0) out["pipes"][std::string(isa::name_of(static_cast<isa::Pipe>(i)))] = mix.count[i];
  return out;
}

ordered_json json_of(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop) {
  ordered_json cycles{{"tag", "modelled"}};
  if (!loop.cycles.unknown_because.empty()) cycles["unknown_because"] = loop.cycles.unknown_because;
  if (const auto time = loop_time(kernel, loop)) {
    cycles["issue"] = loop.cycles.issue;
    cycles["latency"] = loop.cycles.latency;
    cycles["one_wave"] = loop.cycles.one_wave;
    cycles["throughput"] = loop.cycles.throughput;
    cycles["exposed"] = loop.cycles.exposed;
    cycles["load_bytes"] = loop.cycles.load_bytes;
    cycles["accesses_of_unknown_addresses"] = loop.cycles.unknown_accesses;
    cycles["store_bytes"] = loop.cycles.store_bytes;
    if (loop.cycles.l2 > 0) cycles["from_l2"] = loop.cycles.l2;
    if (loop.cycles.memory > 0) cycles["from_memory"] = loop.cycles.memory;
    cycles["at_this_occupancy"] = time->cycles;
    if (const auto shortest = study::shortest_pass(kernel, loop)) cycles["shortest_pass"] = *shortest;
    cycles["latency_bound"] = time->latency_bound;
    cycles["memory_bound"] = time->memory_bound;
    cycles["bound"] = isa::name_of(loop.cycles.bound);
    cycles["bound_text"] = bound_of(kernel, loop).text;
    for (const auto& [pipe, busy] : busiest(loop.cycles))
      cycles["pipes"][std::string(isa::name_of(pipe))] = busy;
  }
  return {{"header_block", index(loop.header)},
          {"place", place_of(kernel, loop)},
          {"blocks", loop.blocks},
          {"parent", index(loop.parent)},
          {"depth", loop.depth},
          {"innermost", loop.innermost},
          {"begin_pc", loop.begin_pc},
          {"end_pc", loop.end_pc},
          {"bytes", loop.bytes},
          {"first_line", line_of(kernel, loop.first_line)},
          {"last_line", line_of(kernel, loop.last_line)},
          {"trips", json_of(loop.trips)},
          {"trips_formula", loop.trips_formula},
          {"mix", json_of(loop.mix)},
          {"cycles", cycles},
          {"live_peak", json_of(loop.live_peak)},
          {"live_peak_at", index(loop.live_peak_at)}};
}

ordered_json json_of(const Total& total) {
  ordered_json out{{"tag", "modelled"},
                   {"cycles", total.cycles ? ordered_json(*total.cycles) : ordered_json()}};
  if (!total.formula.empty()) out["formula"] = total.formula;
  if (!total.unknown_because.empty()) out["unknown_because"] = total.unknown_because;
  return out;
}

ordered_json json_of(const Bound& bound) {
  if (!bound.known()) return {};
  return {{"tag", "modelled"}, {"by", bound.by}, {"text", bound.text}, {"cycles", bound.cycles}};
}

ordered_json json_of(const analysis::Occupancy& o, const gpus::Gpu* gpu) {
  ordered_json out{{"tag", "derived"},
                   {"waves_per_simd", o.now.waves_per_simd},
                   {"limited_by", gpus::name_of(o.now.limiter)},
                   {"workgroups", o.now.workgroups},
                   {"compiler_waves", o.compiler_waves},
                   {"by_vgprs", o.now.by_vgprs},
                   {"by_sgprs", o.now.by_sgprs},
                   {"by_lds", o.now.by_lds},
                   {"by_workgroups", o.now.by_workgroups},
                   {"next", ordered_json::array()},
                   {"note", o.note}};
  if (gpu) out["of"] = gpu->waves_per_simd;
  for (const analysis::OccupancyStep& step : o.next)
    out["next"].push_back({{"limiter", gpus::name_of(step.limiter)},
                           {"from", step.from},
                           {"to", step.to},
                           {"waves", step.waves},
                           {"text", step.text}});
  return out;
}

ordered_json json_of(const analysis::KernelAnalysis& kernel, const analysis::Finding& finding) {
  ordered_json where = ordered_json::array();
  for (const analysis::Location& location : finding.where)
    where.push_back({{"first", index(location.first)},
                     {"last", index(location.last)},
                     {"loop", index(location.loop)},
                     {"place", place_of(kernel, location.first)}});
  return {{"rule", finding.rule},
          {"title", finding.title},
          {"severity", analysis::name_of(finding.severity)},
          {"where", where},
          {"evidence", finding.evidence},
          {"gain_cycles", json_of(finding.gain_cycles)},
          {"gain_percent", json_of(finding.gain_percent)},
          {"experiment", finding.experiment},
          {"unknown_because", finding.unknown_because},
          {"rank", finding.rank}};
}

ordered_json json_of(const analysis::Wait& wait) {
  return {{"instruction", index(wait.instruction)},
          {"counter", analysis::name_of(wait.counter)},
          {"value", wait.value},
          {"for", wait.for_},
          {"outstanding", index(wait.outstanding)},
          {"slack", json_of(wait.slack)},
          {"between", wait.between},
          {"needed", index(wait.needed)},
          {"could_be", index(wait.could_be)},
          {"redundant", wait.redundant},
          {"unknown_because", wait.unknown_because}};
}

ordered_json json_of(const analysis::AccessPattern& access) {
  return {{"instruction", index(access.instruction)},
          {"bytes", access.bytes},
          {"affine", access.affine},
          {"stride", access.stride},
          {"offsets", access.offsets},
          {"cycles", json_of(access.cycles)},
          {"ideal_cycles", json_of(access.ideal_cycles)},
          {"lines", json_of(access.lines)},
          {"ideal_lines", json_of(access.ideal_lines)},
          {"unknown_because", access.unknown_because}};
}

ordered_json json_of(const analysis::Resources& r) {
  return {{"tag", "read"},
          {"used", json_of(r.used)},
          {"allocated", json_of(r.allocated)},
          {"vgprs_total", r.vgprs_total},
          {"vgpr_spills", r.vgpr_spills},
          {"sgpr_spills", r.sgpr_spills},
          {"scratch_bytes", r.scratch_bytes},
          {"dynamic_stack", r.dynamic_stack},
          {"lds_bytes", r.lds_bytes},
          {"dynamic_lds", r.dynamic_lds},
          {"workgroup", r.workgroup},
          {"max_workgroup", r.max_workgroup},
          {"wave_size", r.wave_size},
          {"kernarg_bytes", r.kernarg_bytes},
          {"code_bytes", r.code_bytes}};
}

ordered_json json_of(const analysis::KernelAnalysis& kernel, const analysis::Instruction& at) {
  return {{"pc", at.pc},
          {"size", at.size},
          {"text", at.text},
          {"pipe", isa::name_of(at.pipe)},
          {"source", line_of(kernel, at.source)},
          {"block", index(at.block)},
          {"loop", index(at.loop)},
          {"live", json_of(at.live)},
          {"issue_cycles", at.issue_cycles},
          {"latency", at.latency}};
}

ordered_json json_of(const analysis::KernelAnalysis& kernel) {
  const auto gpu = gpus::find_gpu(kernel.gpu);
  ordered_json out{{"name", kernel.name},
                   {"readable_name", readable(kernel.name)},
                   {"target", kernel.target},
                   {"gpu", kernel.gpu},
                   {"served_by", kernel.served_by == analysis::ServedBy::L2 ? "l2" : "memory"},
                   {"resources", json_of(kernel.resources)},
                   {"occupancy", json_of(kernel.occupancy, gpu ? *gpu : nullptr)},
                   {"live_peak", json_of(kernel.live_peak)},
                   {"live_peak_at", index(kernel.live_peak_at)},
                   {"mix", json_of(kernel.mix)},
                   {"whole_wave", json_of(total_of(kernel))},
                   {"hot_loop", index(hot_loop(kernel))},
                   {"bound", json_of(bound_of(kernel))},
                   {"findings", ordered_json::array()},
                   {"loops", ordered_json::array()},
                   {"blocks", ordered_json::array()},
                   {"functions", ordered_json::array()},
                   {"waits", ordered_json::array()},
                   {"accesses", ordered_json::array()},
                   {"unknown", ordered_json::array()},
                   {"instructions", ordered_json::array()}};
  for (const auto& finding : kernel.findings) out["findings"].push_back(json_of(kernel, finding));
  for (const auto& loop : kernel.loops) out["loops"].push_back(json_of(kernel, loop));
  for (const auto& block : kernel.blocks)
    out["blocks"].push_back({{"begin", block.begin},
                             {"end", block.end},
                             {"successors", block.successors},
                             {"predecessors", block.predecessors},
                             {"dominator", index(block.dominator)},
                             {"loop", index(block.loop)},
                             {"function", block.function}});
  for (const auto& function : kernel.functions)
    out["functions"].push_back(
        {{"name", function.name}, {"pc", function.pc}, {"entry", index(function.entry)}});
  for (const auto& wait : kernel.waits) out["waits"].push_back(json_of(wait));
  for (const auto& access : kernel.accesses) out["accesses"].push_back(json_of(access));
  for (const auto& unknown : kernel.unknown)
    out["unknown"].push_back(
        {{"instruction", index(unknown.instruction)}, {"what", unknown.what}, {"because", unknown.because}});
  for (const auto& instruction : kernel.instructions)
    out["instructions"].push_back(json_of(kernel, instruction));
  return out;
}

}  // namespace

ordered_json json_of(const std::string& path, const Analysed& analysed) {
  const Code& code = analysed.code;
  ordered_json out{{"file", path},
                   {"form", name_of(code.form)},
                   {"gpu", code.gpu->id},
                   {"target", code.target},
                   {"command", code.command},
                   {"compile_seconds", code.compile_seconds},
                   {"kernels", ordered_json::array()},
                   {"refused", ordered_json::array()}};
  for (const analysis::KernelAnalysis& kernel : analysed.kernels) out["kernels"].push_back(json_of(kernel));
  for (const Error& error : analysed.refused) out["refused"].push_back(error.text());
  return out;
}

}  // namespace wavesmith::study
