// `wavesmith.predict`: the models, with the names and values of `wavesmith predict`.
#pragma once

#include <map>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

namespace wavesmith::python {

/// Predicts one point; the result is what `wavesmith predict --json` prints.
std::string predict(const std::string& operation, const std::string& gpu, const std::vector<std::string>& set,
                    const std::map<std::string, std::string>& parameters, double clock,
                    const std::string& timing, bool warm);

/// [(name, about, [(name, about, kind, standard, [choice, ...]), ...]), ...]
nanobind::list operations();

}  // namespace wavesmith::python
