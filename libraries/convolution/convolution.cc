#include "libraries/convolution/convolution.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <type_traits>

#include "libraries/blas/product.h"
#include "libraries/convolution/kernel/convolution_kernel.h"
#include "libraries/shim/workspace.h"

namespace wavesmith::libraries {
namespace {

/// Calls `use` with a pointer of the type of the elements, each of which a T holds.
template <class T, class Use>
void with_real(Number type, void* data, Use use) {
  if constexpr (std::is_same_v<T, double>) {
    if (type == Number::I8) return use(static_cast<int8_t*>(data));
    if (type == Number::I32) return use(static_cast<int32_t*>(data));
    if (type == Number::F32) return use(static_cast<float*>(data));
  }
  with_elements<T>(type, data, use);
}

template <class T>
T* zeros(int64_t count) {
  return allocate_workspace<T>(count, "a convolution", InitialContents::Zeroed);
}

int64_t space(const Tensor& tensor) {
  int64_t count = 1;
  for (int i = 2; i < tensor.rank; ++i) count *= tensor.sizes[i];
  return count;
}

/// A position in space by its number, the last dimension fastest, and its distance from the first in memory.
struct Position {
  int64_t at[Convolution::kMost];
  int64_t offset;
};
Position position(const Tensor& tensor, int64_t number) {
  Position result{};
  for (int i = tensor.rank - 1; i >= 2; --i) {
    const int64_t at = number % tensor.sizes[i];
    number /= tensor.sizes[i];
    result.at[i - 2] = at;
    result.offset += at * tensor.strides[i];
  }
  return result;
}

Number number_of_sums(float) { return Number::F32; }
Number number_of_sums(double) { return Number::F64; }

/// A dense matrix by rows, or transposed: by columns.
template <class T>
Matrix dense(const T* data, int64_t width, bool transposed = false) {
  return {
      const_cast<T*>(data), number_of_sums(T{}), transposed ? 1 : width, transposed ? width : 1, 0, false};
}

template <class T>
void multiply_dense(int64_t m, int64_t n, int64_t k, const Matrix& a, const Matrix& b, T beta, T* d) {
  const T one = 1;
  Product product{};
  product.m = m;
  product.n = n;
  product.k = k;
  product.batches = 1;
  product.a = a;
  product.b = b;
  product.c = product.d = dense(d, n);
  product.compute = number_of_sums(T{});
  product.alpha = &one;
  product.beta = &beta;
  multiply_now(product);
}

/// One image and group: its channels, and buffers for a number of output positions at a time.
template <class T>
class Work {
 public:
  explicit Work(const Convolve& what)
      : what_(what),
        channels_(what.w.sizes[1]),
        outputs_(what.w.sizes[0] / what.convolution.groups),
        taps_(space(what.w)),
        depth_(channels_ * taps_),
        positions_(space(what.y)),
        at_once_(std::clamp<int64_t>((int64_t{1} << 20) / std::max<int64_t>(depth_, 1), 16, 1024)),
        weights_(zeros<T>(outputs_ * depth_)),
        columns_(zeros<T>(depth_ * at_once_)),
        results_(zeros<T>(outputs_ * at_once_)) {}
  ~Work() {
    std::free(weights_);
    std::free(columns_);
    std::free(results_);
  }
  Work(const Work&) = delete;
  Work& operator=(const Work&) = delete;

  void run() {
    const int64_t images = what_.x.sizes[0];
    for (int64_t group = 0; group < what_.convolution.groups; ++group) {
      group_ = group;
      if (what_.direction == Direction::Weights)
        std::fill_n(weights_, outputs_ * depth_, T{});
      else
        read_weights();
      for (int64_t image = 0; image < images; ++image) {
        image_ = image;
        if (what_.direction == Direction::Input) input_of_image();
        for (int64_t first = 0; first < positions_ && what_.direction != Direction::Input; first += at_once_)
          output_or_weights(first, std::min(at_once_, positions_ - first));
      }
      if (what_.direction == Direction::Weights) write_weights();
    }
  }

 private:
  /// weight(k, c, tap) in memory, for every one.
  template <class Use>
  void each_weight(Use use) {
    with_real<T>(what_.w.type, what_.w_data, [&](auto* data) {
      for (int64_t tap = 0; tap < taps_; ++tap) {
        const int64_t offset = position(what_.w, tap).offset;
        for (int64_t k = 0; k < outputs_; ++k)
          for (int64_t c = 0; c < channels_; ++c)
            use(data[(group_ * outputs_ + k) * what_.w.strides[0] + c * what_.w.strides[1] + offset],
                weights_[k * depth_ + c * taps_ + tap]);
      }
    });
  }
  void read_weights() {
    each_weight([](const auto& from, T& to) { to = widen<T>(from); });
  }
  void write_weights() {
    each_weight([](auto& to, T from) { narrow(from, to); });
  }

