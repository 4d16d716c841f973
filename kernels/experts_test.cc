// A layer of experts forward and backward, from the router to the sum over a token's experts, as a sequence
// of the library's kernels that the host never waits for: its gradients against those in double precision.
#include <deque>

#include "kernels/pointwise/number_types.h"
#include "kernels/testing.h"
#include "kernels/wavesmith_experts.h"
#include "kernels/wavesmith_gradients.h"
#include "kernels/wavesmith_indexed.h"
#include "kernels/wavesmith_kernels.hpp"
#include "kernels/wavesmith_sort.h"

namespace wavesmith::kernels {
namespace {

constexpr auto kF32 = WAVESMITH_KERNELS_F32;
constexpr auto kI32 = WAVESMITH_POINTWISE_I32, kI64 = WAVESMITH_POINTWISE_I64;

/// Matrices by rows, of floats or of integers of 8 bytes.
struct Array {
  int64_t rows, columns;
  Number type;
  Elements host;  ///< of integers of 8 bytes two elements each
  OnGpu gpu;

  Array(int64_t rows_, int64_t columns_, Number type_)
      : Array(rows_, columns_, type_,
              Elements(element_of(type_), static_cast<size_t>(rows_ * columns_ * (type_ == kI64 ? 2 : 1)))) {}
  Array(int64_t rows_, int64_t columns_, Number type_, Elements elements)
      : rows(rows_), columns(columns_), type(type_), host(std::move(elements)), gpu(host) {}

  static Type element_of(Number type) {
    return type == WAVESMITH_POINTWISE_F16    ? WAVESMITH_KERNELS_F16
           : type == WAVESMITH_POINTWISE_BF16 ? WAVESMITH_KERNELS_BF16
           : type == WAVESMITH_POINTWISE_F32  ? WAVESMITH_KERNELS_F32
                                              : WAVESMITH_KERNELS_I32;
  }
  [[nodiscard]] Data data() const { return {gpu.data(), element_of(type)}; }
  [[nodiscard]] Matrix as_matrix() const { return matrix(data(), rows, columns); }
  /// `count` matrices of so many rows, one below the other.
  [[nodiscard]] Matrix batch(int64_t count) const { return matrix(data(), rows / count, columns, 0, count); }
  /// Some columns from one on.
  [[nodiscard]] Rows part(int64_t first, int64_t count) const {
    return kernels::rows({static_cast<char*>(gpu.data()) + first * size_of(type), element_of(type)}, rows,
                         count, columns);
  }
  [[nodiscard]] Rows all() const { return part(0, columns); }
  /// Columns first.
  [[nodiscard]] wavesmith_pointwise_operand operand() const {
    return {gpu.data(), type, {size_of(type), columns * size_of(type)}, {}};
  }
  void read() { gpu.copy_to(host); }
  [[nodiscard]] double get(int64_t row, int64_t column) const {
    const auto at = static_cast<size_t>(row * columns + column);
    return host.get(type == kI64 ? 2 * at : at);
  }
};

void done(wavesmith_kernels_status status) {
  ASSERT_EQ(status, WAVESMITH_KERNELS_SUCCESS) << wavesmith_kernels_message();
}

/// The calls of which the layer is made.
class Calls {
 public:
  /// y's rows are x's of those numbers; x's columns may be any.
  static void get_rows(const Array& x, const Array& numbers, const Array& y) {
    indexed(WAVESMITH_INDEXED_GET, y, x, y, numbers.operand(), 0, x.rows, x.columns * size_of(x.type));
  }
  /// Each of x's elements goes to the column of y's row that `places` says.
  static void put_in_rows(const Array& x, const Array& places, const Array& y) {
    indexed(WAVESMITH_INDEXED_PUT, x, x, y, places.operand(), 1, y.columns, size_of(y.type));
  }
  static void pointwise(wavesmith_pointwise_operation operation, const Array& y,
                        std::initializer_list<wavesmith_pointwise_operand> inputs,
                        wavesmith_pointwise_type computed_in = WAVESMITH_POINTWISE_F32) {
    wavesmith_pointwise_description d{};
    d.operation = operation, d.computed_in = computed_in;
    d.dimensions = 2, d.sizes[0] = y.columns, d.sizes[1] = y.rows, d.y = y.operand();
    std::ranges::copy(inputs, d.inputs);
    done(wavesmith_kernels_pointwise(&d, nullptr));
  }
  /// The first `most` of each row's order.
  static void sort(const Array& x, const Array& values, const Array& places, int64_t most, bool descending) {
    wavesmith_sort_description d{};
    d.dimensions = 2, d.sizes[0] = x.columns, d.sizes[1] = x.rows, d.most = most, d.descending = descending;
    d.x = x.operand(), d.values = values.operand(), d.places = places.operand();
    d.workspace_bytes = wavesmith_kernels_sort_workspace(&d);
    const OnGpu memory(Elements(kF32, d.workspace_bytes / 4 + 1));
    d.workspace = memory.data();
    done(wavesmith_kernels_sort(&d, nullptr));
    ASSERT_EQ(hipDeviceSynchronize(), 0);
  }
  /// Where each expert's rows begin, whose each is with which of the weights, and the row of each choice.
  static void sort_experts(const Array& ids, const Array& weights, const Array& offsets,
                           const Array& tokens_of, const Array& places, const Array& sorted) {
    wavesmith_sort_experts_description d{};
    d.tokens = ids.rows, d.choices = ids.columns, d.experts = offsets.columns - 1;
    d.ids = integers(ids), d.weights = floats(weights), d.group_offsets = integers(offsets);
    d.tokens_of = integers(tokens_of), d.places = integers(places), d.sorted_weights = floats(sorted);
    done(wavesmith_kernels_sort_experts(&d, nullptr));
  }
  /// y's row t is the sum of x's rows of t's places, with `weights` of each if there are any.
  static void combine(const Array& x, const Array& places, const Array* weights, const Array& y) {
    wavesmith_combine_description d{};
    d.tokens = y.rows, d.columns = y.columns, d.choices = places.columns, d.rows = x.rows;
    d.x = x.all().described, d.y = y.all().described, d.places = integers(places);
    if (weights) d.weights = floats(*weights);
    done(wavesmith_kernels_combine(&d, nullptr));
  }
  /// D = A B of groups of rows, or with `along_k` of groups along K.
  static void grouped(const Matrix& a, const Matrix& b, const Matrix& d, const Array& offsets, bool along_k) {
    wavesmith_kernels_gemm_description gemm{};
    gemm.m = a.rows, gemm.n = b.columns, gemm.k = a.columns, gemm.batches = offsets.columns - 1;
    gemm.alpha = 1, gemm.a = a.described, gemm.b = b.described, gemm.d = d.described;
    gemm.group_offsets = integers(offsets), gemm.groups_along_k = along_k;
    done(wavesmith_kernels_gemm(&gemm, nullptr));
  }

