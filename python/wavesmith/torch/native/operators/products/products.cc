// Products of matrices and vectors.

#include <ATen/core/Tensor.h>

#include <ATen/ExpandUtils.h>
#include <ATen/ops/_addmm_activation_meta.h>
#include <ATen/ops/_addmm_activation_ops.h>
#include <ATen/ops/addbmm_ops.h>
#include <ATen/ops/addmm.h>
#include <ATen/ops/addmm_meta.h>
#include <ATen/ops/addmm_ops.h>
#include <ATen/ops/addmv_meta.h>
#include <ATen/ops/addmv_ops.h>
#include <ATen/ops/baddbmm_meta.h>
#include <ATen/ops/baddbmm_ops.h>
#include <ATen/ops/bmm_meta.h>
#include <ATen/ops/bmm_ops.h>
#include <ATen/ops/dot_ops.h>
#include <ATen/ops/empty.h>
#include <ATen/ops/mm_meta.h>
#include <ATen/ops/mm_ops.h>
#include <ATen/ops/sum.h>

#include "operators/fallback.h"
#include "operators/multiply.h"
#include "operators/same_device.h"
#include "operators/served.h"

namespace wavesmith::device {
namespace {

using at::Scalar;
using at::Tensor;

bool multiplied(const Product& product, const char* what) {
  return is_kernel_float(product.a.scalar_type()) && multiply(product, what);
}

Product with_addend(const Tensor& self, const Tensor& a, const Tensor& b, const Scalar& beta,
                    const Scalar& alpha, const Tensor& out) {
  Product product{.a = a, .b = b, .d = out};
  if (!is_kernel_float(a.scalar_type())) return product;
  product.c = self.expand(out.sizes());
  product.alpha = alpha.toDouble();
  product.beta = beta.toDouble();
  return product;
}

Tensor& mm_out(const Tensor& self, const Tensor& mat2, Tensor& out) {
  same_device("mm", {{"self", &self}, {"mat2", &mat2}, {"out", &out}});
  Implemented<at::meta::structured_mm>(false, out).meta(self, mat2);
  TORCH_CHECK(self.dtype() == mat2.dtype(),
              "expected m1 and m2 to have the same dtype, but got: ", self.dtype(), " != ", mat2.dtype());
  if (multiplied({.a = self, .b = mat2, .d = out}, "mm")) return out;
  return fall_back<at::_ops::mm_out>(self, mat2, out);
}

void check_one_dtype(const Tensor& self, const Tensor& mat2) {
  TORCH_CHECK(self.dtype() == mat2.dtype(), "self and mat2 must have the same dtype, but got ",
              self.scalar_type(), " and ", mat2.scalar_type());
}

Tensor& addmm_out(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                  const Scalar& alpha, Tensor& out) {
  same_device("addmm", {{"self", &self}, {"mat1", &mat1}, {"mat2", &mat2}, {"out", &out}});
  Implemented<at::meta::structured_addmm>(false, out).meta(self, mat1, mat2, beta, alpha);
  check_one_dtype(self, mat2);
  check_one_dtype(mat1, mat2);
  if (multiplied(with_addend(self, mat1, mat2, beta, alpha, out), "addmm")) return out;
  return fall_back<at::_ops::addmm_out>(self, mat1, mat2, beta, alpha, out);
}

Tensor& addmm_activation_out(const Tensor& self, const Tensor& mat1, const Tensor& mat2, const Scalar& beta,
                             const Scalar& alpha, bool use_gelu, Tensor& out) {
  same_device("_addmm_activation", {{"self", &self}, {"mat1", &mat1}, {"mat2", &mat2}, {"out", &out}});
  Implemented<at::meta::structured__addmm_activation>(false, out)
      .meta(self, mat1, mat2, beta, alpha, use_gelu);
  check_one_dtype(self, mat2);
  check_one_dtype(mat1, mat2);
  Product product = with_addend(self, mat1, mat2, beta, alpha, out);
  product.activation = use_gelu ? WAVESMITH_KERNELS_GELU : WAVESMITH_KERNELS_RELU;
  if (multiplied(product, "_addmm_activation")) return out;
  return fall_back<at::_ops::_addmm_activation_out>(self, mat1, mat2, beta, alpha, use_gelu, out);
}

void check_batches(const Tensor& batch1, const Tensor& batch2) {
  TORCH_CHECK(batch1.dtype() == batch2.dtype(), "expected scalar type ", batch1.scalar_type(), " but found ",
              batch2.scalar_type());
}

Tensor& bmm_out(const Tensor& self, const Tensor& mat2, Tensor& out) {
  same_device("bmm", {{"self", &self}, {"mat2", &mat2}, {"out", &out}});
  Implemented<at::meta::structured_bmm>(false, out).meta(self, mat2);
  check_batches(self, mat2);
  if (multiplied({.a = self, .b = mat2, .d = out}, "bmm")) return out;
  return fall_back<at::_ops::bmm_out>(self, mat2, out);
}

Tensor& baddbmm_out(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                    const Scalar& alpha, Tensor& out) {
  same_device("baddbmm", {{"self", &self}, {"batch1", &batch1}, {"batch2", &batch2}, {"out", &out}});
  Implemented<at::meta::structured_baddbmm>(false, out).meta(self, batch1, batch2, beta, alpha);
  check_batches(batch1, batch2);
  if (multiplied(with_addend(self, batch1, batch2, beta, alpha, out), "baddbmm")) return out;
  return fall_back<at::_ops::baddbmm_out>(self, batch1, batch2, beta, alpha, out);
}

// The sum of a batch's products is one product, whose K is that of all.
Tensor sum_of_products(const Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                       const Scalar& alpha) {
  TORCH_CHECK(batch1.dim() == 3, "batch1 must be a 3D tensor");
  TORCH_CHECK(batch2.dim() == 3, "batch2 must be a 3D tensor");
  TORCH_CHECK(batch1.size(0) == batch2.size(0), "batch1 and batch2 must have same number of batches, got ",
              batch1.size(0), " and ", batch2.size(0));
  TORCH_CHECK(batch1.size(2) == batch2.size(1), "Incompatible matrix sizes for bmm (", batch1.size(1), "x",
              batch1.size(2), " and ", batch2.size(1), "x", batch2.size(2), ")");
  const auto k = batch1.size(0) * batch1.size(2);
  return at::addmm(self, batch1.transpose(0, 1).reshape({batch1.size(1), k}),
                   batch2.reshape({k, batch2.size(2)}), beta, alpha);
}

Tensor& sum_of_products_out(const Tensor& self, const Tensor& batch1, const Tensor& batch2,
                            const Scalar& beta, const Scalar& alpha, Tensor& out) {
  same_device("addbmm", {{"self", &self}, {"batch1", &batch1}, {"batch2", &batch2}, {"out", &out}});
  const Tensor sum = sum_of_products(self, batch1, batch2, beta, alpha);
  TORCH_CHECK(out.dtype() == sum.dtype(), "Expected out tensor to have dtype ", sum.dtype(), ", but got ",
              out.dtype(), " instead");
  at::native::resize_output(out, sum.sizes());
  return out.copy_(sum);
}

Tensor& add_products(Tensor& self, const Tensor& batch1, const Tensor& batch2, const Scalar& beta,
                     const Scalar& alpha) {
  return self.copy_(sum_of_products(self, batch1, batch2, beta, alpha));
}

Tensor& addmv_out(const Tensor& self, const Tensor& mat, const Tensor& vec, const Scalar& beta,
                  const Scalar& alpha, Tensor& out) {
  same_device("addmv", {{"self", &self}, {"mat", &mat}, {"vec", &vec}, {"out", &out}});
  Implemented<at::meta::structured_addmv>(false, out).meta(self, mat, vec, beta, alpha);
  if (!is_kernel_float(mat.scalar_type())) {
    return fall_back<at::_ops::addmv_out>(self, mat, vec, beta, alpha, out);
  }
  const Tensor addend = self.expand(out.sizes()).unsqueeze(1);
  if (multiplied(with_addend(addend, mat, vec.unsqueeze(1), beta, alpha, out.unsqueeze(1)), "addmv"))
    return out;
  return fall_back<at::_ops::addmv_out>(self, mat, vec, beta, alpha, out);
}

Tensor dot_product(const Tensor& self, const Tensor& tensor) {
  same_device("dot", {{"self", &self}, {"tensor", &tensor}});
  TORCH_CHECK(self.dim() == 1 && tensor.dim() == 1, "1D tensors expected, but got ", self.dim(), "D and ",
              tensor.dim(), "D tensors");
  TORCH_CHECK(self.dtype() == tensor.dtype(), "dot : expected both vectors to have same dtype, but found ",
              self.scalar_type(), " and ", tensor.scalar_type());
  TORCH_CHECK(self.numel() == tensor.numel(), "inconsistent tensor size, expected tensor [", self.numel(),
              "] and src [", tensor.numel(), "] to have the same number of elements, but got ", self.numel(),
              " and ", tensor.numel(), " elements respectively");
  const auto type = self.scalar_type();
  if (type == at::kBool) return fall_back<at::_ops::dot>(self, tensor);
  // A product of matrices would have one tile, and so one workgroup.
  if (at::isReducedFloatingType(type)) return at::sum(self.to(at::kFloat).mul(tensor)).to(type);
  return at::sum(self.mul(tensor), type);
}

Tensor vdot(const Tensor& self, const Tensor& other) { return dot_product(self.conj(), other); }

// What the operators with an `out_dtype` ask of it.
Tensor& wide(const Tensor& a, const Tensor& b, at::ScalarType type, Tensor& out) {
  const bool wider = type == at::kFloat && (a.scalar_type() == at::kHalf || a.scalar_type() == at::kBFloat16);
  TORCH_CHECK(type == a.scalar_type() || wider,
              "out_dtype must be the same as input dtype or fp32 for fp16/bf16 inputs");
  TORCH_CHECK(out.scalar_type() == type,
              "out_dtype must be the same as the dtype of the provided out tensor");
  TORCH_CHECK(a.dtype() == b.dtype(), "input dtypes must be the same");
  const auto dimensions = a.dim();
  TORCH_CHECK((dimensions == 2 || dimensions == 3) && b.dim() == dimensions, "tensors must be 2D, or all 3D");
  TORCH_CHECK(
      a.size(-1) == b.size(-2) && a.sizes().slice(0, dimensions - 2) == b.sizes().slice(0, dimensions - 2),
      "mat1 and mat2 shapes cannot be multiplied (", a.sizes(), " and ", b.sizes(), ")");
  auto sizes = a.sizes().vec();
  sizes.back() = b.size(-1);
  at::native::resize_output(out, sizes);
  return out;
}

Tensor& product_of_dtype_out(const Tensor& self, const Tensor& mat2, at::ScalarType type, Tensor& out) {
  same_device("mm", {{"self", &self}, {"mat2", &mat2}, {"out", &out}});
  wide(self, mat2, type, out);
  TORCH_CHECK_NOT_IMPLEMENTED(multiplied({.a = self, .b = mat2, .d = out}, "mm"),
                              "mm with out_dtype is not implemented for ", self.scalar_type());
  return out;
}

Tensor product_of_dtype(const Tensor& self, const Tensor& mat2, at::ScalarType type) {
  Tensor out = at::empty({0}, self.options().dtype(type));
  return product_of_dtype_out(self, mat2, type, out);
}

Tensor& sum_of_dtype_out(const Tensor& self, const Tensor& a, const Tensor& b, at::ScalarType type,
                         const Scalar& beta, const Scalar& alpha, Tensor& out) {
  same_device("addmm", {{"self", &self}, {"mat1", &a}, {"mat2", &b}, {"out", &out}});
  wide(a, b, type, out);
  TORCH_CHECK(self.scalar_type() == type || self.scalar_type() == a.scalar_type(),
              "self dtype must match either out_dtype or mat1 dtype");
  TORCH_CHECK_NOT_IMPLEMENTED(multiplied(with_addend(self, a, b, beta, alpha, out), "addmm"),
                              "addmm with out_dtype is not implemented for ", a.scalar_type());
  return out;
}

Tensor sum_of_dtype(const Tensor& self, const Tensor& a, const Tensor& b, at::ScalarType type,
                    const Scalar& beta, const Scalar& alpha) {
  Tensor out = at::empty({0}, a.options().dtype(type));
  return sum_of_dtype_out(self, a, b, type, beta, alpha, out);
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  m.impl("mm.out", &mm_out);
  m.impl("addmm.out", &addmm_out);
  m.impl("_addmm_activation.out", &addmm_activation_out);
  m.impl("bmm.out", &bmm_out);
  m.impl("baddbmm.out", &baddbmm_out);
  m.impl("mm.dtype", &product_of_dtype);
  m.impl("mm.dtype_out", &product_of_dtype_out);
  m.impl("bmm.dtype", &product_of_dtype);
  m.impl("bmm.dtype_out", &product_of_dtype_out);
  m.impl("addmm.dtype", &sum_of_dtype);
  m.impl("addmm.dtype_out", &sum_of_dtype_out);
  m.impl("baddbmm.dtype", &sum_of_dtype);
  m.impl("baddbmm.dtype_out", &sum_of_dtype_out);
  m.impl("addbmm", &sum_of_products);
  m.impl("addbmm.out", &sum_of_products_out);
  m.impl("addbmm_", &add_products);
  m.impl("addmv.out", &addmv_out);
  m.impl("dot", &dot_product);
  m.impl("vdot", &vdot);
}

}  // namespace wavesmith::device
