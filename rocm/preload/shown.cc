#include "rocm/preload/shown.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <cstring>

namespace wavesmith::rocm {
namespace {

constexpr ShownFolder kNothing;
std::atomic<const ShownFolder*> current{nullptr};

// Pages for what is kept: malloc may be what is asking.
void* pages(size_t size) {
  void* const memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return memory == MAP_FAILED ? nullptr : memory;
}

/// The folder with its list, by system calls: libc's are those that are being replaced.
const ShownFolder* read_list(const char* root) {
  const size_t length = root ? std::strlen(root) : 0;
  if (length == 0 || length > PATH_MAX / 2) return nullptr;
  char path[PATH_MAX];
  std::memcpy(path, root, length + 1);
  std::memcpy(path + length, "/prefixes", sizeof "/prefixes");
  const int file = static_cast<int>(syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC));
  if (file < 0) return nullptr;
  constexpr size_t kMost = 65536;
  auto* const memory = static_cast<char*>(pages(sizeof(ShownFolder) + PATH_MAX + kMost));
  size_t size = 0;
  if (memory)
    for (ssize_t got; size < kMost; size += static_cast<size_t>(got)) {
      got = syscall(SYS_read, file, memory + sizeof(ShownFolder) + PATH_MAX + size, kMost - size);
      if (got <= 0) break;
    }
  syscall(SYS_close, file);
  if (!memory || size == 0) return nullptr;
  char* const kept = memory + sizeof(ShownFolder);
  std::memcpy(kept, root, length + 1);
  auto* const made = reinterpret_cast<ShownFolder*>(memory);
  *made = {{kept, length}, {kept + PATH_MAX, size}};
  return made;
}

}  // namespace

const ShownFolder& shown() {
  const ShownFolder* known = current.load(std::memory_order_acquire);
  if (known) return *known;
  const int error = errno;
  const ShownFolder* const made = read_list(getenv("WAVESMITH_MACHINE_ROOT"));
  errno = error;
  // Several threads may come here at once: they read the same, and the first one's stays.
  const ShownFolder* const wanted = made ? made : &kNothing;
  if (current.compare_exchange_strong(known, wanted, std::memory_order_acq_rel)) return *wanted;
  return *known;
}

bool show(const char* root) {
  const ShownFolder* const made = read_list(root);
  if (made) current.store(made, std::memory_order_release);
  return made;
}

}  // namespace wavesmith::rocm