 private:
  static int32_t* integers(const Array& of) { return static_cast<int32_t*>(of.gpu.data()); }
  static float* floats(const Array& of) { return static_cast<float*>(of.gpu.data()); }
  static void indexed(wavesmith_indexed_operation operation, const Array& sizes, const Array& x,
                      const Array& y, wavesmith_pointwise_operand indices, int dimension, int64_t size,
                      int64_t stride) {
    wavesmith_indexed_description d{};
    d.operation = operation, d.dimensions = 2, d.indexed = 1;
    d.sizes[0] = sizes.columns, d.sizes[1] = sizes.rows, d.y = y.operand(), d.x = x.operand();
    if (dimension == 0)  // the number of a row
      d.x.strides[1] = 0, indices.strides[0] = 0, indices.strides[1] = size_of(indices.type);
    else  // of a column
      d.y.strides[0] = 0;
    d.index[0].indices = indices, d.index[0].size = size, d.index[0].stride = stride;
    done(wavesmith_kernels_indexed(&d, nullptr));
  }
};

using Doubles = std::vector<double>;

/// An element of a matrix by rows.
template <class Some>
auto& at(Some& from, int64_t row, int64_t column, int64_t columns) {
  return from[static_cast<size_t>(row * columns + column)];
}

class Experts : public OnEachGpu {
 protected:
  int64_t tokens = 0, size = 0, inner = 0, experts = 0, most = 0;
  Number type = WAVESMITH_POINTWISE_BF16;
  bool chosen_first = false;  ///< the softmax is of the chosen scores, otherwise of all
  std::deque<Array> arrays;

  Array& array(int64_t rows, int64_t columns, Number of) { return arrays.emplace_back(rows, columns, of); }
  Array& random(int64_t rows, int64_t columns, Number of, double scale) {
    Elements made(Array::element_of(of), static_cast<size_t>(rows * columns));
    for (size_t i = 0; i < made.count(); ++i) made.set(i, scale * normal());
    return arrays.emplace_back(rows, columns, of, std::move(made));
  }
  /// The gradients of one layer in double precision, with the given choice.
  struct Reference {
    Doubles y, dx, drouter, dup, ddown;
    /// Of the terms that scores' gradients are sums of: what cancels, but for its errors.
    double dx_terms = 0, drouter_terms = 0;
  };
  static Doubles doubles(Array& from) {
    from.read();
    Doubles made;
    for (int64_t i = 0; i < from.rows; ++i)
      for (int64_t j = 0; j < from.columns; ++j) made.push_back(from.get(i, j));
    return made;
  }

