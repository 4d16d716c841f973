#include <algorithm>
#include <array>

#include "operators.h"

namespace wavesmith::operators {
namespace {

constexpr int64_t kBlock = 128;                // numbers along K, and rows or columns, that share a factor
constexpr std::array kGroups{128L, 64L, 32L};  // numbers along K that may share one of weights of 4 bits

int64_t ceil_div(int64_t count, int64_t size) { return (count + size - 1) / size; }

bool is_half(const Tensor& tensor) {
  return tensor.scalar_type() == ScalarType::Half || tensor.scalar_type() == ScalarType::BFloat16;
}

// Sizes of a product, and what lies where.
struct Product {
  const Call& call;
  Matrix a, b;
  bool weights;   // b is of 4 bits
  bool two_each;  // an element of a is two numbers
  int64_t m, n, k, columns_b;
  OptionalInt batches;
  bool grouped;

  Shape shape() const { return batches && !grouped ? Shape{*batches, m, n} : Shape{m, n}; }
};

Product product_of(const Call& call, const Tensor& a, const Tensor& b, bool gated, bool grouped) {
  Product product{call, call.matrix("a", a), call.matrix("b", b), false, false, 0, 0, 0, 0, {}, grouped};
  product.weights = b.scalar_type() == ScalarType::Byte && is_half(a);
  product.two_each = a.scalar_type() == ScalarType::Byte;
  product.m = product.a.rows;
  product.k = product.a.columns;
  product.columns_b = product.b.columns;
  product.n = gated ? product.columns_b / 2 : product.columns_b;
  if (product.weights) product.b.described.type = WAVESMITH_KERNELS_I4X2;
  if (product.k != (product.weights ? 2 : 1) * product.b.rows)
    call.refuse("expected a and b to have shapes (m, k) and (k, n), but got ", text(a.sizes()), " and ",
                text(b.sizes()));
  if (gated && product.columns_b % 2 != 0)
    call.refuse("expected b to have two columns for each of a gated result, but got shape ", text(b.sizes()));
  if (product.two_each) product.k *= 2;
  const auto& [of_a, of_b] = std::pair(product.a.batches, product.b.batches);
  if (of_a && of_b && *of_a != *of_b && *of_a != 1 && *of_b != 1)
    call.refuse("expected a and b to have batches of one size, but got ", text(a.sizes()), " and ",
                text(b.sizes()));
  if (of_a) product.batches = of_a;
  if (of_b && product.batches.value_or(1) == 1) product.batches = of_b;
  return product;
}

// D's type where none is given.
ScalarType result_type(ScalarType a) {
  switch (a) {
    case ScalarType::Float:
    case ScalarType::Half:
      return a;
    case ScalarType::Char:
      return ScalarType::Int;
    default:
      return ScalarType::BFloat16;
  }
}

// One float, or one for each of `count` rows or columns.
const float* factors(const Call& call, const char* argument, const OptionalTensor& scale, int64_t count,
                     int& each) {
  if (!scale) return nullptr;
  call.has_type(argument, *scale, ScalarType::Float);
  each = scale->numel() > 1;
  if ((scale->numel() != 1 && scale->numel() != count) || !scale->is_contiguous())
    call.refuse("expected ", argument, " to be one number, or ", count,
                " that follow each other, but got shape ", text(scale->sizes()), " and strides ",
                text(scale->strides()));
  return static_cast<const float*>(data_of(*scale));
}

// Factors of blocks along K, of a's rows or of b's columns.
wavesmith_kernels_scales block_factors(const Product& product, const char* argument,
                                       const OptionalTensor& scale, const Tensor& of, int64_t lines) {
  if (!scale) return {WAVESMITH_KERNELS_UNSCALED, nullptr, 0, 0, 0, 0};
  const Call& call = product.call;
  call.on_device(argument, *scale);
  const int64_t dimensions = scale->dim();
  if (dimensions != 2 && dimensions != 3)
    call.refuse("expected ", argument, " to be a matrix or a batch of matrices, but got shape ",
                text(scale->sizes()));
  const int64_t rows = scale->size(dimensions - 2);
  const int64_t columns = scale->size(dimensions - 1);
  wavesmith_kernels_scales result{WAVESMITH_KERNELS_SCALE_PER_BLOCK,
                                  data_of(*scale),
                                  kBlock,
                                  scale->stride(dimensions - 2),
                                  scale->stride(dimensions - 1),
                                  dimensions == 3 && scale->size(0) > 1 ? scale->stride(0) : 0};
  bool fits = rows == lines;
  if (of.scalar_type() == ScalarType::Byte && !product.weights) {
    call.has_type(argument, *scale, ScalarType::Byte);
    result.scaling = WAVESMITH_KERNELS_SCALE_MX;
    result.block = 0;
    fits = fits && columns == product.k / 32;
  } else if (product.weights) {
    const auto* const group = std::find_if(
        kGroups.begin(), kGroups.end(), [&](int64_t size) { return ceil_div(product.k, size) == columns; });
    fits = fits && group != kGroups.end();
    if (fits) result.block = *group;
  } else {
    call.has_type(argument, *scale, ScalarType::Float);
    if (!fits && rows == ceil_div(lines, kBlock)) {
      result.scaling = WAVESMITH_KERNELS_SCALE_PER_SQUARE;
      fits = true;
    }
    fits = fits && columns == ceil_div(product.k, kBlock);
  }
  if (!fits)
    call.refuse("expected ", argument, " to have a row for each of ", lines,
                " rows or columns, and a column for each ", "block of ", product.k,
                " numbers, but got shape ", text(scale->sizes()));
  return result;
}

void take_factors(const Product& product, const OptionalTensor& scale_a, const OptionalTensor& scale_b,
                  const OptionalTensor& scale_d, wavesmith_kernels_gemm_description& gemm) {
  int none = 0;
  gemm.scale_a = factors(product.call, "scale_a", scale_a, product.m, gemm.scale_a_per_row);
  gemm.scale_b = factors(product.call, "scale_b", scale_b, product.columns_b, gemm.scale_b_per_column);
  gemm.scale_d = factors(product.call, "scale_d", scale_d, 1, none);
}

void take_zero_points(const Call& call, const OptionalTensor& zeros, const OptionalTensor& scale,
                      wavesmith_kernels_gemm_description& gemm) {
  gemm.block_scales_type = call.type("block_scale_b", *scale);
  if (!zeros) return;
  call.has_type("zero_point_b", *zeros, scale->scalar_type());
  call.has_shape("zero_point_b", *zeros, shape_of(*scale));
  const auto of_zeros = zeros->strides();
  const auto of_scale = scale->strides();
  if (!std::equal(of_zeros.begin(), of_zeros.end(), of_scale.begin(), of_scale.end()))
    call.refuse("expected zero_point_b to have the strides of block_scale_b, ", text(of_scale), ", but got ",
                text(of_zeros));
  gemm.zero_points_b = data_of(*zeros);
}

void take_residual(const Product& product, const Tensor& residual, wavesmith_kernels_gemm_description& gemm) {
  Shape one = product.shape();
  if (residual.dim() == 2) one = {product.m, product.n};
  product.call.has_shape("residual", residual, one);
  gemm.c = product.call.matrix("residual", residual).described;
}

// The result of groups along K is a batch of matrices, one for each.
void take_batches_of_groups(Product& product, const OptionalTensor& offsets) {
  const Call& call = product.call;
  if (!offsets || product.a.batches || product.b.batches)
    call.refuse("expected group_offsets, and a and b to be one matrix each, with groups_along_k");
  product.batches = std::max<int64_t>(offsets->numel() - 1, 0);
}

void take_groups(const Product& product, const Tensor& offsets, wavesmith_kernels_gemm_description& gemm) {
  const Call& call = product.call;
  if (product.grouped && (product.a.batches || !product.b.batches))
    call.refuse("expected a to be one matrix and b a batch, with a matrix for each group of group_offsets");
  gemm.group_offsets = static_cast<const int32_t*>(
      call.vector("group_offsets", offsets, {*product.batches + 1}, ScalarType::Int));
  gemm.groups_along_k = !product.grouped;
  if (!product.grouped) return;
  // A group's rows are found by its offsets alone.
  gemm.a.batch_stride = gemm.c.batch_stride = gemm.d.batch_stride = 0;
}

void launch(const Call& call, wavesmith_kernels_gemm_description gemm) {
  size_t bytes = 0;
  call.done(wavesmith_kernels_gemm_workspace(&gemm, nullptr, &bytes));
  std::optional<Tensor> workspace;
  if (bytes > 0) {
    workspace = call.workspace(bytes);
    gemm.workspace = data_of(*workspace);
    gemm.workspace_bytes = bytes;
  }
  call.done(wavesmith_kernels_gemm(&gemm, call.stream()));
}

}  // namespace

Tensor gemm(const Tensor& a, const Tensor& b, const OptionalTensor& bias, const OptionalTensor& residual,
            const OptionalTensor& scale_a, const OptionalTensor& scale_b, const OptionalTensor& scale_d,
            const OptionalTensor& block_scale_a, const OptionalTensor& block_scale_b,
            const OptionalTensor& zero_point_b, const OptionalTensor& group_offsets, double alpha,
            double beta, const std::string& activation, bool gated, bool bias_per_row, bool groups_along_k,
            OptionalType dtype) {
  const Call call("gemm", a);
  Product product = product_of(call, a, b, gated, group_offsets && !groups_along_k);
  if (groups_along_k) take_batches_of_groups(product, group_offsets);
  const Tensor d = call.out(product.shape(), dtype, result_type(a.scalar_type()));
  wavesmith_kernels_gemm_description gemm{};
  gemm.m = product.m;
  gemm.n = product.n;
  gemm.k = product.k;
  gemm.batches = product.batches.value_or(1);
  gemm.alpha = static_cast<float>(alpha);
  gemm.beta = residual ? static_cast<float>(beta) : 0;
  gemm.a = product.a.described;
  gemm.b = product.b.described;
  gemm.d = call.matrix("out", d).described;
  if (residual) take_residual(product, *residual, gemm);
  gemm.activation = call.activation(activation);
  if (bias) {
    gemm.bias_type = call.type("bias", *bias);
    gemm.bias =
        call.vector("bias", *bias, {bias_per_row ? product.m : product.columns_b}, bias->scalar_type());
    gemm.bias_per_row = bias_per_row;
  }
  take_factors(product, scale_a, scale_b, scale_d, gemm);
  gemm.block_scales_a = block_factors(product, "block_scale_a", block_scale_a, a, product.m);
  gemm.block_scales_b = block_factors(product, "block_scale_b", block_scale_b, b, product.columns_b);
  if (zero_point_b && !(block_scale_b && product.weights))
    call.refuse("expected zero_point_b only beside block_scale_b, with b of 4 bits");
  if (block_scale_b && product.weights) take_zero_points(call, zero_point_b, block_scale_b, gemm);
  if (group_offsets) take_groups(product, *group_offsets, gemm);
  gemm.gated = gated;
  launch(call, gemm);
  return d;
}

}  // namespace wavesmith::operators
