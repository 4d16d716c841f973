// MIOpen: pooling, activations, normalisations, softmax. Types and values: miopen.h of ROCm 7.0.
#include "libraries/convolution/MIOpen_types.h"
#include "libraries/convolution/layers.h"
#include "libraries/shim/handle.h"
#include "libraries/shim/unserved.h"

using namespace wavesmith::libraries;
using namespace wavesmith::libraries::miopen;

namespace {

struct ActivationDescriptor {
  int mode;
  double alpha, beta, gamma;
};
constexpr int kLastActivation = static_cast<int>(Activation::Elu);

struct PoolingDescriptor {
  Window window;
  int index_type;  ///< miopenIndexType_t
};

struct LrnDescriptor {
  int mode;
  unsigned width;
  double alpha, beta, k;
};
constexpr int kCrossChannel = 1;

enum SoftmaxAlgorithm { kFast, kAccurate, kLog };
constexpr int kPerActivation = 0, kSpatial = 1;

bool blend_of(const void* alpha, const void* beta, const Tensor& result, Blend& blend) {
  if (!alpha || !beta) return false;
  blend = {factor(alpha, result.type), factor(beta, result.type)};
  return true;
}

/// Whether a parameter of batch normalisation has one element a channel, or one an activation.
bool is_parameter_of(const Tensor& parameter, const Tensor& x, int mode) {
  if (parameter.rank != x.rank || x.rank < 2 || parameter.sizes[0] != 1 || parameter.sizes[1] != x.sizes[1])
    return false;
  for (int i = 2; i < x.rank; ++i)
    if (parameter.sizes[i] != (mode == kSpatial ? 1 : x.sizes[i])) return false;
  return mode == kSpatial || mode == kPerActivation;
}

}  // namespace

WAVESMITH_SERVED int miopenCreateActivationDescriptor(void** place) {
  if (!place) return kBadParm;
  return create<ActivationDescriptor>(place) ? kSuccess : kAllocFailed;
}
WAVESMITH_SERVED int miopenDestroyActivationDescriptor(void* descriptor) {
  return destroy(descriptor, kBadParm);
}
WAVESMITH_SERVED int miopenSetActivationDescriptor(ActivationDescriptor* descriptor, int mode, double alpha,
                                                   double beta, double gamma) {
  if (!descriptor || mode < 0) return kBadParm;
  if (mode > kLastActivation)
    return WAVESMITH_UNSUPPORTED("miopenSetActivationDescriptor", "miopenStatusNotImplemented for this mode",
                                 kNotImplemented);
  *descriptor = {mode, alpha, beta, gamma};
  return kSuccess;
}
WAVESMITH_SERVED int miopenActivationForward(void* handle, const ActivationDescriptor* how, const void* alpha,
                                             Td x, const void* x_data, const void* beta, Td y, void* y_data) {
  if (!handle || !how || !x || !y || !x_data || !y_data || !same_sizes(x->tensor, y->tensor)) return kBadParm;
  Blend blend{};
  if (!blend_of(alpha, beta, y->tensor, blend)) return kBadParm;
  const Activate layer{static_cast<Activation>(how->mode),
                       how->alpha,
                       how->beta,
                       how->gamma,
                       blend,
                       elements(x, x_data),
                       elements(y, y_data)};
  return enqueue_layer(__func__, handle, layer, {layer.x, layer.y});
}

