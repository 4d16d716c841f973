// One setting of the compiler tried on one kernel, and how its code compares with others'.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "object/code_object.h"
#include "study/analysed.h"
#include "study/compare.h"
#include "study/sweep/knobs.h"

namespace wavesmith::study {

/// What one setting made of one kernel.
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

/// What a kernel's instructions cost in all, each as often as it is expected to be executed.
double weight_of(const analysis::KernelAnalysis& kernel);

/// The baseline's hot loop against the trial's, for the same work; without loops, all instructions.
void judge(const ComparedKernel& baseline, Trial& trial, const gpus::Gpu& gpu);

/// The same instructions, registers and LDS.
bool same_code(const analysis::KernelAnalysis& a, const analysis::KernelAnalysis& b);

/// Code that is no kernel's own: functions that kernels call.
uint64_t hash_of_functions(const object::CodeObject& object);
/// The hash, with a kernel's instructions behind it.
uint64_t hash_of(const analysis::KernelAnalysis& kernel, uint64_t before);

}  // namespace wavesmith::study
