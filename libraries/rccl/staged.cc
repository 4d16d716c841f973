#include "libraries/rccl/staged.h"

#include <sys/mman.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "libraries/rccl/shared_file.h"

namespace wavesmith::libraries {

bool Staged::copy(const void* data, uint64_t bytes, bool for_other_processes) {
  buffer_ = {nullptr, getpid(), -1, bytes};
  if (bytes == 0) return true;
  if (!for_other_processes) {
    buffer_.address = std::malloc(bytes);
  } else {
    buffer_.file = create_shared_file("wavesmith-staged", bytes, buffer_.address);
  }
  if (!buffer_.address) return false;
  std::memcpy(buffer_.address, data, bytes);
  return true;
}

void Staged::release() {
  if (buffer_.file < 0) {
    std::free(buffer_.address);
  } else {
    if (buffer_.address) munmap(buffer_.address, buffer_.bytes);
    close(buffer_.file);
  }
  buffer_ = {nullptr, 0, -1, 0};
}

bool View::open(const RankBuffer& buffer) {
  data_ = buffer.address;
  if (buffer.bytes == 0 || buffer.process == getpid()) return true;
  data_ = map_shared_file(buffer.process, buffer.file, buffer.bytes, false);
  if (!data_) return false;
  mapped_ = buffer.bytes;
  return true;
}

void View::release() {
  if (mapped_) munmap(const_cast<void*>(data_), mapped_);
  data_ = nullptr;
  mapped_ = 0;
}

}  // namespace wavesmith::libraries
