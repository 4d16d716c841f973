// The reports as a Markdown page: docs/ACCURACY.md.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "validate/report.h"

namespace wavesmith::validate {

/// Writes the page. `before` is the page that it replaces: Origami's column is taken from there if Origami is
/// not installed.
std::string markdown(std::span<const FamilyReport> reports, std::string_view before = {});

}  // namespace wavesmith::validate
