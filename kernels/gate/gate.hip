#include "kernels/gate/gate.h"

using namespace wavesmith::kernels;

#define THREADS TILE_THREADS(kRowThreads)

TILE_KERNEL THREADS void gate(GateArguments arguments) { gate_eights(arguments); }

#define KERNEL(lanes, parts, aligned, name, why)                              \
  TILE_KERNEL THREADS void gate_##name(GateArguments arguments) {             \
    gate_rows<tile::RowShape<kRowThreads, lanes, parts, aligned>>(arguments); \
  }
WAVESMITH_ROW_CONFIGURATIONS(KERNEL)
