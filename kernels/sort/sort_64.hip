#include "kernels/sort/sort_kernels.h"

using namespace wavesmith::kernels;

SORT_KERNELS(64, tile::u64)
