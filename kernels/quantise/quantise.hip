#include "kernels/quantise/dequantise.h"

using namespace wavesmith::kernels;

#define THREADS TILE_THREADS(kRowThreads)

#define KERNEL(lanes, parts, aligned, name, why)                                  \
  TILE_KERNEL THREADS void quantise_##name(QuantiseArguments arguments) {         \
    quantise_rows<tile::RowShape<kRowThreads, lanes, parts, aligned>>(arguments); \
  }
WAVESMITH_ROW_CONFIGURATIONS(KERNEL)

TILE_KERNEL THREADS void quantise_eights(QuantiseArguments arguments) {
  wavesmith::kernels::quantise_eights(arguments);
}
TILE_KERNEL THREADS void quantise_largest(QuantiseArguments arguments) {
  wavesmith::kernels::quantise_largest(arguments);
}
TILE_KERNEL THREADS void quantise_mx(QuantiseArguments arguments) {
  wavesmith::kernels::quantise_mx(arguments);
}
TILE_KERNEL THREADS void dequantise(QuantiseArguments arguments) {
  wavesmith::kernels::dequantise(arguments);
}
