// Pointwise kernels of the library, launched over a TensorIterator.
#pragma once

#include <array>
#include <optional>

#include <ATen/TensorIterator.h>
#include <c10/core/Scalar.h>
#include <wavesmith_pointwise.h>

#include "operators/not_served.h"

namespace wavesmith::device {

// The library's type of PyTorch's elements; none where it has no such elements.
std::optional<wavesmith_pointwise_type> number_type(c10::ScalarType type);

// The type that computes on elements of a type, as PyTorch chooses it.
std::optional<wavesmith_pointwise_type> computing_type(c10::ScalarType type);

// An operand of the iterator as the library describes it, as far as that has dimensions. Throws NotServed.
wavesmith_pointwise_operand operand_of(at::TensorIteratorBase& iterator, int index);

wavesmith_pointwise_number number_of(const c10::Scalar& scalar);

using PointwiseNumbers = std::array<c10::Scalar, 3>;

// Computes the iterator's first output from its inputs, in the common type where it has one. Throws
// NotServed.
void launch(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator,
            const PointwiseNumbers& numbers = {});
// The same in the given type.
void launch(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator,
            c10::ScalarType computed_in, const PointwiseNumbers& numbers = {});
// With the first input as the second one, too.
void launch_on_itself(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator);
// With a number as the second input.
void launch_with_number(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator,
                        const c10::Scalar& number);
// With the output as the first input, before those of the iterator.
void launch_in_place(wavesmith_pointwise_operation operation, at::TensorIteratorBase& iterator,
                     const PointwiseNumbers& numbers);

// As a kernel of a stub: computes the output from the iterator's inputs alone.
template <wavesmith_pointwise_operation kOperation, class Iterator = at::TensorIteratorBase>
void of_inputs(Iterator& iterator) {
  launch(kOperation, iterator);
}

}  // namespace wavesmith::device
