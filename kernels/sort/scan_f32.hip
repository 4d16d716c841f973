#include "kernels/sort/scan.h"

using namespace wavesmith::kernels;

SCAN_KERNELS(f32, float)
