// Implementations that translators use for micro-operations of their own, found by what their rows say.
#pragma once

#include "emulate/engine/handlers.h"

namespace wavesmith::emulate {

/// Copies a value of a type: once a wave (Shape::Scalar), or in the lanes of EXEC (Shape::Lane).
const Implementation& copy_of(isa::Shape shape, isa::Type type);

/// Moves 4, 8, 12 or 16 bytes of each lane at the addresses that were made before: a load, a store, or an
/// atomic that exchanges.
const Implementation& access_of(isa::Direction direction, int bytes);

}  // namespace wavesmith::emulate
