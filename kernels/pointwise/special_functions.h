// The special functions as operations of kernels, in double precision.
#pragma once

#include "kernels/pointwise/bessel_functions.h"
#include "kernels/pointwise/functions.h"
#include "kernels/pointwise/gamma_functions.h"
#include "kernels/pointwise/orthogonal_polynomials.h"

namespace wavesmith::kernels {

TILE_DEVICE double bessel_function(Pointwise operation, double x) {
  // Orders 0 and 1 follow each other.
  const bool of_one = ((operation - WAVESMITH_POINTWISE_BESSEL_J0) & 1) != 0;
  switch (operation) {
    case WAVESMITH_POINTWISE_BESSEL_J0:
    case WAVESMITH_POINTWISE_BESSEL_J1:
      return wide::bessel_j(x, of_one);
    case WAVESMITH_POINTWISE_BESSEL_Y0:
    case WAVESMITH_POINTWISE_BESSEL_Y1:
      return wide::bessel_y(x, of_one);
    case WAVESMITH_POINTWISE_BESSEL_I0:
    case WAVESMITH_POINTWISE_BESSEL_I1:
      return wide::bessel_i(x, of_one);
    case WAVESMITH_POINTWISE_BESSEL_K0:
    case WAVESMITH_POINTWISE_BESSEL_K1:
      return wide::bessel_k(x, of_one);
    case WAVESMITH_POINTWISE_SCALED_BESSEL_I0:
    case WAVESMITH_POINTWISE_SCALED_BESSEL_I1:
      return wide::scaled_bessel_i(x, of_one);
    case WAVESMITH_POINTWISE_SCALED_BESSEL_K0:
    case WAVESMITH_POINTWISE_SCALED_BESSEL_K1:
      return wide::scaled_bessel_k(x, of_one);
    case WAVESMITH_POINTWISE_SPHERICAL_BESSEL_J0:
      return wide::spherical_bessel_j0(x);
    default:
      return wide::airy(x);
  }
}

TILE_DEVICE double gamma_function(Pointwise operation, double x) {
  switch (operation) {
    case WAVESMITH_POINTWISE_LOG_GAMMA:
      return wide::log_gamma(x);
    case WAVESMITH_POINTWISE_DIGAMMA:
      return wide::digamma(x);
    case WAVESMITH_POINTWISE_ERFCX:
      return wide::scaled_erfc(x);
    case WAVESMITH_POINTWISE_ERF_INVERSE:
      return wide::inverse_erf(x);
    case WAVESMITH_POINTWISE_LOG_NORMAL:
      return wide::log_normal(x);
    default:
      return wide::inverse_normal(x);
  }
}

TILE_DEVICE double zeta_function(Pointwise operation, double x, double z, double p) {
  return operation == WAVESMITH_POINTWISE_ZETA ? wide::zeta(x, z) : wide::polygamma(p, x);
}

}  // namespace wavesmith::kernels
