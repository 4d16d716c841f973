// A file in memory that processes show one another: whoever knows the process and the file's number maps it.
#pragma once

#include <cstdint>

namespace wavesmith::libraries {

/// A new one and where it is mapped, to be written; `memory` is nullptr, and the result may be -1, when the
/// host has no memory or files left.
int create_shared_file(const char* name, uint64_t bytes, void*& memory);

/// What is in a process's file of that many bytes; nullptr: it has none.
void* map_shared_file(int process, int file, uint64_t bytes, bool to_write);

}  // namespace wavesmith::libraries