  /// result(k, position) in memory, for `count` positions from `first`.
  template <class Use>
  void each_result(int64_t first, int64_t count, Use use) {
    with_real<T>(what_.y.type, what_.y_data, [&](auto* data) {
      for (int64_t p = 0; p < count; ++p) {
        const int64_t offset = position(what_.y, first + p).offset + image_ * what_.y.strides[0];
        for (int64_t k = 0; k < outputs_; ++k)
          use(data[(group_ * outputs_ + k) * what_.y.strides[1] + offset], results_[k * count + p]);
      }
    });
  }

  /// For each tap and position the place in one channel that they meet in, or -1 in the padding: `use` gets
  /// the tap, the position's number among these, and the position of x.
  template <class Use>
  void each_meeting(int64_t first, int64_t count, Use use) {
    const Convolution& how = what_.convolution;
    for (int64_t p = 0; p < count; ++p) {
      const Position to = position(what_.y, first + p);
      for (int64_t tap = 0; tap < taps_; ++tap) {
        const Position of = position(what_.w, tap);
        Position from{};
        bool inside = true;
        for (int i = 0; i < how.dimensions; ++i) {
          from.at[i] = to.at[i] * how.step[i] + of.at[i] * how.dilation[i] - how.padding[i];
          inside = inside && from.at[i] >= 0 && from.at[i] < what_.x.sizes[i + 2];
          from.offset += from.at[i] * what_.x.strides[i + 2];
        }
        use(tap, p, inside, from);
      }
    }
  }

  void gather(int64_t first, int64_t count) {
    with_real<T>(what_.x.type, what_.x_data, [&](const auto* data) {
      data += image_ * what_.x.strides[0] + group_ * channels_ * what_.x.strides[1];
      each_meeting(first, count, [&](int64_t tap, int64_t p, bool inside, const Position& from) {
        for (int64_t c = 0; c < channels_; ++c)
          columns_[(c * taps_ + tap) * count + p] =
              inside ? widen<T>(data[c * what_.x.strides[1] + from.offset]) : T{};
      });
    });
  }

  void output_or_weights(int64_t first, int64_t count) {
    gather(first, count);
    if (what_.direction == Direction::Output) {
      multiply_dense(outputs_, count, depth_, dense(weights_, depth_), dense(columns_, count), T{}, results_);
      each_result(first, count, [](auto& to, T from) { narrow(from, to); });
    } else {
      each_result(first, count, [](const auto& from, T& to) { to = widen<T>(from); });
      multiply_dense(outputs_, depth_, count, dense(results_, count), dense(columns_, count, true), T{1},
                     weights_);
    }
  }

  void input_of_image() {
    const int64_t inputs = space(what_.x);
    T* const sums = zeros<T>(channels_ * inputs);
    for (int64_t first = 0; first < positions_; first += at_once_) {
      const int64_t count = std::min(at_once_, positions_ - first);
      each_result(first, count, [](const auto& from, T& to) { to = widen<T>(from); });
      multiply_dense(depth_, count, outputs_, dense(weights_, depth_, true), dense(results_, count), T{},
                     columns_);
      each_meeting(first, count, [&](int64_t tap, int64_t p, bool inside, const Position& from) {
        if (!inside) return;
        int64_t place = 0;
        for (int i = 0; i < what_.convolution.dimensions; ++i)
          place = place * what_.x.sizes[i + 2] + from.at[i];
        for (int64_t c = 0; c < channels_; ++c)
          sums[c * inputs + place] += columns_[(c * taps_ + tap) * count + p];
      });
    }
    with_real<T>(what_.x.type, what_.x_data, [&](auto* data) {
      data += image_ * what_.x.strides[0] + group_ * channels_ * what_.x.strides[1];
      for (int64_t place = 0; place < inputs; ++place) {
        const int64_t offset = position(what_.x, place).offset;
        for (int64_t c = 0; c < channels_; ++c)
          narrow(sums[c * inputs + place], data[c * what_.x.strides[1] + offset]);
      }
    });
    std::free(sums);
  }

