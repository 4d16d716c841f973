// Elements as keys: unsigned numbers of 32 or 64 bits in the elements' order.
#pragma once

#include "kernels/sort/key_order.h"
#include "tile/arch/device.h"

namespace wavesmith::kernels {

/// NaN is the largest, and -0 is 0.
template <class Key>
TILE_DEVICE Key key_of_bits(Key bits, const KeyOrder& order) {
  const Key sign = static_cast<Key>(order.sign), all = static_cast<Key>(order.all);
  Key key = order.is_truth != 0 ? static_cast<Key>(bits != 0) : bits ^ sign;
  if (order.is_float != 0) {
    const Key size = bits & ~sign;
    key = (bits & sign) != 0 ? ~bits & all : bits | sign;
    key = size == 0 ? sign : key;
    key = size > static_cast<Key>(order.infinity) ? all : key;
  }
  return key ^ static_cast<Key>(order.flip);
}

template <class Key>
TILE_DEVICE Key load_key(tile::u64 address, const KeyOrder& order) {
  Key bits = 0;
  if (tile::arch::late(order.bytes) == 1)
    bits = tile::arch::load_at<tile::u8>(address);
  else if (tile::arch::late(order.bytes) == 2)
    bits = tile::arch::load_at<tile::u16>(address);
  else
    bits = tile::arch::load_at<Key>(address);
  return key_of_bits(bits, order);
}

}  // namespace wavesmith::kernels
