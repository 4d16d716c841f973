// Which kernel computes an attention: a matter of the description and the GPU's target. Needs no GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/attention/arguments.h"
#include "kernels/attention/configuration.h"
#include "kernels/wavesmith_kernels.h"

namespace wavesmith::kernels {

/// What is to run for an attention.
struct AttentionChoice {
  const AttentionConfiguration* configuration = nullptr;
  std::string kernel;              ///< its name in the target's code object
  AttentionArguments arguments{};  ///< the grid has dies * per_die workgroups
};

/// Whether a description keeps the rules that hold on every GPU. Nothing that it points to is read.
wavesmith_kernels_status check_attention(const wavesmith_kernels_attention_description& attention);

/// Whether there is nothing to compute.
bool is_empty(const wavesmith_kernels_attention_description& attention);

/// Chooses for a description that was checked and is not empty.
wavesmith_kernels_status choose_attention(const wavesmith_kernels_attention_description& attention,
                                          std::string_view target, AttentionChoice& choice);

}  // namespace wavesmith::kernels
