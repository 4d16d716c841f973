// Fields of an instruction's encoding that its operation has no use for.
//
// The hardware does not look at them; LLVM refuses an instruction in which they are not zero. Compilers and
// LLVM's assembler write zeros there, other people's assemblers do not always.
#pragma once

#include <cstdint>
#include <functional>
#include <span>

namespace wavesmith::isa {

/// For an instruction that was refused: zeroes those fields that its operation does not use.
/// `accepted` says whether the bytes are an instruction as they stand; a field that may hold zero alone is
/// not used, and one that takes another value as well is left alone. False when the bytes remain refused.
bool clear_unused_fields(std::span<uint8_t> bytes, const std::function<bool()>& accepted);

}  // namespace wavesmith::isa
