#include "linalg/matrices.h"

#include <algorithm>
#include <optional>
#include <utility>

#include <ATen/ops/_linalg_check_errors.h>
#include <ATen/ops/matmul.h>
#include <ATen/ops/zeros.h>

#include "operators/kernels.h"
#include "operators/multiply.h"
#include "operators/pointwise.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Tensor;

// The one stride of all dimensions before the last two, if there is one.
std::optional<std::int64_t> batch_stride(const Tensor& tensor) {
  std::int64_t stride = 0, count = 1;
  for (std::int64_t each = tensor.dim() - 3; each >= 0; --each) {
    const auto size = tensor.size(each);
    if (size == 1) continue;
    if (count == 1)
      stride = tensor.stride(each);
    else if (tensor.stride(each) != stride * count)
      return std::nullopt;
    count *= size;
  }
  return stride;
}

wavesmith_pointwise_type type_of(const Tensor& tensor) {
  const auto type = number_type(tensor.scalar_type());
  if (!type || *type < WAVESMITH_POINTWISE_F32 || !on_device(tensor)) throw NotServed();
  return *type;
}

}  // namespace

Matrices::Matrices(const Tensor& tensor) : tensor_(tensor) {
  type_of(tensor);
  auto batch = batch_stride(tensor_);
  if (!batch) {
    tensor_ = tensor_.contiguous();
    batch = tensor_.size(-2) * tensor_.size(-1);
  }
  rows_ = tensor_.size(-2), columns_ = tensor_.size(-1);
  matrix_ = {const_cast<void*>(tensor_.const_data_ptr()), tensor_.stride(-2), tensor_.stride(-1), *batch};
}

Matrices Matrices::turned() const {
  Matrices made = *this;
  std::swap(made.rows_, made.columns_);
  std::swap(made.matrix_.row, made.matrix_.column);
  return made;
}

Matrices Matrices::rows_reversed() const {
  Matrices made = *this;
  const auto bytes = (rows_ - 1) * matrix_.row * static_cast<std::int64_t>(tensor_.itemsize());
  made.matrix_.data = static_cast<char*>(matrix_.data) + bytes;
  made.matrix_.row = -matrix_.row;
  return made;
}

Matrices Matrices::reversed() const { return rows_reversed().turned().rows_reversed().turned(); }

Written Written::matrices(const Tensor& to) {
  return {to, batch_stride(to) ? to : by_columns(to.sizes(), to.options())};
}

Written Written::dense(const Tensor& to) {
  return {to, to.is_contiguous() ? to : made(to.sizes(), {}, to.options())};
}

void Written::finish() const {
  if (!at_.is_same(to_)) to_.copy_(at_);
}

Tensor by_columns(c10::IntArrayRef sizes, const c10::TensorOptions& options) {
  auto turned = sizes.vec();
  std::swap(turned[turned.size() - 1], turned[turned.size() - 2]);
  return made(turned, {}, options.memory_format(std::nullopt)).mT();
}

Tensor copied_by_columns(const Tensor& tensor, c10::IntArrayRef sizes) {
  Tensor made = by_columns(sizes, tensor.options());
  made.copy_(tensor);
  return made;
}

