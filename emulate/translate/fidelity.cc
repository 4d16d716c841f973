#include "emulate/translate/fidelity.h"

#include <array>

#include "emulate/engine/handlers.h"
#include "isa/control/row.h"
#include "isa/effects.h"
#include "isa/llvm/mnemonics.h"

namespace wavesmith::emulate {
namespace {

using isa::Encoding;
using isa::Fidelity;

/// The instruction that the assembler makes of a name that another generation gave it; empty when it is none
/// of those: RDNA4's minima and maxima are those of numbers, RDNA's dot products say which side is signed.
std::string assembled_as(std::string_view mnemonic) {
  std::string name(mnemonic);
  const auto changed = [&](std::string_view from, std::string_view to) {
    const size_t at = name.rfind(from);
    return at == std::string::npos ? std::string{}
                                   : name.substr(0, at) + std::string(to) + name.substr(at + from.size());
  };
  if (name.find("min") != std::string::npos || name.find("max") != std::string::npos ||
      name.find("med3") != std::string::npos)
    return changed("_f", "_num_f");
  if (name == "v_dot4_i32_i8") return "v_dot4_i32_iu8";
  return name == "v_dot8_i32_i4" ? "v_dot8_i32_iu4" : "";
}

/// Why an instruction without a row or an entry of its own is not served.
std::string_view reason(std::string_view mnemonic) {
  struct Reason {
    std::string_view prefix, text;
  };
  static constexpr std::array kReasons = {
      Reason{"image_bvh", "ray tracing is not emulated"},
      Reason{"image_", "there are no textures"},
      Reason{"export", "there is no graphics pipeline"},
      Reason{"exp", "there is no graphics pipeline"},
      Reason{"ds_gws", "its counters are set by the driver alone"},
      Reason{"ds_ordered_count", "there is no global wave sync"},
      Reason{"v_interp", "there is no graphics pipeline"},
      Reason{"lds_", "there is no graphics pipeline"},
      Reason{"ds_param_load", "there is no graphics pipeline"},
      Reason{"ds_direct_load", "there is no graphics pipeline"},
      Reason{"ds_bvh", "ray tracing is not emulated"},
      Reason{"s_rfe", "it belongs to trap handlers"},
      Reason{"s_cbranch_g_fork", "no compiler uses it"},
      Reason{"s_cbranch_i_fork", "no compiler uses it"},
      Reason{"s_cbranch_join", "no compiler uses it"},
      Reason{"s_subvector_loop", "no compiler uses it"},
      Reason{"s_scratch_", "no compiler uses it"},
      Reason{"buffer_store_lds", "no compiler uses it"},
      Reason{"s_endpgm_ordered", "there is no graphics pipeline"},
      Reason{"ds_add_gs_reg", "there is no graphics pipeline"},
      Reason{"ds_sub_gs_reg", "there is no graphics pipeline"},
      Reason{"global_atomic_ordered", "it orders the waves of a graphics pipeline"},
      Reason{"v_mfma_ld_scale", "it is the first half of a scaled MFMA, nothing alone"},
      Reason{"s_alloc_vgpr", "kernels of the HSA ABI have a fixed number of VGPRs"},
      Reason{"s_barrier_init", "there are no named barriers"},
      Reason{"s_barrier_join", "there are no named barriers"},
      Reason{"s_barrier_leave", "there are no named barriers"},
  };
  for (const Reason& each : kReasons)
    if (mnemonic.starts_with(each.prefix) && (each.prefix != "exp" || mnemonic == "exp")) return each.text;
  for (const isa::Target& other : isa::kTargets)
    if (find_implementation(mnemonic, other))
      return "a name of other targets, which the assembler also accepts";
  return "not done yet";
}

}  // namespace

InstructionFidelity fidelity_of(std::string_view mnemonic, Encoding encoding, const isa::Target& target) {
  InstructionFidelity result{
      std::string(mnemonic) + std::string(isa::encoding_suffix(encoding)), Fidelity::Unsupported, {}};
  // The halves of a dual-issue instruction are instructions of their own.
  const std::string single = isa::single_of({.mnemonic = std::string(mnemonic)}, 64).mnemonic;
  if (const Implementation* const implementation = find_implementation(single, target)) {
    result.fidelity = implementation->row.facts.fidelity;
    result.note = implementation->row.facts.bound;
  } else if (const isa::ControlRow* const control = isa::find_control(mnemonic);
             control && target.is(control->generations)) {
    result.fidelity = control->fidelity;
    result.note = control->note;
  } else if (const Implementation* const alias = find_implementation(assembled_as(mnemonic), target)) {
    result.fidelity = alias->row.facts.fidelity;
    result.note = alias->row.facts.bound;
  } else {
    result.note = reason(mnemonic);
  }
  return result;
}

InstructionFidelity fidelity_of_printed(std::string_view printed, const isa::Target& target) {
  for (const Encoding encoding :
       {Encoding::E64Dpp, Encoding::E32, Encoding::E64, Encoding::Dpp, Encoding::Sdwa}) {
    const std::string_view suffix = isa::encoding_suffix(encoding);
    if (printed.ends_with(suffix))
      return fidelity_of(printed.substr(0, printed.size() - suffix.size()), encoding, target);
  }
  return fidelity_of(printed, Encoding::Plain, target);
}

Result<std::vector<InstructionFidelity>> fidelity_of_all(const isa::Target& target) {
  const auto all = isa::mnemonics(target);
  if (!all) return tl::unexpected(all.error());
  std::vector<InstructionFidelity> result;
  for (const isa::Mnemonic& mnemonic : *all)
    for (const Encoding encoding : mnemonic.encodings)
      result.push_back(fidelity_of(mnemonic.name, encoding, target));
  return result;
}

}  // namespace wavesmith::emulate
