// Formats printf calls of kernels from the format and arguments that they send.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace wavesmith::runtime {

/// The text of a message: the format, zero-terminated and padded to 8 bytes, then 8 bytes per argument and
/// the padded text of each %s. A missing or malformed argument ends the text; nothing is read past the
/// message.
std::string format_message(std::span<const uint64_t> message);

}  // namespace wavesmith::runtime