WAVESMITH_SERVED int miopenCreatePoolingDescriptor(void** place) {
  if (!place) return kBadParm;
  return create<PoolingDescriptor>(place) ? kSuccess : kAllocFailed;
}
WAVESMITH_SERVED int miopenDestroyPoolingDescriptor(void* descriptor) {
  return destroy(descriptor, kBadParm);
}
WAVESMITH_SERVED int miopenSetNdPoolingDescriptor(PoolingDescriptor* descriptor, int mode, int dimensions,
                                                  const int* sizes, const int* padding, const int* steps) {
  if (!descriptor || !sizes || !padding || !steps || mode < 0 ||
      mode > static_cast<int>(Pooling::AverageInclusive) || dimensions < 1 || dimensions > Window::kMost)
    return kBadParm;
  descriptor->window = {static_cast<Pooling>(mode), dimensions, {}, {}, {}};
  for (int i = 0; i < dimensions; ++i) {
    descriptor->window.size[i] = sizes[i];
    descriptor->window.padding[i] = padding[i];
    descriptor->window.step[i] = steps[i];
  }
  return kSuccess;
}
WAVESMITH_SERVED int miopenSetPoolingIndexType(PoolingDescriptor* descriptor, int type) {
  if (!descriptor || type < 0 || type > 3) return kBadParm;
  descriptor->index_type = type;
  return kSuccess;
}
/// What real MIOpen keeps the places of maxima in. Ours finds them anew.
WAVESMITH_SERVED int miopenPoolingGetWorkSpaceSizeV2(const PoolingDescriptor* descriptor, Td y,
                                                     size_t* size) {
  if (!descriptor || !y) return kBadParm;
  size_t bytes = descriptor->window.kind == Pooling::Max ? size_t{1} << descriptor->index_type : 0;
  for (int i = 0; i < y->tensor.rank; ++i) bytes *= static_cast<size_t>(y->tensor.sizes[i]);
  return write(kSuccess, size, bytes);
}
WAVESMITH_SERVED int miopenPoolingForward(void* handle, const PoolingDescriptor* how, const void* alpha, Td x,
                                          const void* x_data, const void* beta, Td y, void* y_data, bool,
                                          void*, size_t) {
  if (!handle || !how || !x || !y || !x_data || !y_data) return kBadParm;
  Pool pool{how->window, {}, elements(x, x_data), elements(y, y_data)};
  if (!blend_of(alpha, beta, y->tensor, pool.blend) || !pool.sizes_fit()) return kBadParm;
  return enqueue_layer(__func__, handle, pool, {pool.x, pool.y});
}
WAVESMITH_SERVED int miopenPoolingBackward(void* handle, const PoolingDescriptor* how, const void* alpha,
                                           Td y, const void*, Td dy, const void* dy_data, Td x,
                                           const void* x_data, const void* beta, Td dx, void* dx_data,
                                           void*) {
  if (!handle || !how || !x || !y || !dy || !dx || !x_data || !dy_data || !dx_data) return kBadParm;
  const Pool forward{how->window, {}, elements(x, x_data), elements(dy, dy_data)};
  PoolGradient gradient{how->window, {}, forward.x, forward.y, elements(dx, dx_data)};
  if (!blend_of(alpha, beta, dx->tensor, gradient.blend) || !forward.sizes_fit() ||
      !same_sizes(x->tensor, dx->tensor) || !same_sizes(y->tensor, dy->tensor))
    return kBadParm;
  return enqueue_layer(__func__, handle, gradient, {gradient.x, gradient.dy, gradient.dx});
}

WAVESMITH_SERVED int miopenCreateLRNDescriptor(void** place) {
  if (!place) return kBadParm;
  return create<LrnDescriptor>(place) ? kSuccess : kAllocFailed;
}
WAVESMITH_SERVED int miopenDestroyLRNDescriptor(void* descriptor) { return destroy(descriptor, kBadParm); }
WAVESMITH_SERVED int miopenSetLRNDescriptor(LrnDescriptor* descriptor, int mode, unsigned width, double alpha,
                                            double beta, double k) {
  if (!descriptor || mode < 0 || mode > kCrossChannel || width < 1) return kBadParm;
  *descriptor = {mode, width, alpha, beta, k};
  return kSuccess;
}
WAVESMITH_SERVED int miopenLRNForward(void* handle, const LrnDescriptor* how, const void* alpha, Td x,
                                      const void* x_data, const void* beta, Td y, void* y_data, bool, void*) {
  if (!handle || !how || !x || !y || !x_data || !y_data || x->tensor.rank < 2 ||
      !same_sizes(x->tensor, y->tensor))
    return kBadParm;
  if (how->mode != kCrossChannel)
    return WAVESMITH_UNSUPPORTED("miopenLRNForward", "miopenStatusNotImplemented within a channel",
                                 kNotImplemented);
  Blend blend{};
  if (!blend_of(alpha, beta, y->tensor, blend)) return kBadParm;
  const ResponseNormalise layer{how->width, how->alpha,          how->beta,          how->k,
                                blend,      elements(x, x_data), elements(y, y_data)};
  return enqueue_layer(__func__, handle, layer, {layer.x, layer.y});
}

WAVESMITH_SERVED int miopenSoftmaxForward_V2(void* handle, const void* alpha, Td x, const void* x_data,
                                             const void* beta, Td y, void* y_data, int algorithm, int mode) {
  if (!handle || !x || !y || !x_data || !y_data || algorithm < kFast || algorithm > kLog || mode < 0 ||
      mode > 1 || !same_sizes(x->tensor, y->tensor))
    return kBadParm;
  Blend blend{};
  if (!blend_of(alpha, beta, y->tensor, blend)) return kBadParm;
  const Softmax layer{mode == 1, algorithm == kLog, blend, elements(x, x_data), elements(y, y_data)};
  return enqueue_layer(__func__, handle, layer, {layer.x, layer.y});
}