  [[nodiscard]] Reference reference(const Doubles& x, const Doubles& router, const Doubles& up,
                                    const Doubles& down, const Doubles& dy, const Doubles& chosen) const {
    Reference made;
    made.y.resize(x.size()), made.dx.resize(x.size()), made.drouter.resize(router.size());
    made.dup.resize(up.size()), made.ddown.resize(down.size());
    for (int64_t t = 0; t < tokens; ++t) {
      Doubles chances(static_cast<size_t>(experts));
      double sum = 0;
      for (int64_t e = 0; e < experts; ++e) {
        double score = 0;
        for (int64_t i = 0; i < size; ++i) score += at(x, t, i, size) * at(router, e, i, size);
        bool counts = !chosen_first;
        for (int64_t s = 0; s < most; ++s) counts |= at(chosen, t, s, most) == static_cast<double>(e);
        sum += at(chances, 0, e, experts) = counts ? std::exp(score) : 0;
      }
      for (double& chance : chances) chance /= sum;
      Doubles dchances(chances.size()), terms(chances.size());
      for (int64_t s = 0; s < most; ++s) {
        const auto e = static_cast<int64_t>(at(chosen, t, s, most));
        add_expert(made, x, up, down, dy, t, e, at(chances, 0, e, experts), at(dchances, 0, e, experts),
                   at(terms, 0, e, experts));
      }
      double mean = 0, mean_of_terms = 0;
      for (size_t e = 0; e < chances.size(); ++e)
        mean += chances[e] * dchances[e], mean_of_terms += chances[e] * terms[e];
      for (int64_t e = 0; e < experts; ++e) {
        const double chance = at(chances, 0, e, experts);
        const double dscore = chance * (at(dchances, 0, e, experts) - mean);
        const double size_of_dscore = chance * (at(terms, 0, e, experts) + mean_of_terms);
        for (int64_t i = 0; i < size; ++i) {
          at(made.dx, t, i, size) += dscore * at(router, e, i, size);
          at(made.drouter, e, i, size) += dscore * at(x, t, i, size);
          made.dx_terms = std::max(made.dx_terms, size_of_dscore * std::abs(at(router, e, i, size)));
          made.drouter_terms = std::max(made.drouter_terms, size_of_dscore * std::abs(at(x, t, i, size)));
        }
      }
    }
    return made;
  }

  /// `largest`: of the terms that are summed.
  void compare(const char* name, Array& got, const Doubles& wanted, double largest = 0) {
    got.read();
    for (const double value : wanted) largest = std::max(largest, std::abs(value));
    // Between kernels numbers are rounded to the type: some units of the largest remain.
    const double allowed = (type == WAVESMITH_POINTWISE_BF16 ? 0x1p-5 : 0x1p-8) * largest + 0x1p-20;
    for (int64_t i = 0; i < got.rows; ++i)
      for (int64_t j = 0; j < got.columns; ++j) {
        const double error = std::abs(got.get(i, j) - at(wanted, i, j, got.columns));
        ASSERT_LE(error, allowed) << name << " [" << i << "][" << j << "]: " << got.get(i, j)
                                  << " instead of " << at(wanted, i, j, got.columns);
      }
  }

  void check();

