// What the rows of operations share.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "model/operation.h"

namespace wavesmith::model {

inline constexpr Parameter kType{"dtype", "number type of the operands", Parameter::Kind::Type, "bf16"};
inline constexpr Parameter kRows{"rows", "rows, each reduced on its own"};
inline constexpr Parameter kColumns{"columns", "numbers in a row"};
inline constexpr Parameter kRowsKernel{
    "kernel", "whose kernel: written for it (AITER, Composable Kernel), or PyTorch's own",
    Parameter::Kind::Choice, "tuned", "tuned torch"};
inline constexpr Parameter kBackward{"backward", "the gradient's kernel", Parameter::Kind::Switch, ""};

inline uint64_t whole(double value) { return static_cast<uint64_t>(value); }

inline Result<OperationPrediction> plain(Result<Prediction> got) {
  if (!got) return tl::unexpected(got.error());
  return OperationPrediction{std::move(*got), {}};
}

/// Notes what a GPU would do with a type that its matrix instructions do not know, before all other notes: a
/// summary shows the first ones only.
void note_type(const gpus::Gpu& gpu, NumberType type, OperationPrediction& predicted);

std::vector<Operation> product_operations();
std::vector<Operation> attention_operations();
std::vector<Operation> array_operations();

}  // namespace wavesmith::model
