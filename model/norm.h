// Kernels that reduce each row and then write it: layer norm, RMS norm, group norm, batch norm, softmax,
// forward and backward. A row's workgroup loads it, waits at barriers for the sums, and writes; so rows take
// rounds over the compute units, and the data take the memory, whichever is longer.
#pragma once

#include <optional>

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/number_type.h"
#include "model/prediction.h"

namespace wavesmith::model {

enum class RowOperation : uint8_t { LayerNorm, RmsNorm, GroupNorm, BatchNorm, Softmax };
std::optional<RowOperation> row_operation(std::string_view name);
std::string_view name_of(RowOperation operation);

/// The distribution of a row's work.
enum class RowKernel : uint8_t {
  Wave,         ///< one wave or part of one per row, sums by lane swaps
  Block,        ///< a workgroup per row, the row in registers or read again from the caches
  BlockInLds,   ///< a workgroup per row, the row kept in LDS
  ThreePasses,  ///< a workgroup per row that reads it three times, element by element
};

struct RowProblem {
  RowOperation operation = RowOperation::RmsNorm;
  double rows = 0, columns = 0;  ///< of what is reduced: batch norm has a row per channel
  NumberType type = NumberType::BF16;
  bool residual = false;  ///< another array is added, and the sum written too
  bool backward = false;
  bool tuned = true;  ///< a kernel written for this operation (AITER, Composable Kernel, HipKittens); false:
                      ///< PyTorch's own
  std::optional<RowKernel> kernel;  ///< none: what such a library takes for such rows
};

/// The kernel that is assumed when none is given.
RowKernel row_kernel(const RowProblem& problem);
std::string_view name_of(RowKernel kernel);

Result<Prediction> predict_rows(const gpus::Gpu& gpu, const RowProblem& problem,
                                const Conditions& conditions = {});

}  // namespace wavesmith::model
