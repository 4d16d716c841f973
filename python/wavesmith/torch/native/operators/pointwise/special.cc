// Special functions: of one tensor or two, with floats as results.
#include <ATen/native/UnaryOps.h>
#include <ATen/ops/digamma_ops.h>
#include <ATen/ops/erfinv_ops.h>
#include <ATen/ops/i0_ops.h>
#include <ATen/ops/igamma_ops.h>
#include <ATen/ops/igammac_ops.h>
#include <ATen/ops/lgamma_ops.h>
#include <ATen/ops/polygamma_native.h>
#include <ATen/ops/polygamma_ops.h>
#include <ATen/ops/sinc_ops.h>
#include <ATen/ops/special_airy_ai_ops.h>
#include <ATen/ops/special_bessel_j0_ops.h>
#include <ATen/ops/special_bessel_j1_ops.h>
#include <ATen/ops/special_bessel_y0_ops.h>
#include <ATen/ops/special_bessel_y1_ops.h>
#include <ATen/ops/special_chebyshev_polynomial_t_ops.h>
#include <ATen/ops/special_chebyshev_polynomial_u_ops.h>
#include <ATen/ops/special_chebyshev_polynomial_v_ops.h>
#include <ATen/ops/special_chebyshev_polynomial_w_ops.h>
#include <ATen/ops/special_erfcx_ops.h>
#include <ATen/ops/special_hermite_polynomial_h_ops.h>
#include <ATen/ops/special_hermite_polynomial_he_ops.h>
#include <ATen/ops/special_i0e_ops.h>
#include <ATen/ops/special_i1_ops.h>
#include <ATen/ops/special_i1e_ops.h>
#include <ATen/ops/special_laguerre_polynomial_l_ops.h>
#include <ATen/ops/special_legendre_polynomial_p_ops.h>
#include <ATen/ops/special_log_ndtr_ops.h>
#include <ATen/ops/special_modified_bessel_i0_ops.h>
#include <ATen/ops/special_modified_bessel_i1_ops.h>
#include <ATen/ops/special_modified_bessel_k0_ops.h>
#include <ATen/ops/special_modified_bessel_k1_ops.h>
#include <ATen/ops/special_ndtri_ops.h>
#include <ATen/ops/special_scaled_modified_bessel_k0_ops.h>
#include <ATen/ops/special_scaled_modified_bessel_k1_ops.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_t_ops.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_u_ops.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_v_ops.h>
#include <ATen/ops/special_shifted_chebyshev_polynomial_w_ops.h>
#include <ATen/ops/special_spherical_bessel_j0_ops.h>
#include <ATen/ops/special_zeta_ops.h>

#include "operators/pointwise.h"
#include "operators/served.h"
#include "operators/stubs.h"

namespace wavesmith::device {
namespace {

// What all of them do with types and sizes, as PyTorch's own classes do, of which there is one for each.
struct OfOne : at::TensorIteratorBase {
  void meta(const at::Tensor& self) { build_borrowing_unary_float_op(maybe_get_output(0), self); }
};
struct OfTwo : at::TensorIteratorBase {
  void meta(const at::Tensor& self, const at::Tensor& other) {
    build_borrowing_binary_float_op(maybe_get_output(0), self, other);
  }
};

// Whether PyTorch has a function for floats of 16 bits, too.
enum class Floats { kAll, kWide };

struct Special {
  wavesmith_pointwise_operation operation;
  Floats floats;

  void compute(at::TensorIteratorBase& iterator) const {
    const auto type = iterator.common_dtype();
    if (floats == Floats::kWide && c10::isReducedFloatingType(type)) throw NotServed();
    // The degree behind which Hermite's polynomials are NaN.
    launch(operation, iterator, {type == c10::ScalarType::Double ? 512 : 128});
  }
  template <class Native, class... Inputs>
  at::Tensor made(const Inputs&... inputs) const {
    Implemented<Native> one;
    one.meta(inputs...);
    compute(one);
    return one.maybe_get_output(0);
  }
  template <class Native, class... Inputs>
  at::Tensor& put(bool in_place, at::Tensor& out, const Inputs&... inputs) const {
    Implemented<Native> one(in_place, out);
    one.meta(inputs...);
    compute(one);
    return out;
  }
};

template <wavesmith_pointwise_operation kOperation, Floats kFloats>
struct Forms {
  static constexpr Special kSpecial{kOperation, kFloats};

