// Activations, elementwise combinations and reductions.
#include "libraries/convolution/layers.h"

#include <algorithm>

namespace wavesmith::libraries {
namespace {

double activated(const Activate& how, double x) {
  switch (how.kind) {
    case Activation::None:
      return x;
    case Activation::Logistic:
      return 1 / (1 + std::exp(-x));
    case Activation::Tanh:
      return how.beta * std::tanh(how.alpha * x);
    case Activation::Relu:
      return x > 0 ? x : 0;
    case Activation::SoftRelu:
      return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
    case Activation::Abs:
      return std::abs(x);
    case Activation::Power:
      return std::pow(how.alpha + how.beta * x, how.gamma);
    case Activation::ClippedRelu:
      return std::min(how.alpha, std::max(0.0, x));
    case Activation::LeakyRelu:
      return x > 0 ? x : how.alpha * x;
    case Activation::Elu:
      return x > 0 ? x : how.alpha * std::expm1(x);
  }
  return x;
}

double combined(Combine kind, double a, double b) {
  switch (kind) {
    case Combine::Add:
      return a + b;
    case Combine::Multiply:
      return a * b;
    case Combine::Min:
      return std::min(a, b);
    case Combine::Max:
      return std::max(a, b);
  }
  return a;
}

/// What has been reduced so far.
class Reduced {
 public:
  explicit Reduced(const ReduceTensor& how) : how_(how) {}

  void take(double x) {
    const int64_t place = count_++;
    switch (how_.kind) {
      case Reduction::Add:
      case Reduction::Average:
        value_ += x;
        return;
      case Reduction::Multiply:
        value_ = place == 0 ? x : value_ * x;
        return;
      case Reduction::Norm1:
        value_ += std::abs(x);
        return;
      case Reduction::Norm2:
        value_ += x * x;
        return;
      case Reduction::Min:
        return keep(x, x < value_, place);
      case Reduction::Max:
        return keep(x, x > value_, place);
      case Reduction::LargestSize:
        return keep(std::abs(x), std::abs(x) > value_, place);
    }
  }
  [[nodiscard]] double value() const {
    if (how_.kind == Reduction::Average) return value_ / static_cast<double>(count_);
    return how_.kind == Reduction::Norm2 ? std::sqrt(value_) : value_;
  }
  [[nodiscard]] int64_t place() const { return place_; }

 private:
  /// The first of what is equal stays. A NaN takes part only where it is to be kept, and then nothing
  /// replaces it.
  void keep(double x, bool is_better, int64_t place) {
    if (std::isnan(x) ? !how_.keep_nan : some_ && std::isnan(value_)) return;
    if (some_ && !is_better && !std::isnan(x)) return;
    if (some_ && std::isnan(x) && std::isnan(value_)) return;
    value_ = x;
    place_ = place;
    some_ = true;
  }

  const ReduceTensor& how_;
  double value_ = 0;
  int64_t count_ = 0, place_ = 0;
  bool some_ = false;
};

}  // namespace

void Activate::run() const {
  each_index(x, [&](const Index& index) { blend.store(y, index, activated(*this, x[index])); });
}

void CombineTensors::run() const {
  const Blend blend{1, beta};
  each_index(c, [&](const Index& index) {
    blend.store(c, index, combined(kind, alpha1 * a[a.broadcast(index)], alpha2 * b[b.broadcast(index)]));
  });
}

void ReduceTensor::run() const {
  int64_t number = 0;
  each_index(c, [&](const Index& outer) {
    Reduced reduced(*this);
    each_folded(a.tensor, c.tensor.sizes, outer, [&](const Index& index) { reduced.take(a[index]); });
    blend.store(c, outer, reduced.value());
    if (places) places[number] = static_cast<uint32_t>(reduced.place());
    ++number;
  });
}

}  // namespace wavesmith::libraries
