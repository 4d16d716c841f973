// The processors that an AMDGPU ELF can be for, by the machine number in its e_flags.
// Source: LLVM, "User Guide for AMDGPU Backend", table "AMDGPU EF_AMDGPU_MACH Values".
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace wavesmith::isa {

struct Machine {
  uint8_t number;         ///< e_flags, bits 0-7
  std::string_view name;  ///< LLVM's processor name; "-generic" ones hold code for a family
};

// clang-format off
inline constexpr std::array kMachines = {
    Machine{0x20, "gfx600"},
    Machine{0x21, "gfx601"},
    Machine{0x22, "gfx700"},
    Machine{0x23, "gfx701"},
    Machine{0x24, "gfx702"},
    Machine{0x25, "gfx703"},
    Machine{0x26, "gfx704"},
    Machine{0x28, "gfx801"},
    Machine{0x29, "gfx802"},
    Machine{0x2a, "gfx803"},
    Machine{0x2b, "gfx810"},
    Machine{0x2c, "gfx900"},
    Machine{0x2d, "gfx902"},
    Machine{0x2e, "gfx904"},
    Machine{0x2f, "gfx906"},
    Machine{0x30, "gfx908"},
    Machine{0x31, "gfx909"},
    Machine{0x32, "gfx90c"},
    Machine{0x33, "gfx1010"},
    Machine{0x34, "gfx1011"},
    Machine{0x35, "gfx1012"},
    Machine{0x36, "gfx1030"},
    Machine{0x37, "gfx1031"},
    Machine{0x38, "gfx1032"},
    Machine{0x39, "gfx1033"},
    Machine{0x3a, "gfx602"},
    Machine{0x3b, "gfx705"},
    Machine{0x3c, "gfx805"},
    Machine{0x3d, "gfx1035"},
    Machine{0x3e, "gfx1034"},
    Machine{0x3f, "gfx90a"},
    Machine{0x41, "gfx1100"},
    Machine{0x42, "gfx1013"},
    Machine{0x43, "gfx1150"},
    Machine{0x44, "gfx1103"},
    Machine{0x45, "gfx1036"},
    Machine{0x46, "gfx1101"},
    Machine{0x47, "gfx1102"},
    Machine{0x48, "gfx1200"},
    Machine{0x49, "gfx1250"},
    Machine{0x4a, "gfx1151"},
    Machine{0x4c, "gfx942"},
    Machine{0x4e, "gfx1201"},
    Machine{0x4f, "gfx950"},
    Machine{0x51, "gfx9-generic"},
    Machine{0x52, "gfx10-1-generic"},
    Machine{0x53, "gfx10-3-generic"},
    Machine{0x54, "gfx11-generic"},
    Machine{0x55, "gfx1152"},
    Machine{0x58, "gfx1153"},
    Machine{0x59, "gfx12-generic"},
    Machine{0x5a, "gfx1251"},
    Machine{0x5f, "gfx9-4-generic"},
};
// clang-format on

/// The processor of that machine number; empty when LLVM knows none.
constexpr std::string_view machine_name(uint8_t number) {
  for (const Machine& machine : kMachines)
    if (machine.number == number) return machine.name;
  return {};
}

/// A family whose generic code runs on `processor`.
struct GenericFamily {
  std::string_view processor, family;
};

inline constexpr std::array kGenericFamilies = {
    GenericFamily{"gfx942", "gfx9-4-generic"},   GenericFamily{"gfx950", "gfx9-4-generic"},
    GenericFamily{"gfx1030", "gfx10-3-generic"}, GenericFamily{"gfx1100", "gfx11-generic"},
    GenericFamily{"gfx1151", "gfx11-generic"},   GenericFamily{"gfx1201", "gfx12-generic"},
};

/// The family whose generic code runs on `processor`; empty when there is none.
constexpr std::string_view generic_family(std::string_view processor) {
  for (const GenericFamily& row : kGenericFamilies)
    if (row.processor == processor) return row.family;
  return {};
}

}  // namespace wavesmith::isa
