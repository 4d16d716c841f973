// Programs that run to their end beside a benchmark.
#pragma once

#include <sys/resource.h>

#include <optional>
#include <string>
#include <vector>

namespace wavesmith::bench {

/// Whether what a program says on stderr is shown; on stdout it never is.
enum class Errors { Shown, Hidden };

/// What a program used, with its arguments; nothing where it failed.
std::optional<rusage> run_to_end(const std::vector<std::string>& command, Errors errors);

}  // namespace wavesmith::bench
