// How LDS sees an instruction: how many accesses it makes, and how wide they are.
#pragma once

#include <cstdint>

#include "isa/instruction.h"
#include "isa/row.h"

namespace wavesmith::isa {

struct LdsAccesses {
  uint32_t bytes = 0;  ///< of each, a lane
  uint32_t count = 1;
};

/// read2 and write2 name two places. Where these are neighbours, they are one access of twice the width,
/// which wants no more alignment than the halves do: LLVM, SIISelLowering.cpp,
/// allowsMisalignedMemoryAccessesImpl
/// ("a 4 byte aligned, 8 byte access in a single operation using ds_read2/write2_b32 with adjacent offsets").
/// Which lanes make a phase is then taken to be as of one instruction of that width; measured is it of none.
inline LdsAccesses lds_accesses(const Instruction& instruction, const Access& access) {
  const LdsAccesses two{access.bytes, access.places};
  if (access.places != 2 || access.far ||
      (access.direction != Direction::Load && access.direction != Direction::Store))
    return two;
  const int64_t distance = instruction.value("offset1") - instruction.value("offset0");
  return distance == 1 || distance == -1 ? LdsAccesses{2u * access.bytes, 1} : two;
}

}  // namespace wavesmith::isa
