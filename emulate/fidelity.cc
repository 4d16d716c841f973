#include "emulate/fidelity.h"

#include <array>

#include "emulate/control_table.h"
#include "emulate/engine/handlers.h"
#include "isa/llvm/mnemonics.h"

namespace wavesmith::emulate {
namespace {

using isa::Encoding;
using isa::Fidelity;

/// Why an instruction without a row or an entry of its own is not served.
std::string_view reason(std::string_view mnemonic) {
  struct Reason {
    std::string_view prefix, text;
  };
  static constexpr std::array kReasons = {
      Reason{"image_bvh",        "ray tracing is not emulated"             },
      Reason{"image_",           "there are no textures"                   },
      Reason{"export",           "there is no graphics pipeline"           },
      Reason{"exp",              "there is no graphics pipeline"           },
      Reason{"ds_gws",           "its counters are set by the driver alone"},
      Reason{"ds_ordered_count", "there is no global wave sync"            },
      Reason{"v_interp",         "there is no graphics pipeline"           },
      Reason{"lds_",             "there is no graphics pipeline"           },
      Reason{"ds_param_load",    "there is no graphics pipeline"           },
      Reason{"ds_direct_load",   "there is no graphics pipeline"           },
      Reason{"ds_bvh",           "ray tracing is not emulated"             },
      Reason{"s_rfe",            "it belongs to trap handlers"             },
      Reason{"s_cbranch_g_fork", "no compiler uses it"                     },
      Reason{"s_cbranch_i_fork", "no compiler uses it"                     },
      Reason{"s_cbranch_join",   "no compiler uses it"                     },
      Reason{"s_subvector_loop", "no compiler uses it"                     },
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
  std::string single(mnemonic);
  if (mnemonic.starts_with("v_dual_")) single = "v_" + single.substr(7);
  if (const Implementation* const implementation = find_implementation(single, target)) {
    result.fidelity = implementation->row.facts.fidelity;
    result.note = implementation->row.facts.bound;
  } else if (const ControlEntry* const entry = find_control(mnemonic, target)) {
    result.fidelity = entry->fidelity;
    result.note = entry->note;
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
