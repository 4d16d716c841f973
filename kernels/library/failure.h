// What the library says when a call fails: a status, and a line for people kept per thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "kernels/wavesmith_types.h"

namespace wavesmith::kernels {

/// Keeps the message for wavesmith_kernels_message() and returns the status.
wavesmith_kernels_status fail(wavesmith_kernels_status status, std::string message);
/// Fails with INVALID_ARGUMENT or NOT_SUPPORTED: the operation's name, then what is wrong.
wavesmith_kernels_status invalid(std::string_view operation, std::string_view message);
wavesmith_kernels_status not_supported(std::string_view operation, std::string_view message);
/// INVALID_ARGUMENT where an address is no multiple of so many bytes.
wavesmith_kernels_status check_aligned(std::string_view operation, std::string_view name, const void* data,
                                       int64_t alignment);
/// INVALID_ARGUMENT where a workspace has fewer bytes than are needed, or is not aligned to 16 bytes.
wavesmith_kernels_status check_workspace(std::string_view operation, const void* workspace, size_t bytes,
                                         size_t needed);
/// Clears the message.
wavesmith_kernels_status succeed();
/// This thread's, as wavesmith_kernels_message() returns it.
const char* message();

}  // namespace wavesmith::kernels
