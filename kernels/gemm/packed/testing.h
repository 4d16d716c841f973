// For tests of products with weights of 4 bits: what D is compared with.
#pragma once

#include "kernels/gemm/testing.h"

namespace wavesmith::kernels {

/// A product as it was given to the GPU, and D before and after.
struct PackedProduct {
  const HostMatrix &before, &d;
  const HostMatrix* bias = nullptr;
  float alpha = 1, beta = 0;
  int64_t m = 0, n = 0, batches = 1;
};

/// Compares D with sums in double precision of A's `number(batch, row, p)` times `weight(batch, column, p)`,
/// of which the GPU's may be off by `error(weight)` for each 1 of A; sums' own error comes to it.
template <class Number, class Weight, class Error>
void expect_product(const PackedProduct& one, int64_t k, Number number_of, Weight weight, Error error) {
  ErrorNote note;
  for (int64_t batch = 0; batch < one.batches; ++batch)
    for (int64_t j = 0; j < one.n; ++j) {
      std::vector<double> weights;
      for (int64_t p = 0; p < k; ++p) weights.push_back(weight(batch, j, p));
      for (int64_t i = 0; i < one.m; ++i) {
        double sum = 0, allowed = 0;
        for (int64_t p = 0; p < k; ++p) {
          const double number = number_of(batch, i, p);
          const double of = weights[static_cast<size_t>(p)];
          sum += number * of;
          allowed += std::abs(number) * (std::abs(of) * static_cast<double>(k + 8) * 0x1p-24 + error(of));
        }
        double value = one.alpha * sum;
        if (one.beta != 0) value += one.beta * one.before.get(batch, i, j);
        if (one.bias) value += one.bias->get(0, 0, j);
        allowed = rounded_error(one.d.elements.type, value,
                                allowed * std::abs(one.alpha) + 0x1p-21 * (std::abs(value) + 1));
        const double got = one.d.get(batch, i, j);
        note.add(std::abs(got - value), allowed);
        if (std::isnan(value))
          ASSERT_TRUE(std::isnan(got)) << i << ", " << j << ": " << got;
        else
          ASSERT_LE(std::abs(got - value), allowed)
              << batch << ", " << i << ", " << j << ": " << got << " instead of " << value;
      }
    }
}

}  // namespace wavesmith::kernels
