// The C API of transpositions and copies: checks one and launches it.
#include <utility>

#include "kernels/library/byte_range.h"
#include "kernels/library/device.h"
#include "kernels/rows/rows.h"
#include "kernels/transpose/arguments.h"
#include "kernels/wavesmith_rows.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_kernels_transpose_description;
using Matrix = wavesmith_kernels_matrix;

constexpr const char* kName = "transpose";

/// A matrix whose columns lie together.
bool by_rows(const Matrix& matrix, int64_t rows, int64_t columns) {
  return matrix.column_stride == 1 && (matrix.row_stride != 1 || columns <= 1 || rows == 1);
}

/// Checks one that lies by rows, or turned.
wavesmith_kernels_status check_matrix(const std::string& name, const Matrix& matrix, const Description& d) {
  if (!matrix.data) return invalid(kName, name + ".data is null");
  if (!is_type(matrix.type))
    return invalid(kName, name + ".type is " + std::to_string(matrix.type) + ", no element type");
  if (matrix.type == WAVESMITH_KERNELS_E2M1X2)
    return not_supported(kName, name + " is of e2m1x2, of which an element is two numbers");
  if (reinterpret_cast<uintptr_t>(matrix.data) % static_cast<uintptr_t>(size_of(matrix.type)) != 0)
    return invalid(kName, name + ".data is not aligned to its elements");
  if (matrix.row_stride != 1 && matrix.column_stride != 1)
    return invalid(kName, name + " has strides " + std::to_string(matrix.row_stride) + " and " +
                              std::to_string(matrix.column_stride) + ": one of them must be 1");
  const bool rows = by_rows(matrix, d.rows, d.columns);
  const int64_t together = rows ? d.columns : d.rows, others = rows ? d.rows : d.columns,
                apart = rows ? matrix.row_stride : matrix.column_stride;
  if (others > 1 && apart < together)
    return invalid(kName, name + (rows ? ".row_stride is " : ".column_stride is ") + std::to_string(apart) +
                              ", less than the " + std::to_string(together) + " elements that lie together");
  if (apart > kLargestRow)
    return not_supported(kName, name + " has a stride of " + std::to_string(apart) + " elements, more than " +
                                    std::to_string(kLargestRow));
  if (matrix.batch_stride < 0) return invalid(kName, name + ".batch_stride is negative");
  return succeed();
}

/// What a batch of matrices occupies.
ByteRange range_of(const Matrix& matrix, const Description& d) {
  return ByteRange::of(matrix.data,
                       (d.rows - 1) * matrix.row_stride + (d.columns - 1) * matrix.column_stride +
                           (d.batches - 1) * matrix.batch_stride + 1,
                       matrix.type);
}

wavesmith_kernels_status check(const Description& d) {
  constexpr int64_t kMostBatches = 65535;  // of a grid's third dimension
  for (const auto& [name, size] : {std::pair{"rows", d.rows}, {"columns", d.columns}, {"batches", d.batches}})
    if (size < 0) return invalid(kName, std::string(name) + " is negative");
  if (d.rows > kLargestRow || d.columns > kLargestRow)
    return not_supported(kName, std::string(d.rows > kLargestRow ? "rows" : "columns") + " is too large");
  if (d.batches > kMostBatches) return not_supported(kName, "batches is more than 65535");
  if (d.rows == 0 || d.columns == 0 || d.batches == 0) return succeed();
  if (const auto status = check_matrix("x", d.x, d)) return status;
  if (const auto status = check_matrix("y", d.y, d)) return status;
  if (d.x.type != d.y.type && !(is_common_float(d.x.type) && is_common_float(d.y.type)))
    return not_supported(kName, "x is of " + std::string(word_of(d.x.type)) + " and y of " +
                                    std::string(word_of(d.y.type)) +
                                    ": there are kernels for two of one type, and for f32, f16 and bf16");
  const bool rows = by_rows(d.y, d.rows, d.columns);
  const int64_t of_one = (d.rows - 1) * d.y.row_stride + (d.columns - 1) * d.y.column_stride + 1;
  const int64_t together = rows ? d.columns : d.rows, apart = rows ? d.y.row_stride : d.y.column_stride;
  const bool side_by_side =
      d.y.batch_stride >= together && (d.batches - 1) * d.y.batch_stride + together <= apart;
  if (d.batches > 1 && d.y.batch_stride < of_one && !side_by_side)
    return invalid(kName, "y.batch_stride is " + std::to_string(d.y.batch_stride) +
                              ", so that matrices of the batch share elements");
  if (range_of(d.y, d).overlaps(range_of(d.x, d))) return invalid(kName, "y overlaps x");
  return succeed();
}