  static at::Tensor of_one(const at::Tensor& self) { return kSpecial.made<OfOne>(self); }
  static at::Tensor& of_one_out(const at::Tensor& self, at::Tensor& out) {
    return kSpecial.put<OfOne>(false, out, self);
  }
  static at::Tensor& of_one_in_place(at::Tensor& self) { return kSpecial.put<OfOne>(true, self, self); }
  static at::Tensor of_two(const at::Tensor& self, const at::Tensor& other) {
    return kSpecial.made<OfTwo>(self, other);
  }
  static at::Tensor& of_two_out(const at::Tensor& self, const at::Tensor& other, at::Tensor& out) {
    return kSpecial.put<OfTwo>(false, out, self, other);
  }
  static at::Tensor& of_two_in_place(at::Tensor& self, const at::Tensor& other) {
    return kSpecial.put<OfTwo>(true, self, self, other);
  }
};

void polygamma(at::TensorIteratorBase& iterator, std::int64_t n) {
  launch(n == 0 ? WAVESMITH_POINTWISE_DIGAMMA : WAVESMITH_POINTWISE_POLYGAMMA, iterator, {n});
}
void digamma(at::TensorIteratorBase& iterator) { launch(WAVESMITH_POINTWISE_DIGAMMA, iterator); }
void trigamma(at::TensorIteratorBase& iterator) { polygamma(iterator, 1); }

WAVESMITH_STUB(polygamma_stub, &polygamma);
WAVESMITH_STUB(digamma_stub, &digamma);
WAVESMITH_STUB(trigamma_stub, &trigamma);

}  // namespace

#define FORMS(inputs, name, operation, floats)                                               \
  plain<&Forms<WAVESMITH_POINTWISE_##operation, Floats::floats>::inputs, at::_ops::name>(m); \
  plain<&Forms<WAVESMITH_POINTWISE_##operation, Floats::floats>::inputs##_out, at::_ops::name##_out>(m);
#define AND_IN_PLACE(inputs, name, operation, floats) \
  FORMS(inputs, name, operation, floats)              \
  plain<&Forms<WAVESMITH_POINTWISE_##operation, Floats::floats>::inputs##_in_place, at::_ops::name##_>(m);

WAVESMITH_OPERATORS(aten, m) {
  FORMS(of_one, special_airy_ai, AIRY, kWide)
  FORMS(of_one, special_bessel_j0, BESSEL_J0, kWide)
  FORMS(of_one, special_bessel_j1, BESSEL_J1, kWide)
  FORMS(of_one, special_bessel_y0, BESSEL_Y0, kWide)
  FORMS(of_one, special_bessel_y1, BESSEL_Y1, kWide)
  FORMS(of_one, special_modified_bessel_i0, BESSEL_I0, kWide)
  FORMS(of_one, special_modified_bessel_i1, BESSEL_I1, kWide)
  FORMS(of_one, special_modified_bessel_k0, BESSEL_K0, kWide)
  FORMS(of_one, special_modified_bessel_k1, BESSEL_K1, kWide)
  FORMS(of_one, special_scaled_modified_bessel_k0, SCALED_BESSEL_K0, kWide)
  FORMS(of_one, special_scaled_modified_bessel_k1, SCALED_BESSEL_K1, kWide)
  FORMS(of_one, special_spherical_bessel_j0, SPHERICAL_BESSEL_J0, kWide)
  FORMS(of_one, special_erfcx, ERFCX, kWide)
  FORMS(of_one, special_log_ndtr, LOG_NORMAL, kWide)
  FORMS(of_one, special_ndtri, NORMAL_INVERSE, kWide)
  AND_IN_PLACE(of_one, i0, BESSEL_I0, kAll)
  FORMS(of_one, special_i0e, SCALED_BESSEL_I0, kAll)
  FORMS(of_one, special_i1, BESSEL_I1, kAll)
  FORMS(of_one, special_i1e, SCALED_BESSEL_I1, kAll)
  AND_IN_PLACE(of_one, erfinv, ERF_INVERSE, kAll)
  AND_IN_PLACE(of_one, lgamma, LOG_GAMMA, kAll)
  AND_IN_PLACE(of_one, digamma, DIGAMMA, kAll)
  AND_IN_PLACE(of_one, sinc, SINC, kAll)
  FORMS(of_two, special_zeta, ZETA, kWide)
  AND_IN_PLACE(of_two, igamma, INCOMPLETE_GAMMA, kWide)
  AND_IN_PLACE(of_two, igammac, UPPER_INCOMPLETE_GAMMA, kWide)
  FORMS(of_two, special_chebyshev_polynomial_t, CHEBYSHEV_T, kWide)
  FORMS(of_two, special_chebyshev_polynomial_u, CHEBYSHEV_U, kWide)
  FORMS(of_two, special_chebyshev_polynomial_v, CHEBYSHEV_V, kWide)
  FORMS(of_two, special_chebyshev_polynomial_w, CHEBYSHEV_W, kWide)
  FORMS(of_two, special_shifted_chebyshev_polynomial_t, SHIFTED_CHEBYSHEV_T, kWide)
  FORMS(of_two, special_shifted_chebyshev_polynomial_u, SHIFTED_CHEBYSHEV_U, kWide)
  FORMS(of_two, special_shifted_chebyshev_polynomial_v, SHIFTED_CHEBYSHEV_V, kWide)
  FORMS(of_two, special_shifted_chebyshev_polynomial_w, SHIFTED_CHEBYSHEV_W, kWide)
  FORMS(of_two, special_hermite_polynomial_h, HERMITE_H, kWide)
  FORMS(of_two, special_hermite_polynomial_he, HERMITE_HE, kWide)
  FORMS(of_two, special_laguerre_polynomial_l, LAGUERRE, kWide)
  FORMS(of_two, special_legendre_polynomial_p, LEGENDRE, kWide)
  structured<at::native::structured_polygamma_out, at::_ops::polygamma, at::_ops::polygamma_out>(m);
}

}  // namespace wavesmith::device
