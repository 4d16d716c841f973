// Sums of products over axes of strided tensors: a batch of matrix products, whose operands are copied where
// they are no matrices as they lie.
#pragma once

#include <cstdint>
#include <vector>

#include "kernels/gemm/gather.h"
#include "kernels/library/failure.h"

namespace wavesmith::kernels {

/// A dimension of a tensor, its stride in elements.
struct Axis {
  int64_t size, stride;
};
using Axes = std::vector<Axis>;  ///< the last one is the fastest of their product's index

/// A tensor as matrices. Without data each element is 0.
struct StridedMatrices {
  void* data;
  wavesmith_kernels_type type;
  Axes batch, rows, columns;
};

/// Memory of a workspace, by pieces aligned to 256 bytes. Without memory it counts what would be taken.
class Workspace {
 public:
  /// One that counts.
  Workspace() : base_(reinterpret_cast<char*>(uintptr_t{1} << 46)), counts_(true) {}
  Workspace(void* memory, size_t bytes) : base_(static_cast<char*>(memory)), bytes_(bytes) {}

  [[nodiscard]] bool counts() const { return counts_; }
  [[nodiscard]] size_t taken() const { return taken_; }
  /// Of so many bytes; null where the workspace ends before.
  void* take(int64_t bytes);
  /// As many bytes as are left, up to so many.
  [[nodiscard]] size_t left(size_t wanted) const {
    return counts_ ? wanted : wanted < bytes_ - taken_ ? wanted : bytes_ - taken_;
  }

 private:
  char* base_;
  size_t bytes_ = 0, taken_ = 0;
  bool counts_ = false;
};

/// Copies elements, of the same axes in the same order, to a tensor of any type.
wavesmith_kernels_status copy_elements(const StridedMatrices& from, const StridedMatrices& to,
                                       const Workspace& workspace, void* stream);

/// Which operand of a product is gathered: A, with K along the taps, or B, along the places.
enum class Gathered { None, A, B };

/// D[b, m, n] = sum over k of A[b, m, k] B[b, k, n], with A and B of one type. Where the workspace counts,
/// nothing is launched. What is gathered has the rows and columns that `gather` says, and is not copied.
wavesmith_kernels_status contract(const char* name, const StridedMatrices& a, const StridedMatrices& b,
                                  const StridedMatrices& d, Workspace& workspace, void* stream,
                                  Gathered gathered = Gathered::None, const GemmGather& gather = {});

}  // namespace wavesmith::kernels
