// Kernels as nvcc compiles them, run on the host: random matrices and what becomes of them in double
// precision. Kernels' headers come after this one.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <random>
#include <string>
#include <type_traits>
#include <vector>

// As nvcc, from here on.
#define __NVCC__
#define TILE_ON_HOST
#include "kernels/attention/arguments.h"
#include "tile/typed_view.h"
#include "tile/view.h"

namespace wavesmith::kernels {

using tile::Along;

/// Of two heads of q that share one of k and v.
struct AttentionCase {
  int length_q, length_k, head_size;
  bool causal;
  static constexpr int kHeads = 2;
};

class NvidiaOnHost : public testing::Test {
 protected:
  NvidiaOnHost() {
    const char* const given = std::getenv("WAVESMITH_SEED");
    seed = given ? static_cast<unsigned>(std::stoul(given)) : std::random_device{}();
    random.seed(seed);
    RecordProperty("seed", std::to_string(seed));
  }
  ~NvidiaOnHost() override {
    if (HasFailure()) std::cout << "WAVESMITH_SEED=" << seed << '\n';
  }

  /// Elements in [-1, 1], and what the type keeps of them as doubles.
  template <class T>
  struct Matrix {
    std::vector<T> elements;
    long stride;
    [[nodiscard]] double at(long row, long column) const {
      const T element = elements[static_cast<size_t>(row * stride + column)];
      if constexpr (std::is_same_v<T, tile::e4m3>)
        return tile::ptx::from_e4m3(element.bits);
      else
        return static_cast<float>(element);
    }
  };
  template <class T>
  Matrix<T> matrix(long rows, long stride) {
    Matrix<T> made{std::vector<T>(static_cast<size_t>(rows * stride)), stride};
    std::uniform_real_distribution<float> uniform(-1, 1);
    std::uniform_int_distribution<int> magnitudes(0, 0x38);  // up to 1
    for (T& element : made.elements) {
      if constexpr (std::is_same_v<T, tile::e4m3>)
        element.bits = static_cast<uint8_t>(magnitudes(random) | (random() & 0x80));
      else
        element = static_cast<T>(uniform(random));
    }
    return made;
  }
  static Matrix<float> poisoned(long rows, long stride) {
    return {std::vector<float>(static_cast<size_t>(rows * stride), std::numeric_limits<float>::quiet_NaN()),
            stride};
  }

  void launch(int threads, tile::ptx::Block::Place blocks, const std::function<void()>& kernel) {
    for (int z = 0; z < blocks.z; ++z)
      for (int y = 0; y < blocks.y; ++y)
        for (int x = 0; x < blocks.x; ++x) tile::ptx::Block(threads, {x, y, z}, random()).run(kernel);
  }

  /// That rows of D are sums of A times B transposed, times `factor`, within what K and D's type allow, and
  /// behind them nothing is written.
  template <class A, class D>
  void expect_sums(const Matrix<A>& a, Along along_a, const Matrix<A>& b, Along along_b, const Matrix<D>& d,
                   int m, int n, int k, double factor) {
    const auto element = [](const Matrix<A>& of, Along along, int row, int depth) {
      return along == Along::Row ? of.at(row, depth) : of.at(depth, row);
    };
    constexpr double kRounding = std::is_same_v<D, float> ? 0 : 1. / 256;
    for (int i = 0; i < m; ++i) {
      for (int j = 0; j < n; ++j) {
        double sum = 0;
        for (int l = 0; l < k; ++l) sum += element(a, along_a, i, l) * element(b, along_b, j, l);
        ASSERT_NEAR(d.at(i, j), factor * sum, 1e-6 * k + 1e-6 + kRounding * std::abs(factor * sum))
            << i << ", " << j;
      }
      ASSERT_TRUE(std::isnan(d.at(i, n))) << "written beyond row " << i;
    }
  }

  template <class Element>
  void expect_attention(const AttentionCase& c, const Matrix<Element>& q, const Matrix<Element>& k,
                        const Matrix<Element>& v, const Matrix<Element>& o, const Matrix<float>& lse) {
    const double scale = 1 / std::sqrt(c.head_size);
    for (int row = 0; row < AttentionCase::kHeads * c.length_q; ++row) {
      const int last = row % c.length_q + c.length_k - c.length_q + 1;
      const int seen = c.causal ? std::max(last, 0) : c.length_k;
      std::vector<double> weights(static_cast<size_t>(seen));
      double sum = 0;
      for (int key = 0; key < seen; ++key) {
        double score = 0;
        for (int e = 0; e < c.head_size; ++e) score += q.at(row, e) * k.at(key, e);
        sum += weights[static_cast<size_t>(key)] = std::exp(scale * score);
      }
      const float of_row = lse.elements[static_cast<size_t>(row)];
      if (seen == 0)
        ASSERT_EQ(of_row, -std::numeric_limits<float>::infinity()) << row;
      else
        ASSERT_NEAR(of_row, std::log(sum), 1e-3) << row;
      for (int e = 0; e < c.head_size; ++e) {
        double expected = 0;
        for (int key = 0; key < seen; ++key)
          expected += weights[static_cast<size_t>(key)] / sum * v.at(key, e);
        ASSERT_NEAR(o.at(row, e), expected, 0.01) << row << ", " << e;
      }
    }
  }

  unsigned seed;
  std::mt19937 random;
};

}  // namespace wavesmith::kernels
