/* Sums over the GPUs of a machine, and the norm that follows them in a model whose layers are shared among
 * GPUs. Part of the kernel library: see wavesmith_kernels.h for statuses, messages and streams. */
#pragma once

#include "wavesmith_types.h"

#ifdef __cplusplus
extern "C" {
#endif

#define WAVESMITH_ALL_REDUCE_RANKS 8 /* at most */

typedef WAVESMITH_KERNELS_ENUM{
    /* The faster one, by the size, the number of ranks and the links that GPUs of this kind have. */
    WAVESMITH_ALL_REDUCE_ANY = 0,
    /* One-shot: every rank gets all of every x, and adds up everything. Ranks wait once for each other. */
    WAVESMITH_ALL_REDUCE_ONCE = 1,
    /* Two-shot: a rank adds up a slice of each row, and gives it to all. Less crosses the links, and ranks
     * wait twice for each other. */
    WAVESMITH_ALL_REDUCE_SLICES = 2,
} wavesmith_all_reduce_form;

/* On each of the ranks, a GPU each,
 *
 *   sum = x of rank 0 + x of rank 1 + ... + residual
 *   y = sum / sqrt(mean(sum^2) + epsilon) * (weight + weight_offset)    of each row
 *
 * All matrices are rows by columns of one type, F16 or BF16, a row right behind the other, aligned to 16
 * bytes; columns are a multiple of 8, with y at most 16,384, and without y rows * columns is what counts. x
 * differs from rank to rank, and the residual does not. Sums are f32, in that order, and rounded once, to the
 * nearest, ties to even: every rank gets the same bits, in each run and in either form. The mean is of the
 * rounded sum, as wavesmith_kernels_norm takes it of the same arguments. sum may be the residual or x, y may
 * be x, or the residual where the sum is elsewhere.
 *
 * Each rank calls with the same description but for `rank` and its own matrices. Ranks are told apart by
 * their buffers:
 *
 * - A rank's buffer lies in its GPU's memory, fine-grained or uncached (hipExtMallocWithFlags with
 *   hipDeviceMallocUncached), and every rank can write it: hipDeviceEnablePeerAccess in one process,
 *   hipIpcOpenMemHandle in several. `buffers` has the addresses at which the calling rank sees them. Other
 *   ranks reach nothing else of a rank: x may lie anywhere.
 * - All buffers have the same `buffer_bytes`, at least what wavesmith_kernels_all_reduce_buffer says, and are
 *   aligned to 16 bytes. Before a rank's first launch all of them are filled with zeros; then the kernels
 * keep them, and nothing is reset between launches, of whichever sizes and forms, nor between those of a
 * graph.
 * - A buffer serves one launch after the other: launches of a rank that share it are of one stream, or
 * ordered otherwise, and all ranks launch in the same order. After a launch that failed it is filled with
 * zeros again, on all ranks.
 *
 * A launch has at most 80 workgroups of at most 512 threads, and one that waits for its counterparts keeps
 * its place: leave as many places free on every GPU. It ends when all ranks have come, and waits for one that
 * does not come without end.
 *
 * With r ranks the error of a sum is at most r * 2^-24 * (|x of rank 0| + ... + |residual|), to which
 * rounding comes. */
typedef struct {
  int32_t ranks, rank; /* 2 to 8; from 0 on */
  int64_t rows, columns;
  wavesmith_kernels_type type;
  const void* x;
  const void* residual; /* null: none */
  void* sum;            /* null: it is not kept */
  void* y;              /* null: there is no norm */
  const void* weight;   /* `columns` elements; null for none */
  float weight_offset, epsilon;
  wavesmith_all_reduce_form form;
  void* buffers[WAVESMITH_ALL_REDUCE_RANKS];
  size_t buffer_bytes;
} wavesmith_all_reduce_description;

/* The bytes of buffer that it needs on the current device. Buffers of several descriptions have the most.
 * Statuses and messages are those of the launch; matrices and buffers are not looked at. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_all_reduce_buffer(const wavesmith_all_reduce_description* all_reduce, size_t* bytes);

/* `stream` is a hipStream_t of the current device, which is the calling rank's, or null. */
WAVESMITH_KERNELS_API wavesmith_kernels_status
wavesmith_kernels_all_reduce(const wavesmith_all_reduce_description* all_reduce, void* stream);

#ifdef __cplusplus
}
#endif
