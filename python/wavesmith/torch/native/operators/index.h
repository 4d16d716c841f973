// Indexed elements of the library, launched on tensors.
#pragma once

#include <ATen/core/Tensor.h>
#include <wavesmith_indexed.h>

namespace wavesmith::device {

// The type in which elements of a type are added up or combined. Throws NotServed.
c10::ScalarType sum_type(c10::ScalarType type);

// For each element of `index`: moves, adds or combines between `other`, at the same coordinates, and
// `indexed`, at those with the index along `dim`. GET reads `indexed`, the others write it. Throws NotServed.
void launch_along(wavesmith_indexed_operation operation, const at::Tensor& indexed, std::int64_t dim,
                  const at::Tensor& index, const at::Tensor& other);

// GET; or PUT, where what goes to one place is the same. Indices below 0 count from the end.
void launch_wrapped(wavesmith_indexed_operation operation, const at::Tensor& indexed, std::int64_t dim,
                    const at::Tensor& index, const at::Tensor& other);

// The rows of `indexed` along `dim` that a vector of indices names, and back.
void launch_rows(wavesmith_indexed_operation operation, const at::Tensor& indexed, std::int64_t dim,
                 const at::Tensor& index, const at::Tensor& other);

}  // namespace wavesmith::device
