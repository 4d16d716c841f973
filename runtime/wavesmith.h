/* What the emulated GPU offers beside the HIP API. A program that may also run on a real GPU looks these up
 * with dlsym. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Wave-instructions that the process's kernels have executed so far. */
uint64_t wavesmith_instructions(void);

/** Host threads that run kernels from now on; 0: one a core. */
void wavesmith_set_threads(int threads);

/** Kernels launched from now on see all of the process's memory, as on an APU, whatever the GPU: for clients
 * whose arrays are the host's own. 0: what the GPU itself would see (everything on an APU and under
 * HSA_XNACK=1). */
void wavesmith_show_host_memory(int all);

/** Copies what was last said on stderr about a failed call or kernel, without its "wavesmith: ", cut to
 * `size` bytes with the closing 0. Returns the text's whole length; 0: nothing failed yet. Clients put it
 * into their own errors. */
size_t wavesmith_last_failure(char* text, size_t size);

#ifdef __cplusplus
}
#endif
