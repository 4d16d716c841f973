// The faces of `wavesmith sweep`: text, JSON and a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/page.h"
#include "study/sweep/knob_sweep.h"

namespace wavesmith::cli {

void print_sweep(const study::Sweep& sweep, bool verbose);
nlohmann::ordered_json json_of(const study::Sweep& sweep);
report::Page page_of(const study::Sweep& sweep, const std::string& path);

}  // namespace wavesmith::cli
