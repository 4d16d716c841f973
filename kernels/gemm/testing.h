// For tests of products: a case's matrices, and how it is run and compared with sums in double precision.
#pragma once

#include <algorithm>
#include <deque>

#include "kernels/gemm/choice/choice.h"
#include "kernels/gemm/choice/rates.h"
#include "kernels/testing.h"

namespace wavesmith::kernels {

/// A matrix of rows by columns in memory: how it lies, and its elements.
struct HostMatrix {
  int64_t rows = 0, columns = 0, row_stride = 0, column_stride = 0, batch_stride = 0;
  Elements elements;

  [[nodiscard]] size_t at(int64_t batch, int64_t row, int64_t column) const {
    return static_cast<size_t>(batch * batch_stride + row * row_stride + column * column_stride);
  }
  [[nodiscard]] double get(int64_t batch, int64_t row, int64_t column) const {
    return elements.get(at(batch, row, column));
  }
  [[nodiscard]] wavesmith_kernels_matrix on(const OnGpu& gpu) const {
    return {gpu.data(), elements.type, row_stride, column_stride, batch_stride};
  }
};

/// A product on each GPU, compared with sums in double precision.
class GemmOnGpu : public OnEachGpu {
 protected:
  /// What a case varies.
  struct Case {
    int64_t m, n, k, batches = 1;
    Type type = WAVESMITH_KERNELS_BF16, type_b = WAVESMITH_KERNELS_BF16, type_c = WAVESMITH_KERNELS_BF16,
         type_d = WAVESMITH_KERNELS_BF16;
    bool a_by_rows = true, b_by_rows = false, d_by_rows = true;
    float alpha = 1, beta = 0;
    int64_t padding = 0;  ///< elements that rows or columns are apart beyond what they hold
    size_t offset = 0;    ///< elements into the allocation
    wavesmith_kernels_activation activation = WAVESMITH_KERNELS_NO_ACTIVATION;
    bool bias = false, bias_per_row = false;
    bool scale_a = false, scale_b = false, scale_d = false, per_row = false, per_column = false;
    Type bias_type = WAVESMITH_KERNELS_F32;
    std::string tile;     ///< of that name; empty: as dispatch chooses
    int parts = 1;        ///< of K, with a tile, or kStreamed: a workspace that holds them is given
    bool arrays = false;  ///< of pointers to the batch's matrices
    bool gated = false;   ///< B, the bias and B's scales have both halves' columns
    [[nodiscard]] int64_t columns_of_b() const { return gated ? 2 * n : n; }
  };

  HostMatrix matrix(int64_t rows, int64_t columns, int64_t batches, bool by_rows, int64_t padding,
                    Type type) {
    HostMatrix made{rows, columns};
    const int64_t together = by_rows ? columns : rows, others = by_rows ? rows : columns;
    const int64_t apart = together + padding;
    made.row_stride = by_rows ? apart : 1;
    made.column_stride = by_rows ? 1 : apart;
    made.batch_stride = apart * others;
    made.elements =
        Elements(type, static_cast<size_t>(std::max<int64_t>(1, (batches * others - 1) * apart + together)));
    return made;
  }
  /// Random elements; what is padding stays NaN.
  HostMatrix random_matrix(int64_t rows, int64_t columns, int64_t batches, bool by_rows, int64_t padding,
                           Type type) {
    HostMatrix made = matrix(rows, columns, batches, by_rows, padding, type);
    for (int64_t b = 0; b < batches; ++b)
      for (int64_t i = 0; i < rows; ++i)
        for (int64_t j = 0; j < columns; ++j)
          made.elements.set(made.at(b, i, j),
                            is_integer(type) ? static_cast<double>(between(-128, 127)) : normal());
    return made;
  }

