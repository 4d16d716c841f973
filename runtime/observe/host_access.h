// What the host, and copies and fills in streams, do with memory, told to the checkers where the process is
// checked.
#pragma once

#include <cstddef>

namespace wavesmith::runtime {

struct Box;
struct Fill;

/// Before it happens.
void tell_copied(const Box& box);
void tell_filled(const Fill& fill);
/// The host has written it, or may do so at any time.
void tell_written(const void* pointer, size_t bytes);

}  // namespace wavesmith::runtime
