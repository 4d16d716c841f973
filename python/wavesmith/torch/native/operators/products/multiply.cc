#include "operators/multiply.h"

#include <algorithm>

#include <ATen/MemoryOverlap.h>

#include <ATen/ops/empty_like.h>

#include "amd/blas.h"

namespace wavesmith::device {
namespace {

enum class Along { kEither, kRows, kColumns };

// The sizes and strides of a matrix, or of a batch of them.
struct Layout {
  explicit Layout(const at::Tensor& tensor)
      : batches(tensor.dim() == 3 ? tensor.size(0) : 1),
        rows(tensor.size(-2)),
        columns(tensor.size(-1)),
        batch_stride(batches > 1 ? tensor.stride(0) : 0),
        row_stride(tensor.stride(-2)),
        column_stride(tensor.stride(-1)) {}

  // Whether the elements of a row, or column, follow each other, and the rows, or columns, do not overlap.
  bool by_rows() const {
    return (columns <= 1 || column_stride == 1) && (rows <= 1 || row_stride >= std::max(columns, one));
  }
  bool by_columns() const {
    return (rows <= 1 || row_stride == 1) && (columns <= 1 || column_stride >= std::max(rows, one));
  }
  bool fits(Along along) const {
    return (along != Along::kColumns && by_rows()) || (along != Along::kRows && by_columns());
  }
  // Whether no two matrices of the batch share an element.
  bool apart() const {
    if (batches == 1) return true;
    const bool rowwise = by_rows();
    const auto together = rowwise ? columns : rows, others = rowwise ? rows : columns;
    const auto stride = others > 1 ? (rowwise ? row_stride : column_stride) : together;
    return batch_stride >= (others - 1) * stride + together ||
           (batch_stride >= together && (batches - 1) * batch_stride + together <= stride);
  }

