// printf on the device's behalf: the format and its arguments as a kernel sends them.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace wavesmith::runtime {

/// The text of a message: the format, zero-terminated and padded to 8 bytes, then 8 bytes an argument and the
/// padded text of each %s. What is missing or malformed ends the text; nothing is read past the message.
std::string format_message(std::span<const uint64_t> message);

}  // namespace wavesmith::runtime
