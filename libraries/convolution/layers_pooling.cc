// Pooling and its gradient.
#include <algorithm>

#include "libraries/convolution/layers.h"

namespace wavesmith::libraries {
namespace {

/// The elements of x under the window of one element of y, cut off at the image's edges.
struct Part {
  int64_t first[Window::kMost], size[Window::kMost];
  double count;  ///< what an average divides by

  Part(const Window& window, const Tensor& x, const Index& at) : count(1) {
    for (int i = 0; i < window.dimensions; ++i) {
      const int64_t from = at.at[i + 2] * window.step[i] - window.padding[i];
      const int64_t to = std::min(from + window.size[i], x.sizes[i + 2]);
      first[i] = std::max<int64_t>(from, 0);
      size[i] = std::max<int64_t>(to - first[i], 0);
      count *= static_cast<double>(window.kind == Pooling::AverageInclusive ? window.size[i] : size[i]);
    }
  }
  template <class Use>
  void each(const Index& at, int dimensions, Use use) const {
    each_index(size, dimensions, [&](const Index& within) {
      Index index = at;
      for (int i = 0; i < dimensions; ++i) index.at[i + 2] = first[i] + within.at[i];
      use(index);
    });
  }
};

/// The largest element of a part, and where the first such is.
struct Largest {
  double value = -HUGE_VAL;
  Index index{};
  bool some = false;

  Largest(const Elements& x, const Part& part, const Index& at, int dimensions) {
    part.each(at, dimensions, [&](const Index& each) {
      const double candidate = x[each];
      if (some && !(candidate > value)) return;
      value = candidate;
      index = each;
      some = true;
    });
  }
};

}  // namespace

bool Pool::sizes_fit() const {
  const int rank = window.dimensions + 2;
  if (x.tensor.rank != rank || y.tensor.rank != rank) return false;
  for (int i = 0; i < window.dimensions; ++i)
    if (window.size[i] < 1 || window.step[i] < 1 || window.padding[i] < 0) return false;
  return x.tensor.sizes[0] == y.tensor.sizes[0] && x.tensor.sizes[1] == y.tensor.sizes[1];
}

void Pool::run() const {
  each_index(y, [&](const Index& at) {
    const Part part(window, x.tensor, at);
    double value = 0;
    if (window.kind == Pooling::Max) {
      value = Largest(x, part, at, window.dimensions).value;
    } else {
      part.each(at, window.dimensions, [&](const Index& index) { value += x[index]; });
      if (part.count > 0) value /= part.count;
    }
    blend.store(y, at, value);
  });
}

void PoolGradient::run() const {
  // In the type of dx: each element takes part in several windows.
  each_index(dx, [&](const Index& at) { dx.set(at, blend.beta != 0 ? blend.beta * dx[at] : 0.0); });
  const auto add = [&](const Index& at, double value) { dx.set(at, dx[at] + blend.alpha * value); };
  each_index(dy, [&](const Index& at) {
    const Part part(window, x.tensor, at);
    if (window.kind != Pooling::Max) {
      part.each(at, window.dimensions, [&](const Index& index) { add(index, dy[at] / part.count); });
    } else if (const Largest largest(x, part, at, window.dimensions); largest.some) {
      add(largest.index, dy[at]);
    }
  });
}

}  // namespace wavesmith::libraries
