// The C API of products: checks one, chooses its kernel, and launches it.
#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

#include "kernels/gemm/choice/choice.h"
#include "kernels/gemm/gathered_launch.h"
#include "kernels/gemm/grouped_arguments.h"
#include "kernels/library/device.h"

namespace wavesmith::kernels {
namespace {

wavesmith_kernels_status no_description() {
  return fail(WAVESMITH_KERNELS_INVALID_ARGUMENT, "gemm: the description is null");
}

/// Launches the kernel that adds up parts.
wavesmith_kernels_status launch_combine(const Device& device, const GemmChoice& choice, void* stream) {
  const GemmCombineArguments& combined = choice.combined;
  const auto up = [](int64_t a, int64_t b) { return (a + b - 1) / b; };
  const GemmShare& share = combined.share;
  const bool streamed = share.teams > 0;
  const int64_t rows = streamed ? combined.rows : combined.gemm.m;
  const int64_t columns = streamed ? combined.stride_parts : combined.gemm.n;
  const Grid grid{static_cast<unsigned>(up(rows, int64_t{kCombinedRows} * combined.passes)),
                  static_cast<unsigned>(up(columns, kCombinedColumns)), kCombineThreads,
                  static_cast<unsigned>(streamed ? share.teams * share.tiles : 1)};
  return launch(device, choice.combine.c_str(), grid, &combined, sizeof(combined), stream);
}

/// Chooses for the current device, by the tile of that name if there is one.
wavesmith_kernels_status choose(const wavesmith_kernels_gemm_description& gemm, const char* tile,
                                const Device*& device, GemmChoice& choice) {
  if (const auto status = current_device(device)) return status;
  const TunedGemms* tuned = nullptr;
  if (!tile)
    if (const auto status = tuned_gemms(device->folder, tuned)) return status;
  return choose_gemm(gemm, device->target, device->compute_units, tile, choice, tuned);
}

/// Launches what was chosen: batches that a grid does not hold one part after the other. `launch_some` has
/// the kernel's arguments.
template <class LaunchSome>
wavesmith_kernels_status launch_chosen(const wavesmith_kernels_gemm_description& gemm, const Device& device,
                                       const GemmChoice& choice, void* stream, LaunchSome launch_some) {
  GemmArguments arguments = choice.arguments;
  if (choice.grid.x > INT32_MAX / choice.configuration->threads || choice.grid.y > kMostAlongYAndZ)
    return fail(WAVESMITH_KERNELS_NOT_SUPPORTED, "gemm: d has more tiles than a grid holds");
  for (int64_t first = 0; first < choice.batches; first += kMostAlongYAndZ) {
    const int64_t count = std::min(kMostAlongYAndZ, choice.batches - first);
    const Grid grid{static_cast<unsigned>(choice.grid.x), static_cast<unsigned>(choice.grid.y),
                    static_cast<unsigned>(choice.configuration->threads), static_cast<unsigned>(count)};
    if (const auto status = launch_some(arguments, grid)) return status;
    const auto next = [&](const void* data, long batch, wavesmith_kernels_type type) {
      const int64_t bytes = arguments.arrays ? static_cast<int64_t>(sizeof(void*)) : batch * size_of(type);
      return static_cast<char*>(const_cast<void*>(data)) + count * bytes;
    };
    if (first + count == choice.batches) break;
    if (arguments.group_offsets) arguments.group_offsets += count;
    for (GemmBlockScales* const scales : {&arguments.block_a, &arguments.block_b})
      scales->data += count * scales->batch_stride;
    arguments.mx_a = static_cast<const char*>(arguments.mx_a) + count * arguments.batch_mx_a;
    arguments.mx_b = static_cast<const char*>(arguments.mx_b) + count * arguments.batch_mx_b;
    arguments.a = next(arguments.a, arguments.batch_a, gemm.a.type);
    arguments.b = next(arguments.b, arguments.batch_b, gemm.a.type);
    const auto next_groups = [&](const void*& data) {
      if (data) data = next(data, arguments.groups_b.batch_stride, gemm.block_scales_type);
    };
    next_groups(arguments.groups_b.scales), next_groups(arguments.groups_b.zeros);
    arguments.c = next(arguments.c, arguments.batch_c, gemm.c.type);
    arguments.d = next(arguments.d, arguments.batch_d, gemm.d.type);
  }
  return choice.combine.empty() ? succeed() : launch_combine(device, choice, stream);
}

/// Launches a product, by the tile of that name if there is one.
wavesmith_kernels_status launch(const wavesmith_kernels_gemm_description* gemm, const char* tile,
                                void* stream) {
  if (!gemm) return no_description();
  if (const auto status = check_gemm(*gemm)) return status;
  if (gemm->m == 0 || gemm->n == 0 || gemm->batches == 0) return succeed();
  const Device* device = nullptr;
  GemmChoice choice{.may_be_known = true};
  if (const auto status = choose(*gemm, tile, device, choice)) return status;
  return launch_chosen(*gemm, *device, choice, stream, [&](const GemmArguments& arguments, const Grid& grid) {
    if (gemm->group_offsets) {
      const GemmRowGroupArguments grouped{{arguments, choice.rows_of_a}, choice.batch_scale_b};
      return launch(*device, choice.kernel.c_str(), grid, &grouped, sizeof(grouped), stream);
    }
    const GemmStreamArguments streamed{arguments, choice.share, gemm->workspace};
    const size_t bytes = choice.splits == kStreamed ? sizeof(streamed) : sizeof(arguments);
    return launch(*device, choice.kernel.c_str(), grid, &streamed, bytes, stream);
  });
}

/// Whether the current device has tiles for a type, which that mark names, of at most that depth.
bool has_tiles(wavesmith_kernels_type type, const char* mark, int64_t depth) {
  const Device* device = nullptr;
  if (current_device(device) != WAVESMITH_KERNELS_SUCCESS) return false;
  return std::ranges::any_of(gemm_configurations(), [&](const GemmConfiguration& tile) {
    return tile.target == device->target && tile.has(types_word(type, type) + mark) && tile.depth <= depth;
  });
}

/// What a step of K, of so many places, moves them by; elements have `size` bytes.
GemmGatherSteps steps_of(const GemmGather& gather, int64_t places, int depth, unsigned size) {
  GemmGatherSteps made{};
  made.places = static_cast<int>(places), made.taps = gather.taps[0] * gather.taps[1] * gather.taps[2];
  made.of_line = Division::by(static_cast<unsigned>(gather.taps[2]));
  made.of_plane = Division::by(static_cast<unsigned>(gather.taps[2] * gather.taps[1]));
  const unsigned in_all[] = {1, gather.lines.divisor, gather.planes.divisor, gather.images.divisor};
  auto left = static_cast<unsigned>(depth);
  unsigned bytes = 0;
  for (int d = kGatherSpace; d-- > 0;) {
    const unsigned count = in_all[kGatherSpace - d] / in_all[kGatherSpace - d - 1];
    const auto step = static_cast<unsigned>(gather.step[d]), stride = static_cast<unsigned>(gather.stride[d]);
    const unsigned before = d > 0 ? static_cast<unsigned>(gather.step[d - 1] * gather.stride[d - 1])
                                  : static_cast<unsigned>(gather.stride_image);
    made.ahead[d] = static_cast<int>(left % count * step), made.back[d] = static_cast<int>(count * step);
    bytes += left % count * step * stride;
    made.back_bytes[d] = (before - count * step * stride) * size;
    left /= count;
  }
  made.ahead_bytes = (bytes + left * static_cast<unsigned>(gather.stride_image)) * size;
  return made;
}

}  // namespace

bool gathers(wavesmith_kernels_type type, int64_t channels) { return has_tiles(type, "c", channels); }
bool gathers_places(wavesmith_kernels_type type) { return has_tiles(type, "w", INT64_MAX); }

wavesmith_kernels_status launch_gathered(wavesmith_kernels_gemm_description gemm, GemmGather gather,
                                         size_t* workspace, void* stream) {
  const Device* device = nullptr;
  GemmChoice choice{.may_be_known = true};
  if (workspace) gemm.workspace_bytes = SIZE_MAX / 2;
  if (const auto status = current_device(device)) return status;
  if (const auto status = choose_gathered_gemm(gemm, device->target, device->compute_units,
                                               {"c", static_cast<int>(gather.channels.divisor)}, choice))
    return status;
  if (workspace) {
    *workspace = choice.workspace_bytes;
    return succeed();
  }
  if (choice.splits > 1) gather.first_k = choice.arguments.k, choice.arguments.batch_a = 0;
  return launch_chosen(gemm, *device, choice, stream, [&](const GemmArguments& arguments, const Grid& grid) {
    const GemmGatheredArguments gathered{arguments, gather};
    return launch(*device, choice.kernel.c_str(), grid, &gathered, sizeof(gathered), stream);
  });
}

wavesmith_kernels_status launch_gathered_places(wavesmith_kernels_gemm_description gemm, GemmGather gather,
                                                size_t* workspace, void* stream) {
  const Device* device = nullptr;
  GemmChoice choice;
  if (workspace) gemm.workspace_bytes = SIZE_MAX / 2;
  if (const auto status = current_device(device)) return status;
  const int64_t places = gemm.k;
  constexpr int64_t kTwoSteps = 128;  // so that K has parts, whatever the number of places is
  gemm.k = (places + kTwoSteps - 1) / kTwoSteps * kTwoSteps;
  if (const auto status = choose_gathered_gemm(gemm, device->target, device->compute_units,
                                               {"w", INT32_MAX, int64_t{gather.bytes}}, choice))
    return status;
  if (workspace) {
    *workspace = choice.workspace_bytes;
    return succeed();
  }
  if (choice.splits > 1) gather.first_k = choice.arguments.k, choice.arguments.batch_b = 0;
  const GemmGatherSteps steps =
      steps_of(gather, places, choice.configuration->depth, static_cast<unsigned>(size_of(gemm.b.type)));
  return launch_chosen(gemm, *device, choice, stream, [&](const GemmArguments& arguments, const Grid& grid) {
    const GemmPlacesArguments gathered{{arguments, gather}, steps};
    return launch(*device, choice.kernel.c_str(), grid, &gathered, sizeof(gathered), stream);
  });
}

}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_gemm(const wavesmith_kernels_gemm_description* gemm,
                                                void* stream) {
  return launch(gemm, nullptr, stream);
}

