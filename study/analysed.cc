#include "study/analysed.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "analysis/rule.h"

namespace wavesmith::study {

using analysis::kNone;

Result<Analysed> analyse_file(const CodeRequest& request, const std::string& kernel,
                              const analysis::Options& options) {
  Result<Code> code = open_code(request);
  if (!code) return tl::unexpected(code.error());
  Analysed out{std::move(*code), {}, {}};
  const auto found = find_kernels(out.code, kernel);
  if (!found) {
    Error error = found.error();
    error.where = request.path;
    return tl::unexpected(error);
  }
  for (const FoundKernel& one : *found) {
    Result<analysis::KernelAnalysis> analysed =
        analysis::analyse(*one.object, *one.kernel, *out.code.gpu, options);
    if (analysed)
      out.kernels.push_back(std::move(*analysed));
    else
      out.refused.push_back(analysed.error());
  }
  if (out.kernels.empty()) return tl::unexpected(out.refused.front());
  return out;
}

std::vector<double> executions(const analysis::KernelAnalysis& kernel) {
  constexpr double kMost = 1e9;
  std::vector<double> loops(kernel.loops.size(), 1);
  for (size_t i = 0; i < loops.size(); ++i) {
    const analysis::Loop& loop = kernel.loops[i];
    const double assumed = loop.parent != kNone         ? kAssumedInnerTrips
                           : loop.trips_formula.empty() ? kAssumedTrips
                                                        : kAssumedArgumentTrips;
    const double trips = std::max(1.0, loop.trips.value.value_or(assumed));
    loops[i] = std::min(kMost, trips * (loop.parent < i ? loops[loop.parent] : 1));
  }
  std::vector<double> blocks(kernel.blocks.size(), 1);
  for (size_t b = 0; b < blocks.size(); ++b) {
    uint32_t loop = kernel.blocks[b].loop;
    // What only the last passes do is done about once.
    if (loop < loops.size() && !std::ranges::binary_search(kernel.loops[loop].usual_blocks, b))
      loop = kernel.loops[loop].parent;
    if (loop < loops.size()) blocks[b] = loops[loop];
  }
  std::vector<double> out;
  out.reserve(kernel.instructions.size());
  for (const analysis::Instruction& instruction : kernel.instructions)
    out.push_back(blocks[instruction.block]);
  return out;
}

double cost_of(const analysis::Instruction& instruction) {
  if (instruction.pipe == isa::Pipe::Internal) return 0;
  return std::max(1.0, static_cast<double>(instruction.issue_cycles));
}

uint32_t hot_loop(const analysis::KernelAnalysis& kernel) {
  std::vector<double> cycles(kernel.loops.size(), 0);
  const std::vector<double> counts = executions(kernel);
  std::vector<bool> matrix(cycles.size());
  for (size_t i = 0; i < counts.size(); ++i)
    if (const uint32_t loop = kernel.instructions[i].loop; loop < cycles.size()) {
      cycles[loop] += counts[i] * cost_of(kernel.instructions[i]);
      if (kernel.instructions[i].pipe == isa::Pipe::Matrix) matrix[loop] = true;
    }
  if (std::ranges::find(matrix, true) != matrix.end())
    for (size_t l = 0; l < cycles.size(); ++l)
      if (!matrix[l]) cycles[l] = 0;
  const auto most = std::max_element(cycles.begin(), cycles.end());
  return most == cycles.end() ? kNone : static_cast<uint32_t>(most - cycles.begin());
}

namespace {

double exposed(const analysis::Cycles& cycles, analysis::ServedBy by) {
  return by == analysis::ServedBy::Memory ? cycles.exposed_memory.value_or(cycles.exposed) : cycles.exposed;
}
double from_memory(const analysis::Cycles& cycles, analysis::ServedBy by) {
  return by == analysis::ServedBy::Memory ? cycles.memory : cycles.served;
}

}  // namespace

Pass pass_of(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop, analysis::ServedBy by) {
  Pass out{loop.cycles.throughput,
           loop.cycles.one_wave + exposed(loop.cycles, by),
           from_memory(loop.cycles, by),
           loop.mix.matrix_operations,
           loop.mix.load_bytes,
           loop.mix.store_bytes,
           loop.mix.vector_operations,
           0,
           0};
  const auto index = static_cast<uint32_t>(&loop - kernel.loops.data());
  for (uint32_t i = index + 1; i < kernel.loops.size(); ++i) {
    const analysis::Loop& inner = kernel.loops[i];
    if (inner.parent != index) continue;
    const Pass pass = pass_of(kernel, inner, by);
    out.inner += 1 + pass.inner;
    out.unknown += (inner.trips.value ? 0 : 1) + pass.unknown;
    // The loop's own figures count what is inside of it once.
    const double trips = std::max(1.0, inner.trips.value.value_or(1));
    out.throughput += trips * pass.throughput - inner.cycles.throughput;
    out.one_wave += trips * pass.one_wave - inner.cycles.one_wave - exposed(inner.cycles, by);
    out.l2 += trips * pass.l2 - from_memory(inner.cycles, by);
    out.matrix_operations += trips * pass.matrix_operations - inner.mix.matrix_operations;
    out.load_bytes += trips * pass.load_bytes - inner.mix.load_bytes;
    out.store_bytes += trips * pass.store_bytes - inner.mix.store_bytes;
    out.vector_operations += trips * pass.vector_operations - inner.mix.vector_operations;
  }
  return out;
}

std::string server_of(const analysis::KernelAnalysis& kernel) {
  return kernel.served_by == analysis::ServedBy::L2 ? "L2" : "the memory behind all caches";
}

double cycles_with(const Pass& pass, double waves) {
  return std::max({pass.throughput, pass.l2, pass.one_wave / std::max(1.0, waves)});
}

std::optional<LoopTime> loop_time(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop) {
  if (!loop.cycles.unknown_because.empty() || !(loop.cycles.throughput > 0)) return std::nullopt;
  const Pass pass = pass_of(kernel, loop);
  const double waves = std::max(1u, kernel.occupancy.now.waves_per_simd);
  const double cycles = cycles_with(pass, waves);
  return LoopTime{cycles, cycles > std::max(pass.throughput, pass.l2),
                  cycles > pass.throughput && cycles <= pass.l2};
}

std::optional<double> shortest_pass(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop) {
  const auto time = loop_time(kernel, loop);
  if (!time || loop.sure_blocks == loop.usual_blocks) return std::nullopt;
  const double cycles =
      analysis::pass_cycles(loop.sure_cycles, std::max(1u, kernel.occupancy.now.waves_per_simd));
  return cycles < time->cycles ? std::optional(cycles) : std::nullopt;
}

Total total_of(const analysis::KernelAnalysis& kernel) {
  const double waves = std::max(1u, kernel.occupancy.now.waves_per_simd);
  Pass straight;
  straight.throughput = kernel.outside.throughput;
  straight.one_wave = kernel.outside.one_wave;
  straight.l2 = kernel.outside.served;
  double sum = cycles_with(straight, waves);
  std::vector<std::pair<std::string, double>> terms;  // trips, and the cycles of a pass
  for (const analysis::Loop& loop : kernel.loops) {
    if (loop.parent != kNone) continue;
    const Pass pass = pass_of(kernel, loop);
    const bool counted = loop.trips.value || !loop.trips_formula.empty();
    if (!counted || pass.unknown)
      return {
          {},
          {},
          fmt::format("the trips of the loop at {} are unknown: {}", place_of(kernel, loop),
                      counted ? "a loop inside of it has no number of passes" : loop.trips.unknown_because)};
    const double cycles = cycles_with(pass, waves);
    if (loop.trips.value) {
      sum += *loop.trips.value * cycles;
      continue;
    }
    const auto same = std::ranges::find(terms, loop.trips_formula, &std::pair<std::string, double>::first);
    if (same != terms.end())
      same->second += cycles;
    else
      terms.emplace_back(loop.trips_formula, cycles);
  }
  std::string formula;
  for (const auto& [trips, cycles] : terms)
    formula += fmt::format(" + {} * ({})", number_text(std::round(cycles)), trips);
  if (formula.empty()) return {sum, {}, {}};
  return {{}, number_text(std::round(sum)) + formula, {}};
}

std::string place_of(const analysis::KernelAnalysis& kernel, uint32_t instruction) {
  if (instruction >= kernel.instructions.size()) return {};
  const analysis::Instruction& at = kernel.instructions[instruction];
  if (!at.source.known() || at.source.file >= kernel.files.size() || at.source.line == 0)
    return fmt::format("{:#x}", at.pc);
  return fmt::format("{}:{}", std::filesystem::path(kernel.files[at.source.file]).filename().string(),
                     at.source.line);
}

namespace {

bool is_header(const std::string& file) {
  const std::string extension = std::filesystem::path(file).extension().string();
  return extension == ".h" || extension == ".hpp" || extension == ".cuh" || extension == ".hh" ||
         extension == ".hxx" || extension == ".inc";
}

}  // namespace

std::string place_of(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop) {
  // Of the file that the kernel begins in, else of that which most of its instructions come from: what is
  // inlined into a loop is elsewhere.
  struct Lines {
    uint32_t count = 0, first = UINT32_MAX, last = 0;
  };
  std::vector<Lines> files(kernel.files.size());
  for (const uint32_t b : loop.blocks)
    for (uint32_t i = kernel.blocks[b].begin; i < kernel.blocks[b].end; ++i) {
      const analysis::SourceLine& at = kernel.instructions[i].source;
      if (at.file >= files.size() || at.line == 0) continue;
      Lines& lines = files[at.file];
      ++lines.count;
      lines.first = std::min(lines.first, at.line);
      lines.last = std::max(lines.last, at.line);
    }
  uint32_t own = kNone;
  for (size_t i = 0; i < kernel.instructions.size(); ++i) {
    const analysis::SourceLine& at = kernel.instructions[i].source;
    if (!at.known() || at.file >= files.size()) continue;
    if (own == kNone) own = at.file;
    // What a kernel begins with is mostly inlined from a header.
    if (is_header(kernel.files[own]) && !is_header(kernel.files[at.file])) own = at.file;
    if (!is_header(kernel.files[own])) break;
  }
  const bool in_own = own < files.size() && files[own].count > 0;
  const auto most = in_own ? files.begin() + own
                           : std::max_element(files.begin(), files.end(), [](const Lines& a, const Lines& b) {
                               return a.count < b.count;
                             });
  if (most == files.end() || most->count == 0) return fmt::format("{:#x}-{:#x}", loop.begin_pc, loop.end_pc);
  return fmt::format(
      "{}:{}-{}",
      std::filesystem::path(kernel.files[static_cast<size_t>(most - files.begin())]).filename().string(),
      most->first, most->last);
}

namespace {

std::string memory_text(const analysis::KernelAnalysis& kernel) {
  return "memory: what " + server_of(kernel) + " has to give";
}

}  // namespace

std::string number_text(double value) {
  if (!std::isfinite(value)) return "unknown";
  const double size = std::fabs(value);
  if (size >= 100 || size == std::floor(size)) return fmt::format("{:.0f}", value);
  return fmt::format("{:.3g}", value);
}

std::string figure_text(const analysis::Figure& figure) {
  return figure.value ? number_text(*figure.value) : "unknown";
}

std::string trips_text(const analysis::Loop& loop) {
  return loop.trips_formula.empty() ? figure_text(loop.trips) : loop.trips_formula;
}

Bound bound_of(const analysis::KernelAnalysis& kernel, const analysis::Loop& loop) {
  const auto time = loop_time(kernel, loop);
  if (!time) return {};
  const uint32_t waves = kernel.occupancy.now.waves_per_simd;
  if (time->latency_bound)
    return {"latency", fmt::format("latency: {} wave{} cannot hide it", waves, waves == 1 ? "" : "s"),
            time->cycles};
  if (time->memory_bound) return {"memory", memory_text(kernel), time->cycles};
  const std::string pipe(isa::name_of(loop.cycles.bound));
  std::string text = pipe;
  const auto gpu = gpus::find_gpu(kernel.gpu);
  const bool shared = loop.cycles.bound == isa::Pipe::Lds || loop.cycles.bound == isa::Pipe::Vmem;
  if (shared && gpu && (*gpu)->simds_per_unit > 1)
    text += fmt::format(", which {} SIMDs share", (*gpu)->simds_per_unit);
  return {pipe, text, time->cycles};
}

Bound bound_of_straight(const analysis::KernelAnalysis& kernel) {
  const analysis::Cycles& cycles = kernel.outside;
  const double pass = analysis::pass_cycles(cycles, std::max(1u, kernel.occupancy.now.waves_per_simd));
  if (pass <= cycles.throughput) {
    const std::string pipe(isa::name_of(cycles.bound));
    return {pipe, pipe, pass};
  }
  if (pass <= cycles.served) return {"memory", memory_text(kernel), pass};
  return {"latency", "latency", pass};
}

Bound bound_of(const analysis::KernelAnalysis& kernel) {
  const uint32_t hot = hot_loop(kernel);
  return hot == kNone ? bound_of_straight(kernel) : bound_of(kernel, kernel.loops[hot]);
}

std::vector<std::pair<isa::Pipe, double>> busiest(const analysis::Cycles& cycles) {
  std::vector<std::pair<isa::Pipe, double>> out;
  for (size_t i = 0; i < cycles.pipe.size(); ++i)
    if (cycles.pipe[i] > 0) out.emplace_back(static_cast<isa::Pipe>(i), cycles.pipe[i]);
  std::sort(out.begin(), out.end(), [](const auto& a, const auto& b) {
    return a.second != b.second ? a.second > b.second : a.first < b.first;
  });
  return out;
}

}  // namespace wavesmith::study
