// What is still to be done when a signal ends the process.
#pragma once

namespace wavesmith::runtime {

/// From now on `last` runs on a thread of its own before SIGINT, SIGTERM, SIGHUP or SIGQUIT ends the process,
/// which then ends by that signal; the same once more, a second later, ends it at once. A signal that the
/// program ignores or handles itself stays the program's. Once per process.
void before_a_signal_ends_it(void (*last)());

}  // namespace wavesmith::runtime
