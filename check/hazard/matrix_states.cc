#include "check/hazard/matrix_states.h"

namespace wavesmith::check::hazard {
namespace {

/// V_MFMA_F64_4X4X4; the other one of F64 is 16x16x4.
bool is_small_double(const Parts& parts) { return parts.unit == MatrixUnit::Double && parts.passes == 4; }

/// On CDNA4 one more than on CDNA3, but for the shortest.
int extra(const Parts& first, const isa::Target& target) {
  return target.is(isa::kCdna4) && first.passes != 2 ? 1 : 0;
}

/// Until D is in its registers: of a unit other than F64's.
int states_to_registers(const Parts& first, const isa::Target& target) {
  return first.unit == MatrixUnit::Single ? first.passes + 2 : first.passes + 3 + extra(first, target);
}

int states_to_overlapped_c(const Parts& first, const Parts& second, const isa::Target& target) {
  if (first.unit == MatrixUnit::Double) {
    if (second.unit == MatrixUnit::Xdl) return 0;
    if (is_small_double(first)) return 4;
    return target.is(isa::kCdna4) ? 17 : 9;
  }
  if (target.is(isa::kCdna2)) return first.passes + (second.unit == MatrixUnit::Double ? 1 : 0);
  if (first.unit == MatrixUnit::Single) return second.unit == MatrixUnit::Xdl ? 0 : first.passes;
  if (second.unit == MatrixUnit::Xdl) return first.passes + (target.is(isa::kCdna4) ? 2 : 1);
  return first.passes + 1 + extra(first, target);
}

}  // namespace

int states_to_c(const Parts& first, const Parts& second, const isa::Target& target) {
  if (target.is(isa::kCdna2) && first.unit == MatrixUnit::Double && second.unit != MatrixUnit::Double)
    return 0;
  if (first.d != second.c) return states_to_overlapped_c(first, second, target);
  if (is_small_double(first) && is_small_double(second)) return 4;
  // Others forward it; of the shortest the second one would come too early.
  return !target.is(isa::kCdna2) && first.unit == MatrixUnit::Xdl && first.passes == 2 ? 2 : 0;
}

int states_to_ab(const Parts& first, const isa::Target& target) {
  if (is_small_double(first)) return 6;
  if (first.unit == MatrixUnit::Double) return target.is(isa::kCdna4) ? 19 : 11;
  return states_to_registers(first, target);
}

int states_to_reader(const Parts& first, const Parts& second, const isa::Target& target) {
  if (is_small_double(first)) return second.memory ? 9 : 6;
  if (first.unit == MatrixUnit::Double) {
    if (second.memory) return 18;
    return target.is(isa::kCdna4) ? 19 : 11;
  }
  return states_to_registers(first, target);
}

int practised_to_reader(const Parts& first, const Parts& second, const isa::Target& target) {
  const int asked = states_to_reader(first, second, target);
  if (second.memory || first.unit != MatrixUnit::Xdl) return asked;
  // rocBLAS 5 has one fewer for CDNA2, as for the generation before; AITER 0.1.7 has the passes for the
  // others.
  return target.is(isa::kCdna2) ? asked - 1 : first.passes;
}

int states_to_writer(const Parts& first, const isa::Target& target) {
  if (is_small_double(first)) return 6;
  if (first.unit == MatrixUnit::Double) return 11;
  return states_to_registers(first, target);
}

int states_from_c(const Parts& first, const isa::Target& target) {
  if (first.unit == MatrixUnit::Double) return 0;
  if (!target.is(isa::kCdna2) && first.unit != MatrixUnit::Xdl) return 0;
  return first.passes - 1;
}

}  // namespace wavesmith::check::hazard
