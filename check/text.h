// Findings as text: a paragraph each.
#pragma once

#include <string>

#include "check/finding.h"

namespace wavesmith::check {

/// "error [race/lds-write-read]: ... \n  reads: ...\n  wrote: ...\n  fix: ...\n  seen 12 times\n".
std::string text_of(const Finding& finding);

/// Lanes as ranges: "lanes 0-15, 32".
std::string lanes_text(uint64_t lanes);

}  // namespace wavesmith::check
