#include <algorithm>

#include "operators.h"
#include "scales.h"

namespace wavesmith::operators {
namespace {

constexpr int64_t kMxBlock = 32;

int64_t ceil_div(int64_t count, int64_t size) { return (count + size - 1) / size; }

// Bytes of a row of numbers: two of e2m1 in each.
int64_t width(int64_t columns, ScalarType type) {
  return type == ScalarType::Byte ? ceil_div(columns, 2) : columns;
}

Shape with_last(Shape shape, int64_t last) {
  shape.back() = last;
  return shape;
}

// What shares each of the scales of `shape`.
wavesmith_kernels_scales described(const Call& call, const OptionalTensor& scales, const Shape& shape,
                                   int64_t block) {
  if (!scales) return {WAVESMITH_KERNELS_UNSCALED, nullptr, 0, 0, 0, 0};
  if (scales->scalar_type() == ScalarType::Byte) {
    call.vector("scales", *scales, with_last(shape, ceil_div(shape.back(), kMxBlock)), ScalarType::Byte);
    return {WAVESMITH_KERNELS_SCALE_MX, data_of(*scales), kMxBlock, ceil_div(shape.back(), kMxBlock), 1, 0};
  }
  call.has_type("scales", *scales, ScalarType::Float);
  if (scales->numel() == 1) return {WAVESMITH_KERNELS_SCALE_PER_MATRIX, data_of(*scales), 0, 1, 1, 0};
  if (shape_of(*scales) == with_last(shape, 1)) {
    call.vector("scales", *scales, with_last(shape, 1), ScalarType::Float);
    return {WAVESMITH_KERNELS_SCALE_PER_ROW, data_of(*scales), 0, 1, 1, 0};
  }
  const int64_t blocks = ceil_div(shape.back(), std::max<int64_t>(block, 1));
  call.vector("scales", *scales, with_last(shape, blocks), ScalarType::Float);
  return {WAVESMITH_KERNELS_SCALE_PER_BLOCK, data_of(*scales), block, blocks, 1, 0};
}

}  // namespace

NewScales new_scales(const Call& call, const Shape& shape, const std::string& scaling, int64_t block) {
  constexpr wavesmith_kernels_scaling kScalings[] = {
      WAVESMITH_KERNELS_SCALE_PER_MATRIX, WAVESMITH_KERNELS_SCALE_PER_ROW, WAVESMITH_KERNELS_SCALE_PER_BLOCK,
      WAVESMITH_KERNELS_SCALE_MX};
  const auto kind = kScalings[call.word("scaling", scaling, {"matrix", "row", "block", "mx"})];
  if (kind == WAVESMITH_KERNELS_SCALE_MX) block = kMxBlock;
  if (block < 1) call.refuse("expected block to be positive, but got ", block);
  const bool blocks = kind == WAVESMITH_KERNELS_SCALE_PER_BLOCK || kind == WAVESMITH_KERNELS_SCALE_MX;
  const int64_t across = blocks ? ceil_div(shape.back(), block) : 1;
  const Shape extents = kind == WAVESMITH_KERNELS_SCALE_PER_MATRIX ? Shape{1} : with_last(shape, across);
  const auto type = kind == WAVESMITH_KERNELS_SCALE_MX ? ScalarType::Byte : ScalarType::Float;
  Tensor tensor = call.result(Result::Scales, extents, type);
  return {tensor, {kind, data_of(tensor), block, std::max<int64_t>(across, 1), 1, 0}};
}

wavesmith_kernels_scales given_scale(const Call& call, const OptionalTensor& scale) {
  if (!scale) return {WAVESMITH_KERNELS_UNSCALED, nullptr, 0, 0, 0, 0};
  call.has_type("scale", *scale, ScalarType::Float);
  if (scale->numel() != 1)
    call.refuse("expected scale to be one number, but got shape ", text(scale->sizes()));
  return {WAVESMITH_KERNELS_SCALE_GIVEN, data_of(*scale), 0, 1, 1, 0};
}

Pair quantise(const Tensor& x, ScalarType dtype, const std::string& scaling, int64_t block) {
  const Call call("quantise", x);
  const Rows from = call.rows("x", x);
  const Tensor q = call.out(with_last(shape_of(x), width(from.columns, dtype)), dtype, dtype);
  const auto scales = new_scales(call, shape_of(x), scaling, block);
  const wavesmith_kernels_quantise_description quantise{from.rows, from.columns, from.described,
                                                        call.rows("out", q).described, scales.described};
  call.done(wavesmith_kernels_quantise(&quantise, call.stream()));
  return {q, scales.tensor};
}

Tensor quantise_with(const Tensor& x, const OptionalTensor& scale, ScalarType dtype) {
  const Call call("quantise_with", x);
  const Rows from = call.rows("x", x);
  const Tensor q = call.out(with_last(shape_of(x), width(from.columns, dtype)), dtype, dtype);
  const wavesmith_kernels_quantise_description quantise{
      from.rows, from.columns, from.described, call.rows("out", q).described, given_scale(call, scale)};
  call.done(wavesmith_kernels_quantise(&quantise, call.stream()));
  return q;
}

Tensor dequantise(const Tensor& q, const OptionalTensor& scales, int64_t block, OptionalInt columns,
                  ScalarType dtype) {
  const Call call("dequantise", q);
  const Rows from = call.rows("q", q);
  const bool packed = q.scalar_type() == ScalarType::Byte;
  const int64_t count = columns.value_or(packed ? 2 * from.columns : from.columns);
  if (from.columns != width(count, q.scalar_type()))
    call.refuse("expected columns to be as many as q has, but got ", count, " and q of shape ",
                text(q.sizes()));
  const Shape shape = with_last(shape_of(q), count);
  const Tensor x = call.out(shape, dtype, dtype);
  const wavesmith_kernels_dequantise_description dequantise{
      from.rows, count, from.described, call.rows("out", x).described, described(call, scales, shape, block)};
  call.done(wavesmith_kernels_dequantise(&dequantise, call.stream()));
  return x;
}

}  // namespace wavesmith::operators
