#include "kernels/linalg/eigenvalues.h"
#include "kernels/linalg/kernels.h"
#include "kernels/linalg/singular_values.h"
#include "kernels/pointwise/argument.h"

using namespace wavesmith::kernels;

LINALG_KERNEL(eigenvalues, f32) {
  TILE_SHARED static EigenvaluesShared<float> shared;
  eigenvalues<float>(argument_in_place(arguments), (TILE_IN_SHARED EigenvaluesShared<float>&)shared);
}
LINALG_KERNEL(singular_values, f32) {
  TILE_SHARED static SingularValuesShared<float> shared;
  singular_values<float>(argument_in_place(arguments), (TILE_IN_SHARED SingularValuesShared<float>&)shared);
}
