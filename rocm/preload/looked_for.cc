// Which of AMD's libraries a program has looked for by name and not found. TensorFlow, for one, asks for
// seven, and goes on without a GPU, silently, where one is missing. At the program's end each is said that no
// version of was loaded. Only whole names count: libraries also look for plugins of theirs that few machines
// have, as RCCL does for librccl-profiler.so, librccl-net.so and librccl-tuner.so, and do well without.
#include <dlfcn.h>
#include <link.h>
#include <unistd.h>

#include <atomic>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "rocm/libraries/known_libraries.h"
#include "rocm/preload/call.h"

namespace wavesmith::rocm {
namespace {

/// Names up to ".so", so that a program that tries one version after another has found what it wanted.
constexpr size_t kMost = 32, kLength = 48;
char stems[kMost][kLength], names[kMost][kLength];
std::atomic<size_t> count{0};
std::atomic_flag writing;

bool begins(const char* text, const char* with) { return std::strncmp(text, with, std::strlen(with)) == 0; }

/// What Wavesmith itself serves, beside the libraries that can come from elsewhere.
constexpr const char* kRuntime[] = {"amdhip64", "hsa-runtime64"};

/// Whether "lib<name>.so" is one of ROCm's that a program computes by: `name` is not terminated.
bool is_amds(const char* name, size_t length) {
  const auto is = [&](const char* known) {
    return std::strlen(known) == length && std::strncmp(known, name, length) == 0;
  };
  for (const KnownLibrary& known : kKnownLibraries)
    if (*known.file && is(known.file)) return true;
  for (const char* const known : kRuntime)
    if (is(known)) return true;
  return false;
}

void note(const char* name) {
  // A path is the program's own affair.
  if (!name || std::strchr(name, '/') || !begins(name, "lib") || std::strlen(name) >= kLength) return;
  const char* const end = std::strstr(name, ".so");
  if (!end) return;
  const auto length = static_cast<size_t>(end - name);
  if (!is_amds(name + 3, length - 3)) return;
  while (writing.test_and_set(std::memory_order_acquire)) {
  }
  const size_t known = count.load(std::memory_order_relaxed);
  size_t at = 0;
  while (at < known && (std::strncmp(stems[at], name, length) != 0 || stems[at][length])) ++at;
  if (at == known && known < kMost) {
    std::memcpy(stems[at], name, length);
    std::strcpy(names[at], name);
    count.store(known + 1, std::memory_order_release);
  }
  writing.clear(std::memory_order_release);
}

bool is_loaded(const char* stem) {
  return dl_iterate_phdr(
             [](dl_phdr_info* info, size_t, void* wanted) {
               const char* const path = info->dlpi_name ? info->dlpi_name : "";
               const char* const slash = std::strrchr(path, '/');
               const char *const file = slash ? slash + 1 : path, *const stem =
                                                                      static_cast<const char*>(wanted);
               return begins(file, stem) && begins(file + std::strlen(stem), ".so") ? 1 : 0;
             },
             const_cast<char*>(stem)) != 0;
}

/// Whether a folder of LD_LIBRARY_PATH has it: it was closed again, as AMD's hiprtc does with HIP's library.
bool is_there(const char* name) {
  const char* const listed = getenv("LD_LIBRARY_PATH");
  for (const char* at = listed ? listed : ""; *at;) {
    const size_t length = std::strcspn(at, ":");
    char file[PATH_MAX];
    const int written = std::snprintf(file, sizeof file, "%.*s/%s", static_cast<int>(length), at, name);
    if (length > 0 && written > 0 && static_cast<size_t>(written) < sizeof file && access(file, R_OK) == 0)
      return true;
    at += length + (at[length] == ':');
  }
  return false;
}

[[gnu::destructor]] void say() {
  for (size_t i = 0; i < count.load(std::memory_order_acquire); ++i) {
    if (is_loaded(stems[i]) || is_there(names[i])) continue;
    char line[256];
    const int length = std::snprintf(line, sizeof line,
                                     "wavesmith: the program looked for %s, which is not here, and may have "
                                     "done without a GPU; 'wavesmith libraries' says what is\n",
                                     names[i]);
    if (length > 0) (void)!write(STDERR_FILENO, line, static_cast<size_t>(length));
  }
}

}  // namespace
}  // namespace wavesmith::rocm

/// libc's looks where the caller's own file says, which it knows by the address that it returns to: the call
/// has to be a jump, so what came of it is not seen here.
WAVESMITH_STANDS_IN(void*, dlopen, (const char* name, int flags)) {
  // Who asks whether a library is loaded does without it.
  if ((flags & RTLD_NOLOAD) == 0) ::wavesmith::rocm::note(name);
  [[clang::musttail]] return ::wavesmith::rocm::next<"dlopen", void*(const char*, int)>()(name, flags);
}
