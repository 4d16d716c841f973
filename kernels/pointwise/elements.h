// Elements of a type that is known at run time only, as numbers of the type that computes.
#pragma once

#include "kernels/pointwise/operations.h"
#include "tile/arch/device.h"

namespace wavesmith::kernels {

template <class T>
struct Complex {
  T re, im;
};
template <class C>
inline constexpr bool kIsComplex = false;
template <class T>
inline constexpr bool kIsComplex<Complex<T>> = true;

constexpr int bytes_of(Number type) {
  switch (type) {
    case WAVESMITH_POINTWISE_BOOL:
    case WAVESMITH_POINTWISE_U8:
    case WAVESMITH_POINTWISE_I8:
      return 1;
    case WAVESMITH_POINTWISE_I16:
    case WAVESMITH_POINTWISE_F16:
    case WAVESMITH_POINTWISE_BF16:
      return 2;
    case WAVESMITH_POINTWISE_I32:
    case WAVESMITH_POINTWISE_F32:
      return 4;
    case WAVESMITH_POINTWISE_C128:
      return 16;
    default:
      return 8;
  }
}

namespace detail {

/// The bytes of BOOL; its own type, as its numbers become 0 or 1.
struct Truth {
  tile::u8 byte;
};
template <class S>
inline constexpr bool kIsTruth = __is_same(S, Truth);

template <class C, class S>
TILE_DEVICE C computed(S element) {
  if constexpr (kIsTruth<S>)
    return static_cast<C>(element.byte != 0);
  else if constexpr (__is_same(S, tile::f16) || __is_same(S, tile::bf16))
    return static_cast<C>(static_cast<float>(element));
  else
    return static_cast<C>(element);
}

template <class S, class C>
TILE_DEVICE S stored(C number) {
  constexpr bool kIsFloat = __is_same(C, float) || __is_same(C, double);
  if constexpr (kIsTruth<S>)
    return Truth{static_cast<tile::u8>(number != 0)};
  else if constexpr (__is_same(S, tile::f16) || __is_same(S, tile::bf16))
    return static_cast<S>(static_cast<float>(number));
  else if constexpr (kIsFloat && sizeof(S) < 4)
    return static_cast<S>(static_cast<int>(number));
  else
    return static_cast<S>(number);
}

/// Calls with a number of the type that elements have; `C` decides which ones there can be.
template <class C, bool kStores, class Visit>
TILE_DEVICE void of_type(int type, Visit visit) {
  switch (static_cast<Number>(tile::arch::late(type))) {
    case WAVESMITH_POINTWISE_BOOL:
      return visit(Truth());
    case WAVESMITH_POINTWISE_U8:
      return visit(tile::u8());
    case WAVESMITH_POINTWISE_I8:
      return visit(tile::i8());
    case WAVESMITH_POINTWISE_I16:
      return visit(short());
    case WAVESMITH_POINTWISE_I32:
      return visit(int());
    case WAVESMITH_POINTWISE_I64:
      return visit(tile::i64());
    default:
      break;
  }
  if constexpr (kStores || !__is_same(C, tile::i64)) {
    switch (static_cast<Number>(tile::arch::late(type))) {
      case WAVESMITH_POINTWISE_F16:
        return visit(tile::f16());
      case WAVESMITH_POINTWISE_BF16:
        return visit(tile::bf16());
      case WAVESMITH_POINTWISE_F64:
        return visit(double());
      default:
        return visit(float());
    }
  }
}

/// What elements of a type are loaded and stored as.
template <class S>
struct Raw {
  using Type = S;
};
template <>
struct Raw<Truth> {
  using Type = tile::u8;
};

template <class C, class S>
TILE_DEVICE C of_raw(typename Raw<S>::Type raw) {
  if constexpr (kIsTruth<S>)
    return computed<C>(Truth{raw});
  else
    return computed<C>(raw);
}
template <class S, class C>
TILE_DEVICE typename Raw<S>::Type as_raw(C number) {
  if constexpr (kIsTruth<S>)
    return stored<Truth>(number).byte;
  else
    return stored<S>(number);
}

}  // namespace detail

template <class C>
TILE_DEVICE C load_element(tile::u64 address, int type) {
  if constexpr (kIsComplex<C>) {
    using T = decltype(C::re);
    if (tile::arch::late(type) == WAVESMITH_POINTWISE_C64)
      return {static_cast<T>(tile::arch::load_at<float>(address)),
              static_cast<T>(tile::arch::load_at<float>(address + 4))};
    if (tile::arch::late(type) == WAVESMITH_POINTWISE_C128)
      return {static_cast<T>(tile::arch::load_at<double>(address)),
              static_cast<T>(tile::arch::load_at<double>(address + 8))};
    return {load_element<T>(address, type), T()};
  } else {
    C number{};
    detail::of_type<C, false>(type, [&]<class S>(S) {
      number = detail::of_raw<C, S>(tile::arch::load_at<typename detail::Raw<S>::Type>(address));
    });
    return number;
  }
}

template <class C>
TILE_DEVICE void store_element(tile::u64 address, int type, C number) {
  if constexpr (kIsComplex<C>) {
    if (tile::arch::late(type) == WAVESMITH_POINTWISE_C64) {
      tile::arch::store_at(address, static_cast<float>(number.re));
      tile::arch::store_at(address + 4, static_cast<float>(number.im));
    } else if (tile::arch::late(type) == WAVESMITH_POINTWISE_C128) {
      tile::arch::store_at(address, static_cast<double>(number.re));
      tile::arch::store_at(address + 8, static_cast<double>(number.im));
    } else {
      store_element(address, type, number.re);
    }
  } else {
    detail::of_type<C, true>(type,
                             [&]<class S>(S) { tile::arch::store_at(address, detail::as_raw<S>(number)); });
  }
}

/// Elements that follow each other, aligned to all of their bytes or to 16.
template <class C, int kCount>
TILE_DEVICE void load_elements(C (&numbers)[kCount], tile::u64 address, int type) {
  detail::of_type<C, false>(type, [&]<class S>(S) {
    const auto raw = tile::arch::load_at<tile::Vector<typename detail::Raw<S>::Type, kCount>>(address);
    TILE_UNROLL for (int i = 0; i < kCount; ++i) numbers[i] = detail::of_raw<C, S>(raw[i]);
  });
}

/// Elements at any addresses, whose loads are under way together.
template <class C, int kCount>
TILE_DEVICE void load_apart(C (&numbers)[kCount], const tile::u64 (&addresses)[kCount], int type) {
  detail::of_type<C, false>(type, [&]<class S>(S) {
    typename detail::Raw<S>::Type raw[kCount];
    TILE_UNROLL for (int i = 0; i < kCount; ++i) raw[i] =
        tile::arch::load_at<typename detail::Raw<S>::Type>(addresses[i]);
    TILE_UNROLL for (int i = 0; i < kCount; ++i) numbers[i] = detail::of_raw<C, S>(raw[i]);
  });
}

template <class C, int kCount>
TILE_DEVICE void store_elements(tile::u64 address, int type, const C (&numbers)[kCount]) {
  detail::of_type<C, true>(type, [&]<class S>(S) {
    tile::Vector<typename detail::Raw<S>::Type, kCount> raw;
    TILE_UNROLL for (int i = 0; i < kCount; ++i) raw[i] = detail::as_raw<S>(numbers[i]);
    tile::arch::store_at(address, raw);
  });
}

}  // namespace wavesmith::kernels