  /// So many scales between 1/2 and 2.
  HostMatrix scales(int64_t count) {
    HostMatrix made = matrix(1, count, 1, true, 0, WAVESMITH_KERNELS_F32);
    for (int64_t i = 0; i < count; ++i)
      made.elements.set(made.at(0, 0, i), std::exp2(static_cast<double>(between(-1000, 1000)) / 1000));
    return made;
  }

  /// What CDNA2 takes an element for: subnormal numbers are 0.
  [[nodiscard]] double as_operand(double element, Type type) const {
    const bool flushes = GetParam() == 0;
    return flushes && std::abs(element) < (type == WAVESMITH_KERNELS_F16 ? 0x1p-14 : 0x1p-126) ? 0 : element;
  }

  /// What a type of 8 bits holds of it.
  static double saturated(Type type, double x) {
    if (size_of(type) != 1 || std::isnan(x)) return x;
    if (type == WAVESMITH_KERNELS_I8) return std::clamp(x, -128.0, 127.0);
    const double largest = decoded(type, format_of(type).largest());
    return std::clamp(x, -largest, largest);
  }

  /// Pointers to the matrices of a batch, as bytes.
  static Elements pointers(const wavesmith_kernels_matrix& matrix, int64_t batches) {
    Elements made(WAVESMITH_KERNELS_F32, static_cast<size_t>(batches) * 2);
    for (int64_t i = 0; i < batches; ++i) {
      const void* const at =
          static_cast<const char*>(matrix.data) + i * matrix.batch_stride * size_of(matrix.type);
      std::memcpy(&made.bytes[static_cast<size_t>(i) * sizeof at], &at, sizeof at);
    }
    return made;
  }

  /// Runs a case and compares all of D's memory, padding included.
  void check(const Case& one) {
    const HostMatrix a = random_matrix(one.m, one.k, one.batches, one.a_by_rows, one.padding, one.type);
    const HostMatrix b =
        random_matrix(one.k, one.columns_of_b(), one.batches, one.b_by_rows, one.padding, one.type_b);
    const HostMatrix c = random_matrix(one.m, one.n, one.batches, one.d_by_rows, one.padding, one.type_c);
    HostMatrix d = matrix(one.m, one.n, one.batches, one.d_by_rows, one.padding, one.type_d);
    const HostMatrix bias =
        random_matrix(1, one.bias_per_row ? one.m : one.columns_of_b(), 1, true, 0, one.bias_type);
    check(one, a, b, c, d, bias);
  }

  /// Computes a case, with a workspace for its parts, behind which nothing may be written.
  static void run(const Case& one, wavesmith_kernels_gemm_description gemm) {
    constexpr size_t kCanary = 64;
    const std::string tile = one.tile + word_of_parts(one.parts);
    size_t bytes = 0;
    if (one.parts != 1)
      ASSERT_EQ(wavesmith_kernels_gemm_workspace(&gemm, tile.c_str(), &bytes), WAVESMITH_KERNELS_SUCCESS)
          << wavesmith_kernels_message() << describe(one);
    Elements workspace(WAVESMITH_KERNELS_F32, bytes / 4 + kCanary);
    const OnGpu on_workspace(workspace);
    if (bytes > 0) gemm.workspace = on_workspace.data(), gemm.workspace_bytes = bytes;
    ASSERT_EQ(tile.empty() ? wavesmith_kernels_gemm(&gemm, nullptr)
                           : wavesmith_kernels_gemm_with(&gemm, tile.c_str(), nullptr),
              WAVESMITH_KERNELS_SUCCESS)
        << wavesmith_kernels_message() << describe(one);
    ASSERT_EQ(hipDeviceSynchronize(), 0);
    on_workspace.copy_to(workspace);
    for (size_t i = bytes; i < workspace.bytes.size(); ++i)
      ASSERT_EQ(workspace.bytes[i], 0xff) << describe(one) << ": wrote behind the workspace";
  }

