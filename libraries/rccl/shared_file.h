// A memory file that processes share: another process maps it by the owner's process id and file descriptor.
#pragma once

#include <cstdint>

namespace wavesmith::libraries {

/// Creates a file and maps it for writing at `memory`. On failure, when the host has no memory or file
/// descriptors left, `memory` is nullptr and the result may be -1.
int create_shared_file(const char* name, uint64_t bytes, void*& memory);

/// Maps a process's file of that many bytes; nullptr: it has none.
void* map_shared_file(int process, int file, uint64_t bytes, bool to_write);

}  // namespace wavesmith::libraries