/// With X by rows: otherwise both matrices are turned.
Description x_by_rows(Description d) {
  if (by_rows(d.x, d.rows, d.columns)) return d;
  std::swap(d.rows, d.columns);
  std::swap(d.x.row_stride, d.x.column_stride), std::swap(d.y.row_stride, d.y.column_stride);
  return d;
}

bool is_multiple(const Matrix& matrix, int64_t stride, int64_t batches, int64_t bytes) {
  const int64_t size = size_of(matrix.type);
  return reinterpret_cast<uintptr_t>(matrix.data) % static_cast<uintptr_t>(bytes) == 0 &&
         stride * size % bytes == 0 && (batches == 1 || matrix.batch_stride * size % bytes == 0);
}

/// Copies of one type as copies of dwords, where all begins and ends with one.
void take_dwords(TransposeArguments& arguments, const Description& d) {
  const int64_t size = size_of(d.x.type), in_dword = std::max<int64_t>(4 / size, 1);
  if (!is_multiple(d.x, d.x.row_stride, d.batches, 4) || !is_multiple(d.y, d.y.row_stride, d.batches, 4) ||
      d.columns % in_dword != 0)
    return;
  arguments.type_x = arguments.type_y = WAVESMITH_KERNELS_F32;
  for (long* one : {&arguments.stride_x, &arguments.stride_y, &arguments.batch_x, &arguments.batch_y})
    *one /= in_dword;
  arguments.columns /= static_cast<int>(in_dword);
}

wavesmith_kernels_status launch_copy(TransposeArguments arguments, const Description& d, unsigned batches,
                                     const Device& device, void* stream) {
  if (arguments.type_x == arguments.type_y) take_dwords(arguments, d);
  arguments.eights = eight_grid(arguments.rows, arguments.columns, kCopyEights);
  if (const auto status = check_grid(kName, arguments.eights)) return status;
  return launch(device, "transpose_copy",
                {static_cast<unsigned>(arguments.eights.workgroups), 1, kRowThreads, batches}, &arguments,
                sizeof(arguments), stream);
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

wavesmith_kernels_status wavesmith_kernels_transpose(const wavesmith_kernels_transpose_description* transpose,
                                                     void* stream) {
  if (!transpose) return invalid(kName, "the description is null");
  if (const auto status = check(*transpose)) return status;
  if (transpose->rows == 0 || transpose->columns == 0 || transpose->batches == 0) return succeed();
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  const Description d = x_by_rows(*transpose);
  const bool turned = !by_rows(d.y, d.rows, d.columns);
  const int64_t stride_y = turned ? d.y.column_stride : d.y.row_stride;
  const TransposeArguments arguments{.x = d.x.data,
                                     .y = d.y.data,
                                     .stride_x = d.x.row_stride,
                                     .stride_y = stride_y,
                                     .batch_x = d.x.batch_stride,
                                     .batch_y = d.y.batch_stride,
                                     .rows = static_cast<int>(d.rows),
                                     .columns = static_cast<int>(d.columns),
                                     .type_x = d.x.type,
                                     .type_y = d.y.type,
                                     .by_columns = turned};
  const auto batches = static_cast<unsigned>(d.batches);
  const bool same = d.x.type == d.y.type;
  const bool by_dwords = is_multiple(d.x, d.x.row_stride, d.batches, 4) &&
                         is_multiple(d.y, stride_y, d.batches, 4) && d.columns * size_of(d.x.type) % 4 == 0;
  if (!turned && (!same || by_dwords)) return launch_copy(arguments, d, batches, *device, stream);
  // Elements of the shorter type go through registers and shared memory.
  const int bytes = static_cast<int>(std::min(size_of(d.x.type), size_of(d.y.type)));
  const int side = transpose_square(bytes);
  const bool squares = turned && is_multiple(d.x, d.x.row_stride, d.batches, 16) &&
                       is_multiple(d.y, stride_y, d.batches, 16) && d.rows % side == 0 &&
                       d.columns % side == 0 && std::max(d.x.row_stride, stride_y) <= kLargestSquareStride;
  const int threads = squares ? kSquareThreads : kTransposeThreads, tile = squares ? 8 * side : kElementsTile;
  const int64_t workgroups = (d.rows + tile - 1) / tile * ((d.columns + tile - 1) / tile);
  if (workgroups > INT32_MAX / kTransposeThreads)
    return not_supported(kName, "the matrices have more elements than a grid covers");
  const std::string kernel = "transpose_" + (squares ? std::to_string(bytes) : "elements");
  return launch(*device, kernel.c_str(),
                {static_cast<unsigned>(workgroups), 1, static_cast<unsigned>(threads), batches}, &arguments,
                sizeof(arguments), stream);
}
