// Losses with margins: each thread looks at the targets of its row, and the gradient of a target at the row's
// classes, so that no thread waits for another.
#pragma once

#include "kernels/loss/margin_arguments.h"
#include "kernels/pointwise/elements.h"

namespace wavesmith::kernels {

/// A class of a row, and what there is of the row.
template <class C>
struct MarginPlace {
  const MarginArguments& g;
  tile::u32 element, row, own;

  TILE_DEVICE explicit MarginPlace(const MarginArguments& g_)
      : g(g_),
        element(static_cast<tile::u32>(tile::arch::workgroup_id()) * kMarginThreads +
                static_cast<tile::u32>(tile::arch::thread_id())),
        row(g.classes.quotient(element)),
        own(element - row * g.classes.divisor) {}

  TILE_DEVICE C number(const void* data, tile::u32 at) const {
    return load_element<C>(address(data, at, g.type), g.type);
  }
  TILE_DEVICE void store(void* data, int type, C value) const {
    store_element(address(data, element, type), type, value);
  }
  TILE_DEVICE C x(tile::u32 of) const { return number(g.x, row * g.classes.divisor + of); }
  TILE_DEVICE C excess(C of_target, C of_class) const {
    const C e = static_cast<C>(g.margin) - of_target + of_class;
    return e > 0 ? e : C(0);
  }
  /// The row's only target.
  TILE_DEVICE tile::u32 target() const {
    const tile::i64 at = tile::arch::load_global_as<long>(g.targets, row);
    if (at < 0 || at >= g.classes.divisor) __builtin_trap();
    return static_cast<tile::u32>(at);
  }
  TILE_DEVICE C weight(tile::u32 of) const { return g.weights ? number(g.weights, of) : C(1); }
  /// Calls with each of several.
  template <class Visit>
  TILE_DEVICE void each_target(Visit visit) const {
    TILE_KEEP_LOOP for (tile::u32 k = 0; k < g.classes.divisor; ++k) {
      const tile::i64 at =
          tile::arch::load_global_as<long>(g.targets, static_cast<long>(row) * g.classes.divisor + k);
      if (at < 0) return;
      if (at >= g.classes.divisor) __builtin_trap();
      visit(static_cast<tile::u32>(at));
    }
  }

 private:
  TILE_DEVICE static tile::u64 address(const void* data, tile::u32 at, int type) {
    return reinterpret_cast<tile::u64>(data) +
           static_cast<tile::u64>(at) * bytes_of(static_cast<Number>(tile::arch::late(type)));
  }
};

template <class C>
TILE_DEVICE C loss_of_one(const MarginPlace<C>& place) {
  const tile::u32 target = place.target();
  if (place.own == target) return 0;
  const C e = place.excess(place.x(target), place.x(place.own));
  return (place.g.squares ? e * e : e) * place.weight(target);
}

template <class C>
TILE_DEVICE C loss_of_several(const MarginPlace<C>& place) {
  bool is_target = false;
  place.each_target([&](tile::u32 target) { is_target = is_target || target == place.own; });
  place.store(place.g.is_target, place.g.type, is_target ? C(1) : C(0));
  C sum = 0;
  if (!is_target) {
    const C own = place.x(place.own);
    place.each_target([&](tile::u32 target) { sum += place.excess(place.x(target), own); });
  }
  return sum;
}

template <class C>
TILE_DEVICE void margin(const MarginArguments& g) {
  const MarginPlace<C> place(g);
  if (place.element >= g.elements) return;
  const C loss = tile::arch::late(g.several) ? loss_of_several(place) : loss_of_one(place);
  place.store(g.y, g.y_type, loss * static_cast<C>(g.factor));
}

template <class C>
TILE_DEVICE C slope_of_one(const MarginPlace<C>& place) {
  const tile::u32 target = place.target();
  const C of_target = place.x(target);
  const auto slope = [&](tile::u32 of) {
    const C e = place.excess(of_target, place.x(of));
    return place.g.squares ? 2 * e : e > 0 ? C(1) : C(0);
  };
  C sum = 0;
  if (place.own != target) {
    sum = slope(place.own);
  } else {
    TILE_KEEP_LOOP for (tile::u32 j = 0; j < place.g.classes.divisor; ++j) sum -=
        j == target ? C(0) : slope(j);
  }
  return sum * place.weight(target);
}

template <class C>
TILE_DEVICE C slope_of_several(const MarginPlace<C>& place) {
  const C own = place.x(place.own);
  int times = 0, near = 0;  // how often it is a target, and to how many targets it is too near
  place.each_target([&](tile::u32 target) {
    times += target == place.own;
    near += place.excess(place.x(target), own) > 0;
  });
  const tile::u32 first = place.row * place.g.classes.divisor;
  const auto is_target = [&](tile::u32 of) { return place.number(place.g.is_target, first + of) != 0; };
  int behind = 0;
  if (times > 0) {
    TILE_KEEP_LOOP for (tile::u32 j = 0; j < place.g.classes.divisor; ++j) {
      if (!is_target(j)) behind += place.excess(own, place.x(j)) > 0;
    }
  }
  return static_cast<C>(is_target(place.own) ? 0 : near) - static_cast<C>(times) * static_cast<C>(behind);
}

template <class C>
TILE_DEVICE void margin_gradient(const MarginArguments& g) {
  const MarginPlace<C> place(g);
  if (place.element >= g.elements) return;
  const C slope = tile::arch::late(g.several) ? slope_of_several(place) : slope_of_one(place);
  const C upstream = place.number(g.upstream, g.has_one_upstream ? 0 : place.row);
  place.store(g.y, g.y_type, slope * static_cast<C>(g.factor) * upstream);
}

}  // namespace wavesmith::kernels