wavesmith_kernels_status wavesmith_kernels_gemm_with(const wavesmith_kernels_gemm_description* gemm,
                                                     const char* tile, void* stream) {
  return launch(gemm, tile, stream);
}

wavesmith_kernels_status wavesmith_kernels_gemm_check(const wavesmith_kernels_gemm_description* gemm,
                                                      const char** name) {
  if (!gemm) return no_description();
  if (const auto status = check_gemm(*gemm)) return status;
  const Device* device = nullptr;
  GemmChoice choice{.may_be_known = true};
  if (const auto status = choose(*gemm, nullptr, device, choice)) return status;
  thread_local std::string kernel;
  kernel = choice.kernel;
  if (name) *name = kernel.c_str();
  return succeed();
}

const char* wavesmith_kernels_gemm_tile(wavesmith_kernels_type a, wavesmith_kernels_type b, size_t index) {
  const Device* device = nullptr;
  if (current_device(device) != WAVESMITH_KERNELS_SUCCESS) return nullptr;
  if (!is_type(a) || !is_type(b)) return nullptr;
  const std::string types = types_word(a, b);
  for (const GemmConfiguration& tile : gemm_configurations())
    if (tile.target == device->target && tile.has(types) && index-- == 0) return tile.name.data();
  return nullptr;
}

wavesmith_kernels_status wavesmith_kernels_gemm_workspace(const wavesmith_kernels_gemm_description* gemm,
                                                          const char* tile, size_t* bytes) {
  if (!gemm) return no_description();
  wavesmith_kernels_gemm_description most = *gemm;
  most.workspace = nullptr, most.workspace_bytes = 0;
  if (const auto status = check_gemm(most)) return status;
  const Device* device = nullptr;
  most.workspace_bytes = SIZE_MAX / 2;
  GemmChoice choice{.may_be_known = true};
  if (most.m > 0 && most.n > 0 && most.batches > 0)
    if (const auto status = choose(most, tile, device, choice)) return status;
  if (bytes) *bytes = choice.workspace_bytes;
  return succeed();
}
