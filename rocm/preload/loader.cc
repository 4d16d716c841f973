// A process has one C library, the one that its dynamic linker belongs to. So where WAVESMITH_LOADER names
// another dynamic linker, each program that the system's has loaded is started anew by that one, before its
// main(): whoever started it, by whatever call, and whether it is a script's interpreter. It keeps its
// process, arguments, environment and files; what its libraries have done so far is gone.
#include "rocm/preload/loader.h"

#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <cstring>

namespace wavesmith::rocm {
namespace {

constexpr const char* kProgram = "WAVESMITH_LOADER_PROGRAM";
char program[PATH_MAX];

/// Whether this process's C library lies beside that dynamic linker.
bool is_loaded_by(const char* loader) {
  Dl_info libc{};
  if (!dladdr(reinterpret_cast<void*>(&gnu_get_libc_version), &libc) || !libc.dli_fname) return false;
  const char* const end = std::strrchr(loader, '/');
  if (!end) return true;
  const auto length = static_cast<size_t>(end + 1 - loader);
  return std::strncmp(libc.dli_fname, loader, length) == 0 && !std::strchr(libc.dli_fname + length, '/');
}

bool ends_with(const char* text, const char* end) {
  const size_t length = std::strlen(text), count = std::strlen(end);
  return length >= count && std::strcmp(text + length - count, end) == 0;
}

void start_again(const char* loader, int count, char** words) {
  char self[PATH_MAX];
  const long length = syscall(SYS_readlinkat, -100 /* AT_FDCWD */, "/proc/self/exe", self, sizeof self - 1);
  if (length <= 0) return;
  self[length] = '\0';
  // The command finds its own files by its name, and needs nothing of AMD's.
  if (ends_with(self, "/wavesmith")) return;
  const char *ours = getenv("WAVESMITH_LOADER_PATH"), *theirs = getenv("LD_LIBRARY_PATH");
  if (!ours) ours = "";
  if (!theirs) theirs = "";
  const size_t size = std::strlen(ours) + std::strlen(theirs) + 2;
  char name[] = "--argv0", list[] = "--library-path";
  char* const start[] = {const_cast<char*>(loader), name, words[0], list, nullptr, self};
  constexpr int kMore = sizeof start / sizeof start[0], kPath = 4;
  auto* const path = static_cast<char*>(malloc(size));
  auto** const command = static_cast<char**>(calloc(static_cast<size_t>(count) + kMore, sizeof(char*)));
  if (!path || !command) return;
  std::strcpy(path, ours);
  if (*ours && *theirs) std::strcat(path, ":");
  std::strcat(path, theirs);
  for (int i = 0; i < kMore; ++i) command[i] = i == kPath ? path : start[i];
  for (int i = 1; i < count; ++i) command[kMore - 1 + i] = words[i];
  if (setenv(kProgram, self, 1) == 0) execve(loader, command, environ);
  unsetenv(kProgram);  // without that loader the program runs as it is
  free(path);
  free(command);
}

[[gnu::constructor]] void use_loader(int count, char** words) {
  const char* const loader = getenv("WAVESMITH_LOADER");
  if (!loader || !*loader || getauxval(AT_SECURE)) return;
  if (is_loaded_by(loader)) {
    if (const char* const self = getenv(kProgram); self && std::strlen(self) < sizeof program)
      std::strcpy(program, self);
    unsetenv(kProgram);
  } else if (!getenv(kProgram) && count > 0) {
    start_again(loader, count, words);
  }
}

}  // namespace

const char* own_program(const char* path) {
  if (!program[0] || !path || path[0] != '/' || path[1] != 'p') return nullptr;
  return std::strcmp(path, "/proc/self/exe") == 0 ? program : nullptr;
}

}  // namespace wavesmith::rocm
