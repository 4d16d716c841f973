// Copies between devices, and between them and the host.
#include <ATen/MemoryOverlap.h>
#include <ATen/TensorIterator.h>
#include <ATen/core/Tensor.h>
#include <torch/library.h>

#include <ATen/native/Resize.h>
#include <ATen/ops/_local_scalar_dense_native.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/empty_like.h>
#include <ATen/ops/empty_strided.h>

#include "device/streams.h"
#include "memory/host_view.h"
#include "operators/pointwise.h"

namespace wavesmith::device {
namespace {

// Whether the bytes of both, from the first on, are the same elements in the same order.
bool same_bytes(const at::Tensor& source, const at::Tensor& destination) {
  return source.dtype() == destination.dtype() && source.is_conj() == destination.is_conj() &&
         source.is_neg() == destination.is_neg() && source.sizes() == destination.sizes() &&
         source.strides() == destination.strides() && source.is_non_overlapping_and_dense();
}

// The type that computes a copy between tensors of these types.
c10::ScalarType converting_type(c10::ScalarType source, c10::ScalarType destination) {
  if (!c10::isComplexType(destination) || c10::isComplexType(source)) return source;
  const bool fits = destination == c10::ScalarType::ComplexFloat;
  return fits ? c10::ScalarType::ComplexFloat : c10::ScalarType::ComplexDouble;
}

// Integers of the same size as elements that the kernels do not know.
at::Tensor as_integers(const at::Tensor& tensor) {
  switch (tensor.element_size()) {
    case 1:
      return tensor.view(c10::ScalarType::Byte);
    case 2:
      return tensor.view(c10::ScalarType::Short);
    case 4:
      return tensor.view(c10::ScalarType::Int);
    case 8:
      return tensor.view(c10::ScalarType::Long);
    default:
      throw NotServed();
  }
}

// Copies by a kernel, where both are on the same device. Throws NotServed.
void copy_there(const at::Tensor& source, const at::Tensor& destination) {
  if (source.is_conj() != destination.is_conj() || source.is_neg() != destination.is_neg()) throw NotServed();
  if (source.dtype() == destination.dtype() && !number_type(source.scalar_type()))
    return copy_there(as_integers(source), as_integers(destination));
  auto iterator = at::TensorIteratorConfig()
                      .set_check_mem_overlap(false)
                      .check_all_same_dtype(false)
                      .resize_outputs(false)
                      .add_output(destination)
                      .add_const_input(source)
                      .build();
  launch(WAVESMITH_POINTWISE_COPY, iterator,
         converting_type(source.scalar_type(), destination.scalar_type()));
}

at::Tensor copy_from(const at::Tensor& from, const at::Tensor& destination, bool non_blocking) {
  const at::Tensor source = from.sizes() == destination.sizes() ? from : from.expand(destination.sizes());
  if (destination.numel() == 0) return destination;
  at::assert_no_internal_overlap(destination);
  at::assert_no_partial_overlap(destination, source);
  const at::Tensor& ours = on_device(destination) ? destination : source;
  if (on_device(source) && source.device() != ours.device()) {
    const OnDevice there(source.device().index());  // whose default stream is meant
    check(hipStreamSynchronize(native(current_stream(source.device().index()))), "hipStreamSynchronize");
  }
  const OnDevice on(ours.device().index());
  const auto stream = current_stream(ours.device().index());
  if (same_bytes(source, destination)) {
    check(hipMemcpyAsync(destination.mutable_data_ptr(), source.const_data_ptr(), destination.nbytes(),
                         kMemcpyDefault, native(stream)),
          "hipMemcpyAsync");
    const bool host = !on_device(source) || !on_device(destination);
    const bool pinned = host && non_blocking && (on_device(source) ? destination : source).is_pinned();
    if (host && !pinned) check(hipStreamSynchronize(native(stream)), "hipStreamSynchronize");
    return destination;
  }
  if (on_device(source) && source.device() == destination.device()) {
    try {
      copy_there(source, destination);
      return destination;
    } catch (const NotServed&) {  // the host copies
    }
  }
  const auto seen_source = on_device(source) ? host_view(source) : source;
  auto seen_destination = on_device(destination) ? host_view(destination) : destination;
  at::native::copy_(seen_destination, seen_source, false);
  return destination;
}

// PyTorch calls _copy_from for its private device only, not for "cuda".
at::Tensor& copy(at::Tensor& self, const at::Tensor& source, bool non_blocking) {
  copy_from(source, self, non_blocking);
  return self;
}

at::Tensor copy_from_and_resize(const at::Tensor& source, const at::Tensor& destination) {
  const OnDevice on(destination.device().index());
  if (destination.sizes() != source.sizes()) at::native::resize_output(destination, source.sizes());
  return copy_from(source, destination, false);
}

at::Scalar local_scalar_dense(const at::Tensor& self) {
  return at::native::_local_scalar_dense_cpu(host_view(self));
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  if (kIsCuda) m.impl("copy_", &copy);
  m.impl("_copy_from", &copy_from);
  m.impl("_copy_from_and_resize", &copy_from_and_resize);
  m.impl("_local_scalar_dense", &local_scalar_dense);
}

// A copy takes conjugation and negation into account itself; PyTorch's own way for these would end here
// again.
TORCH_LIBRARY_IMPL(aten, Conjugate, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }
TORCH_LIBRARY_IMPL(aten, Negative, m) { m.impl("_copy_from", torch::CppFunction::makeFallthrough()); }

}  // namespace wavesmith::device
