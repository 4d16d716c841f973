// Factorisations of matrices, triangular systems, eigenvalues and singular values: estimates, never compared
// with measurements. Blocks of columns follow one another as in rocSOLVER: each costs its columns, which wait
// for one another, and a matrix multiplication that updates the rest.
#pragma once

#include <optional>
#include <string_view>

#include "base/result.h"
#include "gpus/gpu.h"
#include "model/number_type.h"
#include "model/prediction.h"

namespace wavesmith::model {

/// Factorisations by LAPACK's names. Trsm: a triangle of m rows and n right sides. Orgqr, Ormqr: k
/// reflections of m rows, applied to n columns. Sytrd, Syev: of n rows.
enum class Factorisation : uint8_t { Potrf, Getrf, Geqrf, Orgqr, Ormqr, Trsm, Sytrd, Syev, Gesvd };
std::optional<Factorisation> factorisation(std::string_view name);

struct FactorisationProblem {
  Factorisation what = Factorisation::Getrf;
  double m = 0, n = 0, k = 0;
  double batch = 1;
  NumberType type = NumberType::F32;  ///< F32, F64, C32 or C64
  bool vectors = false;               ///< eigenvectors or singular vectors, too
};

/// Error: a size that is 0.
Result<Prediction> predict_factorisation(const gpus::Gpu& gpu, const FactorisationProblem& problem,
                                         const Conditions& conditions = {});

}  // namespace wavesmith::model
