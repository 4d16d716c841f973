// The attention kernels that there are: rows of configurations.tsv, which the build turns into this table.
#pragma once

#include <span>
#include <string_view>

namespace wavesmith::kernels {

struct AttentionConfiguration {
  std::string_view target;
  int head_size;    ///< of the kernels, which serve smaller ones, too
  int head_size_v;  ///< of v and o
  int rows, keys;   ///< of a workgroup's tile
  int threads;      ///< per workgroup
  int dies;         ///< of the GPU, over which workgroups go by turns
  std::string_view why;
};

std::span<const AttentionConfiguration> attention_configurations();

}  // namespace wavesmith::kernels
