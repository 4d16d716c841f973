#include "kernels/sort/scan.h"

using namespace wavesmith::kernels;

SCAN_KERNELS(i64, tile::i64)
