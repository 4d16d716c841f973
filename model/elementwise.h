// Kernels that touch each element once: element-wise functions, copies, fills, casts, concatenations,
// transposes, and reductions to few numbers.
#pragma once

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/number_type.h"
#include "model/prediction.h"

namespace wavesmith::model {

/// What is computed for each element: it decides how many vector instructions an element takes.
enum class ElementwiseFunction : uint8_t { Copy, Add, Divide, Transcendental, Power };
/// Lanes of vector instructions that one result takes.
double lanes_of(ElementwiseFunction function);

struct ElementwiseProblem {
  double elements = 0;  ///< results
  double read = 0;      ///< bytes, of all operands
  double written = 0;   ///< bytes
  uint32_t operands = 1;
  ElementwiseFunction function = ElementwiseFunction::Copy;
  /// A transposition without LDS, which touches a cache line per element on one side.
  bool strided = false;
  /// Operands are broadcast or not contiguous, and a generic kernel computes the address of each element.
  bool indexed = false;
  bool reduces = false;  ///< the result is small: the reads decide, and a second step ends it
};

Result<Prediction> predict_elementwise(const gpus::Gpu& gpu, const ElementwiseProblem& problem,
                                       const Conditions& conditions = {});

/// The most common problem: `operands` arrays of `elements` numbers in, one out.
ElementwiseProblem elementwise(double elements, uint32_t operands, NumberType type,
                               ElementwiseFunction function);

}  // namespace wavesmith::model
