// Weights of integers of 4 bits: a number q of a group along K becomes scale * (q - zero point) of the group.
#pragma once

#include "kernels/gemm/packed/packed.h"
#include "tile/nibbles.h"

namespace wavesmith::kernels {

/// Numbers of the type that scales and zero points have, which is known at run time only: read in halves,
/// without a branch. Outside reads as 0.
struct GroupNumbers {
  tile::arch::Buffer buffer;
  int type;  ///< tile::Type

  struct Halves {
    tile::u16 low, high;
  };
  TILE_DEVICE Halves load(tile::u32 offset) const {
    const bool is_f32 = type == static_cast<int>(tile::Type::F32);
    const tile::u32 outside = tile::arch::kOutside;
    return {tile::arch::load<tile::u16>(buffer, is_f32 ? offset : outside),
            tile::arch::load<tile::u16>(buffer, is_f32 && offset != outside ? offset + 2 : offset)};
  }
  TILE_DEVICE static float number(Halves halves, int type) {
    const float upper = tile::bits_as<float>(static_cast<tile::u32>(halves.high) << 16 | halves.low);
    return type == static_cast<int>(tile::Type::F16)
               ? static_cast<float>(tile::bits_as<tile::f16>(halves.high))
               : upper;
  }
};

/// The format of packed.h whose groups have a scale and may have a zero point.
struct Int4Format {
  struct Factors {
    GroupNumbers::Halves scale, zero;
  };
  struct Reader {
    GroupNumbers scales, zeros;
    TILE_DEVICE Factors load(tile::u32 offset) const { return {scales.load(offset), zeros.load(offset)}; }
  };
  struct Widener {
    float scale, zero;
    TILE_DEVICE tile::Vector<float, 8> operator()(tile::u32 packed) const {
      return (tile::nibbles_plus_8(packed) + zero) * scale;
    }
  };

  const char *scales, *zeros;
  tile::u32 scale_bytes, zero_bytes;
  int type;  ///< tile::Type

  /// Factors that begin at that byte, and are so many bytes.
  TILE_DEVICE Int4Format(const GemmGroups& groups, tile::i64 start, tile::u32 bytes)
      : scales(static_cast<const char*>(groups.scales) + start),
        zeros(static_cast<const char*>(groups.zeros) + start),
        scale_bytes(bytes),
        zero_bytes(groups.zeros ? bytes : 0),
        type(groups.type) {}
  TILE_DEVICE static int size_of(const GemmGroups& groups) {
    return tile::size_of(static_cast<tile::Type>(groups.type));
  }
  TILE_DEVICE Reader reader() const {
    return {{tile::arch::buffer(scales, scale_bytes), type}, {tile::arch::buffer(zeros, zero_bytes), type}};
  }
  TILE_DEVICE Widener widener(const Factors& factors) const {
    // Negative, for sums go two by two where differences do not.
    return {GroupNumbers::number(factors.scale, type), -8.0f - GroupNumbers::number(factors.zero, type)};
  }
};

template <class Shape>
using GemmInt4Shape = GemmPackedShape<Shape, Int4Format>;

}  // namespace wavesmith::kernels
