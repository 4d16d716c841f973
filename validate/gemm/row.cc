#include "validate/gemm/row.h"

#include <fmt/format.h>

namespace wavesmith::validate {

std::string label(const GemmRow& row) {
  const model::GemmProblem& p = row.problem;
  std::string text = fmt::format("{} {} {}x{}x{}", row.library, model::name_of(p.a), p.m, p.n, p.k);
  if (p.batch > 1) text += fmt::format(" batch {}", p.batch);
  if (row.kernel)
    text += fmt::format(" tile {}x{}x{}", row.kernel->tile_m, row.kernel->tile_n, row.kernel->tile_k);
  if (row.kernel && row.kernel->split_k > 1) text += fmt::format(" split {}", row.kernel->split_k);
  return text;
}

}  // namespace wavesmith::validate
