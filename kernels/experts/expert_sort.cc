// The C API of choices sorted by expert: checks a call and launches it.
#include <array>

#include "kernels/experts/expert_chunks.h"
#include "kernels/experts/expert_sort_arguments.h"
#include "kernels/library/device.h"
#include "kernels/library/named_range.h"

namespace wavesmith::kernels {
namespace {

using Sort = wavesmith_sort_experts_description;

constexpr const char* kName = "sort_experts";

/// An array of words of 4 bytes that a call may have.
struct Words {
  const char* name;
  const void* data;
  int64_t count;
  bool is_needed = false;
};

wavesmith_kernels_status check_sizes(const Sort& one) {
  if (one.tokens < 0) return invalid(kName, "tokens is negative");
  if (one.choices < 0) return invalid(kName, "choices is negative");
  if (one.experts < 1 || one.experts > kMostExperts)
    return invalid(kName, "experts is " + std::to_string(one.experts) + ", not in [1, 1024]");
  if (one.expert_map && (one.mapped_experts < 1 || one.mapped_experts > INT32_MAX))
    return invalid(kName,
                   "mapped_experts is " + std::to_string(one.mapped_experts) + ", not in [1, 2^31 - 1]");
  if (one.choices > 0 && one.tokens > kMostChoices / one.choices)
    return not_supported(kName, "there are " + std::to_string(one.tokens) + " tokens of " +
                                    std::to_string(one.choices) + " choices, more than 2^24 in all");
  return succeed();
}

wavesmith_kernels_status check(const Sort& one) {
  if (const auto status = check_sizes(one)) return status;
  const int64_t all = one.tokens * one.choices;
  const bool is_weighted = one.sorted_weights != nullptr;
  const Words words[] = {{"ids", one.ids, all, all > 0},
                         {"expert_map", one.expert_map, one.mapped_experts},
                         {"weights", is_weighted ? one.weights : nullptr, all, is_weighted && all > 0},
                         {"group_offsets", one.group_offsets, one.experts + 1, true},
                         {"tokens_of", one.tokens_of, all},
                         {"places", one.places, all},
                         {"sorted_weights", one.sorted_weights, all}};
  constexpr size_t kRead = 3;
  std::array<NamedRange, std::size(words) + 1> ranges{};
  for (size_t i = 0; i < std::size(words); ++i) {
    const Words& each = words[i];
    if (each.is_needed && !each.data) return invalid(kName, std::string(each.name) + " is null");
    if (const auto status = check_aligned(kName, each.name, each.data, 4)) return status;
    ranges[i] = NamedRange::of(each.name, each.data, each.count, WAVESMITH_KERNELS_I32);
  }
  ranges.back() = NamedRange::of("workspace", one.workspace, static_cast<int64_t>(one.workspace_bytes),
                                 WAVESMITH_KERNELS_I8);
  return check_written(kName, ranges, ranges.size() - kRead);
}

ExpertSortArguments arguments_of(const Sort& one, const ExpertChunks& chunks) {
  ExpertSortArguments made{};
  made.ids = one.ids, made.map = one.expert_map;
  made.weights = reinterpret_cast<const unsigned*>(one.weights);
  made.offsets = one.group_offsets, made.tokens = one.tokens_of, made.places = one.places;
  made.sorted_weights = reinterpret_cast<unsigned*>(one.sorted_weights);
  made.counts = static_cast<unsigned*>(one.workspace);
  made.mapped = static_cast<unsigned>(one.mapped_experts), made.experts = static_cast<unsigned>(one.experts);
  made.pairs = static_cast<unsigned>(chunks.pairs());
  made.choices = static_cast<unsigned>(one.choices);
  made.all = static_cast<unsigned>(one.tokens * one.choices);
  made.chunk = static_cast<unsigned>(chunks.size), made.chunks = static_cast<unsigned>(chunks.count);
  return made;
}

}  // namespace

wavesmith_kernels_status sort_experts_in_chunks(const Sort& sort, const ExpertChunks& chunks, void* stream) {
  if (const auto status = check(sort)) return status;
  if (const auto status =
          check_workspace(kName, sort.workspace, sort.workspace_bytes, static_cast<size_t>(chunks.bytes())))
    return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const ExpertSortArguments arguments = arguments_of(sort, chunks);
  const Grid grid{.x = static_cast<unsigned>(chunks.count), .y = 1, .threads = kExpertThreads};
  const auto run = [&](const char* kernel) {
    return launch(*device, kernel, grid, &arguments, sizeof(arguments), stream);
  };
  if (chunks.count == 1)
    return run(arguments.all > 0 && arguments.all <= kExpertThreads ? "experts_sort_few" : "experts_sort");
  if (const auto status = run("experts_count")) return status;
  return run("experts_place");
}

}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_sort_experts(const wavesmith_sort_experts_description* sort,
                                                        void* stream) {
  if (!sort) return invalid(kName, "the description is null");
  if (const auto status = check(*sort)) return status;
  return sort_experts_in_chunks(*sort, ExpertChunks::of(sort->tokens * sort->choices, sort->experts), stream);
}

wavesmith_kernels_status wavesmith_kernels_sort_experts_workspace(
    const wavesmith_sort_experts_description* sort, size_t* bytes) {
  if (!sort) return invalid(kName, "the description is null");
  wavesmith_sort_experts_description without = *sort;
  without.workspace = nullptr;
  if (const auto status = check(without)) return status;
  const auto chunks = ExpertChunks::of(sort->tokens * sort->choices, sort->experts);
  if (bytes) *bytes = static_cast<size_t>(chunks.bytes());
  return succeed();
}
