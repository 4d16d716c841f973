// What the operations on rows of matrices have in common on the host: rules, and the kernel for a row's
// length.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>

#include "kernels/library/device.h"
#include "kernels/rows/configurations.h"
#include "kernels/wavesmith_kernels.h"

namespace wavesmith::kernels {

/// Fails with INVALID_ARGUMENT: the operation's name, then what is wrong.
wavesmith_kernels_status invalid(const char* operation, const std::string& message);

/// A matrix that an operation is given.
struct RowsArgument {
  const char* name;
  const wavesmith_kernels_rows* rows;
  bool is_written = false;
};

/// Checks sizes, and each matrix whose data are not null; what is written must not overlap another matrix,
/// except in place: with the same first element, stride and size of elements.
wavesmith_kernels_status check_rows(const char* operation, int64_t rows, int64_t columns,
                                    std::initializer_list<RowsArgument> matrices);

/// Checks a vector that is not null.
wavesmith_kernels_status check_vector(const char* operation, const char* name, const void* data,
                                      wavesmith_kernels_type type);

/// The configuration for rows of that length: whether all of the matrices are aligned decides, too.
const RowConfiguration& row_configuration(int64_t columns, bool aligned);

/// Whether eight elements of a column that is a multiple of 8 may be moved at once.
bool is_aligned(const wavesmith_kernels_rows& matrix, int64_t columns);
bool is_aligned(const void* vector);

/// Launches a kernel over rows: `operation`_`configuration`.
wavesmith_kernels_status launch_rows(const std::string& operation, const RowConfiguration& configuration,
                                     int64_t rows, const void* argument, size_t bytes, void* stream);

}  // namespace wavesmith::kernels
