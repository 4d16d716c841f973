#include "validate/families/family.h"

namespace wavesmith::validate {

std::span<const Family> families() {
  static const std::vector<Family> all{
      {"gemm",
       "matrix multiplication, tuned and published kernels",
       {TableKind::Tensile, TableKind::Published},
       judge_gemm},
      {"issue",
       "cycles at which instructions issue, against hardware thread traces",
       {TableKind::IssueCycles},
       judge_issue},
      {"attention", "attention, forward, backward, decoding", {TableKind::Published}, judge_attention},
      {"norm", "normalisation and softmax", {TableKind::Published}, judge_norm},
      {"moe", "mixtures of experts", {TableKind::Published}, judge_moe},
      {"memory_bound", "element-wise kernels, streams, copies", {TableKind::Published}, judge_memory_bound},
      {"collectives", "all-reduce over the links of a node", {TableKind::Published}, judge_collectives},
      {"mi300a", "fourteen programs' event times under modelled time", {TableKind::Mi300a}, judge_mi300a},
      {"profile",
       "the cycle model on the same programs, and on steps of fp8 GEMM",
       {TableKind::Mi300a},
       judge_profile},
      {"tensile_kernels",
       "the cycle model on rocBLAS's own kernels",
       {TableKind::TensileKernels},
       judge_tensile_kernels},
      {"statistics",
       "statistics of rocprofv3's thread traces",
       {TableKind::ThreadStatistics},
       judge_statistics},
      {"convolution", "convolutions", {TableKind::Published}, judge_convolution},
  };
  return all;
}

const Family* find_family(std::string_view name) {
  for (const Family& family : families())
    if (family.name == name) return &family;
  return nullptr;
}

}  // namespace wavesmith::validate
