// Presents what `wavesmith compare` found, as text, JSON and a section of a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/page.h"
#include "study/compare.h"

namespace wavesmith::cli {

/// Prints under 25 lines for a pair of kernels; with `verbose` all lines, loops and instructions.
void print_comparison(const study::Comparison& comparison, bool verbose);
nlohmann::ordered_json json_of(const study::Comparison& comparison);
report::Section section_of(const study::Comparison& comparison);

}  // namespace wavesmith::cli