WAVESMITH_SERVED int miopenDeriveBNTensorDescriptor(TensorDescriptor* derived, Td x, int mode) {
  if (!derived || !x || x->tensor.rank < 2 || (mode != kSpatial && mode != kPerActivation)) return kBadParm;
  Tensor tensor{Number::F32, x->tensor.rank, {}, {}};
  int64_t packed = 1;
  for (int i = tensor.rank - 1; i >= 0; --i) {
    tensor.sizes[i] = i == 1 || (i > 1 && mode == kPerActivation) ? x->tensor.sizes[i] : 1;
    tensor.strides[i] = packed;
    packed *= tensor.sizes[i];
  }
  *derived = {tensor, kFloat};
  return kSuccess;
}
WAVESMITH_SERVED int miopenBatchNormalizationForwardInference(void* handle, int mode, void* alpha, void* beta,
                                                              Td x, const void* x_data, Td y, void* y_data,
                                                              Td parameter, void* scale, void* bias,
                                                              void* mean, void* variance, double epsilon) {
  if (!handle || !x || !y || !parameter || !x_data || !y_data || !scale || !bias || !mean || !variance ||
      !scales_nothing(alpha, beta, y->tensor) || !same_sizes(x->tensor, y->tensor) ||
      !is_parameter_of(parameter->tensor, x->tensor, mode))
    return kBadParm;
  const BatchNormalise layer{epsilon,
                             elements(x, x_data),
                             elements(y, y_data),
                             elements(parameter, scale),
                             elements(parameter, bias),
                             elements(parameter, mean),
                             elements(parameter, variance)};
  return enqueue_layer(__func__, handle, layer,
                       {layer.x, layer.y, layer.scale, layer.bias, layer.mean, layer.variance});
}
WAVESMITH_SERVED int miopenBatchNormalizationForwardTraining(void* handle, int mode, void* alpha, void* beta,
                                                             Td x, const void* x_data, Td y, void* y_data,
                                                             Td parameter, void* scale, void* bias,
                                                             double of_new, void* running_mean,
                                                             void* running_variance, double epsilon,
                                                             void* saved_mean, void* saved_inverse) {
  if (!handle || !x || !y || !parameter || !x_data || !y_data || !scale || !bias ||
      !scales_nothing(alpha, beta, y->tensor) || !same_sizes(x->tensor, y->tensor) ||
      !is_parameter_of(parameter->tensor, x->tensor, mode))
    return kBadParm;
  const BatchNormaliseTraining layer{epsilon,
                                     of_new,
                                     elements(x, x_data),
                                     elements(y, y_data),
                                     elements(parameter, scale),
                                     elements(parameter, bias),
                                     elements(parameter, running_mean),
                                     elements(parameter, running_variance),
                                     elements(parameter, saved_mean),
                                     elements(parameter, saved_inverse)};
  return enqueue_layer(__func__, handle, layer,
                       {layer.x, layer.y, layer.scale, layer.bias, layer.running_mean, layer.running_variance,
                        layer.saved_mean, layer.saved_inverse});
}
WAVESMITH_SERVED int miopenBatchNormalizationBackward(void* handle, int mode, const void* alpha,
                                                      const void* beta, const void* parameter_alpha,
                                                      const void* parameter_beta, Td x, const void* x_data,
                                                      Td dy, const void* dy_data, Td dx, void* dx_data,
                                                      Td parameter, const void* scale, void* dscale,
                                                      void* dbias, double epsilon, const void* saved_mean,
                                                      const void* saved_inverse) {
  if (!handle || !x || !dy || !dx || !parameter || !x_data || !dy_data || !dx_data || !scale || !dscale ||
      !dbias || !scales_nothing(alpha, beta, dx->tensor) ||
      !scales_nothing(parameter_alpha, parameter_beta, dx->tensor) || !same_sizes(x->tensor, dx->tensor) ||
      !same_sizes(x->tensor, dy->tensor) || !is_parameter_of(parameter->tensor, x->tensor, mode))
    return kBadParm;
  const BatchNormaliseGradient layer{epsilon,
                                     elements(x, x_data),
                                     elements(dy, dy_data),
                                     elements(dx, dx_data),
                                     elements(parameter, scale),
                                     elements(parameter, dscale),
                                     elements(parameter, dbias),
                                     elements(parameter, saved_mean),
                                     elements(parameter, saved_inverse)};
  return enqueue_layer(__func__, handle, layer,
                       {layer.x, layer.dy, layer.dx, layer.scale, layer.dscale, layer.dbias, layer.saved_mean,
                        layer.saved_inverse});
}
