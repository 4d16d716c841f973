#include "kernels/norm/quantised_kernel.h"

WAVESMITH_ROWS_OF_FEW(WAVESMITH_NORM_QUANTISED)
