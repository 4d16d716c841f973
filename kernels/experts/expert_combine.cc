// The C API of weighted sums of rows: checks a call and launches it.
#include "kernels/experts/expert_combine_arguments.h"
#include "kernels/library/named_range.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_experts.h"

namespace wavesmith::kernels {
namespace {

using Combine = wavesmith_combine_description;

constexpr const char* kName = "combine";

bool has_rows(const Combine& one) { return one.rows > 0 && one.choices > 0; }

/// Checks what each choice has, and that y overlaps neither that nor x.
wavesmith_kernels_status check_choices(const Combine& one) {
  const int64_t all = one.tokens * one.choices;
  if (!one.places) return invalid(kName, "places is null");
  if (!one.x.data) return invalid(kName, "x.data is null");
  for (const auto& [name, data] :
       {std::pair<const char*, const void*>{"places", one.places}, {"weights", one.weights}})
    if (const auto status = check_aligned(kName, name, data, sizeof(float))) return status;
  const NamedRange read[] = {{"x", range_of(one.x, one.rows, one.columns)},
                             NamedRange::of("places", one.places, all, WAVESMITH_KERNELS_I32),
                             NamedRange::of("weights", one.weights, all, WAVESMITH_KERNELS_F32)};
  return check_apart(kName, {"y", range_of(one.y, one.tokens, one.columns)}, read);
}

int64_t blocks_of(const Combine& one) {
  constexpr int64_t kAtOnce = int64_t{kCombineRowThreads} * 8;
  return (one.columns + kAtOnce - 1) / kAtOnce;
}

wavesmith_kernels_status check(const Combine& one) {
  if (one.tokens < 0) return invalid(kName, "tokens is negative");
  if (one.choices < 0) return invalid(kName, "choices is negative");
  if (const auto status = check_rows(
          kName, one.tokens, one.columns,
          {{.name = "addend", .rows = &one.addend}, {.name = "y", .rows = &one.y, .is_written = true}}))
    return status;
  if (const auto status = check_rows(kName, one.rows, one.columns, {{.name = "x", .rows = &one.x}}))
    return status;
  if (one.tokens == 0 || one.columns == 0) return succeed();
  if (!one.y.data) return invalid(kName, "y.data is null");
  if (one.choices > INT32_MAX) return not_supported(kName, "choices is too large");
  if (one.tokens * blocks_of(one) > INT32_MAX / kCombineRowThreads)
    return not_supported(kName, "y has more elements than a grid covers");
  return has_rows(one) ? check_choices(one) : succeed();
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_combine(const wavesmith_combine_description* combine,
                                                   void* stream) {
  if (!combine) return invalid(kName, "the description is null");
  const Combine& one = *combine;
  if (const auto status = check(one)) return status;
  if (one.tokens == 0 || one.columns == 0) return succeed();
  const ExpertCombineArguments arguments{.x = one.x.data,
                                         .addend = one.addend.data,
                                         .y = one.y.data,
                                         .places = one.places,
                                         .weights = one.weights,
                                         .stride_x = one.x.row_stride,
                                         .stride_addend = one.addend.row_stride,
                                         .stride_y = one.y.row_stride,
                                         .tokens = static_cast<int>(one.tokens),
                                         .rows = static_cast<int>(one.rows),
                                         .columns = static_cast<int>(one.columns),
                                         .choices = has_rows(one) ? static_cast<int>(one.choices) : 0,
                                         .blocks = static_cast<int>(blocks_of(one)),
                                         .type_x = one.x.type,
                                         .type_addend = one.addend.type,
                                         .type_y = one.y.type};
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const std::string kernel = is_aligned(one.x, one.columns) && is_common_float(one.x.type)
                                 ? known_name("experts_combine", one.x.type)
                                 : "experts_combine_elements";
  const Grid grid{static_cast<unsigned>(one.tokens * blocks_of(one)), 1, kCombineRowThreads};
  return launch(*device, kernel.c_str(), grid, &arguments, sizeof(arguments), stream);
}