  void check(const Case& one, const HostMatrix& a, const HostMatrix& b, const HostMatrix& c, HostMatrix& d,
             const HostMatrix& bias) {
    const OnGpu on_a(a.elements, one.offset), on_b(b.elements, one.offset), on_c(c.elements, one.offset);
    const HostMatrix scale_a = scales(one.per_row ? one.m : 1),
                     scale_b = scales(one.per_column ? one.columns_of_b() : 1), scale_d = scales(1);
    const OnGpu on_scale_a(scale_a.elements), on_scale_b(scale_b.elements), on_scale_d(scale_d.elements);
    const auto scale_of = [](bool given, const OnGpu& on_gpu) {
      return given ? static_cast<const float*>(on_gpu.data()) : nullptr;
    };
    const OnGpu on_d(d.elements, one.offset), on_bias(bias.elements, one.offset);
    wavesmith_kernels_gemm_description gemm{.m = one.m,
                                            .n = one.n,
                                            .k = one.k,
                                            .batches = one.batches,
                                            .alpha = one.alpha,
                                            .beta = one.beta,
                                            .a = a.on(on_a),
                                            .b = b.on(on_b),
                                            .c = c.on(on_c),
                                            .d = d.on(on_d),
                                            .activation = one.activation,
                                            .bias = one.bias ? on_bias.data() : nullptr,
                                            .bias_type = one.bias_type,
                                            .bias_per_row = one.bias_per_row,
                                            .scale_a = scale_of(one.scale_a, on_scale_a),
                                            .scale_b = scale_of(one.scale_b, on_scale_b),
                                            .scale_d = scale_of(one.scale_d, on_scale_d),
                                            .scale_a_per_row = one.per_row,
                                            .scale_b_per_column = one.per_column,
                                            .pointer_arrays = one.arrays,
                                            .gated = one.gated};
    std::deque<OnGpu> arrays;
    if (one.arrays)
      for (wavesmith_kernels_matrix* const each : {&gemm.a, &gemm.b, &gemm.c, &gemm.d}) {
        each->data = arrays.emplace_back(pointers(*each, one.batches)).data();
        each->batch_stride = -1;  // not used
      }
    run(one, gemm);
    if (HasFatalFailure()) return;
    const Elements before = d.elements;
    on_d.copy_to(d.elements);

    struct Value {
      double value, error;
    };
    const auto before_activation = [&](int64_t batch, int64_t i, int64_t j) -> Value {
      double sum = 0, size = 0;
      for (int64_t p = 0; p < one.k; ++p) {
        const double product =
            as_operand(a.get(batch, i, p), one.type) * as_operand(b.get(batch, p, j), one.type_b);
        sum += product;
        size += std::abs(product);
      }
      // Products with alpha and two scales are off by 2^-24 each.
      double factor = one.alpha;
      if (one.scale_a) factor *= scale_a.get(0, 0, one.per_row ? i : 0);
      if (one.scale_b) factor *= scale_b.get(0, 0, one.per_column ? j : 0);
      double value = factor * sum,
             error = is_integer(one.type)
                         ? 0x1p-22 * std::abs(factor * sum)  // the sum is exact
                         : (static_cast<double>(one.k) + 3) * 0x1p-24 * size * std::abs(factor);
      if (one.beta != 0)
        value += one.beta * c.get(batch, i, j), error += 0x1p-23 * std::abs(one.beta * c.get(batch, i, j));
      if (one.bias) value += bias.get(0, 0, one.bias_per_row ? i : j);
      return {value, error + 0x1p-22 * std::abs(value)};
    };
    ErrorNote note;
    std::vector<char> written(d.elements.count(), 0);
    for (int64_t batch = 0; batch < one.batches; ++batch)
      for (int64_t i = 0; i < one.m; ++i)
        for (int64_t j = 0; j < one.n; ++j) {
          auto [value, error] = before_activation(batch, i, j);
          // The slopes of the activations are at most 1.13; their own error is a few units of a float.
          if (one.activation != WAVESMITH_KERNELS_NO_ACTIVATION)
            error = 1.2 * error + 0x1p-20 * std::abs(value);
          double expected = activate(one.activation, value);
          if (one.gated) {
            const auto [other, error_of_other] = before_activation(batch, i, j + one.n);
            error = error * (std::abs(other) + error_of_other) + std::abs(expected) * error_of_other;
            value *= other, expected *= other;
            error += 0x1p-23 * std::abs(expected);
          }
          if (one.scale_d)
            expected *= scale_d.get(0, 0, 0),
                error = 1.0001 * error * scale_d.get(0, 0, 0) + 0x1p-24 * std::abs(expected);
          expected = saturated(one.type_d, expected);
          const double allowed =
              one.type_d == WAVESMITH_KERNELS_I32 ? 0 : rounded_error(one.type_d, expected, error);
          const size_t at = d.at(batch, i, j);
          written[at] = 1;
          const double got = d.elements.get(at);
          if (std::isnan(expected)) {
            ASSERT_TRUE(std::isnan(got)) << describe(one) << " [" << batch << "][" << i << "][" << j << "]";
          } else if (!std::isfinite(value)) {
            ASSERT_EQ(got, expected) << describe(one) << " [" << batch << "][" << i << "][" << j << "]";
          } else {
            note.add(std::abs(got - expected), allowed);
            ASSERT_LE(std::abs(got - expected), allowed)
                << describe(one) << " [" << batch << "][" << i << "][" << j << "]: " << got << " instead of "
                << expected;
          }
        }
    expect_untouched(one, before, d.elements, written);
  }

