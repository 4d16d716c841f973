// Eigenvalues of symmetric matrices, singular values, and least squares by them.
#include <algorithm>
#include <limits>
#include <string>

#include <ATen/core/Tensor.h>
#include <ATen/native/LinearAlgebraUtils.h>

#include <ATen/ops/_linalg_eigh_meta.h>
#include <ATen/ops/_linalg_eigh_ops.h>
#include <ATen/ops/_linalg_svd_meta.h>
#include <ATen/ops/_linalg_svd_ops.h>
#include <ATen/ops/linalg_lstsq_ops.h>
#include <ATen/ops/linalg_pinv_native.h>
#include <ATen/ops/linalg_pinv_ops.h>
#include <ATen/ops/maximum.h>
#include <ATen/ops/triu.h>
#include <ATen/ops/where.h>

#include "linalg/matrices.h"
#include "linalg/orthogonal.h"
#include "operators/pointwise.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

bool shares_memory(const Tensor& tensor, std::initializer_list<Tensor> with) {
  return std::any_of(with.begin(), with.end(),
                     [&](const Tensor& other) { return other.is_alias_of(tensor); });
}

// What an iteration says of each matrix.
Tensor new_info(const Tensor& a) { return made(batch_sizes(a), {}, a.options().dtype(c10::ScalarType::Int)); }

struct Symmetric : at::meta::structured__linalg_eigh {
  void impl(const Tensor& a, c10::string_view uplo, bool compute_v, const Tensor& values,
            const Tensor& vectors) {
    if (a.is_complex()) throw NotServed();
    if (a.numel() == 0) return;
    const Matrices given(shares_memory(a, {values, vectors}) ? a.clone() : a);
    const auto lower = uplo == "L" || uplo == "l" ? given : given.turned();
    const auto to = Written::dense(values);
    const Tensor info = new_info(a);
    const auto n = a.size(-1);
    const auto of_vectors = compute_v ? Written::matrices(vectors) : to;
    const auto columns = compute_v ? std::optional<Matrices>(of_vectors.tensor()) : std::nullopt;
    run(WAVESMITH_LINALG_EIGENVALUES, n, n, &lower, columns ? &*columns : nullptr, nullptr,
        {.vector = to.tensor(), .pivots = {}, .info = info});
    of_vectors.finish(), to.finish();
    check_info(info, "linalg.eigh", a.dim() == 2);
  }
};

// Singular values and, where left is defined, vectors as columns, of matrices with no fewer rows than
// columns.
void of_columns(const Tensor& a, const Tensor& left, const Tensor& right, const Tensor& values,
                const Tensor& info) {
  const Matrices matrix(a);
  const Beside beside{.vector = values, .pivots = {}, .info = info};
  if (!left.defined()) {
    run(WAVESMITH_LINALG_SINGULAR_VALUES, matrix.rows(), matrix.columns(), &matrix, nullptr, nullptr, beside);
    return;
  }
  const Matrices b(left), c(right);
  run(WAVESMITH_LINALG_SINGULAR_VALUES, matrix.rows(), matrix.columns(), &matrix, &b, &c, beside);
}

// The same by r, where there are so many more rows that it saves work: a column of no more has lanes for all
// rows, so that the rotations take as long as those of a square. A square of left vectors needs q.
void of_tall(const Tensor& a, const Tensor& left, const Tensor& right, const Tensor& values,
             const Tensor& info) {
  constexpr std::int64_t kFewRows = 32;
  const auto rows = a.size(-2), columns = a.size(-1);
  const bool is_thin = !left.defined() || left.size(-1) == columns;
  if (rows == columns || (rows <= kFewRows && is_thin)) return of_columns(a, left, right, values, info);
  const auto of = Reflections::of(a);
  const Tensor square = at::triu(of.vectors.narrow(-2, 0, columns));
  if (!left.defined()) return of_columns(square, left, right, values, info);
  const Tensor inner = by_columns(square.sizes(), a.options());
  of_columns(square, inner, right, values, info);
  fill_identity(left);
  left.narrow(-2, 0, columns).narrow(-1, 0, columns).copy_(inner);
  of.apply(left);
}

// Singular values and, where u is defined, vectors; returns what the iteration says of each matrix.
Tensor decompose(const Tensor& given, const Tensor& u, const Tensor& s, const Tensor& vh) {
  const Tensor a =
      shares_memory(given, {s}) || (u.defined() && shares_memory(given, {u, vh})) ? given.clone() : given;
  const bool is_tall = a.size(-2) >= a.size(-1);
  const Tensor info = new_info(a), matrix = is_tall ? a : a.mT();
  const auto values = Written::dense(s);
  if (!u.defined()) {
    of_tall(matrix, {}, {}, values.tensor(), info);
  } else {
    const auto left = Written::matrices(u), right = Written::matrices(vh);
    if (is_tall)
      of_tall(matrix, left.tensor(), right.tensor().mT(), values.tensor(), info);
    else
      of_tall(matrix, right.tensor().mT(), left.tensor(), values.tensor(), info);
    left.finish(), right.finish();
  }
  values.finish();
  return info;
}

