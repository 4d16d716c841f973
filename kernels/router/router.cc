// The C API of a router: checks a call and launches it.
#include <bit>
#include <string>

#include "kernels/library/named_range.h"
#include "kernels/router/arguments.h"
#include "kernels/router/choice.h"
#include "kernels/rows/rows.h"
#include "kernels/wavesmith_router.h"

namespace wavesmith::kernels {
namespace {

using Router = wavesmith_router_description;
using Backward = wavesmith_router_backward_description;

constexpr const char *kName = "router", *kBackwardName = "router_backward";
constexpr int64_t kLargestStride = int64_t{1} << 20;  // offsets of a workgroup's tokens have 32 bits

wavesmith_kernels_status out_of_range(const char* what, const char* name, int64_t value, int64_t most) {
  return invalid(what, std::string(name) + " is " + std::to_string(value) + ", not in [1, " +
                           std::to_string(most) + "]");
}

/// What both have: sizes, and the kind of scores.
template <class Description>
wavesmith_kernels_status check_sizes(const char* what, const Description& one) {
  if (one.tokens < 0) return invalid(what, "tokens is negative");
  if (one.experts < 1) return out_of_range(what, "experts", one.experts, kMostExperts);
  if (one.experts > kMostExperts)
    return not_supported(
        what, std::to_string(one.experts) + " experts are more than " + std::to_string(kMostExperts));
  if (one.chosen < 1 || one.chosen > one.experts)
    return out_of_range(what, "chosen", one.chosen, one.experts);
  if (one.chosen > kMostChosen)
    return not_supported(
        what, std::to_string(one.chosen) + " chosen experts are more than " + std::to_string(kMostChosen));
  if (one.scores != WAVESMITH_ROUTER_SOFTMAX && one.scores != WAVESMITH_ROUTER_SIGMOID)
    return invalid(what, "scores is " + std::to_string(one.scores) + ", no kind of scores");
  return succeed();
}

wavesmith_kernels_status check_stride(const char* what, const char* name,
                                      const wavesmith_kernels_rows& rows) {
  if (rows.row_stride <= kLargestStride) return succeed();
  return not_supported(what, std::string(name) + " has a stride of " + std::to_string(rows.row_stride) +
                                 " elements, more than " + std::to_string(kLargestStride));
}

wavesmith_kernels_status check_needed(const char* what, const char* name, const void* data) {
  if (!data) return invalid(what, std::string(name) + " is null");
  return check_aligned(what, name, data, sizeof(float));
}

int64_t groups_of(const Router& one) { return one.groups > 1 ? one.groups : 1; }

wavesmith_kernels_status check_groups(const Router& one) {
  if (one.groups < 0) return invalid(kName, "groups is negative");
  if (one.groups <= 1) return succeed();
  if (one.experts % one.groups != 0)
    return invalid(kName, std::to_string(one.experts) + " experts are not " + std::to_string(one.groups) +
                              " equal groups");
  if (one.groups_kept < 1 || one.groups_kept > one.groups)
    return out_of_range(kName, "groups_kept", one.groups_kept, one.groups);
  const int64_t kept = one.experts / one.groups * one.groups_kept;
  if (one.chosen > kept)
    return invalid(kName, std::to_string(one.chosen) + " experts are to be chosen of " +
                              std::to_string(kept) + " in the groups kept");
  if (one.worth != WAVESMITH_ROUTER_LARGEST && one.worth != WAVESMITH_ROUTER_TWO_LARGEST)
    return invalid(kName, "worth is " + std::to_string(one.worth) + ", no worth of groups");
  if (one.groups > kMostGroups)
    return not_supported(kName,
                         std::to_string(one.groups) + " groups are more than " + std::to_string(kMostGroups));
  return succeed();
}

const RouterConfiguration* configuration_of(const Router& one) {
  const int64_t groups = groups_of(one);
  return router_configuration(static_cast<int>(groups), static_cast<int>(one.experts / groups),
                              static_cast<int>(one.chosen));
}

wavesmith_kernels_status check(const Router& one) {
  if (const auto status = check_sizes(kName, one)) return status;
  if (const auto status = check_groups(one)) return status;
  if (!configuration_of(one))
    return not_supported(kName, std::to_string(one.experts) + " experts in " + std::to_string(one.groups) +
                                    " groups take more than the 32 lanes of the widest kernel");
  if (const auto status =
          check_rows(kName, one.tokens, one.experts, {{.name = "logits", .rows = &one.logits}}))
    return status;
  if (one.tokens == 0) return succeed();
  if (!one.logits.data) return invalid(kName, "logits.data is null");
  if (const auto status = check_stride(kName, "logits", one.logits)) return status;
  if (one.bias)
    if (const auto status = check_aligned(kName, "bias", one.bias, sizeof(float))) return status;
  if (const auto status = check_needed(kName, "weights", one.weights)) return status;
  if (const auto status = check_needed(kName, "ids", one.ids)) return status;
  const int64_t results = one.tokens * one.chosen;
  const NamedRange ranges[] = {{"logits", range_of(one.logits, one.tokens, one.experts)},
                               NamedRange::of("bias", one.bias, one.experts, WAVESMITH_KERNELS_F32),
                               NamedRange::of("weights", one.weights, results, WAVESMITH_KERNELS_F32),
                               NamedRange::of("ids", one.ids, results, WAVESMITH_KERNELS_I32)};
  return check_written(kName, ranges, 2);
}

wavesmith_kernels_status check(const Backward& one) {
  if (const auto status = check_sizes(kBackwardName, one)) return status;
  if (const auto status = check_rows(kBackwardName, one.tokens, one.experts,
                                     {{.name = "logits", .rows = &one.logits},
                                      {.name = "dlogits", .rows = &one.dlogits, .is_written = true}}))
    return status;
  if (one.tokens == 0) return succeed();
  if (!one.logits.data) return invalid(kBackwardName, "logits.data is null");
  if (!one.dlogits.data) return invalid(kBackwardName, "dlogits.data is null");
  if (const auto status = check_stride(kBackwardName, "logits", one.logits)) return status;
  if (const auto status = check_stride(kBackwardName, "dlogits", one.dlogits)) return status;
  if (const auto status = check_needed(kBackwardName, "ids", one.ids)) return status;
  if (const auto status = check_needed(kBackwardName, "dweights", one.dweights)) return status;
  const int64_t chosen = one.tokens * one.chosen;
  const NamedRange ranges[] = {NamedRange::of("ids", one.ids, chosen, WAVESMITH_KERNELS_I32),
                               NamedRange::of("dweights", one.dweights, chosen, WAVESMITH_KERNELS_F32),
                               {"dlogits", range_of(one.dlogits, one.tokens, one.experts)}};
  return check_written(kBackwardName, ranges, 1);
}

template <class Description>
RouterScores scores_of(const Description& one) {
  return {.logits = one.logits.data,
          .stride = one.logits.row_stride,
          .type = one.logits.type,
          .tokens = static_cast<int>(one.tokens),
          .experts = static_cast<int>(one.experts),
          .chosen = static_cast<int>(one.chosen),
          .sigmoid = one.scores == WAVESMITH_ROUTER_SIGMOID,
          .renormalised = one.renormalised != 0,
          .factor = one.factor};
}

wavesmith_kernels_status launch_tokens(const char* what, const RouterConfiguration& configuration,
                                       int64_t tokens, const void* arguments, size_t bytes, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const int64_t at_once = kRouterThreads / configuration.lanes;
  const Grid grid{
      .x = static_cast<unsigned>((tokens + at_once - 1) / at_once), .y = 1, .threads = kRouterThreads};
  return launch(*device, (std::string(what) + "_" + configuration.name).c_str(), grid, arguments, bytes,
                stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_router(const wavesmith_router_description* router, void* stream) {
  if (!router) return invalid(kName, "the description is null");
  const Router& one = *router;
  if (const auto status = check(one)) return status;
  if (one.tokens == 0) return succeed();
  const RouterConfiguration& configuration = *configuration_of(one);
  const auto groups = static_cast<int>(groups_of(one));
  const auto in_group = static_cast<int>(one.experts) / groups;
  const auto lanes = static_cast<unsigned>(lanes_of_group(in_group, configuration.each));
  const RouterArguments arguments{.scores = scores_of(one),
                                  .bias = one.bias,
                                  .weights = one.weights,
                                  .ids = one.ids,
                                  .groups = groups,
                                  .groups_kept = static_cast<int>(one.groups_kept),
                                  .in_group = in_group,
                                  .group_shift = std::countr_zero(lanes),
                                  .two_largest = one.worth == WAVESMITH_ROUTER_TWO_LARGEST};
  return launch_tokens(kName, configuration, one.tokens, &arguments, sizeof(arguments), stream);
}

wavesmith_kernels_status wavesmith_kernels_router_backward(
    const wavesmith_router_backward_description* backward, void* stream) {
  if (!backward) return invalid(kBackwardName, "the description is null");
  const Backward& one = *backward;
  if (const auto status = check(one)) return status;
  if (one.tokens == 0) return succeed();
  const RouterConfiguration& configuration =
      *router_configuration(1, static_cast<int>(one.experts), static_cast<int>(one.chosen));
  const RouterBackwardArguments arguments{.scores = scores_of(one),
                                          .ids = one.ids,
                                          .dweights = one.dweights,
                                          .dlogits = one.dlogits.data,
                                          .dlogits_stride = one.dlogits.row_stride,
                                          .dlogits_type = one.dlogits.type};
  return launch_tokens(kBackwardName, configuration, one.tokens, &arguments, sizeof(arguments), stream);
}
