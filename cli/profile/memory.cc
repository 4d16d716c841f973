#include "cli/profile/memory.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "analysis/estimate/mix.h"

namespace wavesmith::cli {
namespace {

using timing::KernelProfile;

/// How often the grid has what was replayed.
double replays(const KernelProfile& kernel) {
  return static_cast<double>(kernel.grid.count()) / static_cast<double>(kernel.replay.workgroups);
}

struct Level {
  std::string name;
  double bytes = 0, peak = 0;       ///< of the whole grid; bytes per second, 0: not known
  std::optional<double> hits = {};  ///< share of its requests
};

/// What each level of memory gave to the whole grid: the replay's lines, times the workgroups that it
/// stands for.
std::vector<Level> levels(const KernelProfile& kernel, const gpus::Gpu* gpu) {
  if (!gpu || kernel.replay.workgroups == 0) return {};
  const KernelProfile::MemoryUse& use = kernel.memory;
  const double bytes = static_cast<double>(use.line_bytes) * replays(kernel);
  const double memory = use.memory_lines, cache = use.infinity_cache_lines;
  std::vector<Level> all;
  const double units = gpu->compute_units * gpu->engine_mhz * 1e6;
  if (kernel.lds.cycles > 0)
    all.push_back({"LDS",
                   static_cast<double>(kernel.lds.cycles - kernel.lds.conflict_cycles) *
                       gpu->lds_read_bytes_per_clock * replays(kernel),
                   gpu->lds_read_bytes_per_clock * units,
                   {}});
  // A line per clock, where nobody measured less.
  all.push_back({"L1", use.l1_requests * bytes, gpu->l1_bytes_per_clock.value_or(gpu->l1_line_bytes) * units,
                 use.l1_hit_rate});
  double peak = 0;
  if (gpu->l2_channels && gpu->l2_bytes_per_clock_per_channel)
    peak = static_cast<double>(*gpu->l2_channels) * *gpu->l2_bytes_per_clock_per_channel * gpu->xcds *
           gpu->engine_mhz * 1e6;
  all.push_back({"L2", use.l2_requests * bytes, peak, use.l2_hit_rate});
  if (gpu->infinity_cache_bytes > 0)
    all.push_back({"Infinity Cache", (cache + memory) * bytes,
                   1e9 * gpu->infinity_cache_gigabytes_per_second.value_or(0),
                   cache + memory > 0 ? cache / (cache + memory) : 0});
  all.push_back({"memory", memory * bytes, 1e9 * gpu->memory_gigabytes_per_second, {}});
  return all;
}

/// Floating-point operations of the VALU, of the whole grid; `doubles` of them in 64 bits.
struct VectorWork {
  double flops = 0, doubles = 0;
};
VectorWork vector_work(const KernelProfile& kernel) {
  VectorWork work;
  if (kernel.waves_per_workgroup == 0 || kernel.replay.workgroups == 0) return work;
  const double lanes = static_cast<double>(kernel.block.count()) / kernel.waves_per_workgroup;
  for (const KernelProfile::Instruction& one : kernel.instructions) {
    const std::string& code = one.text;
    // Of a pair that is issued at once both halves stand in the text.
    double operations = 0;
    for (size_t at = 0; at < code.size();) {
      const size_t end = std::min(code.find(" :: ", at), code.size());
      std::string name = code.substr(at, std::min(code.find(' ', at), end) - at);
      if (name.starts_with("v_dual_")) name.erase(2, 5);
      operations += analysis::vector_operations_of(name);
      at = end == code.size() ? end : end + 4;
    }
    const double flops = operations * static_cast<double>(one.hits) * lanes * replays(kernel);
    work.flops += flops;
    if (code.find("_f64") != code.npos) work.doubles += flops;
  }
  return work;
}

}  // namespace

std::optional<report::Roofline> roofline_of(const KernelProfile& kernel, const gpus::Gpu* gpu) {
  const double seconds = kernel.seconds, matrix = kernel.matrix_flops;
  if (!(seconds > 0) || !gpu) return {};
  const VectorWork vector = vector_work(kernel);
  // What most of its arithmetic is.
  const bool by_matrix = matrix > vector.flops;
  const double flops = by_matrix ? matrix : vector.flops;
  if (!(flops > 0)) return {};
  report::Roofline chart;
  chart.tag = report::Tag::Modelled;
  for (const Level& level : levels(kernel, gpu)) {
    if (level.peak <= 0 || level.bytes <= 0) continue;
    chart.roofs.push_back({level.name, level.peak});
    chart.points.push_back({"against bytes of " + level.name, flops / level.bytes, flops / seconds});
  }
  if (by_matrix) {
    // What the matrix pipes would give if they were always busy.
    if (const double busy = kernel.utilisation(isa::Pipe::Matrix); busy > 0)
      chart.ceilings.push_back({"matrix, units at work", flops / seconds / busy});
  } else {
    // 64 multiply-adds a clock and compute unit in all generations; twice as many in pairs. Sources: AMD,
    // CDNA2, CDNA3, CDNA4 and RDNA white papers. Those of 64 bits go at the same rate on CDNA alone.
    const double peak = 128.0 * gpu->compute_units * gpu->engine_mhz * 1e6;
    const bool doubles = vector.doubles > vector.flops / 2;
    if (doubles && gpu->matrix_f64 == 0) return {};
    chart.ceilings.push_back({doubles ? "VALU, 64 bits" : "VALU", peak});
    if (!doubles) chart.ceilings.push_back({"VALU, pairs", 2 * peak});
  }
  chart.note = fmt::format("Each point is the kernel's {} work against the bytes of one level of memory.",
                           by_matrix ? "matrix" : "vector floating-point");
  if (chart.ceilings.empty() || chart.points.empty()) return {};
  return chart;
}

report::Table memory_of(const KernelProfile& kernel, const gpus::Gpu* gpu) {
  const double seconds = kernel.seconds;
  report::Table table{
      "Memory",
      "Bytes of the whole grid, from the replay's cache lines; peaks are of the GPU's description; "
      "modelled.",
      {"level", "bytes", "hit rate", "bytes per second", "of its peak"},
      {1, 2, 3, 4},
      {},
      false};
  for (const Level& level : levels(kernel, gpu))
    table.rows.push_back(
        {{level.name},
         {fmt::format("{:.4g}", level.bytes)},
         {level.hits ? fmt::format("{:.1f} %", 100 * *level.hits) : ""},
         {seconds > 0 ? fmt::format("{:.4g}", level.bytes / seconds) : ""},
         {seconds > 0 && level.peak > 0 ? fmt::format("{:.1f} %", 100 * level.bytes / seconds / level.peak)
                                        : ""}});
  return table;
}

}  // namespace wavesmith::cli
