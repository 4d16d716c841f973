// What `wavesmith explain` says of a file as JSON, for the command line and Python: everything in the
// analysis, each figure with how it is known.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "study/analysed.h"

namespace wavesmith::study {

/// The analysis of every kernel. `path`: the file's name, as it was given.
nlohmann::ordered_json json_of(const std::string& path, const Analysed& analysed);

}  // namespace wavesmith::study
