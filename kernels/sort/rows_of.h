// For the host: rows as a description's sizes and strides say.
#pragma once

#include <vector>

#include "kernels/pointwise/strided_checks.h"
#include "kernels/sort/rows_arguments.h"

namespace wavesmith::kernels {

/// What descriptions along a dimension have in common.
struct RowsGiven {
  const char* what;  ///< the operation's name, for messages
  int dimensions, along;
  std::span<const int64_t> sizes;
  const wavesmith_pointwise_operand &x, &values, &places;
  const char *values_name, *places_name;
};

/// Those of a description of this library's: its sizes and x, and the results that it names.
template <class Description>
RowsGiven rows_given(const char* what, const Description& one, const wavesmith_pointwise_operand& values,
                     const char* values_name, const wavesmith_pointwise_operand& places,
                     const char* places_name) {
  return {.what = what,
          .dimensions = one.dimensions,
          .along = one.along,
          .sizes = {one.sizes, static_cast<size_t>(one.dimensions)},
          .x = one.x,
          .values = values,
          .places = places,
          .values_name = values_name,
          .places_name = places_name};
}

/// That the sizes are some, before a dimension of them is looked at.
inline wavesmith_kernels_status check_along(const char* what, int dimensions, int along,
                                            const int64_t* sizes) {
  if (const auto status = check_dimensions(what, dimensions)) return status;
  if (dimensions == 0 ? along != 0 : along < 0 || along >= dimensions)
    return invalid(what, "along is " + std::to_string(along) + ", no dimension");
  return check_shape(what, {sizes, static_cast<size_t>(dimensions)});
}

/// Checks the operands of rows that are not empty. `results` is how many elements of a row the results have.
inline wavesmith_kernels_status check_rows(const RowsGiven& one, int64_t results) {
  const auto check = [&](const wavesmith_pointwise_operand& operand, const char* name, bool is_x) {
    if (!operand.data) return is_x ? invalid(one.what, "x.data is null") : succeed();
    if (const auto status = check_type(one.what, operand, name)) return status;
    if (operand.type >= WAVESMITH_POINTWISE_C64)
      return not_supported(one.what, std::string(name) + " is of " + std::string(word_of(operand.type)));
    std::vector<int64_t> sizes(one.sizes.begin(), one.sizes.end());
    if (!is_x && !sizes.empty()) sizes[static_cast<size_t>(one.along)] = results;
    return check_span(one.what, operand, name, sizes);
  };
  if (const auto status = check(one.x, "x", true)) return status;
  if (const auto status = check(one.values, one.values_name, false)) return status;
  if (const auto status = check(one.places, one.places_name, false)) return status;
  if (one.places.data && one.places.type != WAVESMITH_POINTWISE_I64)
    return not_supported(one.what, std::string(one.places_name) + " is of " +
                                       std::string(word_of(one.places.type)) + ", not i64");
  return succeed();
}

/// The rows, with the dimensions across that follow each other as one.
inline Rows rows_of(const RowsGiven& one) {
  Rows made{};
  made.count = 1;
  made.length = one.dimensions == 0 ? 1 : static_cast<unsigned>(one.sizes[static_cast<size_t>(one.along)]);
  const auto begin = [&](RowsOperand& to, const wavesmith_pointwise_operand& given) {
    to.data = given.data, to.type = given.type;
    to.step = one.dimensions == 0 ? 0 : static_cast<int>(given.strides[one.along]);
  };
  begin(made.x, one.x), begin(made.values, one.values), begin(made.places, one.places);
  int64_t last = 0;
  for (int d = 0; d < one.dimensions; ++d) {
    const int64_t size = one.sizes[static_cast<size_t>(d)];
    if (d == one.along || size == 1) continue;
    int& count = made.dimensions;
    const auto follows = [&](const RowsOperand& to, const wavesmith_pointwise_operand& given) {
      return !given.data || to.steps[count - 1] * last == given.strides[d];
    };
    made.count *= static_cast<unsigned>(size);
    if (count > 0 && follows(made.x, one.x) && follows(made.values, one.values) &&
        follows(made.places, one.places)) {
      last *= size;
      made.sizes[count - 1] = Division::by(static_cast<unsigned>(last));
      continue;
    }
    made.x.steps[count] = static_cast<int>(one.x.strides[d]);
    made.values.steps[count] = static_cast<int>(one.values.strides[d]);
    made.places.steps[count] = static_cast<int>(one.places.strides[d]);
    made.sizes[count++] = Division::by(static_cast<unsigned>(size));
    last = size;
  }
  return made;
}

/// The most workgroups of a grid along y.
inline constexpr unsigned kMostAlongY = 65535;

}  // namespace wavesmith::kernels
