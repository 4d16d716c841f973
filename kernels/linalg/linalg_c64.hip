#include "kernels/linalg/kernels.h"
#include "kernels/pointwise/argument.h"

using namespace wavesmith::kernels;

LINALG_KERNELS(c64, Complex<float>)
