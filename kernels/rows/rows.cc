#include "kernels/rows/rows.h"

#include <algorithm>

namespace wavesmith::kernels {
namespace {

wavesmith_kernels_status no_kernel(const char* operation, const std::string& name,
                                   wavesmith_kernels_type type, const RowTypes& types) {
  return not_supported(
      operation, name + " is of " + std::string(word_of(type)) + ": there are kernels for " + types.words);
}

wavesmith_kernels_status check_one(const char* operation, const RowsArgument& argument, int64_t columns) {
  const wavesmith_kernels_rows& rows = *argument.rows;
  const std::string name = argument.name;
  if (!is_type(rows.type))
    return invalid(operation, name + ".type is " + std::to_string(rows.type) + ", no element type");
  if (!argument.types.hold(rows.type)) return no_kernel(operation, name, rows.type, argument.types);
  columns = argument.one_column ? 1 : elements_of(rows.type, columns);
  if (reinterpret_cast<uintptr_t>(rows.data) % static_cast<uintptr_t>(size_of(rows.type)) != 0)
    return invalid(operation, name + ".data is not aligned to its elements");
  if (argument.one_row) return succeed();
  if (rows.row_stride < columns)
    return invalid(operation, name + ".row_stride is " + std::to_string(rows.row_stride) +
                                  ", less than its " + std::to_string(columns) + " columns");
  if (rows.row_stride > kLargestRow)
    return not_supported(operation, name + " has a stride of " + std::to_string(rows.row_stride) +
                                        " elements, more than " + std::to_string(kLargestRow));
  return succeed();
}

bool in_place(const RowsArgument& a, const RowsArgument& b) {
  return a.rows->data == b.rows->data && a.rows->row_stride == b.rows->row_stride &&
         size_of(a.rows->type) == size_of(b.rows->type) && a.one_column == b.one_column;
}

/// Whether two matrices have columns of their own in rows that they share: halves of one matrix.
bool beside(const RowsArgument& a, const RowsArgument& b, int64_t columns) {
  const auto bytes_of = [](const RowsArgument& one, int64_t count) {
    return count * size_of(one.rows->type);
  };
  const int64_t stride = bytes_of(a, a.rows->row_stride);
  if (a.one_row || b.one_row || a.one_column || b.one_column) return false;
  if (stride != bytes_of(b, b.rows->row_stride)) return false;
  const bool ordered = a.rows->data < b.rows->data;
  const RowsArgument &lower = ordered ? a : b, &upper = ordered ? b : a;
  const auto distance =
      reinterpret_cast<intptr_t>(upper.rows->data) - reinterpret_cast<intptr_t>(lower.rows->data);
  const auto width = [&](const RowsArgument& one) {
    return bytes_of(one, elements_of(one.rows->type, columns));
  };
  return distance % stride >= width(lower) && distance % stride + width(upper) <= stride;
}

ByteRange bytes_of(const RowsArgument& argument, int64_t rows, int64_t columns) {
  return range_of(*argument.rows, argument.one_row ? 1 : rows, argument.one_column ? 1 : columns);
}

}  // namespace

wavesmith_kernels_status check_rows(const char* operation, int64_t rows, int64_t columns,
                                    RowsArguments matrices) {
  if (rows < 0) return invalid(operation, "rows is negative");
  if (columns < 0) return invalid(operation, "columns is negative");
  if (rows > INT32_MAX / kRowThreads || columns > kLargestRow)
    return not_supported(operation,
                         std::string(columns > kLargestRow ? "columns" : "rows") + " is too large");
  if (rows == 0 || columns == 0) return succeed();
  for (const RowsArgument& one : matrices)
    if (one.rows->data)
      if (const auto status = check_one(operation, one, columns)) return status;
  for (const RowsArgument& one : matrices)
    for (const RowsArgument& other : matrices) {
      if (&one == &other || !one.is_written || !one.rows->data || !other.rows->data) continue;
      if (!bytes_of(one, rows, columns).overlaps(bytes_of(other, rows, columns))) continue;
      if (beside(one, other, columns) || (!other.is_written && in_place(one, other))) continue;
      return invalid(operation, std::string(one.name) + " overlaps " + other.name);
    }
  return succeed();
}

ByteRange range_of(const wavesmith_kernels_rows& matrix, int64_t rows, int64_t columns) {
  return ByteRange::of(matrix.data, (rows - 1) * matrix.row_stride + elements_of(matrix.type, columns),
                       matrix.type);
}

wavesmith_kernels_status check_vector(const char* operation, const char* name, const void* data,
                                      wavesmith_kernels_type type) {
  if (!data) return succeed();
  if (!is_type(type)) return invalid(operation, std::string(name) + "_type is no element type");
  if (!is_common_float(type)) return no_kernel(operation, name, type, kFloatTypes);
  if (reinterpret_cast<uintptr_t>(data) % static_cast<uintptr_t>(size_of(type)) != 0)
    return invalid(operation, std::string(name) + " is not aligned to its elements");
  return succeed();
}

std::string known_name(const char* operation, wavesmith_kernels_type type) {
  return std::string(operation) + "_" + std::string(word_of(type));
}

bool is_aligned(const void* vector) { return reinterpret_cast<uintptr_t>(vector) % 16 == 0; }

bool is_aligned(const wavesmith_kernels_rows& matrix, int64_t columns) {
  return is_aligned(matrix.data) && (!matrix.data || (matrix.row_stride % 8 == 0 && columns % 8 == 0));
}

bool are_aligned(std::initializer_list<const wavesmith_kernels_rows*> matrices, int64_t columns) {
  return std::ranges::all_of(
      matrices, [&](const wavesmith_kernels_rows* matrix) { return is_aligned(*matrix, columns); });
}

wavesmith_kernels_status launch_rows(const std::string& operation, const RowConfiguration& configuration,
                                     int64_t rows, const void* argument, size_t bytes, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const int64_t workgroups = (rows + configuration.rows() - 1) / configuration.rows();
  const Grid grid{static_cast<unsigned>(workgroups), 1, static_cast<unsigned>(configuration.threads)};
  return launch(*device, (operation + "_" + configuration.name).c_str(), grid, argument, bytes, stream);
}

EightGrid eight_grid(int64_t rows, int64_t columns, int eights) {
  constexpr int kLeastShift = 4, kMostShift = 8;  // threads side by side: a block's 16, a workgroup's 256
  int shift = kLeastShift;
  while (shift < kMostShift && int64_t{8} << shift < columns) ++shift;
  const int64_t height = int64_t{eights} * (kRowThreads >> shift), width = int64_t{8} << shift;
  const int64_t workgroups = (rows + height - 1) / height * ((columns + width - 1) / width);
  return {shift, static_cast<int>(std::min<int64_t>(workgroups, INT32_MAX))};
}

EightGrid grid_of_rows(int64_t rows, int64_t columns) {
  constexpr int64_t kAtOnce = int64_t{kRowThreads} * 8;
  const int64_t workgroups = (columns + kAtOnce - 1) / kAtOnce * rows;
  return {0, static_cast<int>(std::min<int64_t>(workgroups, INT32_MAX))};
}

wavesmith_kernels_status check_grid(const char* operation, const EightGrid& grid) {
  if (grid.workgroups <= INT32_MAX / kRowThreads) return succeed();
  return not_supported(operation, "the matrices have more elements than a grid covers");
}

wavesmith_kernels_status launch_eights(const char* kernel, const EightGrid& grid, const void* argument,
                                       size_t bytes, void* stream) {
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  return launch(*device, kernel, {static_cast<unsigned>(grid.workgroups), 1, kRowThreads}, argument, bytes,
                stream);
}

}  // namespace wavesmith::kernels
