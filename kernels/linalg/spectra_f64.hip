#include "kernels/linalg/eigenvalues.h"
#include "kernels/linalg/kernels.h"
#include "kernels/linalg/singular_values.h"
#include "kernels/pointwise/argument.h"

using namespace wavesmith::kernels;

LINALG_KERNEL(eigenvalues, f64) {
  TILE_SHARED static EigenvaluesShared<double> shared;
  eigenvalues<double>(argument_in_place(arguments), (TILE_IN_SHARED EigenvaluesShared<double>&)shared);
}
LINALG_KERNEL(singular_values, f64) {
  TILE_SHARED static SingularValuesShared<double> shared;
  singular_values<double>(argument_in_place(arguments), (TILE_IN_SHARED SingularValuesShared<double>&)shared);
}
