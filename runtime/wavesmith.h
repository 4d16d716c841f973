/* What the emulated GPU offers beside the HIP API. A program that may also run on a real GPU looks these up
 * with dlsym. */
#pragma once

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Wave-instructions that the process's kernels have executed so far. */
uint64_t wavesmith_instructions(void);

/** Host threads that run kernels from now on; 0: one a core. */
void wavesmith_set_threads(int threads);

#ifdef __cplusplus
}
#endif
