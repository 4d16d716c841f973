#include "libraries/staged.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>

namespace wavesmith::libraries {

bool Staged::copy(const void* data, uint64_t bytes, bool for_other_processes) {
  place_ = {nullptr, getpid(), -1, bytes};
  if (bytes == 0) return true;
  if (!for_other_processes) {
    place_.address = std::malloc(bytes);
  } else {
    place_.file = memfd_create("wavesmith-staged", MFD_CLOEXEC);
    if (place_.file < 0) return false;
    void* memory = MAP_FAILED;
    if (ftruncate(place_.file, static_cast<off_t>(bytes)) == 0)
      memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, place_.file, 0);
    place_.address = memory == MAP_FAILED ? nullptr : memory;
  }
  if (!place_.address) return false;
  std::memcpy(place_.address, data, bytes);
  return true;
}

void Staged::release() {
  if (place_.file < 0) {
    std::free(place_.address);
  } else {
    if (place_.address) munmap(place_.address, place_.bytes);
    close(place_.file);
  }
  place_ = {nullptr, 0, -1, 0};
}

bool View::open(const Place& place) {
  data_ = place.address;
  if (place.bytes == 0 || place.process == getpid()) return true;
  data_ = nullptr;
  char path[64];
  std::snprintf(path, sizeof path, "/proc/%d/fd/%d", place.process, place.file);
  const int file = ::open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) return false;
  struct stat status{};
  void* memory = MAP_FAILED;
  if (fstat(file, &status) == 0 && static_cast<uint64_t>(status.st_size) >= place.bytes)
    memory = mmap(nullptr, place.bytes, PROT_READ, MAP_SHARED, file, 0);
  close(file);
  if (memory == MAP_FAILED) return false;
  data_ = memory;
  mapped_ = place.bytes;
  return true;
}

void View::release() {
  if (mapped_) munmap(const_cast<void*>(data_), mapped_);
  data_ = nullptr;
  mapped_ = 0;
}

}  // namespace wavesmith::libraries
