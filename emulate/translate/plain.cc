#include "emulate/translate/plain.h"

#include <algorithm>
#include <array>

namespace wavesmith::emulate {
namespace {

using isa::Direction;

/// The first of the engine's implementations whose row is as asked; every row that is asked for exists.
template <class Fits>
const Implementation& first(Fits fits) {
  const auto all = engine().implementations;
  return *std::find_if(all.begin(), all.end(),
                       [&](const Implementation& implementation) { return fits(implementation.row); });
}

bool moves(const isa::Row& row, Direction direction, int bytes) {
  const isa::Access access{direction, static_cast<uint8_t>(bytes), static_cast<uint8_t>(bytes / 4)};
  return row.shape == isa::Shape::Memory && row.access == access && !row.facts.by_lane &&
         row.facts.exchanges == (direction == Direction::Atomic);
}

}  // namespace

const Implementation& copy_of(isa::Shape shape, isa::Type type) {
  return first([&](const isa::Row& row) {
    return row.shape == shape && row.facts.copies && row.roles[0].type == type;
  });
}

const Implementation& access_of(Direction direction, int bytes) {
  constexpr int kWidths = 4;
  using Widths = std::array<const Implementation*, kWidths>;
  static const std::array<Widths, 3> known = [] {
    std::array<Widths, 3> table{};
    for (const Direction each : {Direction::Load, Direction::Store, Direction::Atomic})
      for (int width = 1; width <= (each == Direction::Atomic ? 2 : kWidths); ++width)
        table[static_cast<size_t>(each) - 1][static_cast<size_t>(width) - 1] =
            &first([&](const isa::Row& row) { return moves(row, each, 4 * width); });
    return table;
  }();
  return *known[static_cast<size_t>(direction) - 1][static_cast<size_t>(bytes / 4) - 1];
}

}  // namespace wavesmith::emulate
