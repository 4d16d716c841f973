#include "kernels/norm/quantised_kernel.h"

WAVESMITH_ROWS_READ_AGAIN(WAVESMITH_NORM_QUANTISED)
