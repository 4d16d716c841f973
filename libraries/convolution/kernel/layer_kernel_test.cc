// MIOpen's layers whose tensors are in a GPU's memory: those that the kernel library covers are kernels, on
// GPUs of three generations, and results are the formulas'.
#include "libraries/blas/kernel/product_kernel_testing.h"
#include "libraries/convolution/layers_testing.h"

namespace wavesmith::libraries::testing_miopen {
namespace {

using products::OnGpu;

class LayerKernels : public Layers, public testing::WithParamInterface<int> {
 protected:
  void SetUp() override {
    ASSERT_TRUE(products::machine);
    ASSERT_EQ(call(hip_, "hipSetDevice", GetParam()), 0);
    Layers::SetUp();
  }
  /// Whether `layer` makes GPUs execute instructions.
  template <class Layer>
  bool runs_a_kernel(Layer layer) {
    const auto executed = reinterpret_cast<uint64_t (*)()>(dlsym(hip_, "wavesmith_instructions"));
    const uint64_t before = executed();
    EXPECT_EQ(layer(), 0);
    synchronize();
    return executed() > before;
  }
  /// A random tensor without gaps, the last dimension or the channels together.
  Tensor packed(int type, const At& sizes, bool channels_last = false) {
    Tensor t{type, sizes, At(sizes.size()), {}};
    int stride = 1;
    const auto take = [&](size_t i) { t.strides[i] = stride, stride *= sizes[i]; };
    if (channels_last) take(1);
    for (size_t i = sizes.size(); i-- > 0;)
      if (!channels_last || i != 1) take(i);
    t.bytes.resize(static_cast<size_t>(stride) * size_of(type));
    for (size_t i = 0; i < t.bytes.size(); i += size_of(type)) write(type, 4 * number(), t.bytes.data() + i);
    EXPECT_EQ(call(library_, "miopenCreateTensorDescriptor", &t.descriptor), 0);
    EXPECT_EQ(call(library_, "miopenSetTensorDescriptor", t.descriptor, type, static_cast<int>(sizes.size()),
                   t.sizes.data(), t.strides.data()),
              0);
    return t;
  }
  int small_type() {
    static constexpr int kTypes[] = {kFloat, kHalf, kBrain};
    return kTypes[below(3)];
  }
};

TEST_P(LayerKernels, ActivationsAreKernelsWhereThereIsOne) {
  void* const how = made("miopenCreateActivationDescriptor");
  for (int mode = 0; mode <= 9; ++mode)
    for (const double beta : {1.0, 0.5}) {
      const bool covered = mode == 1 || (mode == 2 && beta == 1) || mode == 3 || mode == 5;
      const int kind = small_type();
      const bool last = below(2) == 1;
      Tensor x = packed(kind, sizes(2), last), y = packed(kind, x.sizes, last);
      const OnGpu<unsigned char> on_x(hip_, x.bytes), on_y(hip_, y.bytes);
      ASSERT_EQ(call(library_, "miopenSetActivationDescriptor", how, mode, 1.5, beta, 2.0), 0);
      const Factor one = factor(1, kind), none = factor(0, kind);
      const bool ran = runs_a_kernel([&] {
        return call(library_, "miopenActivationForward", handle_, how, one.place(), x.descriptor, on_x.in(),
                    none.place(), y.descriptor, on_y.out());
      });
      SCOPED_TRACE(testing::Message() << "mode " << mode << ", type " << kind);
      EXPECT_EQ(ran, covered);
      y.bytes = on_y.numbers();
      expect(y, [&](const At& at) { return activation(mode, x[at], 1.5, beta, 2); }, 1e-5);
      forget(x), forget(y);
    }
  EXPECT_EQ(call(library_, "miopenDestroyActivationDescriptor", how), 0);
}

TEST_P(LayerKernels, SoftmaxOfImagesIsAKernel) {
  for (int round = 0; round < 8; ++round) {
    const bool over_channels = round % 2 == 1, of_pixels = round % 4 == 3;
    const int kind = small_type(), algorithm = 1 + below(2);
    const At all = over_channels && !of_pixels ? At{3, 1 + below(400), 1, 1} : sizes(2);
    Tensor x = packed(kind, all), y = packed(kind, all);
    const OnGpu<unsigned char> on_x(hip_, x.bytes), on_y(hip_, y.bytes);
    const Factor one = factor(1, kind), none = factor(0, kind);
    const bool ran = runs_a_kernel([&] {
      return call(library_, "miopenSoftmaxForward_V2", handle_, one.place(), x.descriptor, on_x.in(),
                  none.place(), y.descriptor, on_y.out(), algorithm, static_cast<int>(over_channels));
    });
    EXPECT_EQ(ran, !of_pixels);
    y.bytes = on_y.numbers();
    expect(
        y,
        [&](const At& at) {
          double sum = 0;
          each(all, [&](const At& other) {
            const bool same_pixel = std::equal(other.begin() + 2, other.end(), at.begin() + 2);
            if (other[0] == at[0] && (!over_channels || same_pixel)) sum += std::exp(x[other]);
          });
          return algorithm == 2 ? x[at] - std::log(sum) : std::exp(x[at]) / sum;
        },
        1e-5);
    forget(x), forget(y);
  }
}

TEST_P(LayerKernels, SumsAndProductsOfTensorsAreKernelsWhereTheyAreRows) {
  const At image{2, 5, 3, 7};
  struct Shape {
    At b;
    bool channels_last, covered;
  };
  // A bias per channel of several images whose pixels lie together is neither one row for all nor one element
  // per row.
  const Shape shapes[] = {{image, false, true},        {image, true, true},
                          {{1, 1, 1, 1}, false, true}, {{1, 5, 1, 1}, true, true},
                          {{2, 5, 1, 1}, false, true}, {{1, 5, 1, 1}, false, false}};
  for (const Shape& shape : shapes)
    for (const int operation : {0, 1, 2, 3}) {
      const int kind = small_type();
      Tensor a = packed(kind, image, shape.channels_last), c = packed(kind, image, shape.channels_last),
             b = packed(kind, shape.b, shape.channels_last);
      const OnGpu<unsigned char> on_a(hip_, a.bytes), on_b(hip_, b.bytes), on_c(hip_, c.bytes);
      const Factor first = factor(1, kind), second = factor(-0.5, kind), none = factor(0, kind);
      const bool ran = runs_a_kernel([&] {
        return call(library_, "miopenOpTensor", handle_, operation, first.place(), a.descriptor, on_a.in(),
                    second.place(), b.descriptor, on_b.in(), none.place(), c.descriptor, on_c.out());
      });
      SCOPED_TRACE(testing::Message() << "operation " << operation << ", type " << kind);
      EXPECT_EQ(ran, shape.covered && operation < 2);
      c.bytes = on_c.numbers();
      expect(
          c,
          [&](const At& at) {
            At of_b = at;
            for (size_t i = 0; i < of_b.size(); ++i) of_b[i] = shape.b[i] == 1 ? 0 : at[i];
            const double left = a[at], right = -0.5 * b[of_b];
            return operation == 0   ? left + right
                   : operation == 1 ? left * right
                   : operation == 2 ? std::min(left, right)
                                    : std::max(left, right);
          },
          1e-6);
      forget(a), forget(b), forget(c);
    }
}

std::string gpu_name(const testing::TestParamInfo<int>& info) { return products::kGpus[info.param]; }
INSTANTIATE_TEST_SUITE_P(On, LayerKernels, testing::Range(0, 3), gpu_name);

}  // namespace
}  // namespace wavesmith::libraries::testing_miopen