// There is one driver, whatever is named.
struct Singular : at::meta::structured__linalg_svd {
  void impl(const Tensor& a, bool, bool compute_uv, std::optional<c10::string_view>, const Tensor& u,
            const Tensor& s, const Tensor& vh) {
    if (a.is_complex()) throw NotServed();
    if (a.numel() != 0)
      check_info(compute_uv ? decompose(a, u, s, vh) : decompose(a, {}, s, {}), "linalg.svd", a.dim() == 2);
    else if (compute_uv)
      fill_identity(u), fill_identity(vh);
  }
};

// The share of the largest singular value up to which PyTorch takes others for 0 where nobody names one.
double least_share(const Tensor& a) {
  const double epsilon = a.scalar_type() == at::kDouble
                             ? std::numeric_limits<double>::epsilon()
                             : static_cast<double>(std::numeric_limits<float>::epsilon());
  return epsilon * static_cast<double>(std::max(a.size(-2), a.size(-1)));
}

// x where a number is more than 0, and 0 elsewhere.
void keep_positive(const Tensor& x, const Tensor& number) {
  auto iterator = at::TensorIteratorConfig()
                      .check_all_same_dtype(false)
                      .set_check_mem_overlap(false)
                      .resize_outputs(false)
                      .add_output(x)
                      .add_const_input(x)
                      .add_const_input(number)
                      .build();
  launch(WAVESMITH_POINTWISE_CLAMP_BACKWARD, iterator, number.scalar_type(),
         {0, std::numeric_limits<double>::infinity()});
}

// v s^-1 u^T without singular values up to a tolerance, which is a share of the largest, or a number.
Tensor pseudo_inverse(const Tensor& a, const std::optional<Tensor>& atol, const std::optional<Tensor>& rtol,
                      bool hermitian) {
  const auto type = a.scalar_type();
  const auto is_given = [](const std::optional<Tensor>& each) { return each && each->defined(); };
  const bool by_tensors = is_given(atol) && is_given(rtol) && !atol->is_complex() && !rtol->is_complex();
  if (hermitian || (type != at::kFloat && type != at::kDouble) || a.dim() < 2 || a.numel() == 0 ||
      (!by_tensors && (is_given(atol) || is_given(rtol))))
    return at::native::linalg_pinv(a, atol, rtol, hermitian);
  const auto inner = std::min(a.size(-2), a.size(-1));
  const auto batch = batch_sizes(a);
  const Tensor left = by_columns(sizes_of(batch, {a.size(-2), inner}), a.options()),
               values = made(sizes_of(batch, {inner}), {}, a.options()),
               right = by_columns(sizes_of(batch, {inner, a.size(-1)}), a.options());
  const Tensor info = decompose(a, left, values, right);
  const Tensor largest = values.narrow(-1, 0, 1);
  const Tensor more = by_tensors
                          ? values.sub(at::maximum(atol->unsqueeze(-1), largest.mul(rtol->unsqueeze(-1))))
                          : values.sub(largest, least_share(a));
  const Tensor kept = right.mT().div(values.unsqueeze(-2));
  keep_positive(kept, more.unsqueeze(-2));
  const Tensor inverse = product(kept, left.mT());
  check_info(info, "linalg.svd", a.dim() == 2);  // which waits: after all that need not
  return inverse;
}

void check_least_squares(const Tensor& a, const Tensor& b, c10::string_view driver) {
  constexpr auto kName = "torch.linalg.lstsq: ";
  TORCH_CHECK(a.dim() >= 2, kName, "input must have at least 2 dimensions.");
  TORCH_CHECK(b.dim() >= 1, kName, "other must have at least 1 dimension.");
  TORCH_CHECK(a.scalar_type() == b.scalar_type(), kName,
              "Expected input and other to have the same dtype, but got input's dtype ", a.scalar_type(),
              " and other's dtype ", b.scalar_type());
  const auto more = a.dim() - b.dim();
  TORCH_CHECK(0 <= more && more <= 1, kName,
              "input.dim() must be greater or equal to other.dim() and (input.dim() - other.dim()) <= 1");
  TORCH_CHECK(driver == "gels" || driver == "gelsy" || driver == "gelsd" || driver == "gelss", kName,
              "parameter `driver` should be one of (gels, gelsy, gelsd, gelss)");
}

// With matrices of full rank; of too few rows the shortest solution.
Tensor by_reflections(const Tensor& a, const Tensor& b) {
  const auto rows = a.size(-2), columns = a.size(-1);
  if (rows >= columns) {
    const auto of = Reflections::of(a);
    const Tensor right = copied_by_columns(b, b.sizes());
    of.apply(right, true, true);
    const Tensor solution = right.narrow(-2, 0, columns);
    solve_triangle(of.vectors.narrow(-2, 0, columns), solution, {.upper = true});
    return solution;
  }
  const auto of = Reflections::of(a.mH().resolve_conj());
  const Tensor inner = copied_by_columns(b, b.sizes());
  solve_triangle(of.vectors.narrow(-2, 0, rows), inner,
                 {.upper = true, .transposed = true, .conjugated = true});
  const Tensor solution = by_columns(sizes_of(batch_sizes(b), {columns, b.size(-1)}), b.options());
  solution.zero_();
  solution.narrow(-2, 0, rows).copy_(inner);
  of.apply(solution);
  return solution;
}

