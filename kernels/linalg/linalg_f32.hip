#include "kernels/linalg/kernels.h"
#include "kernels/pointwise/argument.h"

using namespace wavesmith::kernels;

LINALG_KERNELS(f32, float)
