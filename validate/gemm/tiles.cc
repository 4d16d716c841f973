#include "validate/gemm/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/split.h"
#include "model/gemm/table.h"
#include "model/gemm/time.h"

namespace wavesmith::validate {
namespace {

std::string text_of(const model::GemmKernel& k) {
  return fmt::format("{}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}, {}", k.tile_m, k.tile_n,
                     k.tile_k, k.threads, k.matrix_m, k.matrix_n, k.matrix_k, k.matrix_blocks, k.wave_m,
                     k.wave_n, k.waves_along_k, k.group_m, k.prefetch, k.vector_bytes,
                     static_cast<int>(k.double_buffered_lds), static_cast<int>(k.through_lds),
                     static_cast<int>(k.direct_to_lds));
}

}  // namespace

std::string count_gemm_tiles(const GemmRows& rows, const GemmTilesOptions& options) {
  // Of a set and schedule: each kernel's text, and its rows.
  std::map<std::pair<const model::GemmSet*, std::string>, std::map<std::string, size_t>> counts;
  for (const GemmRow& row : rows.rows) {
    if (row.half != Half::A || !row.kernel || row.kernel->tile_m == 0 || row.kernel->tile_n == 0) continue;
    const gpus::Gpu& gpu = **gpus::find_gpu(row.chip);
    const model::NumberType type = model::gemm_type(row.problem);
    const bool vector = row.kernel->vector || model::matrix_flops(gpu, type) == 0;
    const model::NearestSet nearest = model::nearest_gemm_set(gpu, type, vector, row.kernel->schedule);
    if (!nearest.has_the_kernels()) continue;
    const model::GemmSet* const set = nearest.set;
    const std::string schedule =
        set->origin == "AITER" ? std::string(split(row.kernel->schedule, '|').front()) : "";
    ++counts[{set, schedule}][text_of(model::complete_kernel(gpu, row.problem, *row.kernel))];
  }
  std::string text;
  for (const model::GemmSet& set : model::gemm_sets())
    for (const auto& [key, kernels] : counts) {
      if (key.first != &set) continue;
      std::vector<std::pair<size_t, std::string>> order;
      for (const auto& [kernel, n] : kernels)
        if (n >= options.least) order.emplace_back(n, kernel);
      const auto oftener = [](const auto& a, const auto& b) {
        return a.first != b.first ? a.first > b.first : a.second < b.second;
      };
      std::ranges::sort(order, oftener);
      // The first of each height stays: a library has kernels for few rows, however many sizes were large.
      std::set<std::string> heights;
      std::vector<std::pair<size_t, std::string>> kept, others;
      for (auto& kernel : order) {
        const bool first = heights.insert(kernel.second.substr(0, kernel.second.find(','))).second;
        (first ? kept : others).push_back(std::move(kernel));
      }
      kept.insert(kept.end(), others.begin(), others.end());
      kept.resize(std::min(kept.size(), options.most));
      order = std::move(kept);
      std::ranges::sort(order, oftener);
      if (order.empty()) continue;
      text += fmt::format("\n[[tiles]]\narchitecture = \"{}\"\ntype = \"{}\"\nvector = {}\norigin = \"{}\"\n",
                          set.architecture, model::name_of(set.type), set.vector, set.origin);
      if (!key.second.empty()) text += fmt::format("schedule = \"{}\"\n", key.second);
      text += "kernels = [\n";
      for (const auto& [n, kernel] : order) text += fmt::format("    [{}, {}],\n", kernel, n);
      text += "]\n";
    }
  return text;
}

}  // namespace wavesmith::validate
