// The C API of reductions along any dimensions: checks one, chooses how threads share it, and launches it.
#include <algorithm>
#include <bit>
#include <string>

#include "kernels/pointwise/reduction/arguments.h"
#include "kernels/pointwise/strided_checks.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_reduction_description;
using Operand = wavesmith_pointwise_operand;

constexpr const char* kName = "reduce_strided";

bool is_place(Reduction operation) {
  return operation == WAVESMITH_REDUCTION_MAXIMUM_PLACE || operation == WAVESMITH_REDUCTION_MINIMUM_PLACE;
}
bool is_variance(Reduction operation) {
  return operation == WAVESMITH_REDUCTION_VARIANCE || operation == WAVESMITH_REDUCTION_DEVIATION;
}
bool is_of_floats(Reduction operation) {
  return operation == WAVESMITH_REDUCTION_MEAN ||
         (operation >= WAVESMITH_REDUCTION_ROOT_OF_SQUARES && !is_place(operation));
}

wavesmith_kernels_status check_operation(const Description& one) {
  if (one.operation < WAVESMITH_REDUCTION_SUM || one.operation > WAVESMITH_REDUCTION_MINIMUM_PLACE)
    return invalid(kName, "operation is " + std::to_string(one.operation) + ", no operation");
  if (one.computed_in != WAVESMITH_POINTWISE_I64 && one.computed_in != WAVESMITH_POINTWISE_F32 &&
      one.computed_in != WAVESMITH_POINTWISE_F64)
    return invalid(kName, "computed_in is " + std::to_string(one.computed_in) + ", neither I64, F32 nor F64");
  if ((is_of_floats(one.operation) && one.computed_in == WAVESMITH_POINTWISE_I64) ||
      (is_variance(one.operation) && one.computed_in != WAVESMITH_POINTWISE_F64))
    return not_supported(kName, "operation " + std::to_string(one.operation) + " is not computed in " +
                                    std::string(word_of(one.computed_in)));
  return succeed();
}

std::span<const int64_t> sizes_of(const Description& one) {
  return {one.sizes, static_cast<size_t>(one.dimensions)};
}

wavesmith_kernels_status check_operand(const Description& one, const Operand& operand,
                                       const std::string& name, bool is_x) {
  if (!operand.data) return is_x ? invalid(kName, "x.data is null") : succeed();
  if (const auto status = check_type(kName, operand, name)) return status;
  const bool is_integer = operand.type <= WAVESMITH_POINTWISE_I64;
  if (operand.type >= WAVESMITH_POINTWISE_C64 ||
      (is_x && !is_integer && one.computed_in == WAVESMITH_POINTWISE_I64))
    return not_supported(kName, name + " is of " + std::string(word_of(operand.type)) +
                                    ", and computed_in is " + std::string(word_of(one.computed_in)));
  return check_span(kName, operand, name, sizes_of(one), is_x ? 0 : one.reduced);
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_operation(one)) return status;
  if (const auto status = check_dimensions(kName, one.dimensions)) return status;
  if (const auto status = check_shape(kName, sizes_of(one))) return status;
  int reduced = 0;
  for (int d = 0; d < one.dimensions; ++d) {
    if ((one.reduced >> d & 1) == 0) continue;
    if (one.sizes[d] == 0)
      return invalid(kName, "sizes[" + std::to_string(d) + "] is 0, and the dimension is reduced");
    reduced += one.sizes[d] != 1;
  }
  if (is_empty(sizes_of(one))) return succeed();
  if (is_place(one.operation) && reduced > 1)
    return invalid(kName, "several dimensions are reduced, and a place is along one");
  if (const auto status = check_operand(one, one.x, "x", true)) return status;
  if (const auto status = check_operand(one, one.y, "y", false)) return status;
  return check_operand(one, one.second, "second", false);
}

