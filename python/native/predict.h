// `wavesmith.predict`: the models, asked in the words of `wavesmith predict`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

namespace wavesmith::python {

/// The one prediction that is asked for, as `wavesmith predict --json` prints it.
std::string predict(const std::string& operation, const std::string& gpu, const std::vector<std::string>& set,
                    const std::map<std::string, std::string>& parameters, double clock,
                    const std::string& timing, bool warm);

/// [(name, about, [(name, about, kind, standard, [choice, ...]), ...]), ...]
nanobind::list operations();

}  // namespace wavesmith::python