void run(wavesmith_linalg_operation operation, std::int64_t rows, std::int64_t columns, const Matrices* a,
         const Matrices* b, const Matrices* c, const Beside& beside, std::int32_t flags, std::int64_t inner) {
  const Tensor& given = (b != nullptr ? b : a)->tensor();
  wavesmith_linalg_description one{};
  one.batch = c10::multiply_integers(batch_sizes(given));
  if (one.batch == 0 || rows == 0 || columns == 0) return;
  one.operation = operation, one.type = type_of(given), one.flags = flags;
  one.rows = rows, one.columns = columns, one.inner = inner;
  if (a != nullptr) one.a = a->described();
  if (b != nullptr) one.b = b->described();
  if (c != nullptr) one.c = c->described();
  const Tensor vector = beside.vector.defined() ? beside.vector.contiguous() : Tensor(),
               pivots = beside.pivots.defined() ? beside.pivots.contiguous() : Tensor();
  if (vector.defined()) one.vector = vector.mutable_data_ptr(), one.vector_batch = vector.size(-1);
  if (pivots.defined())
    one.pivots = pivots.mutable_data_ptr<std::int32_t>(), one.pivots_batch = pivots.size(-1);
  if (beside.info.defined()) one.info = beside.info.mutable_data_ptr<std::int32_t>();
  const KernelCall on(given.device());
  one.workspace_bytes = wavesmith_kernels_linalg_workspace(&one);
  const auto memory = workspace(one.workspace_bytes);
  one.workspace = memory.get();
  serve(wavesmith_kernels_linalg(&one, on.stream()), "linalg");
}

void solve_triangle(const Tensor& a, const Tensor& b, Triangle of) {
  Matrices matrix(a), right(b);
  if (of.transposed) matrix = matrix.turned(), of.upper = !of.upper;
  if (!of.left) matrix = matrix.turned(), of.upper = !of.upper, right = right.turned();
  if (of.upper) matrix = matrix.reversed(), right = right.rows_reversed();
  const std::int32_t flags = (of.unit ? WAVESMITH_LINALG_UNIT : 0) |
                             (of.conjugated && a.is_complex() ? WAVESMITH_LINALG_CONJUGATE : 0);
  run(WAVESMITH_LINALG_SOLVE_LOWER, right.rows(), right.columns(), &matrix, &right, nullptr, {}, flags);
}

void exchange_rows(const Tensor& b, const Tensor& pivots, bool backwards) {
  const Matrices matrix(b);
  run(WAVESMITH_LINALG_EXCHANGE_ROWS, matrix.rows(), matrix.columns(), nullptr, &matrix, nullptr,
      {.vector = {}, .pivots = pivots, .info = {}}, backwards ? WAVESMITH_LINALG_REVERSED : 0,
      pivots.size(-1));
}

void fill_identity(const Tensor& matrix) {
  matrix.zero_();
  matrix.diagonal(0, -2, -1).fill_(1);
}

Tensor product(const Tensor& a, const Tensor& b) {
  if (a.scalar_type() == c10::ScalarType::Float) {
    if (a.dim() > 3 || batch_sizes(a) != batch_sizes(b) || a.numel() == 0) return at::matmul(a, b);
    const Tensor product = made(sizes_of(batch_sizes(a), {a.size(-2), b.size(-1)}), {}, a.options());
    return multiply({.a = a, .b = b, .d = product}, "linalg") ? product : at::matmul(a, b);
  }
  const Tensor product = at::zeros(sizes_of(batch_sizes(a), {a.size(-2), b.size(-1)}), a.options());
  const Matrices left(a), right(b), c(product);
  run(WAVESMITH_LINALG_SUBTRACT_PRODUCT, c.rows(), c.columns(), &left, &right, &c, {}, WAVESMITH_LINALG_ADD,
      left.columns());
  return product;
}

void check_info(const Tensor& info, c10::string_view what, bool is_matrix) {
  if (info.numel() == 1 && info.item<std::int32_t>() == 0) return;
  const Tensor seen = info.to(c10::kCPU).contiguous();
  const auto* const numbers = seen.const_data_ptr<std::int32_t>();
  if (std::all_of(numbers, numbers + seen.numel(), [](std::int32_t number) { return number == 0; })) return;
  at::_linalg_check_errors(seen, what, is_matrix);
}

std::vector<std::int64_t> sizes_of(c10::IntArrayRef batch, std::initializer_list<std::int64_t> last) {
  auto sizes = batch.vec();
  sizes.insert(sizes.end(), last);
  return sizes;
}

}  // namespace wavesmith::device
