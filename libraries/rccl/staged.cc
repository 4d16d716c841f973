#include "libraries/rccl/staged.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "libraries/rccl/shared_file.h"

namespace wavesmith::libraries {

bool Staged::copy(const void* data, uint64_t bytes, bool for_other_processes) {
  place_ = {nullptr, getpid(), -1, bytes};
  if (bytes == 0) return true;
  if (!for_other_processes) {
    place_.address = std::malloc(bytes);
  } else {
    place_.file = create_shared_file("wavesmith-staged", bytes, place_.address);
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
  data_ = map_shared_file(place.process, place.file, place.bytes, false);
  if (!data_) return false;
  mapped_ = place.bytes;
  return true;
}

void View::release() {
  if (mapped_) munmap(const_cast<void*>(data_), mapped_);
  data_ = nullptr;
  mapped_ = 0;
}

}  // namespace wavesmith::libraries
