#include "libraries/rccl/shared_file.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>

namespace wavesmith::libraries {
namespace {

void* map(int file, uint64_t bytes, bool to_write) {
  void* const memory =
      mmap(nullptr, bytes, to_write ? PROT_READ | PROT_WRITE : PROT_READ, MAP_SHARED, file, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

}  // namespace

int create_shared_file(const char* name, uint64_t bytes, void*& memory) {
  const int file = memfd_create(name, MFD_CLOEXEC);
  memory = file >= 0 && ftruncate(file, static_cast<off_t>(bytes)) == 0 ? map(file, bytes, true) : nullptr;
  return file;
}

void* map_shared_file(int process, int file, uint64_t bytes, bool to_write) {
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", process, file);
  const int opened = open(path, (to_write ? O_RDWR : O_RDONLY) | O_CLOEXEC);
  if (opened < 0) return nullptr;
  struct stat status{};
  const bool whole = fstat(opened, &status) == 0 && static_cast<uint64_t>(status.st_size) == bytes;
  void* const memory = whole ? map(opened, bytes, to_write) : nullptr;
  close(opened);
  return memory;
}

}  // namespace wavesmith::libraries
