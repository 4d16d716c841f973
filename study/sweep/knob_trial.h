// One compiler setting tried on one kernel, and the comparison of its code with others'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "object/code_object.h"
#include "study/analysed.h"
#include "study/compare.h"
#include "study/sweep/knobs.h"

namespace wavesmith::study {

/// The result of one setting for one kernel.
struct Trial {
  Knob knob;
  std::string failure;  ///< of the compiler; empty: it compiled
  double seconds = 0;   ///< to compile
  std::optional<analysis::KernelAnalysis> kernel;
  uint64_t code = 0;       ///< a hash of all code in the object but that of kernels
  uint32_t same_as = 0;    ///< index of the first trial with the same code; itself where it is the first
  double static_time = 0;  ///< the hot loop's for the baseline's work, the baseline is 1; 0: not known
  std::optional<double> kernel_seconds;  ///< modelled by simulation, of all launches of what is swept
  std::string refused;                   ///< why there is none; or what it changed of the program's results
  bool changed = false;
  double time = 0;  ///< what it is ranked by, the baseline is 1: simulated, or static; 0: not known
  std::string verdict;
};

/// The total cost of a kernel's instructions, weighted by their expected executions.
double weight_of(const analysis::KernelAnalysis& kernel);

/// Compares the trial's hot loop with the baseline's for the same work; without loops, all instructions.
void judge(const ComparedKernel& baseline, Trial& trial, const gpus::Gpu& gpu);

/// Whether instructions, registers and LDS are the same.
bool same_code(const analysis::KernelAnalysis& a, const analysis::KernelAnalysis& b);

/// A hash of the functions that kernels call.
uint64_t hash_of_functions(const object::CodeObject& object);
/// Continues the hash with a kernel's instructions.
uint64_t hash_of(const analysis::KernelAnalysis& kernel, uint64_t before);

}  // namespace wavesmith::study
