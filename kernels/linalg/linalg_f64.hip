#include "kernels/linalg/kernels.h"
#include "kernels/pointwise/argument.h"

using namespace wavesmith::kernels;

LINALG_KERNELS(f64, double)
