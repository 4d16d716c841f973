/* The kernel library of Wavesmith: machine code for AMD GPUs, launched through the public HIP API. With ROCm
 * and a GPU it runs there, without on the emulated one. Nothing is compiled at run time.
 *
 * Each function puts work into a stream of the current device and returns. A status other than
 * WAVESMITH_KERNELS_SUCCESS says that nothing was launched; wavesmith_kernels_message() then names the
 * argument and the rule. */
#pragma once

#include "wavesmith_attention.h"
#include "wavesmith_gemm.h"
#include "wavesmith_rows.h"
#include "wavesmith_types.h"
