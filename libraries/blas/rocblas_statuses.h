// rocBLAS's statuses (rocblas_status) for each outcome of a call.
#pragma once

#include "libraries/blas/gemm_entry.h"

namespace wavesmith::libraries {

inline constexpr GemmStatuses kStatuses{.done = 0,
                                        .bad_handle = 1,
                                        .bad_operation = 11,
                                        .bad_size = 4,
                                        .bad_pointer = 3,
                                        .not_served = 2,
                                        .no_memory = 5,
                                        .not_launched = 6,
                                        .not_served_text = "rocblas_status_not_implemented for these types"};

}  // namespace wavesmith::libraries
