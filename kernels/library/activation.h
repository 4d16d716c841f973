// The activations, of eight elements.
#pragma once

#include "tile/arch/device.h"
#include "tile/math.h"
#include "tile/typed_view.h"

namespace wavesmith::kernels {

/// As wavesmith_kernels_activation numbers them.
enum class Activation : int { None, Relu, Gelu, Silu };

/// Of the activation with that number.
TILE_DEVICE tile::Eight activated(int activation, tile::Eight values) {
  switch (static_cast<Activation>(tile::arch::late(activation))) {
    case Activation::None:
      break;
    case Activation::Relu:
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = tile::relu(values[i]);
      break;
    case Activation::Gelu:
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = tile::gelu(values[i]);
      break;
    case Activation::Silu:
      TILE_UNROLL for (int i = 0; i < 8; ++i) values[i] = tile::silu(values[i]);
      break;
  }
  return values;
}

}  // namespace wavesmith::kernels
