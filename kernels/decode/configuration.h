// The decode kernels that there are: rows of configurations.tsv and of mla/configurations.tsv, which the
// build turns into this table.
#pragma once

#include <span>
#include <string_view>

namespace wavesmith::kernels {

struct DecodeConfiguration {
  std::string_view target;
  int head_size;
  int head_size_v;          ///< less than head_size: values are the keys' first elements
  std::string_view caches;  ///< "same": of the queries' type; "same,e4m3", "same,e4m3fnuz"
  int rows;                 ///< of queries that a workgroup has
  int keys;                 ///< that a workgroup reads in one step
  int waves, threads;       ///< per workgroup
  int dies;                 ///< of the GPU, over which workgroups go by turns
  std::string_view why;

  [[nodiscard]] constexpr bool has_latents() const { return head_size_v < head_size; }
  /// Whether it reads caches of a type of 8 bits.
  [[nodiscard]] constexpr bool has_cache_of(std::string_view type) const {
    const size_t comma = caches.find(',');
    return comma != caches.npos && caches.substr(comma + 1) == type;
  }
};

std::span<const DecodeConfiguration> decode_configurations();

}  // namespace wavesmith::kernels
