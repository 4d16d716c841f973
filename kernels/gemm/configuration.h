// The GEMM kernels that there are: rows of configurations.tsv, which the build turns into this table.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>

namespace wavesmith::kernels {

struct GemmConfiguration {
  std::string_view target;
  std::string_view types;  ///< of A and B: "f16,bf16", "e4m3,e4m3xe5m2" (A's x B's)
  std::string_view name;   ///< "256x256x32"
  int rows, columns, depth;
  int threads;  ///< per workgroup
  int step_cycles, fixed_cycles, at_once;
  int steps_loaded = 1;      ///< together
  std::string_view layouts;  ///< "all", or the one that it has, A's letter and B's: k where K lies together
  bool elements;             ///< has kernels that read element by element
  bool pieces;               ///< reads only matrices whose rows are multiples of 16 bytes
  std::string_view why;

  /// Whether there are kernels for these types of A and B, named as in `types`.
  [[nodiscard]] constexpr bool has(std::string_view pair) const {
    for (std::string_view rest = types; !rest.empty();) {
      const size_t comma = rest.find(',');
      if (rest.substr(0, comma) == pair) return true;
      rest = comma == std::string_view::npos ? "" : rest.substr(comma + 1);
    }
    return false;
  }
  /// Whether there are kernels for A and B that lie together along K or not.
  [[nodiscard]] constexpr bool has_layout(bool a_along_k, bool b_along_k) const {
    return layouts == "all" ||
           (layouts[0] == (a_along_k ? 'k' : 'm') && layouts[1] == (b_along_k ? 'k' : 'n'));
  }
};

std::span<const GemmConfiguration> gemm_configurations();

}  // namespace wavesmith::kernels
