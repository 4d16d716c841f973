// The kernels of attention's gradients that there are: rows of configurations.tsv, which the build turns into
// this table.
#pragma once

#include <span>
#include <string_view>

namespace wavesmith::kernels {

struct AttentionBackwardConfiguration {
  std::string_view target;
  int head_size;              ///< of the kernel, which serves smaller ones, too
  std::string_view gradient;  ///< queries, keys, values, keys_and_values, or all
  int rows;                   ///< of a workgroup's tile, of queries or keys
  int tile;                   ///< rows of the other side that come at a time
  int shaped_tile;            ///< the same for capped or biased scores; 0: there is no kernel for these
  int threads;                ///< per workgroup
  std::string_view why;
};

std::span<const AttentionBackwardConfiguration> attention_backward_configurations();

}  // namespace wavesmith::kernels