  /// What lies between D's rows is what it was before.
  static void expect_untouched(const Case& one, const Elements& before, const Elements& after,
                               const std::vector<char>& written) {
    const size_t size = bytes_of(one.type_d);
    for (size_t i = 0; i < written.size(); ++i)
      if (!written[i])
        ASSERT_EQ(std::memcmp(&after.bytes[i * size], &before.bytes[i * size], size), 0)
            << describe(one) << " wrote between rows, at element " << i;
  }

  static std::string describe(const Case& one) {
    return "m " + std::to_string(one.m) + " n " + std::to_string(one.n) + " k " + std::to_string(one.k) +
           " batches " + std::to_string(one.batches) + " types " + std::to_string(one.type) + " and " +
           std::to_string(one.type_b) + " c " + std::to_string(one.type_c) + " d " +
           std::to_string(one.type_d) + " a by " + (one.a_by_rows ? "rows" : "columns") + " b by " +
           (one.b_by_rows ? "rows" : "columns") + " d by " + (one.d_by_rows ? "rows" : "columns") +
           " padding " + std::to_string(one.padding) + " offset " + std::to_string(one.offset) + " alpha " +
           std::to_string(one.alpha) + " beta " + std::to_string(one.beta) + " activation " +
           std::to_string(one.activation) + (one.gated ? " gated" : "") +
           (one.tile.empty() ? "" : " tile " + one.tile) + word_of_parts(one.parts);
  }

  /// The pairs of types of A and B that the GPU has kernels for, those aside that have scales (mx_test.cc,
  /// packed/int4_test.cc).
  static std::vector<std::pair<Type, Type>> pairs() {
    std::vector<std::pair<Type, Type>> all;
    const auto count = static_cast<int>(std::size(kElementTypes));
    for (int a = 0; a < count; ++a)
      for (int b = 0; b < count; ++b) {
        const std::pair pair{static_cast<Type>(a), static_cast<Type>(b)};
        if (a != WAVESMITH_KERNELS_E2M1X2 && b != WAVESMITH_KERNELS_E2M1X2 && b != WAVESMITH_KERNELS_I4X2 &&
            wavesmith_kernels_gemm_tile(pair.first, pair.second, 0))
          all.push_back(pair);
      }
    return all;
  }

