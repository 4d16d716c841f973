// The reports as a Markdown page: docs/ACCURACY.md.
#pragma once

#include <span>
#include <string>

#include "validate/report.h"

namespace wavesmith::validate {

std::string markdown(std::span<const FamilyReport> reports);

}  // namespace wavesmith::validate
