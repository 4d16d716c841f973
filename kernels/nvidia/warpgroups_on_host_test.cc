// Kernels by warpgroups, run on the host: copies and products in C++ (tile/arch/ptx_tensor_testing.h).
#include "kernels/nvidia/on_host_testing.h"

#include "kernels/attention/warpgroups.h"
#include "kernels/gemm/warpgroups/warpgroups.h"

namespace wavesmith::kernels {
namespace {

using tile::Type;
using tile::ptx::Block;
using tile::ptx::HostTensor;

class NvidiaWarpgroups : public NvidiaOnHost {
 protected:
  /// Runs a grid of clusters, whose blocks have shared memory that holds anything.
  void launch_clusters(int threads, int clusters, int blocks, int bytes,
                       const std::function<void(char*)>& kernel) {
    std::vector<std::vector<char>> memory(static_cast<size_t>(blocks),
                                          std::vector<char>(static_cast<size_t>(bytes + 1024), '\x7f'));
    for (int cluster = 0; cluster < clusters; ++cluster) {
      Block block(threads, {cluster * blocks, 0, 0}, random(), blocks, clusters * blocks);
      for (std::vector<char>& of_block : memory) block.shared.push_back(of_block.data());
      block.run([&] { kernel(block.shared[block.rank()]); });
    }
  }
  template <class T>
  static HostTensor tensor(const Matrix<T>& of, int rows, int columns, uint32_t box_rows) {
    const auto size = [](auto number) { return static_cast<uint32_t>(number); };
    const uint64_t row = static_cast<uint64_t>(of.stride) * sizeof(T);
    return {.data = reinterpret_cast<char*>(const_cast<T*>(of.elements.data())),
            .sizes = {size(columns), size(rows), 1, 1},
            .box = {size(128 / sizeof(T)), box_rows, 1, 1},
            .strides = {row, row * size(rows), row * size(rows)},
            .element = sizeof(T)};
  }

  /// Of D of type T: all at once by the copy engine where `whole`, or else with an addend.
  template <class A, class D, bool kInParts = false>
  void expect_product(int m, int n, int k, int clusters, bool whole) {
    SCOPED_TRACE(std::to_string(m) + " by " + std::to_string(n) + " by " + std::to_string(k));
    using Shape = GemmWarpgroupShape<A, kInParts>;
    const auto a = matrix<A>(m, k), b = matrix<A>(n, k);
    Matrix<D> d{std::vector<D>(static_cast<size_t>(m * (n + 8)), static_cast<D>(NAN)), n + 8};
    const std::vector<float> bias(static_cast<size_t>(n), 0);
    GemmTensorArguments g{};
    g.a = a.elements.data(), g.b = b.elements.data(), g.d = d.elements.data();
    g.stride_d = d.stride;
    g.m = m, g.n = n, g.k = k;
    g.alpha = 2;
    g.type_c = g.type_bias = static_cast<int>(Type::F32);
    g.type_d = static_cast<int>(std::is_same_v<D, float> ? Type::F32 : Type::BF16);
    if (!whole) g.bias = bias.data();
    g.tiles_m = tile::ceiling(m, Shape::kRows), g.tiles_n = tile::ceiling(n, Shape::kColumns);
    g.band = 1, g.batches = 1;
    g.writes_tensor = whole;
    g.tensor_a = tensor_map(tensor(a, m, k, Shape::kRows));
    g.tensor_b = tensor_map(tensor(b, n, k, Shape::kShareOfB));
    g.tensor_d = tensor_map(tensor(d, m, n, tile::kWarpgroupRows));
    launch_clusters(Shape::kThreads, clusters, Shape::kCluster, Shape::kBytes,
                    [&](char* memory) { gemm_by_warpgroups<Shape>(g, memory); });
    expect_sums(a, Along::Row, b, Along::Row, d, m, n, k, 2);
  }

  template <class T, int kHead>
  void expect_attention_by_warpgroups(const AttentionCase& c, int blocks) {
    SCOPED_TRACE(std::to_string(c.length_q) + " queries, " + std::to_string(c.length_k) + " keys");
    using Shape = AttentionWarpgroupShape<T, kHead>;
    constexpr int kHeads = AttentionCase::kHeads;
    const long stride = c.head_size;
    const auto q = matrix<T>(kHeads * c.length_q, stride), k = matrix<T>(c.length_k, stride),
               v = matrix<T>(c.length_k, stride);
    auto o = matrix<T>(kHeads * c.length_q, stride);
    auto lse = poisoned(kHeads, c.length_q);
    AttentionTensorArguments g{};
    g.o = o.elements.data(), g.lse = lse.elements.data(), g.lse_head = c.length_q;
    g.stride_o = {0, stride, stride * c.length_q};
    g.heads = kHeads, g.heads_per_kv = kHeads;
    g.length_q = c.length_q, g.length_k = c.length_k, g.head_size = g.head_size_v = c.head_size;
    g.tiles = tile::ceiling(c.length_q, Shape::kRows);
    g.workgroups = g.tiles * kHeads;
    g.dies = 1, g.per_die = g.workgroups;
    g.left = kUnlimited, g.right = c.causal ? 0 : kUnlimited;
    g.factor = static_cast<float>(1 / std::sqrt(c.head_size)) * tile::kLog2OfE;
    HostTensor of_q = tensor(q, c.length_q, c.head_size, tile::kWarpgroupRows);
    of_q.sizes[2] = kHeads;
    g.tensor_q = tensor_map(of_q);
    g.tensor_k = tensor_map(tensor(k, c.length_k, c.head_size, Shape::kKeys));
    g.tensor_v = tensor_map(tensor(v, c.length_k, c.head_size, Shape::kKeys));
    launch_clusters(Shape::kThreads, blocks, 1, Shape::kBytes,
                    [&](char* memory) { attention_by_warpgroups<Shape>(g, memory); });
    expect_attention(c, q, k, v, o, lse);
  }
};

TEST_F(NvidiaWarpgroups, Products) {
  expect_product<tile::bf16, tile::bf16>(128, 256, 64, 1, true);
  expect_product<tile::bf16, tile::bf16>(130, 264, 360, 1, true);  // a ring of stages more than once around
  expect_product<tile::f16, float>(70, 37, 72, 1, false);
}

TEST_F(NvidiaWarpgroups, ProductsOfFloatsOfEightBits) {
  expect_product<tile::e4m3, tile::bf16>(300, 24, 144, 1, true);
  expect_product<tile::e4m3, float>(20, 300, 128, 2, false);
  expect_product<tile::e4m3, tile::bf16, true>(260, 136, 1040, 1, true);
}

TEST_F(NvidiaWarpgroups, Attention) {
  expect_attention_by_warpgroups<tile::bf16, 128>({128, 128, 128, false}, 2);
  expect_attention_by_warpgroups<tile::bf16, 128>({140, 300, 120, true}, 3);  // a block takes two tiles of Q
  expect_attention_by_warpgroups<tile::f16, 64>({20, 500, 64, false}, 1);
  expect_attention_by_warpgroups<tile::f16, 64>({200, 20, 56, true}, 4);  // many queries see no key
}

}  // namespace
}  // namespace wavesmith::kernels
