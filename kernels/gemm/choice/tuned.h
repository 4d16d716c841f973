// The tiles that tuning found: a table whose rows take the place of dispatch's own choice.
//
// A file of tab-separated values. Lines that begin with # are comments, and the first other one names the
// columns:
//
//   target  compute_units  types  layout  m  n  k  tile  microseconds  kind
//
// A row holds for one product of exactly these sizes, its D by rows, on GPUs of that target with so many
// compute units. Types and layout are those of kernels' names ("e4m3xe5m2", "kn"), and kind is "modelled" or
// "measured".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>

#include "kernels/gemm/configuration.h"
#include "kernels/wavesmith_gemm.h"

namespace wavesmith::kernels {

/// What a product's kernel has to compute; where D lies by columns it is the transposed product.
struct GemmProblem {
  std::string types;   ///< of A and B: "bf16", "e4m3xe5m2"
  std::string layout;  ///< what lies together in memory of A and of B: "kk", "mk", "kn", "mn"
  int64_t m = 0, n = 0, k = 0;

  bool operator==(const GemmProblem&) const = default;
};

/// A row of the table.
struct TunedGemm {
  std::string target;
  int compute_units = 0;
  GemmProblem problem;
  std::string tile;
  double microseconds = 0;
  bool measured = false;  ///< otherwise modelled
};

/// The tile that a row names, and the parts of K: "64x64x64/4"; of "256x256x32/stream" kStreamed.
struct TunedTile {
  const GemmConfiguration* configuration = nullptr;
  int parts = 1;
};

class TunedGemms {
 public:
  /// Adds the rows of a text. INVALID_TABLE says by its message which line of `file` breaks which rule: the
  /// row is malformed, names what the library does not have, or is of a problem that stood before.
  wavesmith_kernels_status read(std::string_view text, const std::string& file);
  /// The tile of a problem's row; null without one.
  [[nodiscard]] const TunedTile* find(std::string_view target, int compute_units,
                                      const GemmProblem& problem) const;

  /// The line that names the columns, and a row as a line.
  static std::string columns();
  static std::string line(const TunedGemm& row);

 private:
  struct Key {
    std::string target;
    int compute_units;
    GemmProblem problem;
    bool operator==(const Key&) const = default;
  };
  struct Hash {
    size_t operator()(const Key& key) const;
  };
  struct Entry {
    TunedTile tile;
    std::string place;  ///< "file:line"
  };
  std::unordered_map<Key, Entry, Hash> rows_;
};

/// The process's table: the file that WAVESMITH_KERNELS_TUNED names, or `tuned.tsv` in the folder of the code
/// objects where there is one. The first call reads it, later ones answer as that did. INVALID_TABLE also
/// where the named file cannot be read.
wavesmith_kernels_status tuned_gemms(const std::string& folder, const TunedGemms*& table);

}  // namespace wavesmith::kernels
