// Which kernels compute attention's gradients: a matter of the description and the GPU's target. Needs no
// GPU.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kernels/attention_backward/arguments.h"
#include "kernels/attention_backward/configuration.h"
#include "kernels/wavesmith_attention.h"

namespace wavesmith::kernels {

/// One of the kernels that are to run.
struct AttentionBackwardKernel {
  std::string name;  ///< in the target's code object
  int threads;       ///< per workgroup
  /// Without dropout it is given just what comes before that.
  AttentionBackwardDropoutArguments arguments;
};
/// One after the other.
using AttentionBackwardChoice = std::vector<AttentionBackwardKernel>;

/// Whether a description keeps the rules that hold on every GPU. Nothing that it points to is read.
wavesmith_kernels_status check_attention_backward(
    const wavesmith_kernels_attention_backward_description& backward);

/// Of workspace, for a description that was checked.
size_t workspace_of(const wavesmith_kernels_attention_backward_description& backward);

/// Chooses for a description that was checked; where there is nothing to compute, no kernel.
wavesmith_kernels_status choose_attention_backward(
    const wavesmith_kernels_attention_backward_description& backward, std::string_view target,
    AttentionBackwardChoice& choice);

}  // namespace wavesmith::kernels
