#include <algorithm>

#include "operators.h"

namespace wavesmith::operators {
namespace {

// z beside x: of its shape, one row for all, one element per row, or one.
void place_beside(const Call& call, const Tensor& x, const Tensor& z,
                  wavesmith_kernels_elementwise_description& into) {
  Shape shape = shape_of(z);
  if (shape.size() <= static_cast<size_t>(x.dim())) shape.insert(shape.begin(), x.dim() - shape.size(), 1);
  int64_t rows = 1;
  for (size_t dimension = 0; dimension + 1 < shape.size(); ++dimension) rows *= shape[dimension];
  const Shape of_x = shape_of(x);
  const bool has_rows =
      shape.size() == of_x.size() && std::equal(shape.begin(), shape.end() - 1, of_x.begin());
  const bool has_columns = shape.back() == of_x.back();
  if (shape.size() != of_x.size() || (!has_rows && rows != 1) || (!has_columns && shape.back() != 1))
    call.refuse("expected z to have the shape of x, ", text(x.sizes()),
                ", one row of it, one element per row, or one, but got ", text(z.sizes()));
  if (z.dim() == 0) {
    into.z = {data_of(z), call.type("z", z), 0};
    into.z_column_stride = 0;
    return;
  }
  const Rows on = call.rows("z", z);
  into.z = on.described;
  if (!has_rows || into.rows <= 1) into.z.row_stride = 0;
  into.z_column_stride = has_columns && into.columns > 1 ? 1 : 0;
}

Tensor moved(const char* name, const Tensor& x, OptionalType dtype, bool exchanged) {
  const Call call(name, x);
  const Matrix from = call.matrix("x", x);
  Shape shape = shape_of(x);
  if (exchanged) std::swap(shape[shape.size() - 1], shape[shape.size() - 2]);
  const Tensor y = call.out(shape, dtype, x.scalar_type());
  auto to = call.matrix("out", y).described;
  if (exchanged) std::swap(to.row_stride, to.column_stride);
  const wavesmith_kernels_transpose_description transpose{from.rows, from.columns, from.batches.value_or(1),
                                                          from.described, to};
  call.done(wavesmith_kernels_transpose(&transpose, call.stream()));
  return y;
}

}  // namespace

Tensor elementwise(const Tensor& x, const OptionalTensor& z, const std::string& operation, double alpha,
                   double beta, OptionalType dtype) {
  const Call call("elementwise", x);
  const Rows from = call.rows("x", x);
  const Tensor y = call.out(shape_of(x), dtype, x.scalar_type());
  wavesmith_kernels_elementwise_description elementwise{};
  elementwise.rows = from.rows;
  elementwise.columns = from.columns;
  elementwise.operation = static_cast<wavesmith_kernels_elementwise_operation>(
      call.word("operation", operation,
                {"add", "subtract", "multiply", "divide", "minimum", "maximum", "negate", "absolute", "exp",
                 "log", "sqrt", "reciprocal_root", "tanh", "sigmoid", "relu", "gelu", "silu", "square"}));
  elementwise.alpha = static_cast<float>(alpha);
  elementwise.beta = static_cast<float>(beta);
  elementwise.x = from.described;
  elementwise.y = call.rows("out", y).described;
  if (z) place_beside(call, x, *z, elementwise);
  call.done(wavesmith_kernels_elementwise(&elementwise, call.stream()));
  return y;
}

Tensor reduce(const Tensor& x, const std::string& reduction, OptionalInt dim, OptionalType dtype) {
  const Call call("reduce", x);
  const Rows from = call.rows("x", x);
  Shape shape = shape_of(x);
  wavesmith_kernels_reduce_description reduce{};
  if (!dim) {
    reduce.over = WAVESMITH_KERNELS_REDUCE_ALL;
    shape.clear();
  } else if (*dim == -1 || *dim == x.dim() - 1) {
    reduce.over = WAVESMITH_KERNELS_REDUCE_EACH_ROW;
    shape.pop_back();
  } else if (x.dim() == 2 && (*dim == 0 || *dim == -2)) {
    reduce.over = WAVESMITH_KERNELS_REDUCE_EACH_COLUMN;
    shape.erase(shape.begin());
  } else {
    call.refuse("expected dim to be the last one, the first of two, or None, but got ", *dim,
                " and x of shape ", text(x.sizes()));
  }
  const Tensor y = call.out(shape, dtype, x.scalar_type());
  reduce.rows = from.rows;
  reduce.columns = from.columns;
  reduce.reduction = static_cast<wavesmith_kernels_reduction>(
      call.word("reduction", reduction, {"sum", "mean", "maximum", "minimum", "sum_of_squares"}));
  reduce.x = from.described;
  reduce.y = {call.vector("out", y, shape, y.scalar_type()), call.type("out", y),
              reduce.over == WAVESMITH_KERNELS_REDUCE_EACH_COLUMN ? from.columns : 1};
  size_t bytes = 0;
  call.done(wavesmith_kernels_reduce_workspace(&reduce, &bytes));
  const Tensor workspace = call.workspace(bytes);
  reduce.workspace = data_of(workspace);
  reduce.workspace_bytes = bytes;
  call.done(wavesmith_kernels_reduce(&reduce, call.stream()));
  return y;
}

Tensor transpose(const Tensor& x, OptionalType dtype) { return moved("transpose", x, dtype, true); }

Tensor copy(const Tensor& x, OptionalType dtype) { return moved("copy", x, dtype, false); }

}  // namespace wavesmith::operators
