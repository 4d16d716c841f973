// hipBLAS's statuses (hipblasStatus_t) for each outcome of a call.
#pragma once

#include "libraries/blas/gemm_entry.h"

namespace wavesmith::libraries {

inline constexpr GemmStatuses kStatuses{.done = 0,
                                        .bad_handle = 1,
                                        .bad_operation = 10,
                                        .bad_size = 3,
                                        .bad_pointer = 3,
                                        .not_served = 7,
                                        .no_memory = 2,
                                        .not_launched = 5,
                                        .not_served_text = "HIPBLAS_STATUS_NOT_SUPPORTED for these types"};

}  // namespace wavesmith::libraries
