// Layers that divide by what they find in their neighbourhood: batch and local response normalisation,
// softmax.
#include <algorithm>

#include "libraries/convolution/layers.h"

namespace wavesmith::libraries {
namespace {

/// Calls `use` with the index in x of each element that one parameter of a batch normalisation belongs to.
template <class Use>
void each_of_parameter(const Elements& x, const Elements& parameters, const Index& parameter, Use use) {
  each_folded(x.tensor, parameters.tensor.sizes, parameter, use);
}

struct Statistics {
  double count = 0, mean = 0, variance = 0;

  Statistics(const Elements& x, const Elements& parameters, const Index& parameter) {
    each_of_parameter(x, parameters, parameter, [&](const Index& index) {
      mean += x[index];
      ++count;
    });
    mean /= count;
    each_of_parameter(x, parameters, parameter, [&](const Index& index) {
      const double off = x[index] - mean;
      variance += off * off;
    });
    variance /= count;
  }
};

}  // namespace

void BatchNormalise::run() const {
  each_index(scale, [&](const Index& parameter) {
    const double factor = scale[parameter] / std::sqrt(variance[parameter] + epsilon);
    each_of_parameter(x, scale, parameter, [&](const Index& index) {
      y.set(index, (x[index] - mean[parameter]) * factor + bias[parameter]);
    });
  });
}

void BatchNormaliseTraining::run() const {
  each_index(scale, [&](const Index& parameter) {
    const Statistics found(x, scale, parameter);
    const double inverse = 1 / std::sqrt(found.variance + epsilon);
    const double factor = scale[parameter] * inverse, offset = bias[parameter];
    each_of_parameter(x, scale, parameter,
                      [&](const Index& index) { y.set(index, (x[index] - found.mean) * factor + offset); });
    const auto blend = [&](const Elements& running, double value) {
      if (running.data) running.set(parameter, (1 - of_new) * running[parameter] + of_new * value);
    };
    blend(running_mean, found.mean);
    blend(running_variance,
          found.count > 1 ? found.variance * found.count / (found.count - 1) : found.variance);
    if (saved_mean.data) saved_mean.set(parameter, found.mean);
    if (saved_inverse.data) saved_inverse.set(parameter, inverse);
  });
}

void BatchNormaliseGradient::run() const {
  each_index(scale, [&](const Index& parameter) {
    double mean = 0, inverse = 0, count = 0;
    if (saved_mean.data && saved_inverse.data) {
      mean = saved_mean[parameter];
      inverse = saved_inverse[parameter];
    } else {
      const Statistics found(x, scale, parameter);
      mean = found.mean;
      inverse = 1 / std::sqrt(found.variance + epsilon);
    }
    double sum = 0, product = 0;  // of dy, and of dy with the normalised x
    each_of_parameter(x, scale, parameter, [&](const Index& index) {
      sum += dy[index];
      product += dy[index] * (x[index] - mean) * inverse;
      ++count;
    });
    each_of_parameter(x, scale, parameter, [&](const Index& index) {
      const double normal = (x[index] - mean) * inverse;
      dx.set(index, scale[parameter] * inverse * (dy[index] - (sum + normal * product) / count));
    });
    dscale.set(parameter, product);
    dbias.set(parameter, sum);
  });
}

void ResponseNormalise::run() const {
  each_index(y, [&](const Index& at) {
    const int64_t from = std::max<int64_t>(at.at[1] - (width - 1) / 2, 0);
    const int64_t to = std::min(at.at[1] + width / 2, x.tensor.sizes[1] - 1);
    double squares = 0;
    Index each = at;
    for (each.at[1] = from; each.at[1] <= to; ++each.at[1]) squares += x[each] * x[each];
    blend.store(y, at, x[at] * std::pow(k + alpha / static_cast<double>(width) * squares, -beta));
  });
}

void Softmax::run() const {
  int64_t outer[Tensor::kMost];
  for (int i = 0; i < x.tensor.rank; ++i)
    outer[i] = (over_channels ? i == 1 : i >= 1) ? 1 : x.tensor.sizes[i];
  each_index(outer, x.tensor.rank, [&](const Index& first) {
    const auto each = [&](auto use) { each_folded(x.tensor, outer, first, use); };
    double largest = -HUGE_VAL, sum = 0;
    each([&](const Index& index) { largest = std::max(largest, x[index]); });
    each([&](const Index& index) { sum += std::exp(x[index] - largest); });
    const double log_of_sum = std::log(sum);
    each([&](const Index& index) {
      const double value = x[index] - largest;
      blend.store(y, index, logarithm ? value - log_of_sum : std::exp(value) / sum);
    });
  });
}

}  // namespace wavesmith::libraries
