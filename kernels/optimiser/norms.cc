// The C API of norms of many arrays: checks a call and launches it.
#include <algorithm>

#include "kernels/optimiser/lists.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_norms_description;
using Array = wavesmith_norm_array;

constexpr const char* kName = "norms";

wavesmith_kernels_status check(const Description& one) {
  if (one.order < WAVESMITH_NORM_SUM || one.order > WAVESMITH_NORM_LARGEST)
    return invalid(kName, "order is " + std::to_string(one.order) + ", no order");
  if (const auto status = check_count(kName, one.count, one.arrays)) return status;
  if (const auto status = check_float(kName, one.type, "type")) return status;
  if (const auto status = check_float(kName, one.type_norm, "type_norm")) return status;
  for (int64_t i = 0; i < one.count; ++i) {
    const Array& array = one.arrays[i];
    if (const auto status = check_elements(kName, i, array.elements)) return status;
    const ListOperand operands[] = {
        {.name = "norm", .data = array.norm, .type = one.type_norm, .elements = 1, .is_written = true},
        {.name = "x",
         .data = array.x,
         .type = one.type,
         .elements = array.elements,
         .is_optional = array.elements == 0}};
    if (const auto status = check_operands(kName, i, operands)) return status;
  }
  return succeed();
}

NormArguments arguments_of(const Description& one) {
  NormArguments made{};
  made.order = one.order, made.type = one.type, made.type_norm = one.type_norm;
  made.parts = static_cast<float*>(one.workspace);
  return made;
}

/// Calls with how many workgroups take the arrays of each list.
template <class Launch>
wavesmith_kernels_status each_list_of(const Description& one, NormArguments& arguments, Launch launch) {
  const auto entry_of = [&](const Array& array) {
    const ListOperand operands[] = {
        {.name = "x", .data = array.x, .type = one.type, .elements = array.elements}};
    NormEntry entry{};
    entry.x = array.x, entry.norm = array.norm, entry.aligned = is_aligned(operands);
    return entry;
  };
  return each_list(arguments, std::span(one.arrays, static_cast<size_t>(one.count)), true, entry_of, launch);
}

/// A float of each workgroup; lists are taken one after the other, in the same memory.
size_t workspace_of(const Description& one) {
  size_t most = 0;
  NormArguments arguments{};
  each_list_of(one, arguments, [&](unsigned workgroups) {
    most = std::max(most, size_t{workgroups} * sizeof(float));
    return WAVESMITH_KERNELS_SUCCESS;
  });
  return most;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

size_t wavesmith_kernels_norms_workspace(const wavesmith_norms_description* norms) {
  return norms && check(*norms) == WAVESMITH_KERNELS_SUCCESS ? workspace_of(*norms) : 0;
}

wavesmith_kernels_status wavesmith_kernels_norms(const wavesmith_norms_description* norms, void* stream) {
  if (!norms) return invalid(kName, "the description is null");
  if (const auto status = check(*norms)) return status;
  if (const auto status =
          check_workspace(kName, norms->workspace, norms->workspace_bytes, workspace_of(*norms)))
    return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  NormArguments arguments = arguments_of(*norms);
  return each_list_of(*norms, arguments, [&](unsigned workgroups) {
    const auto run = [&](const char* kernel, unsigned count) {
      return launch(*device, kernel, {.x = count, .y = 1, .threads = kListThreads}, &arguments,
                    sizeof(arguments), stream);
    };
    if (workgroups > 0) {
      if (const auto status = run("norms_of_chunks", workgroups)) return status;
    }
    return run("norms_of_arrays", static_cast<unsigned>(arguments.list.count));
  });
}
