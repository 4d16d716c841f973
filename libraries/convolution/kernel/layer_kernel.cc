#include "libraries/convolution/kernel/layer_kernel.h"

#include <optional>

#include "libraries/convolution/kernel/collapse.h"
#include "libraries/shim/kernel_library.h"

namespace wavesmith::libraries {
namespace {

template <class Description>
using Launch = wavesmith_kernels_status (*)(const Description*, void*);

bool replaces(const Blend& blend) { return blend.alpha == 1 && blend.beta == 0; }

/// Whether a kernel may take the tensor.
bool is_covered(const Elements& elements) {
  return is_common_float(elements.tensor.type) && is_allocated(elements.data);
}

/// Rows of the tensor that is number `index` of those collapsed.
template <size_t kCount>
wavesmith_kernels_rows rows_of(const Elements& elements, const Collapsed<kCount>& made, size_t index) {
  return {elements.data, kernel_type(elements.tensor.type),
          made.rows > 1 ? made.row_strides[index] : made.columns};
}

/// Whether the columns of all of the first `count` tensors follow each other.
template <size_t kCount>
bool are_rows(const Collapsed<kCount>& made, size_t count) {
  for (size_t i = 0; i < count; ++i)
    if (made.columns > 1 && made.column_strides[i] != 1) return false;
  return true;
}

template <class Description>
bool launched(Launch<Description> launch, const Description& description, void* stream) {
  const OnDeviceOf on(stream);
  return launch && on.is_known() && launch(&description, stream) == WAVESMITH_KERNELS_SUCCESS;
}

using Elementwise = wavesmith_kernels_elementwise_description;
Launch<Elementwise> elementwise() {
  static const auto function =
      reinterpret_cast<Launch<Elementwise>>(kernel_function("wavesmith_kernels_elementwise"));
  return function;
}

/// The operation that an activation is, with the factor of x; none of those that no kernel computes.
std::optional<std::pair<wavesmith_kernels_elementwise_operation, float>> operation_of(const Activate& layer) {
  switch (layer.kind) {
    case Activation::Logistic:
      return {{WAVESMITH_KERNELS_ELEMENTWISE_SIGMOID, 1.0F}};
    case Activation::Tanh:
      if (layer.beta != 1) return {};
      return {{WAVESMITH_KERNELS_ELEMENTWISE_TANH, static_cast<float>(layer.alpha)}};
    case Activation::Abs:
      return {{WAVESMITH_KERNELS_ELEMENTWISE_ABSOLUTE, 1.0F}};
    default:
      return {};
  }
}

/// Of NaN 0, as MIOpen's: that of gated activations, not that of elementwise operations.
bool launch_relu(const wavesmith_kernels_rows& x, const wavesmith_kernels_rows& y, int64_t rows,
                 int64_t columns, void* stream) {
  using Gate = wavesmith_kernels_gate_description;
  static const auto launch = reinterpret_cast<Launch<Gate>>(kernel_function("wavesmith_kernels_gate"));
  return launched(
      launch, Gate{.rows = rows, .columns = columns, .gate = x, .y = y, .activation = WAVESMITH_KERNELS_RELU},
      stream);
}

}  // namespace

bool launch_layer_kernel(const Softmax& layer, void* stream) {
  if (!replaces(layer.blend) || !is_covered(layer.x) || !is_covered(layer.y)) return false;
  const Tensor& shape = layer.x.tensor;
  if (shape.rank < 1) return false;
  // Over channels alone it is a row only where a pixel is an image.
  for (int i = 2; layer.over_channels && i < shape.rank; ++i)
    if (shape.sizes[i] != 1) return false;
  Collapsed<2> image;
  if (!collapse<2>({layer.x.tensor, layer.y.tensor}, 1, image) || image.rows > 1 || !are_rows(image, 2))
    return false;
  using Description = wavesmith_kernels_softmax_description;
  static const auto launch =
      reinterpret_cast<Launch<Description>>(kernel_function("wavesmith_kernels_softmax"));
  const auto rows = [&](const Elements& elements) {
    return wavesmith_kernels_rows{elements.data, kernel_type(elements.tensor.type),
                                  shape.sizes[0] > 1 ? elements.tensor.strides[0] : image.columns};
  };
  return launched(launch,
                  Description{.rows = shape.sizes[0],
                              .columns = image.columns,
                              .x = rows(layer.x),
                              .y = rows(layer.y),
                              .scale = 1,
                              .logarithm = layer.logarithm},
                  stream);
}

bool launch_layer_kernel(const Activate& layer, void* stream) {
  if (!replaces(layer.blend) || !is_covered(layer.x) || !is_covered(layer.y)) return false;
  Collapsed<2> made;
  if (!collapse<2>({layer.x.tensor, layer.y.tensor}, 0, made) || !are_rows(made, 2)) return false;
  const auto x = rows_of(layer.x, made, 0), y = rows_of(layer.y, made, 1);
  if (layer.kind == Activation::Relu) return launch_relu(x, y, made.rows, made.columns, stream);
  const auto operation = operation_of(layer);
  if (!operation) return false;
  return launched(elementwise(),
                  Elementwise{.rows = made.rows,
                              .columns = made.columns,
                              .operation = operation->first,
                              .alpha = operation->second,
                              .beta = 1,
                              .x = x,
                              .y = y},
                  stream);
}

bool launch_layer_kernel(const CombineTensors& layer, void* stream) {
  // Of NaN MIOpen's extremes are the other number.
  const bool adds = layer.kind == Combine::Add;
  if ((!adds && layer.kind != Combine::Multiply) || layer.beta != 0 || !is_covered(layer.a) ||
      !is_covered(layer.b) || !is_covered(layer.c))
    return false;
  Collapsed<3> made;
  if (!collapse<3>({layer.a.tensor, layer.c.tensor, layer.b.tensor}, 0, made) || !are_rows(made, 2))
    return false;
  wavesmith_kernels_rows z = rows_of(layer.b, made, 2);
  if (made.rows > 1) z.row_stride = made.row_strides[2];
  return launched(elementwise(),
                  Elementwise{.rows = made.rows,
                              .columns = made.columns,
                              .operation = adds ? WAVESMITH_KERNELS_ELEMENTWISE_ADD
                                                : WAVESMITH_KERNELS_ELEMENTWISE_MULTIPLY,
                              .alpha = static_cast<float>(layer.alpha1),
                              .beta = static_cast<float>(layer.alpha2),
                              .x = rows_of(layer.a, made, 0),
                              .z = z,
                              .y = rows_of(layer.c, made, 1),
                              .z_column_stride = made.columns > 1 ? made.column_strides[2] : 1},
                  stream);
}

}  // namespace wavesmith::libraries
