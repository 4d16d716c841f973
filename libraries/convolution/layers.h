// Layers of networks other than convolutions on the host in stream order, which serve MIOpen's. Sums and
// functions are computed in double precision, results rounded once. Formulas: MIOpen's documentation of the
// function that is named.
#pragma once

#include "libraries/convolution/elements.h"
#include "libraries/shim/gpu_work.h"

namespace wavesmith::libraries {

/// A layer's kernel, by the bytes that it reads and writes; it also reads the old result unless `beta` is 0.
inline GpuWork layer_work(double read, double written, double beta = 0) {
  return streamed(read + (beta != 0 ? written : 0), written);
}

/// miopenActivationForward. The numbers are miopenActivationMode_t's.
enum class Activation : int { None, Logistic, Tanh, Relu, SoftRelu, Abs, Power, ClippedRelu, LeakyRelu, Elu };
struct Activate {
  Activation kind;
  double alpha, beta, gamma;
  Blend blend;
  Elements x, y;
  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(layer_work(bytes_of(x), bytes_of(y), blend.beta));
  }
};

/// miopenPoolingForward: the first two dimensions are images and channels.
enum class Pooling : int { Max, Average, AverageInclusive };
struct Window {
  static constexpr int kMost = Tensor::kMost - 2;
  Pooling kind;
  int dimensions;
  int64_t size[kMost], padding[kMost], step[kMost];
};
struct Pool {
  Window window;
  Blend blend;
  Elements x, y;
  [[nodiscard]] bool sizes_fit() const;
  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(layer_work(bytes_of(x), bytes_of(y), blend.beta));
  }
};

/// miopenPoolingBackward: dx from dy. A maximum's gradient goes to the first element that has it.
struct PoolGradient {
  Window window;
  Blend blend;
  Elements x, dy, dx;
  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(layer_work(bytes_of(x) + bytes_of(dy), bytes_of(dx), blend.beta));
  }
};

/// miopenLRNForward across channels: x / (k + alpha / width * the sum of squares of `width` channels
/// around)^beta.
struct ResponseNormalise {
  int64_t width;
  double alpha, beta, k;
  Blend blend;
  Elements x, y;
  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(layer_work(bytes_of(x), bytes_of(y), blend.beta));
  }
};

/// miopenSoftmaxForward_V2: over the channels of each pixel, or over a whole image.
struct Softmax {
  bool over_channels, logarithm;
  Blend blend;
  Elements x, y;
  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(layer_work(bytes_of(x), bytes_of(y), blend.beta));
  }
};

/// Batch normalisation. Parameters have one element per channel, or one per activation, as their tensors'
/// sizes say.
struct BatchNormalise {
  double epsilon;
  Elements x, y;
  Elements scale, bias, mean, variance;  ///< for the inference alone: mean and variance
  /// miopenBatchNormalizationForwardInference.
  void run() const;
  void report_work(const WorkReporter& reporter) const { reporter(layer_work(bytes_of(x), bytes_of(y))); }
};
struct BatchNormaliseTraining {
  double epsilon, of_new;  ///< how much of the new mean the running one takes
  Elements x, y;
  Elements scale, bias;
  Elements running_mean, running_variance, saved_mean, saved_inverse;  ///< without data: not wanted
  /// miopenBatchNormalizationForwardTraining.
  void run() const;
  /// Read for the statistics, and again.
  void report_work(const WorkReporter& reporter) const { reporter(layer_work(2 * bytes_of(x), bytes_of(y))); }
};
struct BatchNormaliseGradient {
  double epsilon;
  Elements x, dy, dx;
  Elements scale, dscale, dbias;
  Elements saved_mean, saved_inverse;  ///< without data: computed anew
  /// miopenBatchNormalizationBackward.
  void run() const;
  /// Read for the sums, and again.
  void report_work(const WorkReporter& reporter) const {
    reporter(layer_work(2 * (bytes_of(x) + bytes_of(dy)), bytes_of(dx)));
  }
};

/// miopenOpTensor: c = op(alpha1 * a, alpha2 * b) + beta * c, b broadcast.
enum class Combine : int { Add, Multiply, Min, Max };
struct CombineTensors {
  Combine kind;
  double alpha1, alpha2, beta;
  Elements a, b, c;
  void run() const;
  void report_work(const WorkReporter& reporter) const {
    reporter(layer_work(bytes_of(a) + bytes_of(b), bytes_of(c), beta));
  }
};

/// miopenReduceTensor over the dimensions in which c has one element. `places`, where not null, takes the
/// place of the extremum among what was reduced, dense in the order of c's elements.
enum class Reduction : int { Add, Multiply, Min, Max, LargestSize, Average, Norm1, Norm2 };
struct ReduceTensor {
  Reduction kind;
  bool keep_nan;
  Blend blend;
  Elements a, c;
  uint32_t* places;
  [[nodiscard]] bool finds_a_place() const {
    return kind == Reduction::Min || kind == Reduction::Max || kind == Reduction::LargestSize;
  }
  void run() const;
  void report_work(const WorkReporter& reporter) const { reporter(streamed(bytes_of(a), bytes_of(c), true)); }
};

}  // namespace wavesmith::libraries
