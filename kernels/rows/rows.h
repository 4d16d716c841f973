// What the operations on rows of matrices have in common on the host: rules, and the kernel for a row's
// length.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "kernels/library/byte_range.h"
#include "kernels/library/device.h"
#include "kernels/library/failure.h"
#include "kernels/rows/choice.h"
#include "kernels/rows/eight_grid.h"
#include "kernels/wavesmith_types.h"

namespace wavesmith::kernels {

/// Largest stride and number of columns, for offsets within a workgroup's rows are 32 bits wide.
inline constexpr int64_t kLargestRow = int64_t{1} << 24;

/// Types that a matrix may have.
struct RowTypes {
  bool (*hold)(wavesmith_kernels_type type);
  const char* words;
};
inline constexpr RowTypes kFloatTypes{is_common_float, "f32, f16 and bf16"},
    kQuantisedTypes{
        [](wavesmith_kernels_type type) { return is_quantised(type) || type == WAVESMITH_KERNELS_E2M1X2; },
        "i8, floats of 8 bits and e2m1x2"},
    kFloatOrQuantisedTypes{
        [](wavesmith_kernels_type type) { return is_common_float(type) || is_quantised(type); },
        "f32, f16, bf16, i8 and floats of 8 bits"};

/// A matrix that an operation is given.
struct RowsArgument {
  const char* name;
  const wavesmith_kernels_rows* rows;
  bool is_written = false;
  RowTypes types = kFloatTypes;
  /// It has one row, or one column, which serves for all: the row stride of one row is not looked at.
  bool one_row = false, one_column = false;
};
using RowsArguments = std::initializer_list<RowsArgument>;

/// Checks sizes, and each matrix whose data are not null; what is written must not overlap another matrix,
/// except in place: with the same first element, stride and size of elements.
wavesmith_kernels_status check_rows(const char* operation, int64_t rows, int64_t columns,
                                    RowsArguments matrices);

/// The bytes from a matrix's first element to its last one.
ByteRange range_of(const wavesmith_kernels_rows& matrix, int64_t rows, int64_t columns);

/// Checks a vector that is not null.
wavesmith_kernels_status check_vector(const char* operation, const char* name, const void* data,
                                      wavesmith_kernels_type type);

/// Whether eight elements of a column that is a multiple of 8 may be moved at once.
bool is_aligned(const wavesmith_kernels_rows& matrix, int64_t columns);
bool is_aligned(const void* vector);
bool are_aligned(std::initializer_list<const wavesmith_kernels_rows*> matrices, int64_t columns);

/// What the names of an operation's kernels for such matrices begin with.
std::string known_name(const char* operation, wavesmith_kernels_type type);

/// Launches a kernel over rows: `operation`_`configuration`.
wavesmith_kernels_status launch_rows(const std::string& operation, const RowConfiguration& configuration,
                                     int64_t rows, const void* argument, size_t bytes, void* stream);

/// How the eights of a matrix are shared among threads that take so many each.
EightGrid eight_grid(int64_t rows, int64_t columns, int eights);
/// The same where a workgroup takes eights of one row alone, one for each thread.
EightGrid grid_of_rows(int64_t rows, int64_t columns);
wavesmith_kernels_status check_grid(const char* operation, const EightGrid& grid);
/// Launches a kernel that takes eights.
wavesmith_kernels_status launch_eights(const char* kernel, const EightGrid& grid, const void* argument,
                                       size_t bytes, void* stream);

}  // namespace wavesmith::kernels
