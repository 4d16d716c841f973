// A child process of the command, which it waits for.
#pragma once

#include <functional>

#include "base/result.h"

namespace wavesmith::cli {

/// Runs `become` in a child process, which it never leaves, and waits for its end. SIGINT, SIGTERM, SIGHUP
/// and SIGQUIT reach the child and not this process, so that what the child leaves behind is still read and
/// tidied up.
/// @return the child's exit code, 128 plus the signal's number where one ended it; or why there is no
/// process.
Result<int> run_child(const std::function<void()>& become);

}  // namespace wavesmith::cli