  static constexpr std::int64_t one = 1;
  std::int64_t batches, rows, columns, batch_stride, row_stride, column_stride;
};

wavesmith_kernels_matrix matrix_of(const at::Tensor& tensor, Along along) {
  const Layout layout(tensor);
  const bool rows = along != Along::kColumns && layout.by_rows();
  return {.data = const_cast<void*>(tensor.const_data_ptr()),
          .type = *kernel_type(tensor.scalar_type()),
          .row_stride = !rows             ? 1
                        : layout.rows > 1 ? layout.row_stride
                                          : std::max(layout.columns, Layout::one),
          .column_stride = rows                 ? 1
                           : layout.columns > 1 ? layout.column_stride
                                                : std::max(layout.rows, Layout::one),
          .batch_stride = layout.batch_stride};
}

// The tensor, or a copy that lies as the library's matrices do.
at::Tensor fitting(const at::Tensor& tensor, Along along) {
  if (Layout(tensor).fits(along)) return tensor;
  return along == Along::kColumns ? tensor.mT().contiguous().mT() : tensor.contiguous();
}

bool overlap(const at::Tensor& one, const at::Tensor& other) {
  if (!one.defined() || !one.is_alias_of(other) || one.numel() == 0 || other.numel() == 0) return false;
  const auto end = [](const at::Tensor& tensor) {
    std::int64_t last = 0;
    for (std::int64_t dimension = 0; dimension < tensor.dim(); ++dimension)
      last += (tensor.size(dimension) - 1) * tensor.stride(dimension);
    return static_cast<const char*>(tensor.const_data_ptr()) + (last + 1) * tensor.element_size();
  };
  return one.const_data_ptr() < end(other) && other.const_data_ptr() < end(one);
}

// Puts what is added into the description: as a bias where an element is for each column, or for each row;
// otherwise as a matrix along d. Returns the tensor that is read.
at::Tensor add(const Product& product, bool by_rows, wavesmith_kernels_gemm_description& gemm) {
  if (!product.c.defined() || product.beta == 0) return {};
  at::Tensor c = product.c;
  const Layout layout(c);
  const bool same_rows = layout.rows == 1 || layout.row_stride == 0;
  const bool same_columns = layout.columns == 1 || layout.column_stride == 0;
  if (product.beta == 1 && layout.batch_stride == 0 && !product.bias.defined() &&
      (same_rows || same_columns) && amd::adds_bias(by_rows == same_rows)) {
    c = (c.dim() == 3 ? c.select(0, 0) : c).select(same_rows ? 0 : 1, 0).contiguous();
    if (overlap(c, product.d)) c = c.clone();
    gemm.bias = c.const_data_ptr();
    gemm.bias_type = *kernel_type(c.scalar_type());
    gemm.bias_per_row = !same_rows;
    return c;
  }
  const Along along = by_rows ? Along::kRows : Along::kColumns;
  const bool is_d = c.const_data_ptr() == product.d.const_data_ptr() && c.strides() == product.d.strides();
  if (!is_d && overlap(c, product.d)) c = c.clone(at::MemoryFormat::Contiguous);
  c = fitting(c, along);
  gemm.c = matrix_of(c, along);
  gemm.beta = static_cast<float>(product.beta);
  return c;
}

void add_scales(const Product& product, wavesmith_kernels_gemm_description& gemm) {
  const auto data = [](const at::Tensor& scale) {
    return scale.defined() ? scale.const_data_ptr<float>() : nullptr;
  };
  gemm.scale_a = data(product.scale_a);
  gemm.scale_b = data(product.scale_b);
  gemm.scale_d = data(product.scale_d);
  gemm.scale_a_per_row = product.scale_a.defined() && product.scale_a.numel() > 1;
  gemm.scale_b_per_column = product.scale_b.defined() && product.scale_b.numel() > 1;
  gemm.block_scales_a = product.block_scales_a;
  gemm.block_scales_b = product.block_scales_b;
}

}  // namespace

bool multiply(const Product& product, const char* what) {
  const KernelCall call(product.d.device());
  const Layout layout(product.d);
  if (product.d.numel() == 0) return true;
  at::assert_no_internal_overlap(product.d);
  if (!layout.fits(Along::kEither) || !layout.apart() || overlap(product.a, product.d) ||
      overlap(product.b, product.d) || overlap(product.bias, product.d)) {
    Product elsewhere = product;
    elsewhere.d = at::empty_like(product.d, at::MemoryFormat::Contiguous);
    if (!multiply(elsewhere, what)) return false;
    product.d.copy_(elsewhere.d);
    return true;
  }
  // Kernels of bytes read them along K, those of groups of rows A, those of groups along K neither.
  const bool bytes = product.a.element_size() == 1, groups = product.group_offsets.defined();
  const bool along_k = groups && product.groups_along_k;
  const Along along_a = along_k           ? Along::kColumns
                        : bytes || groups ? Along::kRows
                                          : Along::kEither,
              along_b = along_k ? Along::kRows
                        : bytes ? Along::kColumns
                                : Along::kEither;
  const at::Tensor a = fitting(product.a, along_a), b = fitting(product.b, along_b);
  wavesmith_kernels_gemm_description gemm{.m = layout.rows,
                                          .n = layout.columns,
                                          .k = product.a.size(-1),
                                          .batches = layout.batches,
                                          .alpha = static_cast<float>(product.alpha),
                                          .beta = 0,
                                          .a = matrix_of(a, along_a),
                                          .b = matrix_of(b, along_b),
                                          .d = matrix_of(product.d, Along::kEither),
                                          .activation = product.activation,
                                          .bias = nullptr};
  if (product.bias.defined()) {
    gemm.bias = product.bias.const_data_ptr();
    gemm.bias_type = *kernel_type(product.bias.scalar_type());
  }
  if (groups) {
    gemm.batches = product.group_offsets.numel() - 1;
    gemm.group_offsets = product.group_offsets.const_data_ptr<std::int32_t>();
    gemm.groups_along_k = along_k;
  }
  const at::Tensor added = add(product, layout.by_rows(), gemm);
  add_scales(product, gemm);
  if (!groups &&
      amd::multiply(gemm, product.d.device().index(), static_cast<hipStream_t>(call.stream()), what))
    return true;
  std::size_t bytes_of_workspace = 0;
  if (!launched(wavesmith_kernels_gemm_workspace(&gemm, nullptr, &bytes_of_workspace), what)) return false;
  const auto parts = workspace(bytes_of_workspace);
  gemm.workspace = parts.get();
  gemm.workspace_bytes = bytes_of_workspace;
  return launched(wavesmith_kernels_gemm(&gemm, call.stream()), what);
}

}  // namespace wavesmith::device
