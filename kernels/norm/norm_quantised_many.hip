#include "kernels/norm/quantised_kernel.h"

WAVESMITH_ROWS_OF_MANY(WAVESMITH_NORM_QUANTISED)
