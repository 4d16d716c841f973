// A program's profile as JSON: the one writer and the one reader of it. Each member stands under its own
// name; a timeline's events are lists of their members, [wave, simd, reached, issued, instruction, cause].
#pragma once

#include <string>
#include <string_view>

#include "base/result.h"
#include "timing/kernel_profile.h"

namespace wavesmith::timing {

/// Indented by one space, without a line feed at the end. A kernel that was refused has no members about
/// time.
std::string to_json(const ProgramProfile& profile);

/// Members that are missing keep their defaults, others are passed over. Error: it is no JSON, or a member is
/// of another kind; `where` names it.
Result<ProgramProfile> program_profile(std::string_view json);

}  // namespace wavesmith::timing
