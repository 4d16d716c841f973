#include "study/sweep/knob_trial.h"

#include <algorithm>

#include "base/hash.h"

namespace wavesmith::study {
namespace {

using analysis::kNone;

}  // namespace

double weight_of(const analysis::KernelAnalysis& kernel) {
  const std::vector<double> counts = executions(kernel);
  double sum = 0;
  for (size_t i = 0; i < counts.size(); ++i) sum += counts[i] * cost_of(kernel.instructions[i]);
  return sum;
}

void judge(const ComparedKernel& baseline, Trial& trial, const gpus::Gpu& gpu) {
  const Comparison comparison = compare(baseline, {&*trial.kernel, &gpu});
  trial.verdict = comparison.verdict;
  if (comparison.hot == kNone) {
    const double before = weight_of(*baseline.kernel);
    if (baseline.kernel->loops.empty() && before > 0) trial.static_time = weight_of(*trial.kernel) / before;
    return;
  }
  const LoopPair& pair = comparison.loops[comparison.hot];
  if (pair.b == kNone) return;
  const auto a = loop_time(*baseline.kernel, baseline.kernel->loops[pair.a]),
             b = loop_time(*trial.kernel, trial.kernel->loops[pair.b]);
  if (a && b &&
      comparable(*baseline.kernel, baseline.kernel->loops[pair.a], *trial.kernel,
                 trial.kernel->loops[pair.b]))
    trial.static_time = b->cycles / comparison.work / a->cycles;
}

bool same_code(const analysis::KernelAnalysis& a, const analysis::KernelAnalysis& b) {
  return a.resources.vgprs_total == b.resources.vgprs_total &&
         a.resources.lds_bytes == b.resources.lds_bytes &&
         std::equal(a.instructions.begin(), a.instructions.end(), b.instructions.begin(),
                    b.instructions.end(), [](const auto& x, const auto& y) { return x.text == y.text; });
}

uint64_t hash_of_functions(const object::CodeObject& object) {
  Hash hash;
  for (const object::Routine& routine : object.routines())
    if (!object.kernel(routine.name)) hash.add(object.at(routine.address, routine.size));
  return hash.value();
}

uint64_t hash_of(const analysis::KernelAnalysis& kernel, uint64_t before) {
  Hash hash(before);
  for (const auto& instruction : kernel.instructions) hash.add(instruction.text);
  return hash.value();
}

}  // namespace wavesmith::study