  /// A tile as this GPU's target has it.
  static const GemmConfiguration& configuration(std::string_view tile, Type a, Type b) {
    const std::string_view gpu = kGpus[GetParam()];
    const auto target = std::ranges::find(kGemmRates, gpu, [](const GemmRates& one) { return one.gpu; });
    const auto found = std::ranges::find_if(gemm_configurations(), [&](const GemmConfiguration& one) {
      return one.target == target->target && one.name == tile && one.has(types_word(a, b));
    });
    return *found;
  }

  /// Everything but the sizes at random.
  Case random_case(int64_t m, int64_t n, int64_t k) {
    const auto all = pairs();
    return random_case(m, n, k, all[static_cast<size_t>(between(0, static_cast<int64_t>(all.size()) - 1))]);
  }
  Case random_case(int64_t m, int64_t n, int64_t k, std::pair<Type, Type> types) {
    const auto any = [&] {
      return one_of({WAVESMITH_KERNELS_F32, WAVESMITH_KERNELS_F16, WAVESMITH_KERNELS_BF16});
    };
    Case one{.m = m,
             .n = n,
             .k = k,
             .batches = between(1, 8) == 1 ? between(2, 4) : 1,
             .type = types.first,
             .type_b = types.second,
             .type_c = any(),
             .type_d = any(),
             .a_by_rows = between(0, 1) == 1,
             .b_by_rows = between(0, 1) == 1,
             .d_by_rows = between(0, 3) != 0,
             .alpha = one_of({1.0F, -0.5F, 3.0F}),
             .beta = one_of({0.0F, 0.0F, 1.0F, -2.0F}),
             .padding = one_of<int64_t>({0, 0, 1, 2, 8}),
             .offset = one_of<size_t>({0, 0, 0, 1, 2, 8}),
             .activation = one_of({WAVESMITH_KERNELS_NO_ACTIVATION, WAVESMITH_KERNELS_NO_ACTIVATION,
                                   WAVESMITH_KERNELS_RELU, WAVESMITH_KERNELS_GELU, WAVESMITH_KERNELS_SILU}),
             .bias = between(0, 1) == 1,
             .bias_per_row = between(0, 1) == 1,
             .bias_type = any(),
             .scale_a = between(0, 2) == 0,
             .scale_b = between(0, 2) == 0,
             .scale_d = between(0, 3) == 0,
             .per_row = between(0, 1) == 1,
             .per_column = between(0, 1) == 1};
    if (size_of(one.type) == 1) {
      one.a_by_rows = true, one.b_by_rows = false;
      const Type of_8_bits = one.type == WAVESMITH_KERNELS_I8 ? one.type : one_of({one.type, one.type_b});
      if (between(0, 2) == 0) one.type_d = of_8_bits;
    }
    if (one.type == WAVESMITH_KERNELS_I8) one.alpha /= 4096;  // of sums of products up to 2^14
    if (one.type == WAVESMITH_KERNELS_I8 && between(0, 2) == 0) {
      one.type_d = WAVESMITH_KERNELS_I32;
      one.alpha = 1, one.beta = 0, one.bias = false, one.activation = WAVESMITH_KERNELS_NO_ACTIVATION;
      one.scale_a = one.scale_b = one.scale_d = false;
    }
    return one;
  }
  /// The case without what may become of its sums, but for alpha.
  static Case plain(Case one) {
    if (size_of(one.type_d) == 1) one.type_d = WAVESMITH_KERNELS_BF16;
    one.beta = 0, one.bias = one.scale_a = one.scale_b = one.scale_d = false;
    one.activation = WAVESMITH_KERNELS_NO_ACTIVATION;
    return one;
  }
  /// The plain case of whose sums nothing becomes, in rows of whole eights.
  static Case only_sums(Case one) {
    one = plain(one);
    one.alpha = 1, one.type_d = one.type;
    one.n = (one.n + 7) / 8 * 8, one.padding = one.padding / 8 * 8, one.offset = one.offset / 8 * 8;
    return one;
  }
};

}  // namespace wavesmith::kernels
