// What a kernel of attention's gradients is given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/attention/dropout.h"

namespace wavesmith::kernels {

struct AttentionBackwardArguments {
  /// As the forward kernel was given it, but for the tiles and heads: those of what the workgroups compute.
  AttentionArguments forward;
  const void* d_o;
  void *dq, *dk, *dv;
  AttentionStrides stride_d_o, stride_dq, stride_dk, stride_dv;
  /// Two of each row of queries: its log-sum-exp as weights take it, and the sum of its d_o * o. The kernel
  /// of dQ, or the one that begins it, leaves them to those of dK and dV.
  float* rows;
  long row_batch, row_head;  ///< rows from batch to batch, and from head to head
  float scale;               ///< of products of q and k
  float* sums;  ///< of dQ, but for the scale, where workgroups add to it: rows of a kernel's head
  /// Where workgroups with the same keys have some of the heads of queries each, and add to dK and dV, too.
  int parts;                 ///< such workgroups; 1: there are no sums
  float *sums_k, *sums_v;    ///< but for the scale, and in units of weights
  long key_batch, key_head;  ///< rows of keys from batch to batch, and from head to head
};
struct AttentionBackwardDropoutArguments : AttentionBackwardArguments {
  AttentionDropout dropout;
};

/// Of the kernels that begin and end dQ where workgroups add to it: threads, and rows of a workgroup.
inline constexpr int kThreadsOfRows = 256;
constexpr int rows_together(int head_size) { return 4 * kThreadsOfRows * 8 / head_size; }

}  // namespace wavesmith::kernels
