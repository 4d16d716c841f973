// Products of numbers of 8 bits: floats with scales, and integers.

#include <ATen/core/Tensor.h>

#include <ATen/BlasBackend.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/_int_mm_ops.h>
#include <ATen/ops/_scaled_mm_ops.h>
#include <ATen/ops/_scaled_mm_v2_ops.h>
#include <ATen/ops/empty.h>

#include "device/device_type.h"
#include "operators/fallback.h"
#include "operators/multiply.h"
#include "operators/same_device.h"

namespace wavesmith::device {
namespace {

using at::Tensor;
using OptionalTensor = std::optional<Tensor>;

constexpr std::int64_t kBlock = 128;

std::int64_t blocks(std::int64_t elements) { return (elements + kBlock - 1) / kBlock; }

// Puts the scales of one operand into the product, as their shape says what they are for: `rows` by `k`
// elements of which K lies together, whose scales are those of `scales`. False where they fit nothing.
bool take_scales(const Tensor& scales, std::int64_t rows, std::int64_t k, Tensor& factor,
                 wavesmith_kernels_scales& of_blocks) {
  if (scales.scalar_type() != at::kFloat) return false;
  if (scales.numel() == 1) {
    factor = scales;
    return true;
  }
  if (scales.dim() != 2) return false;
  if (scales.size(0) == rows && scales.size(1) == 1) {
    factor = scales.contiguous();
    return true;
  }
  const bool squares = scales.size(0) == blocks(rows) && rows != scales.size(0);
  if (scales.size(1) != blocks(k) || !(squares || scales.size(0) == rows)) return false;
  of_blocks = {.scaling = squares ? WAVESMITH_KERNELS_SCALE_PER_SQUARE : WAVESMITH_KERNELS_SCALE_PER_BLOCK,
               .data = const_cast<void*>(scales.const_data_ptr()),
               .block = kBlock,
               .row_stride = scales.stride(0),
               .column_stride = scales.stride(1),
               .batch_stride = 0};
  return true;
}

Tensor& scaled_mm_out(const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b,
                      const OptionalTensor& bias, const OptionalTensor& scale_result,
                      std::optional<at::ScalarType> out_dtype, bool use_fast_accum, Tensor& out) {
  const Tensor added = bias.value_or(Tensor()), of_result = scale_result.value_or(Tensor());
  same_device("_scaled_mm", {{"self", &self},
                             {"mat2", &mat2},
                             {"scale_a", &scale_a},
                             {"scale_b", &scale_b},
                             {"bias", &added},
                             {"scale_result", &of_result},
                             {"out", &out}});
  TORCH_CHECK(self.dim() == 2, "mat_a must be a matrix");
  TORCH_CHECK(mat2.dim() == 2, "mat_b must be a matrix");
  TORCH_CHECK(self.size(1) == mat2.size(0), "mat_a and mat_b shapes cannot be multiplied (", self.size(0),
              "x", self.size(1), " and ", mat2.size(0), "x", mat2.size(1), ")");
  TORCH_CHECK(!out_dtype || *out_dtype == out.scalar_type(), "out_dtype must match output matrix type");
  TORCH_CHECK(!added.defined() || added.numel() == mat2.size(1), "Bias must be size ", mat2.size(1),
              " but got ", added.numel());
  at::native::resize_output(out, {self.size(0), mat2.size(1)});
  Product product{.a = self, .b = mat2, .d = out};
  TORCH_CHECK_VALUE(
      take_scales(scale_a, self.size(0), self.size(1), product.scale_a, product.block_scales_a) &&
          take_scales(scale_b.t(), mat2.size(1), mat2.size(0), product.scale_b, product.block_scales_b),
      "Invalid scaling configuration.");
  if (added.defined()) product.bias = added.contiguous();
  if (of_result.defined() && out.element_size() == 1) product.scale_d = of_result;
  if (kernel_type(self.scalar_type()) && kernel_type(mat2.scalar_type()) && kernel_type(out.scalar_type()) &&
      multiply(product, "_scaled_mm")) {
    return out;
  }
  return fall_back<at::_ops::_scaled_mm_out>(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype,
                                             use_fast_accum, out);
}

Tensor scaled_mm(const Tensor& self, const Tensor& mat2, const Tensor& scale_a, const Tensor& scale_b,
                 const OptionalTensor& bias, const OptionalTensor& scale_result,
                 std::optional<at::ScalarType> out_dtype, bool use_fast_accum) {
  Tensor out = at::empty({0}, self.options().dtype(out_dtype.value_or(self.scalar_type())));
  return scaled_mm_out(self, mat2, scale_a, scale_b, bias, scale_result, out_dtype, use_fast_accum, out);
}

// The same with the scales' shapes said, of which one of f32 for each matrix, or row, is served.
Tensor& scaled_mm_v2_out(const Tensor& self, const Tensor& mat2, at::TensorList scale_a,
                         at::IntArrayRef recipe_a, at::IntArrayRef swizzle_a, at::TensorList scale_b,
                         at::IntArrayRef recipe_b, at::IntArrayRef swizzle_b, const OptionalTensor& bias,
                         std::optional<at::ScalarType> out_dtype, at::IntArrayRef contraction,
                         bool use_fast_accum, Tensor& out) {
  const auto plain = [](at::TensorList scales, at::IntArrayRef recipes, at::IntArrayRef swizzles) {
    using at::blas::ScalingType;
    return scales.size() == 1 && recipes.size() == 1 &&
           (recipes[0] == static_cast<int>(ScalingType::TensorWise) ||
            recipes[0] == static_cast<int>(ScalingType::RowWise)) &&
           std::all_of(swizzles.begin(), swizzles.end(), [](auto swizzle) { return swizzle == 0; });
  };
  if (plain(scale_a, recipe_a, swizzle_a) && plain(scale_b, recipe_b, swizzle_b) && contraction.empty()) {
    // A row's scale may come with or without the other dimension.
    const auto matrix = [](const Tensor& scale, std::int64_t other) {
      return scale.dim() == 1 && scale.numel() > 1 ? scale.unsqueeze(other) : scale;
    };
    return scaled_mm_out(self, mat2, matrix(scale_a[0], 1), matrix(scale_b[0], 0), bias, std::nullopt,
                         out_dtype, use_fast_accum, out);
  }
  return fall_back<at::_ops::_scaled_mm_v2_out>(self, mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b,
                                                swizzle_b, bias, out_dtype, contraction, use_fast_accum, out);
}

Tensor scaled_mm_v2(const Tensor& self, const Tensor& mat2, at::TensorList scale_a, at::IntArrayRef recipe_a,
                    at::IntArrayRef swizzle_a, at::TensorList scale_b, at::IntArrayRef recipe_b,
                    at::IntArrayRef swizzle_b, const OptionalTensor& bias,
                    std::optional<at::ScalarType> out_dtype, at::IntArrayRef contraction,
                    bool use_fast_accum) {
  Tensor out = at::empty({0}, self.options().dtype(out_dtype.value_or(self.scalar_type())));
  return scaled_mm_v2_out(self, mat2, scale_a, recipe_a, swizzle_a, scale_b, recipe_b, swizzle_b, bias,
                          out_dtype, contraction, use_fast_accum, out);
}

Tensor& int_mm_out(const Tensor& self, const Tensor& mat2, Tensor& out) {
  same_device("_int_mm", {{"self", &self}, {"mat2", &mat2}, {"out", &out}});
  if (self.scalar_type() == at::kChar && mat2.scalar_type() == at::kChar && out.scalar_type() == at::kInt &&
      self.dim() == 2 && mat2.dim() == 2 && self.size(1) == mat2.size(0) &&
      out.sizes() == at::IntArrayRef({self.size(0), mat2.size(1)}) &&
      multiply({.a = self, .b = mat2, .d = out}, "_int_mm")) {
    return out;
  }
  return fall_back<at::_ops::_int_mm_out>(self, mat2, out);  // which words what is wrong
}

Tensor int_mm(const Tensor& self, const Tensor& mat2) {
  if (self.dim() != 2 || mat2.dim() != 2) return fall_back<at::_ops::_int_mm>(self, mat2);
  Tensor out = at::empty({self.size(0), mat2.size(1)}, self.options().dtype(at::kInt));
  return int_mm_out(self, mat2, out);
}

}  // namespace

WAVESMITH_OPERATORS(aten, m) {
  m.impl("_scaled_mm", &scaled_mm);
  m.impl("_scaled_mm.out", &scaled_mm_out);
  m.impl("_scaled_mm_v2", &scaled_mm_v2);
  m.impl("_scaled_mm_v2.out", &scaled_mm_v2_out);
  m.impl("_int_mm", &int_mm);
  m.impl("_int_mm.out", &int_mm_out);
}

}  // namespace wavesmith::device
