#include "model/elementwise.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "model/constants.h"
#include "model/judged.h"
#include "model/traffic.h"

namespace wavesmith::model {

double lanes_of(ElementwiseFunction function) {
  switch (function) {
    case ElementwiseFunction::Copy:
      return 4;
    case ElementwiseFunction::Add:
      return 6;
    case ElementwiseFunction::Divide:
      return 16;
    case ElementwiseFunction::Transcendental:
      return constant::kTranscendentalLanes;
    case ElementwiseFunction::Power:
      return constant::kPowerLanes;
  }
  return 6;
}

ElementwiseProblem elementwise(double elements, uint32_t operands, NumberType type,
                               ElementwiseFunction function) {
  return {.elements = elements,
          .read = elements * operands * bytes_of(type),
          .written = elements * bytes_of(type),
          .operands = operands,
          .function = function};
}

Result<Prediction> predict_elementwise(const gpus::Gpu& gpu, const ElementwiseProblem& problem,
                                       const Conditions& conditions) {
  const double bytes = problem.read + problem.written;
  if (!(problem.elements > 0) || !(bytes > 0))
    return fail(ErrorKind::BadInput, "nothing to do: no elements", {}, "every size is at least 1");
  Prediction result;
  result.clock_mhz = conditions.clock_mhz.value_or(gpu.engine_mhz);
  const double hertz = result.clock_mhz * 1e6;

  Traffic traffic{.read = problem.read,
                  .written = problem.written,
                  .streams = problem.operands + (problem.written > 0 ? 1u : 0u),
                  .warm = !conditions.cold,
                  .threads = problem.elements / 4,
                  .after_idle = conditions.timing == Conditions::Timing::Events};
  if (problem.strided) {  // half of each line that is fetched is used, with neighbours' help from L2
    traffic.read *= 2;
    result.notes.emplace_back(
        "strided on one side: each line is fetched about twice; through LDS it would be once");
  }
  const TrafficTime memory = traffic_time(gpu, traffic, hertz);
  const double vector_rate = static_cast<double>(gpu.compute_units) * gpu.vector_lanes * hertz;
  const double lanes = lanes_of(problem.function) + (problem.indexed ? constant::kIndexedLanes.value() : 0.0);
  const double vector = problem.elements * lanes / vector_rate;
  const double start =
      kernel_seconds(gpu, conditions.timing) + (problem.reduces ? constant::kReduceSeconds.value() : 0.0);
  const double work = together({memory.seconds, vector});
  result.seconds = start + work;
  result.flops = problem.elements;
  result.bytes = bytes;
  result.levels = memory.levels;
  result.bound = start > work                        ? "launch"
                 : vector > memory.seconds           ? "vector"
                 : memory.latency > memory.bandwidth ? "latency"
                                                     : memory.level;
  result.parts = {{"memory", memory.seconds, work - vector > 0 ? std::min(work, memory.seconds) : 0},
                  {"vector instructions", vector, std::max(0.0, work - memory.seconds)},
                  {"launch", start, start}};
  result.confidence = memory.unknown ? Confidence::Low : Confidence::High;
  if (memory.unknown)
    result.notes.emplace_back(
        "a latency or bandwidth of this GPU was never published; its generation's is assumed");
  if (memory.latency > memory.bandwidth)
    result.notes.push_back(fmt::format(
        "too few bytes are under way to fill {}: {:.0f} % of its bandwidth; more or wider loads a work-item "
        "would help",
        memory.level, 100 * memory.bandwidth / memory.seconds));
  if (traffic.after_idle && gpu.sustained_after_idle)
    result.notes.push_back(
        fmt::format("the GPU was idle before: its memory then moves {:.0f} GB/s", *gpu.sustained_after_idle));
  result.judged = find_judged("memory_bound", gpu);
  finish(result);
  return result;
}

}  // namespace wavesmith::model
