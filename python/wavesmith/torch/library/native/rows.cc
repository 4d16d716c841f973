#include <algorithm>

#include "halves.h"
#include "operators.h"
#include "scales.h"

namespace wavesmith::operators {
namespace {

wavesmith_kernels_token_heads token_heads(const Call& call, const char* argument, const Tensor& tensor) {
  return {data_of(tensor), call.type(argument, tensor), tensor.stride(0), tensor.stride(1)};
}

}  // namespace

Halves halves(const Call& call, const Tensor& gate, const OptionalTensor& up, const std::string& activation) {
  const Rows on = call.rows("gate", gate);
  Halves result{shape_of(gate), {}};
  auto& description = result.description;
  description.activation = call.activation(activation);
  description.rows = on.rows;
  description.columns = on.columns;
  description.gate = on.described;
  if (up) {
    call.has_shape("up", *up, result.shape);
    description.up = call.rows("up", *up).described;
    return result;
  }
  if (on.columns % 2 != 0)
    call.refuse("expected the last dimension of gate to be two halves, but got shape ", text(gate.sizes()));
  description.columns = result.shape.back() = on.columns / 2;
  description.up = on.described;
  description.up.data =
      static_cast<char*>(on.described.data) + description.columns * static_cast<int64_t>(gate.element_size());
  return result;
}

Tensor softmax(const Tensor& x, double scale, bool logarithm, OptionalType dtype) {
  const Call call("softmax", x);
  const Rows from = call.rows("x", x);
  const Tensor y = call.out(shape_of(x), dtype, x.scalar_type());
  const wavesmith_kernels_softmax_description softmax{
      from.rows, from.columns, from.described, call.rows("out", y).described, static_cast<float>(scale),
      logarithm};
  call.done(wavesmith_kernels_softmax(&softmax, call.stream()));
  return y;
}

Tensor gated(const Tensor& gate, const OptionalTensor& up, const OptionalTensor& scale,
             const std::string& activation, OptionalType dtype) {
  const Call call("gated", gate);
  auto [shape, description] = halves(call, gate, up, activation);
  const Tensor y = call.out(shape, dtype, gate.scalar_type());
  description.y = call.rows("out", y).described;
  description.scales = given_scale(call, scale);
  call.done(wavesmith_kernels_gate(&description, call.stream()));
  return y;
}

Pair gated_quantise(const Tensor& gate, const OptionalTensor& up, const std::string& activation,
                    ScalarType dtype, const std::string& scaling, int64_t block) {
  const Call call("gated_quantise", gate);
  auto [shape, description] = halves(call, gate, up, activation);
  const Tensor y = call.out(shape, dtype, dtype);
  const auto scales = new_scales(call, shape, scaling, block);
  description.y = call.rows("out", y).described;
  description.scales = scales.described;
  call.done(wavesmith_kernels_gate(&description, call.stream()));
  return {y, scales.tensor};
}

Tensor rope(const Tensor& x, const Tensor& cosines, const Tensor& sines, const OptionalTensor& positions,
            int64_t first_position, bool interleaved, OptionalType dtype) {
  const Call call("rope", x);
  call.has_dimensions("x", x, 3, "(tokens, heads, elements)");
  call.ends_contiguous("x", x);
  call.type("x", x);
  call.has_dimensions("cosines", cosines, 2, "(positions, pairs)");
  const Rows table = call.rows("cosines", cosines);
  call.has_shape("sines", sines, shape_of(cosines));
  call.has_type("sines", sines, cosines.scalar_type());
  if (call.rows("sines", sines).described.row_stride != table.described.row_stride)
    call.refuse("expected sines to have the strides of cosines, ", text(cosines.strides()), ", but got ",
                text(sines.strides()));
  const Tensor y = call.out(shape_of(x), dtype, x.scalar_type());
  wavesmith_kernels_rope_description rope{};
  rope.tokens = x.size(0);
  rope.heads = x.size(1);
  rope.elements = x.size(2);
  rope.rotated = 2 * table.columns;
  rope.x = token_heads(call, "x", x);
  call.ends_contiguous("out", y);
  rope.y = token_heads(call, "out", y);
  rope.cosines = table.described.data;
  rope.sines = data_of(sines);
  rope.table_type = table.described.type;
  rope.table_stride = table.described.row_stride;
  if (positions) {
    rope.positions_are_64_bits = positions->scalar_type() == ScalarType::Long;
    rope.positions = call.vector("positions", *positions, {x.size(0)},
                                 rope.positions_are_64_bits ? ScalarType::Long : ScalarType::Int);
  }
  rope.first_position = first_position;
  rope.interleaved = interleaved;
  call.done(wavesmith_kernels_rope(&rope, call.stream()));
  return y;
}

}  // namespace wavesmith::operators
