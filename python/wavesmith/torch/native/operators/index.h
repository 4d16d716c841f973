// Indexed elements of the library, launched on tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <wavesmith_indexed.h>

namespace wavesmith::device {

// For each element of `index`: moves or adds between `other`, at the same coordinates, and `indexed`, at
// those with the index along `dim`. GET reads `indexed`, PUT and ADD write it. Throws NotServed.
void launch_along(wavesmith_indexed_operation operation, const at::Tensor& indexed, std::int64_t dim,
                  const at::Tensor& index, const at::Tensor& other);

// The rows of `indexed` along `dim` that a vector of indices names, and back.
void launch_rows(wavesmith_indexed_operation operation, const at::Tensor& indexed, std::int64_t dim,
                 const at::Tensor& index, const at::Tensor& other);

}  // namespace wavesmith::device
