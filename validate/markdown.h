// The reports as a Markdown page: docs/ACCURACY.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "validate/report.h"

namespace wavesmith::validate {

/// `before` is the page that it takes the place of: Origami's column is kept from there where Origami is not
/// here now.
std::string markdown(std::span<const FamilyReport> reports, std::string_view before = {});

}  // namespace wavesmith::validate