  const Convolve& what_;
  const int64_t channels_, outputs_, taps_, depth_, positions_, at_once_;
  T *const weights_, *const columns_, *const results_;
  int64_t group_ = 0, image_ = 0;
};

bool is_single(Number type) { return type == Number::F16 || type == Number::BF16 || type == Number::F32; }

}  // namespace

bool Convolve::sizes_fit() const {
  const Convolution& how = convolution;
  if (how.dimensions < 1 || how.dimensions > Convolution::kMost || how.groups < 1) return false;
  for (const Tensor* each : {&x, &w, &y}) {
    if (each->rank != how.dimensions + 2) return false;
    for (int i = 0; i < each->rank; ++i)
      if (each->sizes[i] < 0 || each->strides[i] < 0) return false;
  }
  if (x.sizes[0] != y.sizes[0] || x.sizes[1] != w.sizes[1] * how.groups || y.sizes[1] != w.sizes[0] ||
      w.sizes[0] % how.groups != 0)
    return false;
  for (int i = 0; i < how.dimensions; ++i) {
    if (how.step[i] < 1 || how.dilation[i] < 1) return false;
    const int64_t extent = x.sizes[i + 2] + 2 * how.padding[i] - how.dilation[i] * (w.sizes[i + 2] - 1) - 1;
    if (y.sizes[i + 2] != (extent < 0 ? 0 : extent / how.step[i] + 1)) return false;
  }
  return true;
}

bool Convolve::is_served() const {
  if (is_single(x.type)) return is_single(w.type) && is_single(y.type);
  if (x.type == Number::F64) return w.type == x.type && y.type == x.type;
  return direction == Direction::Output && x.type == Number::I8 && w.type == x.type &&
         (y.type == Number::I8 || y.type == Number::I32 || y.type == Number::F32);
}

void Convolve::run() const {
  if (is_single(x.type))
    Work<float>(*this).run();
  else
    Work<double>(*this).run();
}

void Convolve::report_work(const WorkReporter& reporter) const {
  for (int i = 0; i < y.rank; ++i)
    if (x.sizes[i] < 1 || w.sizes[i] < 1 || y.sizes[i] < 1) return reporter(GpuWork());
  GpuWork work("conv");
  const int space = convolution.dimensions;
  // Of the last two dimensions, and of a third in front.
  const auto of = [&](const Tensor& tensor, int from_last) {
    return from_last < space ? tensor.sizes[1 + space - from_last] : int64_t{1};
  };
  bool plain = true;
  for (int i = 0; i < space; ++i) {
    const bool deep = space - i > 2;
    plain &=
        convolution.dilation[i] == 1 && (deep ? convolution.step[i] == 1 && convolution.padding[i] == 0
                                              : convolution.step[i] == convolution.step[space - 1] &&
                                                    convolution.padding[i] == convolution.padding[space - 1]);
  }
  plain &= space > 1;
  work.set("batch", x.sizes[0]).set("channels", x.sizes[1]).set("filters", w.sizes[0]);
  work.set("filter", of(w, 1)).set("filter-width", of(w, 0)).set("filter-depth", of(w, 2));
  // Others are the ones with as many products whose input is as large as they need.
  const auto input = [&](int from_last) {
    return plain ? of(x, from_last) : of(y, from_last) + of(w, from_last) - 1;
  };
  work.set("height", input(1)).set("width", input(0)).set("depth", input(2));
  if (plain) work.set("stride", convolution.step[space - 1]).set("padding", convolution.padding[space - 1]);
  work.set("groups", convolution.groups).set("dtype", word_of(x.type));
  work.set("layout", x.strides[1] == 1 && x.sizes[1] > 1 ? "nhwc" : "nchw");
  reporter(work.set("gradient", direction == Direction::Output  ? "none"
                                : direction == Direction::Input ? "input"
                                                                : "filters"));
}

Outcome convolve(const Convolve& what, void* stream) {
  if (!what.is_served()) return Outcome::NotServed;
  const struct {
    const Tensor& tensor;
    const void* data;
    const char* name;
  } tensors[] = {{what.x, what.x_data, "x"}, {what.w, what.w_data, "w"}, {what.y, what.y_data, "y"}};
  for (const auto& each : tensors)
    if (!lies_in_memory(each.tensor, each.data)) {
      std::fprintf(stderr, "wavesmith: tensor %s of a convolution reaches past the end of its allocation\n",
                   each.name);
      return Outcome::BadPointer;
    }
  if (launch_convolution_kernel(what, stream)) return Outcome::Done;
  return enqueue(stream, what);
}

}  // namespace wavesmith::libraries
