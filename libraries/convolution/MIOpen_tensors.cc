// MIOpen: tensors combined element by element, and reduced. Types and values: miopen.h of ROCm 7.0.
#include "libraries/convolution/MIOpen_types.h"
#include "libraries/convolution/layers.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::miopen;

namespace {

struct ReduceDescriptor {
  int operation, type, propagates_nan, indices, index_type;
};
constexpr int kWords = 0;  // MIOPEN_32BIT_INDICES: real MIOpen has no others

size_t count(const Tensor& tensor) {
  int64_t all = 1;
  for (int i = 0; i < tensor.rank; ++i) all *= tensor.sizes[i];
  return static_cast<size_t>(all);
}

bool fit(const ReduceDescriptor* how, Td a, Td c) {
  return how && a && c && broadcasts(c->tensor, a->tensor);
}

}  // namespace

WAVESMITH_SERVED int miopenOpTensor(void* handle, int operation, const void* alpha1, Td a, const void* a_data,
                                    const void* alpha2, Td b, const void* b_data, const void* beta, Td c,
                                    void* c_data) {
  if (!handle || !a || !b || !c || !alpha1 || !alpha2 || !beta || !a_data || !b_data || !c_data ||
      operation < 0 || operation > static_cast<int>(Combine::Max) || !same_sizes(a->tensor, c->tensor) ||
      !broadcasts(b->tensor, c->tensor))
    return kBadParm;
  const Number type = c->tensor.type;
  const CombineTensors layer{static_cast<Combine>(operation),
                             factor(alpha1, type),
                             factor(alpha2, type),
                             factor(beta, type),
                             elements(a, a_data),
                             elements(b, b_data),
                             elements(c, c_data)};
  return enqueue_layer(__func__, handle, layer, {layer.a, layer.b, layer.c});
}

/// Adds the bias to what is in y. Its factors are for later, says miopen.h: 1 and 0 alone.
WAVESMITH_SERVED int miopenConvolutionForwardBias(void* handle, const void* alpha, Td bias,
                                                  const void* bias_data, const void* beta, Td y,
                                                  void* y_data) {
  if (!handle || !bias || !y || !bias_data || !y_data || !scales_nothing(alpha, beta, y->tensor) ||
      !broadcasts(bias->tensor, y->tensor))
    return kBadParm;
  const Elements sums = elements(y, y_data);
  const CombineTensors layer{Combine::Add, 1, 1, 0, sums, elements(bias, bias_data), sums};
  return enqueue_layer(__func__, handle, layer, {layer.a, layer.b, layer.c});
}

/// The gradient of a bias is the sum of the output's.
WAVESMITH_SERVED int miopenConvolutionBackwardBias(void* handle, const void* alpha, Td dy,
                                                   const void* dy_data, const void* beta, Td bias,
                                                   void* bias_data) {
  if (!handle || !dy || !bias || !dy_data || !bias_data || !scales_nothing(alpha, beta, bias->tensor) ||
      !broadcasts(bias->tensor, dy->tensor))
    return kBadParm;
  const ReduceTensor sum{Reduction::Add, true, {1, 0}, elements(dy, dy_data), elements(bias, bias_data),
                         nullptr};
  return enqueue_layer(__func__, handle, sum, {sum.a, sum.c});
}

WAVESMITH_SERVED int miopenCreateReduceTensorDescriptor(void** place) {
  if (!place) return kBadParm;
  return create<ReduceDescriptor>(place) ? kSuccess : kAllocFailed;
}
WAVESMITH_SERVED int miopenDestroyReduceTensorDescriptor(void* descriptor) {
  return destroy(descriptor, kBadParm);
}
WAVESMITH_SERVED int miopenSetReduceTensorDescriptor(ReduceDescriptor* descriptor, int operation, int type,
                                                     int propagates_nan, int indices, int index_type) {
  if (!descriptor || operation < 0 || operation > static_cast<int>(Reduction::Norm2)) return kBadParm;
  if (indices != 0 && index_type != kWords)
    return WAVESMITH_UNSUPPORTED("miopenSetReduceTensorDescriptor",
                                 "miopenStatusNotImplemented for indices of other than 32 bits",
                                 kNotImplemented);
  *descriptor = {operation, type, propagates_nan, indices, index_type};
  return kSuccess;
}
WAVESMITH_SERVED int miopenGetReductionIndicesSize(void* handle, const ReduceDescriptor* how, Td a, Td c,
                                                   size_t* size) {
  if (!handle || !fit(how, a, c)) return kBadParm;
  return write(kSuccess, size, how->indices ? count(c->tensor) * sizeof(uint32_t) : 0);
}
WAVESMITH_SERVED int miopenGetReductionWorkspaceSize(void* handle, const ReduceDescriptor* how, Td a, Td c,
                                                     size_t* size) {
  return write(handle && fit(how, a, c) ? kSuccess : kBadParm, size, size_t{0});
}
WAVESMITH_SERVED int miopenReduceTensor(void* handle, const ReduceDescriptor* how, void* indices,
                                        size_t indices_size, void*, size_t, const void* alpha, Td a,
                                        const void* a_data, const void* beta, Td c, void* c_data) {
  if (!handle || !fit(how, a, c) || !alpha || !beta || !a_data || !c_data) return kBadParm;
  ReduceTensor reduce{static_cast<Reduction>(how->operation),
                      how->propagates_nan != 0,
                      {factor(alpha, c->tensor.type), factor(beta, c->tensor.type)},
                      elements(a, a_data),
                      elements(c, c_data),
                      nullptr};
  if (how->indices && reduce.finds_a_place()) {
    if (!indices || indices_size < count(c->tensor) * sizeof(uint32_t)) return kBadParm;
    reduce.places = static_cast<uint32_t*>(indices);
  }
  return enqueue_layer(__func__, handle, reduce, {reduce.a, reduce.c});
}
