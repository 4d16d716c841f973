#include <algorithm>

#include "isa/control/row.h"
#include "isa/cost/generation.h"

namespace wavesmith::isa::cost_detail {

/// By name: what LLVM's SIInstrInfo and VOP*Instructions.td give the schedule classes WriteTrans32,
/// WriteQuarterRate32, WriteIntMul, Write64Bit, WriteDouble*.
Rate rate_of(const Instruction& instruction, const Row* row) {
  const std::string_view name = instruction.mnemonic;
  const auto starts = [&](std::initializer_list<std::string_view> all) {
    return std::any_of(all.begin(), all.end(), [&](std::string_view s) { return name.starts_with(s); });
  };
  const auto has = [&](std::string_view part) { return name.find(part) != std::string_view::npos; };
  if (!row) {
    const ControlRow* const control = find_control(name);
    return control && control->facts.quarter ? Rate::Quarter : Rate::Plain;
  }
  if (row->facts.issue == Issue::Transcendental)
    return name.ends_with("_f64") ? Rate::WideTranscendental : Rate::Transcendental;
  if (starts({"v_mad_u64_u32", "v_mad_i64_i32", "v_mad_co_", "v_mad_nc_"}) ||
      starts({"v_mul_lo_u32", "v_mul_lo_i32", "v_mul_hi_u32", "v_mul_hi_i32"}))
    return Rate::Multiply;
  if (starts({"v_permlane16_swap", "v_permlane32_swap"})) return Rate::Swap;
  if (starts({"v_qsad", "v_mqsad_pk", "v_mullit"})) return Rate::Quarter;
  if (has("_f64")) {
    if (starts({"v_pk_"})) return Rate::Double;
    return Rate::Double;
  }
  if (has("b64") || has("i64") || has("u64")) return starts({"v_cmp"}) ? Rate::Plain : Rate::Wide;
  if (starts({"v_cvt_"})) return Rate::Convert;
  return Rate::Plain;
}

}  // namespace wavesmith::isa::cost_detail
