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

/** One parameter of an operation, by its name in `wavesmith predict`: a word, or where that is null a number.
 */
struct wavesmith_parameter {
  const char* name;
  const char* word;
  double number;
};

/** What a GPU would do for a library's call that is served on the host. */
struct wavesmith_work {
  const char* library;   /**< "hipblas" */
  const char* function;  /**< that the program called: "hipblasHgemm" */
  int continues;         /**< the call has been told of before: it has several functions in its stream */
  const char* operation; /**< of `wavesmith predict`: "gemm"; null: nothing that takes time */
  const struct wavesmith_parameter* parameters;
  size_t count;
  double times;      /**< how often, one behind the other */
  double not_before; /**< seconds of modelled time before which it cannot begin; 0: as the stream has it */
};

/** Whether wavesmith_tell_work() has an effect: with modelled time, or with a report. Never changes. */
int wavesmith_work_wanted(void);

/** To be called by a function that hipLaunchHostFunc was given, while it runs: what it does in a GPU's place.
 * Of the first call on the library's call is counted; with modelled time its stream takes as long as the
 * model predicts for all of it. */
void wavesmith_tell_work(const struct wavesmith_work* work);

/** When, in seconds of modelled time, the work of the function that runs can begin in its stream; 0 without
 * modelled time. For work that begins when several streams have come to it. */
double wavesmith_work_begins(void);

/** What a stream did on the modelled clock. */
struct wavesmith_timed {
  const char*
      name; /**< a kernel's, "copy", "fill", or the function of a library; until recording begins again */
  const char* bound; /**< what limits a kernel: "compute", "memory", "address" (of vector memory), "lds",
                        "links" or "latency"; "": not told */
  int device;        /**< as HIP numbers it */
  uint64_t stream;   /**< a number of the stream's own */
  uint64_t number;   /**< of the operation that the program asked for; a graph's kernels have the launch's */
  double begin, end; /**< seconds */
};

/** 1: devices have modelled time from now on, as under WAVESMITH_TIME, and what streams do is recorded; 0:
 * neither, but modelled time stays where WAVESMITH_TIME asked for it. Waits for all devices. Libraries' calls
 * that are served on the host take modelled time under WAVESMITH_TIME alone. Returns what it was before. */
int wavesmith_model_time(int on);

/** How many operations streams were asked for with modelled time. Those of a call have the numbers from what
 * this returns before it to what this returns after it, without the last. */
uint64_t wavesmith_asked(void);

/** How much was recorded, and each of it in the order in which it ended in its stream; 0: there is no such.
 */
size_t wavesmith_timed_count(void);
int wavesmith_timed_at(size_t index, struct wavesmith_timed* timed);

/** Launches are checked from now on by these checkers: "memory,race" or "all" (`wavesmith check --help` lists
 * them), in place of those of WAVESMITH_CHECK. Waits for all devices. Returns 0, or 1 with the reason in
 * wavesmith_last_failure(): no such checker, or checks are under way. */
int wavesmith_check_begin(const char* checkers);

/** Waits for all devices, ends these checks and keeps their report, JSON as `wavesmith check --json` prints
 * it, for wavesmith_check_report(). Returns the text's length; 0: no checks were under way. */
size_t wavesmith_check_end(void);

/** Copies the report of the checks that ended last, cut to `size` bytes with the closing 0. Returns the
 * text's whole length. */
size_t wavesmith_check_report(char* text, size_t size);

/** A library has served a request on the host, in a stream's order: for checks under way, all that follows in
 * their allocations where the pointers among the request's `bytes` point to counts as written. */
void wavesmith_tell_served(const void* request, size_t bytes);

/** Whether the process has called a function of HIP that needs the GPUs. ROCm's HIP has then called hsa_init.
 */
int wavesmith_started(void);

/** What is known of the GPU that HIP calls `device`, as text: a field of its data file, by its path
 * ("compute.units": "304"; `wavesmith gpus mi300x` lists them; "unknown" where nobody published a number),
 * "node" (the kernel driver's number of it) or "uuid" ("GPU-0123456789abcdef"). Cut to `size` bytes with the
 * closing 0. Returns the text's whole length; 0: there is no such device, or no such field. */
size_t wavesmith_gpu_field(int device, const char* field, char* text, size_t size);

#ifdef __cplusplus
}
#endif
