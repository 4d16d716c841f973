// `wavesmith.explain`: the static analysis, with the options of `wavesmith explain`.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <nanobind/nanobind.h>

namespace wavesmith::python {

/// Analyses the kernels of a file, or of `contents` under the name `path`; the result is what `wavesmith
/// explain --json` prints. Empty texts and zeros: as if the option were not given.
std::string explain(const std::string& path, const std::optional<nanobind::bytes>& contents,
                    const std::string& kernel, const std::string& gpu, uint32_t workgroup,
                    uint32_t dynamic_lds, const std::string& served_by,
                    const std::vector<std::string>& flags);

}  // namespace wavesmith::python
