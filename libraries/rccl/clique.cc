#include "libraries/rccl/clique.h"

#include <sys/mman.h>
#include <sys/random.h>
#include <unistd.h>

#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "libraries/rccl/shared_file.h"

namespace wavesmith::libraries {
namespace {

constexpr uint64_t kMagic = 0x6575716c63435257;

void unmap(Clique* clique) {
  if (clique) munmap(clique, sizeof(Clique));
}

/// The cliques of this process: its ranks share one mapping.
struct Opened {
  Clique* clique;
  int users;
  Opened* next;
};
Opened* opened = nullptr;
pthread_mutex_t opened_mutex = PTHREAD_MUTEX_INITIALIZER;

class OpenedLock {
 public:
  OpenedLock() { pthread_mutex_lock(&opened_mutex); }
  ~OpenedLock() { pthread_mutex_unlock(&opened_mutex); }
  OpenedLock(const OpenedLock&) = delete;
  OpenedLock& operator=(const OpenedLock&) = delete;
};

/// The clique in another process's file, or in this one's, by the id that says where it is.
Clique* map(const CliqueId& id) {
  auto* const clique = static_cast<Clique*>(map_shared_file(id.process, id.file, sizeof(Clique), true));
  if (!clique || (clique->magic == kMagic && clique->token == id.token)) return clique;
  unmap(clique);
  return nullptr;
}

/// For ranks of several processes, one of which may end while it holds the lock.
void prepare(Clique& clique) {
  pthread_mutexattr_t mutex;
  pthread_mutexattr_init(&mutex);
  pthread_mutexattr_setpshared(&mutex, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&mutex, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&clique.mutex, &mutex);
  pthread_mutexattr_destroy(&mutex);
  pthread_condattr_t changed;
  pthread_condattr_init(&changed);
  pthread_condattr_setpshared(&changed, PTHREAD_PROCESS_SHARED);
  pthread_condattr_setclock(&changed, CLOCK_MONOTONIC);
  pthread_cond_init(&clique.changed, &changed);
  pthread_condattr_destroy(&changed);
}

char complaint[512];

}  // namespace

bool create_clique(CliqueId& id) {
  id = {};
  void* memory = nullptr;
  const int file = create_shared_file("wavesmith-clique", sizeof(Clique), memory);
  if (file < 0) return false;
  auto* const clique = static_cast<Clique*>(memory);
  if (!clique || getrandom(&id.token, sizeof id.token, 0) != sizeof id.token) {
    unmap(clique);
    close(file);
    return false;
  }
  id.magic = kMagic;
  id.process = getpid();
  id.file = file;
  clique->token = id.token;
  prepare(*clique);
  clique->magic = kMagic;
  unmap(clique);
  return true;
}

Clique* open_clique(const CliqueId& id) {
  if (id.magic != kMagic) return nullptr;
  const OpenedLock lock;
  for (Opened* each = opened; each; each = each->next) {
    if (each->clique->token != id.token) continue;
    ++each->users;
    return each->clique;
  }
  auto* const added = static_cast<Opened*>(std::malloc(sizeof(Opened)));
  Clique* const clique = added ? map(id) : nullptr;
  if (!clique) {
    std::free(added);
    return nullptr;
  }
  *added = {clique, 1, opened};
  opened = added;
  return clique;
}

void close_clique(Clique* clique) {
  const OpenedLock lock;
  for (Opened** each = &opened; *each; each = &(*each)->next) {
    if ((*each)->clique != clique) continue;
    if (--(*each)->users > 0) return;
    Opened* const gone = *each;
    *each = gone->next;
    std::free(gone);
    return unmap(clique);
  }
}

void close_file(const CliqueId& id) {
  if (id.magic == kMagic && id.process == getpid()) close(id.file);
}

void CliqueLock::lock() {
  if (pthread_mutex_lock(&clique_.mutex) == EOWNERDEAD) pthread_mutex_consistent(&clique_.mutex);
}

void CliqueLock::wait() {
  timespec until{};
  clock_gettime(CLOCK_MONOTONIC, &until);
  ++until.tv_sec;
  if (pthread_cond_timedwait(&clique_.changed, &clique_.mutex, &until) == EOWNERDEAD)
    pthread_mutex_consistent(&clique_.mutex);
}

void RankList::add(int rank) {
  constexpr size_t kOfOne = 16;
  if (length_ < sizeof text_ - kOfOne)
    length_ += static_cast<size_t>(std::snprintf(text_ + length_, sizeof text_ - length_, " %d", rank));
}

bool is_gone(int process) {
  char path[64], target[1];
  std::snprintf(path, sizeof path, "/proc/%d/exe", process);
  // One that has ended and whose parent has not asked about it yet has no program any more.
  return readlink(path, target, sizeof target) < 0 && (errno == ENOENT || errno == ESRCH);
}

void complain(const char* format, ...) {
  char text[sizeof complaint];
  va_list values;
  va_start(values, format);
  std::vsnprintf(text, sizeof text, format, values);
  va_end(values);
  std::memcpy(complaint, text, sizeof text);
  std::fprintf(stderr, "wavesmith: RCCL: %s\n", text);
}

const char* last_complaint() { return complaint; }

}  // namespace wavesmith::libraries
