// Kernels as nvcc compiles them, run on the host: their code for NVIDIA, thread by thread, with PTX's
// instructions in C++ (tile/arch/ptx_testing.h).
#include "kernels/nvidia/on_host_testing.h"

#include "kernels/attention/attention.h"
#include "kernels/gemm/gemm.h"
#include "kernels/norm/norm.h"
#include "kernels/softmax/softmax.h"

namespace wavesmith::kernels {
namespace {

using tile::Access;
using tile::Type;

class NvidiaKernels : public NvidiaOnHost {
 protected:
  /// D = A * B transposed, of a matrix that lies along rows or columns.
  template <class Shape, Along kAlongA, Along kAlongB, Access kAccess>
  void expect_product(int m, int n, int k, int more) {
    SCOPED_TRACE(std::to_string(m) + " by " + std::to_string(n) + " by " + std::to_string(k));
    using A = typename Shape::A;
    const auto operand = [&](Along along, int rows) {
      return along == Along::Row ? matrix<A>(rows, k + more) : matrix<A>(k, rows + more);
    };
    const auto a = operand(kAlongA, m), b = operand(kAlongB, n);
    auto d = poisoned(m, n + 3);
    GemmArguments g{};
    g.a = a.elements.data(), g.b = b.elements.data(), g.d = d.elements.data();
    g.stride_a = a.stride, g.stride_b = b.stride, g.stride_d = d.stride;
    g.m = m, g.n = n, g.k = k;
    g.alpha = 2, g.beta = 0;
    g.type_c = g.type_d = g.type_bias = static_cast<int>(Type::F32);
    g.tiles_m = tile::ceiling(m, Shape::kRows), g.tiles_n = tile::ceiling(n, Shape::kColumns);
    g.band = g.tiles_n;
    launch(Shape::kThreads, {g.tiles_n, g.tiles_m, 1}, [&] { gemm<Shape, kAlongA, kAlongB, kAccess>(g); });
    expect_sums(a, kAlongA, b, kAlongB, d, m, n, k, 2);
  }
};

TEST_F(NvidiaKernels, ProductsThroughRegisters) {
  using Shape = GemmShape<tile::bf16, tile::bf16, 128, 128, 32, 2, 4>;
  expect_product<Shape, Along::Row, Along::Row, Access::Dwords>(128, 128, 64, 0);
  expect_product<Shape, Along::Row, Along::Row, Access::Dwords>(130, 37, 90, 2);
  expect_product<Shape, Along::Row, Along::Row, Access::Dwords>(1, 1, 2, 0);
  expect_product<Shape, Along::Column, Along::Column, Access::Dwords>(130, 38, 75, 0);
  expect_product<Shape, Along::Column, Along::Row, Access::Dwords>(18, 131, 34, 0);
  expect_product<Shape, Along::Row, Along::Column, Access::Dwords>(67, 94, 66, 4);
}

TEST_F(NvidiaKernels, ProductsElementByElement) {
  using Shape = GemmShape<tile::f16, tile::f16, 64, 64, 32, 2, 2>;
  expect_product<Shape, Along::Row, Along::Row, Access::Elements>(65, 63, 33, 0);
  expect_product<Shape, Along::Row, Along::Row, Access::Elements>(3, 64, 1, 4);
}

TEST_F(NvidiaKernels, ProductsPastRegisters) {
  using Shape = GemmShape<tile::bf16, tile::bf16, 64, 64, 64, 2, 2, 5>;
  expect_product<Shape, Along::Row, Along::Row, Access::Dwords>(64, 64, 64, 0);
  expect_product<Shape, Along::Row, Along::Row, Access::Dwords>(70, 50, 200, 8);
  expect_product<Shape, Along::Row, Along::Row, Access::Dwords>(5, 130, 8, 0);
}

TEST_F(NvidiaKernels, ProductsOfFloatsOfEightBits) {
  using Shape = GemmShape<tile::e4m3, tile::e4m3, 64, 64, 64, 2, 2>;
  expect_product<Shape, Along::Row, Along::Row, Access::Dwords>(64, 64, 128, 0);
  expect_product<Shape, Along::Row, Along::Row, Access::Dwords>(70, 33, 100, 4);
}

/// Softmax of scale * x, and its logarithm.
TEST_F(NvidiaKernels, Softmax) {
  const auto expect = [&]<class Shape>(Shape, int rows, int columns, bool logarithm) {
    SCOPED_TRACE(std::to_string(rows) + " by " + std::to_string(columns));
    const auto x = matrix<tile::f16>(rows, columns);
    auto y = poisoned(rows, columns);
    SoftmaxArguments g{};
    g.x = x.elements.data(), g.y = y.elements.data();
    g.stride_x = x.stride, g.stride_y = y.stride;
    g.rows = rows, g.columns = columns;
    g.type_x = static_cast<int>(Type::F16), g.type_y = static_cast<int>(Type::F32);
    g.scale = 3;
    g.logarithm = logarithm;
    launch(Shape::kThreads, {tile::ceiling(rows, Shape::kRows), 1, 1}, [&] { softmax<Shape>(g); });
    for (int i = 0; i < rows; ++i) {
      double sum = 0;
      for (int j = 0; j < columns; ++j) sum += std::exp(3 * x.at(i, j));
      for (int j = 0; j < columns; ++j) {
        const double expected = 3 * x.at(i, j) - std::log(sum);
        ASSERT_NEAR(y.at(i, j), logarithm ? expected : std::exp(expected), 1e-5) << i << ", " << j;
      }
    }
  };
  expect(tile::RowShape<256, 16, 1>{}, 35, 120, false);
  expect(tile::RowShape<256, 32, 2>{}, 9, 504, true);
  expect(tile::RowShape<256, 256, 1>{}, 2, 1040, false);
  expect(tile::RowShape<256, 16, 0, false>{}, 17, 133, false);
}

/// RMSNorm and LayerNorm with a weight.
TEST_F(NvidiaKernels, Norm) {
  const auto expect = [&]<class Shape>(Shape, int rows, int columns, bool centred) {
    SCOPED_TRACE(std::to_string(rows) + " by " + std::to_string(columns));
    const auto x = matrix<tile::bf16>(rows, columns), weight = matrix<tile::bf16>(1, columns);
    auto y = poisoned(rows, columns);
    NormArguments g{};
    g.x = x.elements.data(), g.weight = weight.elements.data(), g.y = y.elements.data();
    g.stride_x = x.stride, g.stride_y = y.stride;
    g.rows = rows, g.columns = columns;
    g.type_x = g.type_weight = static_cast<int>(Type::BF16), g.type_y = static_cast<int>(Type::F32);
    g.epsilon = 1e-5f, g.centred = centred;
    launch(Shape::kThreads, {tile::ceiling(rows, Shape::kRows), 1, 1}, [&] { norm<Shape, false>(g); });
    for (int i = 0; i < rows; ++i) {
      double mean = 0, squares = 0;
      for (int j = 0; j < columns && centred; ++j) mean += x.at(i, j) / columns;
      for (int j = 0; j < columns; ++j) squares += std::pow(x.at(i, j) - mean, 2) / columns;
      for (int j = 0; j < columns; ++j)
        ASSERT_NEAR(y.at(i, j), (x.at(i, j) - mean) / std::sqrt(squares + 1e-5) * weight.at(0, j), 1e-4)
            << i << ", " << j;
    }
  };
  expect(tile::RowShape<256, 16, 1>{}, 35, 120, false);
  expect(tile::RowShape<256, 256, 2>{}, 2, 4088, true);
  expect(tile::RowShape<256, 256, 0, false>{}, 2, 2100, true);
}

TEST_F(NvidiaKernels, Attention) {
  const auto expect = [&]<class Shape>(Shape, const AttentionCase& c) {
    SCOPED_TRACE(std::to_string(c.length_q) + " queries, " + std::to_string(c.length_k) + " keys");
    using Element = typename Shape::Atom::Element;
    constexpr int kHeads = AttentionCase::kHeads;
    const long stride = c.head_size;
    const auto q = matrix<Element>(kHeads * c.length_q, stride), k = matrix<Element>(c.length_k, stride),
               v = matrix<Element>(c.length_k, stride);
    auto o = matrix<Element>(kHeads * c.length_q, stride);
    auto lse = poisoned(kHeads, c.length_q);
    AttentionArguments g{};
    g.q = q.elements.data(), g.k = k.elements.data(), g.v = v.elements.data(), g.o = o.elements.data();
    g.lse = lse.elements.data(), g.lse_head = c.length_q;
    g.stride_q = g.stride_o = {0, stride, stride * c.length_q};
    g.stride_k = g.stride_v = {0, stride, 0};
    g.heads = kHeads, g.heads_per_kv = kHeads;
    g.length_q = c.length_q, g.length_k = c.length_k, g.head_size = g.head_size_v = c.head_size;
    g.tiles = tile::ceiling(c.length_q, Shape::kRows);
    g.workgroups = g.tiles * kHeads;
    g.dies = 1, g.per_die = g.workgroups;
    g.left = kUnlimited, g.right = c.causal ? 0 : kUnlimited;
    const double scale = 1 / std::sqrt(c.head_size);
    g.factor = static_cast<float>(scale) * tile::kLog2OfE;
    launch(Shape::kThreads, {g.workgroups, 1, 1}, [&] { attention<Shape, Queries<Shape, false>>(g); });
    expect_attention(c, q, k, v, o, lse);
  };
  using Atom = tile::arch::Best<tile::bf16>;
  const AttentionShape<Atom, 64, 64, 1, 64, 8, 2, AttentionOrder::After> of_64;
  const AttentionShape<Atom, 128, 128, 1, 32, 8, 2, AttentionOrder::After> of_128;
  expect(of_64, {128, 64, 64, false});
  expect(of_64, {150, 170, 56, true});
  expect(of_128, {130, 131, 128, true});
}

}  // namespace
}  // namespace wavesmith::kernels
