// Reductions of the library, launched over a TensorIterator.
#pragma once

#include <ATen/TensorIterator.h>
#include <wavesmith_reduction.h>

namespace wavesmith::device {

// What the iterator's first output is of the operation's results; a second output is the other one.
enum class Outputs { Value, Place, ValueAndSecond };

// Reduces the iterator's input. Throws NotServed.
void launch_reduction(wavesmith_reduction_operation operation, at::TensorIteratorBase& iterator,
                      Outputs outputs = Outputs::Value, double p = 0);

}  // namespace wavesmith::device
