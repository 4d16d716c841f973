#include "operators/reduce.h"

#include <limits>

#include <ATen/native/ReduceOps.h>
#include <ATen/native/ReduceOpsUtils.h>
#include <ATen/native/TensorCompare.h>

#include "operators/kernels.h"
#include "operators/pointwise.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

wavesmith_pointwise_operand operand_of(const at::TensorIteratorBase& iterator, int index) {
  const auto type = number_type(iterator.dtype(index));
  if (!type || *type >= WAVESMITH_POINTWISE_C64) throw NotServed();
  wavesmith_pointwise_operand made{};
  made.data = iterator.data_ptr(index);
  made.type = *type;
  const auto strides = iterator.strides(index);
  for (int d = 0; d < iterator.ndim(); ++d) made.strides[d] = strides[d];
  return made;
}

wavesmith_reduction_description description_of(wavesmith_reduction_operation operation,
                                               const at::TensorIteratorBase& iterator, Outputs outputs,
                                               double p) {
  wavesmith_reduction_description one{};
  one.operation = operation;
  one.dimensions = iterator.ndim();
  for (int d = 0; d < iterator.ndim(); ++d) {
    one.sizes[d] = iterator.shape()[d];
    if (iterator.is_dim_reduced(d)) one.reduced |= 1 << d;
  }
  one.x = operand_of(iterator, iterator.noutputs());
  (outputs == Outputs::Place ? one.second : one.y) = operand_of(iterator, 0);
  if (outputs == Outputs::ValueAndSecond) one.second = operand_of(iterator, 1);
  const bool is_variance =
      operation == WAVESMITH_REDUCTION_VARIANCE || operation == WAVESMITH_REDUCTION_DEVIATION;
  one.computed_in =
      is_variance ? WAVESMITH_POINTWISE_F64 : *computing_type(iterator.dtype(iterator.noutputs()));
  one.p = p;
  return one;
}

// What no elements at all give.
void of_nothing(wavesmith_reduction_operation operation, const at::TensorIteratorBase& iterator, double p) {
  using Limits = std::numeric_limits<double>;
  switch (operation) {
    case WAVESMITH_REDUCTION_MEAN:
      iterator.output(0).fill_(Limits::quiet_NaN());
      return;
    case WAVESMITH_REDUCTION_COUNT:
    case WAVESMITH_REDUCTION_SUM_OF_SIZES:
    case WAVESMITH_REDUCTION_ROOT_OF_SQUARES:
    case WAVESMITH_REDUCTION_LARGEST_SIZE:
    case WAVESMITH_REDUCTION_SMALLEST_SIZE:
    case WAVESMITH_REDUCTION_ROOT_OF_POWERS:
      iterator.output(0).fill_(p < 0 ? Limits::infinity() : 0);
      return;
    default:
      throw NotServed();
  }
}

double terms_of(const at::TensorIteratorBase& iterator) {
  return static_cast<double>(iterator.numel()) / static_cast<double>(iterator.num_output_elements());
}

template <wavesmith_reduction_operation kOperation>
void of_values(at::TensorIterator& iterator) {
  launch_reduction(kOperation, iterator);
}
template <wavesmith_reduction_operation kOperation>
void of_places(at::TensorIterator& iterator) {
  launch_reduction(kOperation, iterator, Outputs::Place);
}

void mean(at::TensorIterator& iterator) {
  launch_reduction(WAVESMITH_REDUCTION_MEAN, iterator, Outputs::Value, terms_of(iterator));
}

void variance(at::TensorIterator& iterator, double correction, bool take_root) {
  launch_reduction(take_root ? WAVESMITH_REDUCTION_DEVIATION : WAVESMITH_REDUCTION_VARIANCE, iterator,
                   iterator.noutputs() == 2 ? Outputs::ValueAndSecond : Outputs::Value, correction);
}

void norm(at::TensorIterator& iterator, const c10::Scalar& order) {
  const double p = order.isComplex() ? 0 : order.toDouble();
  if (order.isComplex() || !c10::isFloatingType(iterator.dtype(1))) throw NotServed();
  const auto operation = p == 0                                          ? WAVESMITH_REDUCTION_COUNT
                         : p == 1                                        ? WAVESMITH_REDUCTION_SUM_OF_SIZES
                         : p == 2                                        ? WAVESMITH_REDUCTION_ROOT_OF_SQUARES
                         : p == std::numeric_limits<double>::infinity()  ? WAVESMITH_REDUCTION_LARGEST_SIZE
                         : p == -std::numeric_limits<double>::infinity() ? WAVESMITH_REDUCTION_SMALLEST_SIZE
                                                                         : WAVESMITH_REDUCTION_ROOT_OF_POWERS;
  launch_reduction(operation, iterator, Outputs::Value, p);
}

template <wavesmith_reduction_operation kOperation>
void extreme(const at::Tensor& values, const at::Tensor& places, const at::Tensor& self, std::int64_t dim,
             bool keep_dim) {
  at::Tensor value = values, place = places;
  auto iterator = at::native::make_reduction("extreme", value, place, self, dim, keep_dim, self.scalar_type(),
                                             c10::ScalarType::Long);
  launch_reduction(kOperation, iterator, Outputs::ValueAndSecond);
}

}  // namespace

void launch_reduction(wavesmith_reduction_operation operation, at::TensorIteratorBase& iterator,
                      Outputs outputs, double p) {
  if (iterator.output(0).numel() == 0) return;
  if (iterator.numel() == 0) return of_nothing(operation, iterator, p);
  if (iterator.ndim() > WAVESMITH_POINTWISE_DIMENSIONS) throw NotServed();
  auto one = description_of(operation, iterator, outputs, p);
  const auto device = iterator.device(0);
  one.workspace_bytes = wavesmith_kernels_reduce_strided_workspace(&one);
  const auto parts = workspace(one.workspace_bytes);
  one.workspace = parts.get();
  serve(wavesmith_kernels_reduce_strided(&one, native(current_stream(device.index()))), "reduction");
}

namespace {

WAVESMITH_STUB(sum_stub, &of_values<WAVESMITH_REDUCTION_SUM>);
WAVESMITH_STUB(prod_stub, &of_values<WAVESMITH_REDUCTION_PRODUCT>);
WAVESMITH_STUB(and_stub, &of_values<WAVESMITH_REDUCTION_ALL>);
WAVESMITH_STUB(or_stub, &of_values<WAVESMITH_REDUCTION_ANY>);
WAVESMITH_STUB(min_values_stub, &of_values<WAVESMITH_REDUCTION_MINIMUM>);
WAVESMITH_STUB(max_values_stub, &of_values<WAVESMITH_REDUCTION_MAXIMUM>);
WAVESMITH_STUB(argmax_stub, &of_places<WAVESMITH_REDUCTION_MAXIMUM_PLACE>);
WAVESMITH_STUB(argmin_stub, &of_places<WAVESMITH_REDUCTION_MINIMUM_PLACE>);
WAVESMITH_STUB(mean_stub, &mean);
WAVESMITH_STUB(std_var_stub, &variance);
WAVESMITH_STUB(norm_stub, &norm);
WAVESMITH_STUB(max_stub, &extreme<WAVESMITH_REDUCTION_MAXIMUM_PLACE>);
WAVESMITH_STUB(min_stub, &extreme<WAVESMITH_REDUCTION_MINIMUM_PLACE>);

}  // namespace
}  // namespace wavesmith::device
