// Access to a tensor's elements as doubles, whatever their type, and loops over them, for the layers of
// networks.
#pragma once

#include <cmath>
#include <cstdint>

#include "libraries/convolution/tensor.h"

namespace wavesmith::libraries {

/// The indices of an element, as many as its tensor has dimensions.
struct Index {
  int64_t at[Tensor::kMost];
};

struct Elements {
  Tensor tensor;
  void* data;

  [[nodiscard]] int64_t offset(const Index& index) const {
    int64_t sum = 0;
    for (int i = 0; i < tensor.rank; ++i) sum += index.at[i] * tensor.strides[i];
    return sum;
  }
  [[nodiscard]] double operator[](const Index& index) const { return read(offset(index)); }
  void set(const Index& index, double value) const { write(offset(index), value); }

  /// Of a tensor that has one element where the index's may have many.
  [[nodiscard]] Index broadcast(const Index& index) const {
    Index own{};
    for (int i = 0; i < tensor.rank; ++i) own.at[i] = tensor.sizes[i] == 1 ? 0 : index.at[i];
    return own;
  }

 private:
  template <class Use>
  auto with(int64_t at, Use use) const {
    switch (tensor.type) {
      case Number::F16:
        return use(static_cast<Small<kF16>*>(data)[at]);
      case Number::BF16:
        return use(static_cast<Small<kBf16>*>(data)[at]);
      case Number::F64:
        return use(static_cast<double*>(data)[at]);
      case Number::I32:
        return use(static_cast<int32_t*>(data)[at]);
      case Number::I8:
        return use(static_cast<int8_t*>(data)[at]);
      default:
        return use(static_cast<float*>(data)[at]);
    }
  }
  [[nodiscard]] double read(int64_t at) const {
    return with(at, [](const auto& element) { return widen<double>(element); });
  }
  void write(int64_t at, double value) const {
    with(at, [value](auto& element) { narrow(value, element); });
  }
};

/// Calls `use` with every index below the sizes, the last dimension fastest.
template <class Use>
void each_index(const int64_t* sizes, int rank, Use use) {
  for (int i = 0; i < rank; ++i)
    if (sizes[i] == 0) return;
  Index index{};
  for (;;) {
    use(static_cast<const Index&>(index));
    int i = rank;
    while (i > 0 && ++index.at[i - 1] == sizes[i - 1]) index.at[--i] = 0;
    if (i == 0) return;
  }
}
template <class Use>
void each_index(const Elements& elements, Use use) {
  each_index(elements.tensor.sizes, elements.tensor.rank, use);
}

/// Calls `use` with the index of every element of `tensor` that is folded into the one at `of`: all of a
/// dimension where `sizes` has 1.
template <class Use>
void each_folded(const Tensor& tensor, const int64_t* sizes, const Index& of, Use use) {
  int64_t inner[Tensor::kMost];
  for (int i = 0; i < tensor.rank; ++i) inner[i] = sizes[i] == 1 ? tensor.sizes[i] : 1;
  each_index(inner, tensor.rank, [&](const Index& within) {
    Index index{};
    for (int i = 0; i < tensor.rank; ++i) index.at[i] = of.at[i] + within.at[i];
    use(static_cast<const Index&>(index));
  });
}

/// result = alpha * value + beta * result, the old result unread where beta is 0.
struct Blend {
  double alpha, beta;
  void store(const Elements& result, const Index& index, double value) const {
    result.set(index, alpha * value + (beta != 0 ? beta * result[index] : 0.0));
  }
};

/// Bytes of all of them; 0 without data.
inline double bytes_of(const Elements& elements) {
  if (!elements.data) return 0;
  auto bytes = static_cast<double>(size_of(elements.tensor.type));
  for (int i = 0; i < elements.tensor.rank; ++i) bytes *= static_cast<double>(elements.tensor.sizes[i]);
  return bytes;
}

inline bool same_sizes(const Tensor& a, const Tensor& b) {
  if (a.rank != b.rank) return false;
  for (int i = 0; i < a.rank; ++i)
    if (a.sizes[i] != b.sizes[i]) return false;
  return true;
}

/// Whether each size of `small` is that of `large` or 1.
inline bool broadcasts(const Tensor& small, const Tensor& large) {
  if (small.rank != large.rank) return false;
  for (int i = 0; i < small.rank; ++i)
    if (small.sizes[i] != large.sizes[i] && small.sizes[i] != 1) return false;
  return true;
}

}  // namespace wavesmith::libraries
