#include "validate/family.h"

namespace wavesmith::validate {

std::span<const Family> families() {
  static const std::vector<Family> all{
      {"gemm",
       "matrix multiplication, tuned and published kernels",                 {TableKind::Tensile, TableKind::Published},
       judge_gemm },
      {"issue",
       "cycles at which instructions issue, against hardware thread traces", {TableKind::IssueCycles},
       judge_issue},
  };
  return all;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families())
    if (family.name == name) return &family;
  return nullptr;
}

}  // namespace wavesmith::validate