struct Solution {
  Tensor x, rank, values, info;
};

// The shortest solution without singular values below a share of the largest.
Solution by_singular_values(const Tensor& a, const Tensor& b, double share) {
  const auto inner = std::min(a.size(-2), a.size(-1));
  const auto batch = batch_sizes(a);
  const Tensor left = by_columns(sizes_of(batch, {a.size(-2), inner}), a.options()),
               values = made(sizes_of(batch, {inner}), {}, a.options()),
               right = by_columns(sizes_of(batch, {inner, a.size(-1)}), a.options());
  const Tensor info = decompose(a, left, values, right);
  const Tensor counts = values.gt(values.narrow(-1, 0, 1).mul(share));
  const Tensor factors = at::where(counts, values.reciprocal(), at::Scalar(0));
  const Tensor x = product(right.mT(), product(left.mT(), b).mul_(factors.unsqueeze(-1)));
  return {x, counts.sum(-1), values, info};
}

using Results = std::tuple<Tensor, Tensor, Tensor, Tensor>;

// The solution, residuals, ranks and singular values, of which a driver gives some.
Results least_squares(const Tensor& a, const Tensor& b, std::optional<double> rcond,
                      std::optional<c10::string_view> named) {
  const auto driver = named.value_or("gelsy");
  check_least_squares(a, b, driver);
  if (!on_device(a) || !on_device(b) || (a.is_complex() && driver != "gels")) throw NotServed();
  const bool is_one_less = a.dim() - b.dim() == 1;
  const bool is_vector = is_one_less && a.sizes().slice(0, a.dim() - 1) == b.sizes();
  const Tensor columns_of_b = is_one_less ? b.unsqueeze(-1) : b;
  const auto rows = a.size(-2), columns = a.size(-1);
  TORCH_CHECK(columns_of_b.size(-2) == rows, "torch.linalg.lstsq: input.size(-2) should match other.size(",
              is_vector ? "-1" : "-2", ")");
  const auto batch = at::infer_size(batch_sizes(a), batch_sizes(columns_of_b));
  const Tensor matrix = a.expand(sizes_of(batch, {rows, columns})),
               right = columns_of_b.expand(sizes_of(batch, {rows, columns_of_b.size(-1)}));
  Solution found;
  bool has_residuals = rows > columns && driver != "gelsy";
  if (matrix.numel() == 0 || right.numel() == 0) {
    found.x = at::zeros(sizes_of(batch, {columns, right.size(-1)}), b.options());
  } else if (driver == "gels") {
    found.x = by_reflections(matrix, right);
  } else {
    found = by_singular_values(matrix, right, std::max(rcond.value_or(least_share(a)), 0.0));
    check_info(found.info, "linalg.svd", a.dim() == 2);  // which waits: after all that need not
    has_residuals = has_residuals && found.rank.eq(columns).all().item<bool>();
  }
  const Tensor none = made({0}, {}, a.options().dtype(c10::toRealValueType(a.scalar_type())));
  Tensor rest = none;
  if (has_residuals) {
    rest = product(matrix, found.x).sub_(right);
    rest = (rest.is_complex() ? rest.abs() : rest).square().sum(-2);
  }
  return {is_vector ? found.x.squeeze(-1) : found.x, rest,
          found.rank.defined() ? found.rank : made({0}, {}, a.options().dtype(c10::ScalarType::Long)),
          driver == "gelsy" || !found.values.defined() ? none : found.values};
}

using Given = std::tuple<Tensor&, Tensor&, Tensor&, Tensor&>;

Given least_squares_out(const Tensor& a, const Tensor& b, std::optional<double> rcond,
                        std::optional<c10::string_view> driver, Tensor& solution, Tensor& residuals,
                        Tensor& rank, Tensor& values) {
  const auto results = least_squares(a, b, rcond, driver);
  const auto write = [&](Tensor& out, const Tensor& result, const char* name) {
    at::native::checkSameDevice("torch.linalg.lstsq", out, a, name);
    at::native::checkLinalgCompatibleDtype("torch.linalg.lstsq", out.scalar_type(), result.scalar_type(),
                                           name);
    at::native::resize_output(out, result.sizes());
    out.copy_(result);
  };
  write(solution, std::get<0>(results), "solution"), write(residuals, std::get<1>(results), "residuals");
  write(rank, std::get<2>(results), "rank"), write(values, std::get<3>(results), "singular_values");
  return {solution, residuals, rank, values};
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  structured<Symmetric, at::_ops::_linalg_eigh, at::_ops::_linalg_eigh_eigenvalues>(m);
  structured<Singular, at::_ops::_linalg_svd, at::_ops::_linalg_svd_U>(m);
  plain<&pseudo_inverse, at::_ops::linalg_pinv_atol_rtol_tensor>(m);
  plain<&least_squares, at::_ops::linalg_lstsq>(m);
  plain<&least_squares_out, at::_ops::linalg_lstsq_out>(m);
}

}  // namespace wavesmith::device
