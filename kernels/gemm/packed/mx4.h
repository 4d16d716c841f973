// Weights of OCP's MXFP4: a float of 4 bits (e2m1) times its block's power of two.
#pragma once

#include "kernels/gemm/packed/packed.h"
#include "tile/nibbles.h"

namespace wavesmith::kernels {

/// The format of packed.h whose groups have a scale of e8m0: a byte, the exponent of a float, or NaN.
struct Mx4Format {
  struct Factors {
    tile::u8 scale;
  };
  struct Reader {
    tile::arch::Buffer scales;
    TILE_DEVICE Factors load(tile::u32 offset) const { return {tile::arch::load<tile::u8>(scales, offset)}; }
  };
  struct Widener {
    float scale;
    TILE_DEVICE tile::Vector<float, 8> operator()(tile::u32 packed) const {
      return tile::e2m1_nibbles(packed) * scale;
    }
  };

  const char* scales;
  tile::u32 bytes;

  /// Factors that begin at that byte, and are so many bytes.
  TILE_DEVICE Mx4Format(const GemmGroups& groups, tile::i64 start, tile::u32 bytes_)
      : scales(static_cast<const char*>(groups.scales) + start), bytes(bytes_) {}
  TILE_DEVICE static int size_of(const GemmGroups& /*groups*/) { return 1; }
  TILE_DEVICE Reader reader() const { return {tile::arch::buffer(scales, bytes)}; }
  TILE_DEVICE Widener widener(const Factors& factors) const {
    constexpr tile::u32 kNan = 0x7fc00000, kLeast = 0x00400000;  // 2^-127
    const tile::u32 exponent = factors.scale;
    const tile::u32 bits = exponent == 255 ? kNan : exponent == 0 ? kLeast : exponent << 23;
    return {tile::bits_as<float>(bits)};
  }
};

template <class Shape>
using GemmMx4Shape = GemmPackedShape<Shape, Mx4Format>;

}  // namespace wavesmith::kernels
