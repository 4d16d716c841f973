// How a transform is computed: the tables and the launches that it takes, and where they lie in the
// workspace.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "kernels/fft/fft_arguments.h"
#include "kernels/library/device.h"

namespace wavesmith::kernels {

struct FftLaunch {
  FftArguments arguments;
  Grid grid;
};

/// Lengths that shared memory holds are transformed there. Longer ones are n1 n2: columns, the roots between,
/// and rows (D. H. Bailey, "FFTs in External or Hierarchical Memory", 1990). Those with a large prime factor
/// are convolutions of a power of two (L. I. Bluestein, "A Linear Filtering Approach to the Computation of
/// Discrete Fourier Transform", 1970).
class FftPlan {
 public:
  /// Of a description whose arguments were checked.
  FftPlan(const wavesmith_fft_description& what, void* workspace);

  /// Whether there are kernels for the length.
  [[nodiscard]] bool is_served() const { return is_served_; }
  [[nodiscard]] size_t workspace_bytes() const { return used_; }
  [[nodiscard]] const FftTablesArguments& tables() const { return tables_; }
  [[nodiscard]] int table_count() const { return table_count_; }
  [[nodiscard]] unsigned longest_table() const;
  [[nodiscard]] const std::vector<FftLaunch>& launches() const { return launches_; }

 private:
  struct Line;
  void set_batch(const wavesmith_fft_description& what, FftSide& x, FftSide& y);
  void* take(size_t bytes);
  FftSide packed(void* data, unsigned length) const;
  const void* table(int kind, unsigned count, unsigned factor, unsigned whole);
  void transform(unsigned length, const FftSide& x, const FftSide& y, double scale);
  void convolve(unsigned length, FftSide x, FftSide y, double scale);
  void add(unsigned length, unsigned inner, const FftSide& x, const FftSide& y, double scale);

  char* base_;
  size_t used_ = 0;
  int number_bytes_;  ///< of a complex number
  bool is_served_ = true;
  Division sizes_[WAVESMITH_POINTWISE_DIMENSIONS] = {};
  int dimensions_ = 0;
  unsigned batch_ = 1;
  FftTablesArguments tables_ = {};
  int table_count_ = 0;
  std::vector<FftLaunch> launches_;
};

}  // namespace wavesmith::kernels
