// The C API of searches in sequences: checks a call and launches it.
#include <string>
#include <vector>

#include "kernels/pointwise/strided_checks.h"
#include "kernels/sort/search_arguments.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_search_description;
using Operand = wavesmith_pointwise_operand;

constexpr const char* kName = "search";

std::span<const int64_t> sizes_of(const Description& one) {
  return {one.sizes, static_cast<size_t>(one.dimensions)};
}

/// A sequence of which an element has a step, at the coordinates of x.
wavesmith_kernels_status check_sequence(const Description& one, const Operand& operand,
                                        const std::string& name, int64_t step) {
  int64_t bytes = 0;
  if (__builtin_mul_overflow(one.length - 1, step, &bytes) || bytes > INT32_MAX || bytes < -INT32_MAX)
    return not_supported(kName, name + " spans 2^31 bytes or more");
  return check_operand(kName, operand, name, sizes_of(one));
}

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_dimensions(kName, one.dimensions)) return status;
  if (const auto status = check_shape(kName, sizes_of(one))) return status;
  if (one.length < 0) return invalid(kName, "length is negative");
  if (is_empty(sizes_of(one))) return succeed();
  if (const auto status = check_operand(kName, one.x, "x", sizes_of(one))) return status;
  if (one.x.type >= WAVESMITH_POINTWISE_C64)
    return not_supported(kName, "x is of " + std::string(word_of(one.x.type)));
  if (const auto status = check_operand(kName, one.y, "y", sizes_of(one))) return status;
  if (one.y.type != WAVESMITH_POINTWISE_I32 && one.y.type != WAVESMITH_POINTWISE_I64)
    return not_supported(kName, "y is of " + std::string(word_of(one.y.type)) + ", neither i32 nor i64");
  if (one.length == 0) return succeed();
  if (one.sequence.data && one.sequence.type != one.x.type)
    return invalid(kName, "the sequence's type is not x's");
  if (const auto status = check_sequence(one, one.sequence, "sequence", one.step)) return status;
  if (!one.sorter.data) return succeed();
  if (one.sorter.type != WAVESMITH_POINTWISE_I64) return not_supported(kName, "the sorter is not of i64");
  return check_sequence(one, one.sorter, "sorter", one.sorter_step);
}

SearchArguments arguments_of(const Description& one) {
  SearchArguments made{};
  const auto operand = [&](const Operand& given) {
    SearchOperand to{.data = given.data, .type = given.type, .steps = {}};
    for (int d = 0; d < one.dimensions; ++d) to.steps[d] = static_cast<int>(given.strides[d]);
    return to;
  };
  made.x = operand(one.x), made.y = operand(one.y);
  made.sequence = operand(one.sequence), made.sorter = operand(one.sorter);
  made.elements = 1;
  for (int d = 0; d < one.dimensions; ++d) {
    made.sizes[d] = Division::by(static_cast<unsigned>(one.sizes[d]));
    made.elements *= static_cast<unsigned>(one.sizes[d]);
  }
  made.dimensions = one.dimensions;
  made.step = static_cast<int>(one.step), made.sorter_step = static_cast<int>(one.sorter_step);
  made.length = static_cast<unsigned>(one.length);
  made.is_right = one.is_right;
  return made;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_search(const wavesmith_search_description* search, void* stream) {
  if (!search) return invalid(kName, "the description is null");
  const Description& one = *search;
  if (const auto status = check(one)) return status;
  if (is_empty(sizes_of(one))) return succeed();
  const SearchArguments made = arguments_of(one);
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const bool is_integer = one.x.type <= WAVESMITH_POINTWISE_I64;
  return launch(
      *device, is_integer ? "search_i64" : "search_f64",
      {.x = (made.elements + kSearchThreads - 1) / kSearchThreads, .y = 1, .threads = kSearchThreads}, &made,
      sizeof(made), stream);
}
