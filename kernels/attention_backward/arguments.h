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
  /// of dQ leaves them to those of dK and dV.
  float* rows;
  long row_batch, row_head;  ///< rows from batch to batch, and from head to head
  float scale;               ///< of products of q and k
};
struct AttentionBackwardDropoutArguments : AttentionBackwardArguments {
  AttentionDropout dropout;
};

}  // namespace wavesmith::kernels
