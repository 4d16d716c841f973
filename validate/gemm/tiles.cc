#include "validate/gemm/tiles.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
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

/// Of an architecture, its set and its schedule.
struct Key {
  const model::GemmSet* set;
  std::string_view architecture;
  std::string schedule;
  auto operator<=>(const Key&) const = default;
};

/// Products of one architecture, type and layout: each one's K, and whether it got a vector kernel.
using KindsOfK = std::vector<std::pair<uint64_t, bool>>;

/// The K up to which most got vector kernels and beyond which most got others.
std::pair<uint64_t, size_t> best_bound(KindsOfK& kinds) {
  std::ranges::sort(kinds);
  size_t right = 0;
  for (const auto& [k, vector] : kinds) right += vector ? 0 : 1;
  std::pair<uint64_t, size_t> best{0, right};
  for (size_t i = 0; i < kinds.size(); ++i) {
    if (kinds[i].second)
      ++right;
    else
      --right;
    const bool last = i + 1 == kinds.size() || kinds[i + 1].first != kinds[i].first;
    if (last && right > best.second) best = {kinds[i].first, right};
  }
  return best;
}

/// Where vector kernels are as many as a tenth, and a bound of K tells three quarters of them.
std::string vector_products(const GemmRows& rows) {
  std::map<std::array<std::string, 4>, KindsOfK> kinds;
  for (const GemmRow& row : rows.rows) {
    if (row.half != Half::A || !row.kernel || row.problem.batch != 1 || row.problem.quads) continue;
    const gpus::Gpu& gpu = **gpus::find_gpu(row.chip);
    if (model::matrix_flops(gpu, model::gemm_type(row.problem)) == 0) continue;
    const std::string layout{row.problem.a_transposed ? 't' : 'n', row.problem.b_transposed ? 't' : 'n'};
    kinds[{gpu.architecture, std::string(model::name_of(row.problem.a)),
           std::string(model::name_of(row.problem.c)), layout}]
        .emplace_back(row.problem.k, row.kernel->vector);
  }
  std::string text;
  for (auto& [key, of_k] : kinds) {
    const auto vector = static_cast<size_t>(std::ranges::count(of_k, true, &KindsOfK::value_type::second));
    const auto [most_k, right] = best_bound(of_k);
    if (of_k.size() < 50 || 10 * vector < of_k.size() || 4 * right < 3 * of_k.size() || most_k == 0) continue;
    text += fmt::format(
        "\n[[vector_products]]\narchitecture = \"{}\"\na = \"{}\"\nc = \"{}\"\nlayout = \"{}\"\n"
        "most_k = {}\nrows = {}\nright = {}\n",
        key[0], key[1], key[2], key[3], most_k, of_k.size(), right);
  }
  return text;
}

}  // namespace

std::string count_gemm_tiles(const GemmRows& rows, const GemmTilesOptions& options) {
  // Each kernel's text, and its rows.
  std::map<Key, std::map<std::string, size_t>> counts;
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
    ++counts[{set, gpu.architecture, schedule}]
            [text_of(model::complete_kernel(gpu, row.problem, *row.kernel))];
  }
  std::string text;
  for (const model::GemmSet& set : model::gemm_sets())
    for (const auto& [key, kernels] : counts) {
      if (key.set != &set) continue;
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
                          key.architecture, model::name_of(set.type), set.vector, set.origin);
      if (!key.schedule.empty()) text += fmt::format("schedule = \"{}\"\n", key.schedule);
      text += "kernels = [\n";
      for (const auto& [n, kernel] : order) text += fmt::format("    [{}, {}],\n", kernel, n);
      text += "]\n";
    }
  return text + vector_products(rows);
}

}  // namespace wavesmith::validate