/// Dimensions of the results and reduced ones, without those of one element; what follows each other is one.
ReductionArguments arguments_of(const Description& one) {
  ReductionArguments made{};
  made.results = made.terms = 1;
  int64_t last_result = 0, last_reduced = 0;
  for (int d = 0; d < one.dimensions; ++d) {
    const auto size = static_cast<unsigned>(one.sizes[d]);
    if (size == 1) continue;
    const int x = static_cast<int>(one.x.strides[d]), y = static_cast<int>(one.y.strides[d]),
              second = static_cast<int>(one.second.strides[d]);
    if ((one.reduced >> d & 1) != 0) {
      int& count = made.reduced_dimensions;
      if (count > 0 && made.reduced_steps[count - 1] * last_reduced == x) {
        last_reduced *= size;
        made.reduced_sizes[count - 1] = Division::by(static_cast<unsigned>(last_reduced));
      } else {
        made.reduced_steps[count] = x;
        made.reduced_sizes[count++] = Division::by(size);
        last_reduced = size;
      }
      made.terms *= size;
    } else {
      int& count = made.result_dimensions;
      const auto follows = [&](const ReductionOperand& operand, int step) {
        return operand.steps[count - 1] * last_result == step;
      };
      if (count > 0 && follows(made.x, x) && follows(made.y, y) && follows(made.second, second)) {
        last_result *= size;
        made.result_sizes[count - 1] = Division::by(static_cast<unsigned>(last_result));
      } else {
        made.x.steps[count] = x, made.y.steps[count] = y, made.second.steps[count] = second;
        made.result_sizes[count++] = Division::by(size);
        last_result = size;
      }
      made.results *= size;
    }
  }
  made.x.data = one.x.data, made.x.type = one.x.type;
  made.y.data = one.y.data, made.y.type = one.y.type;
  made.second.data = one.second.data, made.second.type = one.second.type;
  if (made.reduced_dimensions == 0) made.reduced_sizes[made.reduced_dimensions++] = Division::by(1);
  made.operation = one.operation, made.p = one.p;
  return made;
}

/// How threads share the results: neighbours read what lies together, and there are enough of them.
void share(ReductionArguments& made) {
  constexpr unsigned kFew = 1U << 15, kTermsOfPart = 4096, kMostParts = 256, kTermsAtOnce = 4;
  const auto step = [](int bytes) { return bytes < 0 ? -bytes : bytes; };
  made.results_first = made.result_dimensions > 0 && step(made.x.steps[0]) < step(made.reduced_steps[0]);
  const unsigned useful = std::bit_floor(std::max(made.terms / kTermsAtOnce, 1U));
  if (made.results_first) {
    const unsigned few = std::bit_ceil((kFew + made.results - 1) / made.results);
    made.lanes = std::min({useful, few, 16U});
  } else {
    made.lanes = std::min<unsigned>(useful, kReductionThreads);
  }
  made.lanes_shift = static_cast<unsigned>(std::countr_zero(made.lanes));
  const uint64_t threads = uint64_t{made.results} * made.lanes;
  const auto missing = static_cast<unsigned>(std::min<uint64_t>((kFew + threads - 1) / threads, kMostParts));
  made.parts = std::clamp(made.terms / kTermsOfPart, 1U, missing);
  made.part = (made.terms + made.parts - 1) / made.parts;
  made.parts = (made.terms + made.part - 1) / made.part;
}

size_t workspace_of(const ReductionArguments& made, Number computed_in) {
  if (made.parts == 1) return 0;
  const size_t state =
      computed_in == WAVESMITH_POINTWISE_F32 ? sizeof(ReductionState<float>) : sizeof(ReductionState<double>);
  return state * made.parts * made.results;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

size_t wavesmith_kernels_reduce_strided_workspace(const wavesmith_reduction_description* reduction) {
  if (!reduction || check(*reduction) != WAVESMITH_KERNELS_SUCCESS || is_empty(sizes_of(*reduction)))
    return 0;
  ReductionArguments made = arguments_of(*reduction);
  share(made);
  return workspace_of(made, reduction->computed_in);
}

wavesmith_kernels_status wavesmith_kernels_reduce_strided(const wavesmith_reduction_description* reduction,
                                                          void* stream) {
  if (!reduction) return invalid(kName, "the description is null");
  const Description& one = *reduction;
  if (const auto status = check(one)) return status;
  if (is_empty(sizes_of(one))) return succeed();
  ReductionArguments made = arguments_of(one);
  share(made);
  const size_t needed = workspace_of(made, one.computed_in);
  if (const auto status = check_workspace(kName, one.workspace, one.workspace_bytes, needed)) return status;
  made.workspace = one.workspace;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const std::string kernel = "reduction_" + std::string(word_of(one.computed_in));
  const unsigned per_workgroup = kReductionThreads / made.lanes;
  const Grid grid{
      .x = (made.results + per_workgroup - 1) / per_workgroup, .y = made.parts, .threads = kReductionThreads};
  if (const auto status = launch(*device, kernel.c_str(), grid, &made, sizeof(made), stream)) return status;
  if (made.parts == 1) return succeed();
  made.lanes = 1, made.lanes_shift = 0;
  const Grid all{
      .x = (made.results + kReductionThreads - 1) / kReductionThreads, .y = 1, .threads = kReductionThreads};
  return launch(*device, (kernel + "_parts").c_str(), all, &made, sizeof(made), stream);
}