 private:
  /// What a token's expert adds to the result and to the gradients.
  void add_expert(Reference& made, const Doubles& x, const Doubles& up, const Doubles& down,
                  const Doubles& dy, int64_t t, int64_t e, double share, double& dshare,
                  double& terms) const {
    Doubles dhidden(static_cast<size_t>(inner)), hidden(dhidden.size()), both(2 * dhidden.size());
    for (int64_t j = 0; j < 2 * inner; ++j)
      for (int64_t i = 0; i < size; ++i)
        at(both, 0, j, 0) += at(x, t, i, size) * at(up, e * 2 * inner + j, i, size);
    for (int64_t j = 0; j < inner; ++j)
      at(hidden, 0, j, 0) = activate(WAVESMITH_KERNELS_SILU, at(both, 0, j, 0)) * at(both, 0, inner + j, 0);
    for (int64_t i = 0; i < size; ++i) {
      double row = 0;
      for (int64_t j = 0; j < inner; ++j) {
        row += at(hidden, 0, j, 0) * at(down, e * size + i, j, inner);
        at(dhidden, 0, j, 0) += share * at(dy, t, i, size) * at(down, e * size + i, j, inner);
        at(made.ddown, e * size + i, j, inner) += share * at(dy, t, i, size) * at(hidden, 0, j, 0);
      }
      at(made.y, t, i, size) += share * row;
      dshare += at(dy, t, i, size) * row, terms += std::abs(at(dy, t, i, size) * row);
    }
    for (int64_t j = 0; j < inner; ++j) {
      const double gate = at(both, 0, j, 0), high = 1 / (1 + std::exp(-gate));
      const double slope = high * (1 + gate * (1 - high));
      const double of_gate = at(dhidden, 0, j, 0) * at(both, 0, inner + j, 0) * slope;
      const double of_up = at(dhidden, 0, j, 0) * gate * high;
      for (int64_t i = 0; i < size; ++i) {
        at(made.dx, t, i, size) +=
            of_gate * at(up, e * 2 * inner + j, i, size) + of_up * at(up, (e * 2 + 1) * inner + j, i, size);
        at(made.dup, e * 2 * inner + j, i, size) += of_gate * at(x, t, i, size);
        at(made.dup, (e * 2 + 1) * inner + j, i, size) += of_up * at(x, t, i, size);
      }
    }
  }
};

void Experts::check() {
  SCOPED_TRACE(testing::Message() << tokens << " tokens of " << size << ", " << experts << " experts of "
                                  << inner << ", " << most << " each, type " << type << " chosen first "
                                  << chosen_first);
  const int64_t rows = tokens * most;
  const double per_size = 1 / std::sqrt(static_cast<double>(size));
  Array &x = random(tokens, size, type, 1), &dy = random(tokens, size, type, 1),
        &router = random(experts, size, WAVESMITH_POINTWISE_F32, 2 * per_size),
        &up = random(experts * 2 * inner, size, type, per_size),
        &down = random(experts * size, inner, type, 1 / std::sqrt(static_cast<double>(inner)));

  // The router: scores, shares and the choice.
  Array &x32 = array(tokens, size, WAVESMITH_POINTWISE_F32),
        &scores = array(tokens, experts, WAVESMITH_POINTWISE_F32),
        &chances = array(tokens, experts, WAVESMITH_POINTWISE_F32),
        &best = array(tokens, most, WAVESMITH_POINTWISE_F32), &chosen = array(tokens, most, kI64);
  Calls::pointwise(WAVESMITH_POINTWISE_COPY, x32, {x.operand()});
  gemm(gemm_of(x32.as_matrix(), router.as_matrix().transposed(), scores.as_matrix()));
  if (!chosen_first) softmax(softmax_of(scores.all(), chances.all()));
  Calls::sort(chosen_first ? scores : chances, best, chosen, most, true);
  Array& softmax_of_best = array(tokens, most, WAVESMITH_POINTWISE_F32);
  if (chosen_first) softmax(softmax_of(best.all(), softmax_of_best.all()));
  Array& shares = chosen_first ? softmax_of_best : best;

  // Where each expert's rows begin, whose each is and with which share, and the row of each choice.
  Array &ids = array(tokens, most, kI32), &offsets = array(1, experts + 1, kI32),
        &token_of_row = array(rows, 1, kI32), &places = array(tokens, most, kI32),
        &share_of_row = array(rows, 1, WAVESMITH_POINTWISE_F32);
  Calls::pointwise(WAVESMITH_POINTWISE_COPY, ids, {chosen.operand()}, kI64);
  Calls::sort_experts(ids, shares, offsets, token_of_row, places, share_of_row);

  // Forward: up and gate, the activation, down, and the weighted sum.
  Array &xs = array(rows, size, type), &both = array(rows, 2 * inner, type),
        &hidden = array(rows, inner, type), &outputs = array(rows, size, type),
        &y = array(tokens, size, WAVESMITH_POINTWISE_F32);
  const Rows gate = both.part(0, inner), other = both.part(inner, inner);
  Calls::get_rows(x, token_of_row, xs);
  Calls::grouped(xs.as_matrix(), up.batch(experts).transposed(), both.as_matrix(), offsets, false);
  kernels::gate(gate_of(gate, other, hidden.all(), WAVESMITH_KERNELS_SILU));
  Calls::grouped(hidden.as_matrix(), down.batch(experts).transposed(), outputs.as_matrix(), offsets, false);
  Calls::combine(outputs, places, &shares, y);

  // The sum's gradients: of each expert's row, and of each share.
  Array &doutputs = array(rows, size, type), &dshare_of_row = array(rows, 1, WAVESMITH_POINTWISE_F32),
        &dshares = array(rows, 1, WAVESMITH_POINTWISE_F32);
  const wavesmith_kernels_combine_backward_description sum{
      rows,
      size,
      tokens,
      outputs.all().described,
      dy.all().described,
      doutputs.all().described,
      static_cast<const int32_t*>(token_of_row.gpu.data()),
      static_cast<const float*>(share_of_row.gpu.data()),
      static_cast<float*>(dshare_of_row.gpu.data())};
  done(wavesmith_kernels_combine_backward(&sum, nullptr));
  Calls::get_rows(dshare_of_row, places, dshares);
  dshares.rows = tokens, dshares.columns = most;

  // Of the experts' products and the activation, and of the tokens.
  Array &dhidden = array(rows, inner, type), &dboth = array(rows, 2 * inner, type),
        &dxs = array(rows, size, type), &ddown = array(experts * size, inner, WAVESMITH_POINTWISE_F32),
        &dup = array(experts * 2 * inner, size, WAVESMITH_POINTWISE_F32),
        &dx = array(tokens, size, WAVESMITH_POINTWISE_F32);
  Calls::grouped(doutputs.as_matrix(), down.batch(experts), dhidden.as_matrix(), offsets, false);
  Calls::grouped(doutputs.as_matrix().transposed(), hidden.as_matrix(), ddown.batch(experts), offsets, true);
  const wavesmith_kernels_gate_backward_description activation{rows,
                                                               inner,
                                                               gate.described,
                                                               other.described,
                                                               dhidden.all().described,
                                                               dboth.part(0, inner).described,
                                                               dboth.part(inner, inner).described,
                                                               WAVESMITH_KERNELS_SILU};
  done(wavesmith_kernels_gate_backward(&activation, nullptr));
  Calls::grouped(dboth.as_matrix().transposed(), xs.as_matrix(), dup.batch(experts), offsets, true);
  Calls::grouped(dboth.as_matrix(), up.batch(experts), dxs.as_matrix(), offsets, false);
  Calls::combine(dxs, places, nullptr, dx);

  // Of the router.
  Array &dchances = array(tokens, experts, WAVESMITH_POINTWISE_F32),
        &dscores = array(tokens, experts, WAVESMITH_POINTWISE_F32),
        &dbest = array(tokens, most, WAVESMITH_POINTWISE_F32),
        &drouter = array(experts, size, WAVESMITH_POINTWISE_F32);
  const auto softmax_backward = [](const Array& of, const Array& above, const Array& made) {
    const wavesmith_kernels_softmax_backward_description d{
        of.rows, of.columns, of.all().described, above.all().described, made.all().described, 1, 0};
    done(wavesmith_kernels_softmax_backward(&d, nullptr));
  };
  Array& scattered = chosen_first ? dscores : dchances;
  Calls::pointwise(WAVESMITH_POINTWISE_FILL, scattered, {});
  if (chosen_first) softmax_backward(shares, dshares, dbest);
  Calls::put_in_rows(chosen_first ? dbest : dshares, chosen, scattered);
  if (!chosen_first) softmax_backward(chances, dchances, dscores);
  auto of_tokens = gemm_of(dscores.as_matrix(), router.as_matrix(), dx.as_matrix());
  of_tokens.c = of_tokens.d, of_tokens.beta = 1;
  gemm(of_tokens);
  gemm(gemm_of(dscores.as_matrix().transposed(), x32.as_matrix(), drouter.as_matrix()));
  ASSERT_EQ(hipDeviceSynchronize(), 0);

  const Reference exact =
      reference(doubles(x), doubles(router), doubles(up), doubles(down), doubles(dy), doubles(chosen));
  compare("y", y, exact.y);
  compare("dx", dx, exact.dx, exact.dx_terms);
  compare("drouter", drouter, exact.drouter, exact.drouter_terms);
  compare("dup", dup, exact.dup);
  compare("ddown", ddown, exact.ddown);
  arrays.clear();
}

TEST_P(Experts, GradientsEqualThoseInDoublePrecision) {
  for (const bool first : {false, true})
    for (const Number kind : {WAVESMITH_POINTWISE_BF16, WAVESMITH_POINTWISE_F16}) {
      tokens = one_of<int64_t>({1, 7, 40}), size = 8 * between(2, 9), inner = 8 * between(1, 9);
      experts = between(2, 9), most = between(1, std::min<int64_t>(experts, 4));
      type = kind, chosen_first = first;
      check();
      if (HasFatalFailure()) return;
    }
}

INSTANTIATE_TEST_SUITE_P(On, Experts, testing::Range(0, kGpuCount), gpu_name);

}  // namespace
}  // namespace wavesmith::kernels
