#include "timing/grid/engine_clock.h"

#include <fmt/format.h>

#include <algorithm>

namespace wavesmith::timing {

void add_matrix_work(gpus::Activity& activity, std::string_view mnemonic, double flops, double cycles) {
  const auto has = [&](std::string_view part) { return mnemonic.find(part) != mnemonic.npos; };
  // v_mfma_f32_32x32x8_f16: behind the result's type and the shape.
  const size_t shape = std::min(mnemonic.find('x'), mnemonic.size());
  const std::string_view operands = mnemonic.substr(shape);
  const auto takes = [&](std::string_view type) { return operands.find(type) != operands.npos; };
  constexpr double kEightBits = 2048;  // FLOP a clock of a SIMD of CDNA4
  if (takes("f8f6f4") && flops > kEightBits * cycles && cycles > 0) flops /= 2;
  if (has("bf16") || takes("xf32"))
    activity.matrix_bf16 += flops;
  else if (takes("f16"))
    activity.matrix_f16 += flops;
  else if (takes("fp8") || takes("bf8") || takes("f8f6f4") || takes("i8") || takes("iu8") || takes("iu4") ||
           takes("i4"))
    activity.matrix_f8 += flops;
}

EngineClock engine_clock(const gpus::Gpu& gpu, const gpus::Activity& work, double clocks) {
  EngineClock clock{static_cast<double>(gpu.engine_mhz), false, gpus::Kind::Read, "the peak"};
  const double flops = work.matrix_f16 + work.matrix_bf16 + work.matrix_f8;
  if (clocks <= 0 || flops <= 0) {
    clock.why += ": no matrix work that would draw the power";
    return clock;
  }
  const gpus::Activity a_clock{work.matrix_f16 / clocks, work.matrix_bf16 / clocks, work.matrix_f8 / clocks,
                               0};
  gpus::Clock found = gpus::clock_under_power(gpu, a_clock);
  if (found.kind == gpus::Kind::Read) found = gpus::clock_of_full_pipes(gpu, a_clock);
  if (found.mhz > 0) clock.mhz = found.mhz;
  clock.limited = found.limited;
  clock.kind = found.kind;
  if (found.kind == gpus::Kind::Read)
    clock.why += ": what its matrix work draws is not known";
  else if (found.limited)
    clock.why = fmt::format("power-limited: {} W at {:.4g} TFLOP/s of matrix work", gpu.watts,
                            flops / clocks * clock.mhz * 1e-6);
  else
    clock.why += fmt::format(": {} W allow it", gpu.watts);
  return clock;
}

}  // namespace wavesmith::timing
