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
  std::string_view caches;  ///< words, separated by commas: "same,e4m3,e4m3_token,i8"
  int rows;                 ///< of queries that a workgroup has
  int keys;                 ///< that a workgroup reads in one step
  int waves, threads;       ///< per workgroup
  int dies;                 ///< of the GPU, over which workgroups go by turns
  std::string_view why;

  [[nodiscard]] constexpr bool has_latents() const { return head_size_v < head_size; }
  /// Whether it reads caches that a word names: "same", of the queries' type; a type of 8 bits; "_token"
  /// behind one of floats: with scales of positions, which integers always may have.
  [[nodiscard]] constexpr bool has_cache_of(std::string_view word) const {
    for (std::string_view rest = caches;;) {
      const size_t comma = rest.find(',');
      if (rest.substr(0, comma) == word) return true;
      if (comma == rest.npos) return false;
      rest.remove_prefix(comma + 1);
    }
  }
};

std::span<const DecodeConfiguration> decode_configurations();

}  // namespace wavesmith::kernels
