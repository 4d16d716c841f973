// Which kernel computes an attention: a matter of the description and the GPU's target. Needs no GPU.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/attention/arguments.h"
#include "kernels/attention/configuration.h"
#include "kernels/attention/dropout.h"
#include "kernels/wavesmith_attention.h"

namespace wavesmith::kernels {

/// What is to run for an attention.
struct AttentionChoice {
  const AttentionConfiguration* configuration = nullptr;
  std::string kernel;  ///< its name in the target's code object
  /// What the kernel is given; without dropout it is given just what comes before that. The grid has dies *
  /// per_die workgroups.
  AttentionDropoutArguments arguments{};
};

/// Whether a description keeps the rules that hold on every GPU. Nothing that it points to is read.
wavesmith_kernels_status check_attention(const wavesmith_kernels_attention_description& attention);

/// Elements of a head of v and o.
int64_t values_of(const wavesmith_kernels_attention_description& attention);

/// Whether there is nothing to compute.
bool is_empty(const wavesmith_kernels_attention_description& attention);

/// What kernels are given for a description, but for the tiles that their workgroups compute.
AttentionArguments attention_arguments(const wavesmith_kernels_attention_description& attention);

/// Rows of a workgroup's tile, its threads, and the dies of the GPU.
struct AttentionTile {
  int rows, threads, dies;
};
/// Shares the tiles of all heads among workgroups; there is at least one tile. The grid has dies * per_die.
wavesmith_kernels_status deal_tiles(std::string_view operation, AttentionArguments& arguments,
                                    int64_t batches, int64_t heads, int64_t length,
                                    const AttentionTile& tile);

/// Chooses for a description that was checked and is not empty.
wavesmith_kernels_status choose_attention(const wavesmith_kernels_attention_description& attention,
                                          std::string_view target, AttentionChoice& choice);

}  // namespace wavesmith::kernels
