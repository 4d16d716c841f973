// The functions of libc that take a path. Each gives libc's own the path within the shown folder.
//
// Programs that make their system calls themselves (statically linked ones, Go's) are not reached.
#include <dirent.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <cstdarg>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "rocm/preload/call.h"
#include "rocm/preload/shown.h"

namespace wavesmith::rocm {
namespace {

/// The mode that follows only where a file may be created.
template <class List>
mode_t mode_after(int flags, List& list) {
  return (flags & O_CREAT) || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(list, mode_t) : 0;
}

template <Name name>
int open_as(const char* path, int flags, mode_t mode) {
  return next<name, int(const char*, int, ...)>()(Path(path), flags, mode);
}
template <Name name>
int openat_as(int folder, const char* path, int flags, mode_t mode) {
  return next<name, int(int, const char*, int, ...)>()(folder, Path(path), flags, mode);
}

}  // namespace

WAVESMITH_STANDS_IN(int, open, (const char* path, int flags, ...)) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_after(flags, list);
  va_end(list);
  return open_as<"open">(path, flags, mode);
}
WAVESMITH_STANDS_IN(int, open64, (const char* path, int flags, ...)) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_after(flags, list);
  va_end(list);
  return open_as<"open64">(path, flags, mode);
}
WAVESMITH_STANDS_IN(int, openat, (int folder, const char* path, int flags, ...)) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_after(flags, list);
  va_end(list);
  return openat_as<"openat">(folder, path, flags, mode);
}
WAVESMITH_STANDS_IN(int, openat64, (int folder, const char* path, int flags, ...)) {
  va_list list;
  va_start(list, flags);
  const mode_t mode = mode_after(flags, list);
  va_end(list);
  return openat_as<"openat64">(folder, path, flags, mode);
}

// What the checks of _FORTIFY_SOURCE call.
WAVESMITH_STANDS_IN(int, __open_2, (const char* path, int flags)) {
  return next<"__open_2", int(const char*, int)>()(Path(path), flags);
}
WAVESMITH_STANDS_IN(int, __open64_2, (const char* path, int flags)) {
  return next<"__open64_2", int(const char*, int)>()(Path(path), flags);
}
WAVESMITH_STANDS_IN(int, __openat_2, (int folder, const char* path, int flags)) {
  return next<"__openat_2", int(int, const char*, int)>()(folder, Path(path), flags);
}
WAVESMITH_STANDS_IN(int, __openat64_2, (int folder, const char* path, int flags)) {
  return next<"__openat64_2", int(int, const char*, int)>()(folder, Path(path), flags);
}

WAVESMITH_STANDS_IN(FILE*, fopen, (const char* path, const char* mode)) {
  return next<"fopen", FILE*(const char*, const char*)>()(Path(path), mode);
}
WAVESMITH_STANDS_IN(FILE*, fopen64, (const char* path, const char* mode)) {
  return next<"fopen64", FILE*(const char*, const char*)>()(Path(path), mode);
}

using Stat = int(const char*, struct stat*);
WAVESMITH_STANDS_IN(int, stat, (const char* path, struct stat* out)) {
  return next<"stat", Stat>()(Path(path), out);
}
WAVESMITH_STANDS_IN(int, stat64, (const char* path, struct stat* out)) {
  return next<"stat64", Stat>()(Path(path), out);
}
WAVESMITH_STANDS_IN(int, lstat, (const char* path, struct stat* out)) {
  return next<"lstat", Stat>()(Path(path), out);
}
WAVESMITH_STANDS_IN(int, lstat64, (const char* path, struct stat* out)) {
  return next<"lstat64", Stat>()(Path(path), out);
}
using StatAt = int(int, const char*, struct stat*, int);
WAVESMITH_STANDS_IN(int, fstatat, (int folder, const char* path, struct stat* out, int flags)) {
  return next<"fstatat", StatAt>()(folder, Path(path), out, flags);
}
WAVESMITH_STANDS_IN(int, fstatat64, (int folder, const char* path, struct stat* out, int flags)) {
  return next<"fstatat64", StatAt>()(folder, Path(path), out, flags);
}
// What programs linked against a glibc before 2.33 call.
using OldStat = int(int, const char*, struct stat*);
WAVESMITH_STANDS_IN(int, __xstat, (int version, const char* path, struct stat* out)) {
  return next<"__xstat", OldStat>()(version, Path(path), out);
}
WAVESMITH_STANDS_IN(int, __xstat64, (int version, const char* path, struct stat* out)) {
  return next<"__xstat64", OldStat>()(version, Path(path), out);
}
WAVESMITH_STANDS_IN(int, __lxstat, (int version, const char* path, struct stat* out)) {
  return next<"__lxstat", OldStat>()(version, Path(path), out);
}
WAVESMITH_STANDS_IN(int, __lxstat64, (int version, const char* path, struct stat* out)) {
  return next<"__lxstat64", OldStat>()(version, Path(path), out);
}
using OldStatAt = int(int, int, const char*, struct stat*, int);
WAVESMITH_STANDS_IN(int, __fxstatat,
                    (int version, int folder, const char* path, struct stat* out, int flags)) {
  return next<"__fxstatat", OldStatAt>()(version, folder, Path(path), out, flags);
}
WAVESMITH_STANDS_IN(int, __fxstatat64,
                    (int version, int folder, const char* path, struct stat* out, int flags)) {
  return next<"__fxstatat64", OldStatAt>()(version, folder, Path(path), out, flags);
}
WAVESMITH_STANDS_IN(int, statx, (int folder, const char* path, int flags, unsigned mask, struct statx* out)) {
  return next<"statx", int(int, const char*, int, unsigned, struct statx*)>()(folder, Path(path), flags, mask,
                                                                              out);
}
WAVESMITH_STANDS_IN(int, statfs, (const char* path, struct statfs* out)) {
  return next<"statfs", int(const char*, struct statfs*)>()(Path(path), out);
}
WAVESMITH_STANDS_IN(int, statfs64, (const char* path, struct statfs* out)) {
  return next<"statfs64", int(const char*, struct statfs*)>()(Path(path), out);
}
WAVESMITH_STANDS_IN(int, statvfs, (const char* path, struct statvfs* out)) {
  return next<"statvfs", int(const char*, struct statvfs*)>()(Path(path), out);
}
WAVESMITH_STANDS_IN(int, statvfs64, (const char* path, struct statvfs* out)) {
  return next<"statvfs64", int(const char*, struct statvfs*)>()(Path(path), out);
}

using AccessSignature = int(const char*, int);
WAVESMITH_STANDS_IN(int, access, (const char* path, int mode)) {
  return next<"access", AccessSignature>()(Path(path), mode);
}
WAVESMITH_STANDS_IN(int, euidaccess, (const char* path, int mode)) {
  return next<"euidaccess", AccessSignature>()(Path(path), mode);
}
WAVESMITH_STANDS_IN(int, eaccess, (const char* path, int mode)) {
  return next<"eaccess", AccessSignature>()(Path(path), mode);
}
WAVESMITH_STANDS_IN(int, faccessat, (int folder, const char* path, int mode, int flags)) {
  return next<"faccessat", int(int, const char*, int, int)>()(folder, Path(path), mode, flags);
}
WAVESMITH_STANDS_IN(int, chdir, (const char* path)) { return next<"chdir", int(const char*)>()(Path(path)); }

WAVESMITH_STANDS_IN(DIR*, opendir, (const char* path)) {
  return next<"opendir", DIR*(const char*)>()(Path(path));
}
using ScandirSignature = int(const char*, dirent***, int (*)(const dirent*),
                             int (*)(const dirent**, const dirent**));
WAVESMITH_STANDS_IN(int, scandir,
                    (const char* path, dirent*** names, int (*wanted)(const dirent*),
                     int (*order)(const dirent**, const dirent**))) {
  return next<"scandir", ScandirSignature>()(Path(path), names, wanted, order);
}
WAVESMITH_STANDS_IN(int, scandir64,
                    (const char* path, dirent*** names, int (*wanted)(const dirent*),
                     int (*order)(const dirent**, const dirent**))) {
  return next<"scandir64", ScandirSignature>()(Path(path), names, wanted, order);
}

namespace {
/// What readlink says of /proc/self/exe; -1: another path is asked for.
ssize_t own_link(const char* path, char* out, size_t size) {
  const char* const program = own_program(path);
  if (!program) return -1;
  const size_t length = std::min(std::strlen(program), size);
  std::memcpy(out, program, length);
  return static_cast<ssize_t>(length);
}
}  // namespace
WAVESMITH_STANDS_IN(ssize_t, readlink, (const char* path, char* out, size_t size)) {
  if (const ssize_t length = own_link(path, out, size); length >= 0) return length;
  return next<"readlink", ssize_t(const char*, char*, size_t)>()(Path(path), out, size);
}
WAVESMITH_STANDS_IN(ssize_t, __readlink_chk, (const char* path, char* out, size_t size, size_t room)) {
  if (const ssize_t length = own_link(path, out, size); length >= 0) return length;
  return next<"__readlink_chk", ssize_t(const char*, char*, size_t, size_t)>()(Path(path), out, size, room);
}
WAVESMITH_STANDS_IN(ssize_t, readlinkat, (int folder, const char* path, char* out, size_t size)) {
  if (const ssize_t length = own_link(path, out, size); length >= 0) return length;
  return next<"readlinkat", ssize_t(int, const char*, char*, size_t)>()(folder, Path(path), out, size);
}

namespace {
/// A resolved path names the machine that is shown, not the folder that it lies in.
char* resolved(const Path& path, char* result) {
  if (result && path.moved()) restore(result, shown());
  return result;
}
}  // namespace
WAVESMITH_STANDS_IN(char*, realpath, (const char* path, char* out)) {
  const Path seen(path);
  return resolved(seen, next<"realpath", char*(const char*, char*)>()(seen, out));
}
WAVESMITH_STANDS_IN(char*, __realpath_chk, (const char* path, char* out, size_t room)) {
  const Path seen(path);
  return resolved(seen, next<"__realpath_chk", char*(const char*, char*, size_t)>()(seen, out, room));
}
WAVESMITH_STANDS_IN(char*, canonicalize_file_name, (const char* path)) {
  const Path seen(path);
  return resolved(seen, next<"canonicalize_file_name", char*(const char*)>()(seen));
}

// glob() reads folders by libc's inner functions, unless it is given others.
namespace {
using Glob = int(const char*, int, int (*)(const char*, int), glob_t*);
int glob_by(Glob* own, const char* pattern, int flags, int (*failed)(const char*, int), glob_t* out) {
  const bool ours =
      pattern && (std::strncmp(pattern, "/sys/", 5) == 0 || std::strncmp(pattern, "/dev/", 5) == 0);
  if (!ours || !out || (flags & GLOB_ALTDIRFUNC)) return own(pattern, flags, failed, out);
  out->gl_opendir = [](const char* path) -> void* { return shown_opendir(path); };
  out->gl_readdir = [](void* folder) { return readdir(static_cast<DIR*>(folder)); };
  out->gl_closedir = [](void* folder) { closedir(static_cast<DIR*>(folder)); };
  out->gl_stat = [](const char* __restrict path, struct stat* __restrict into) {
    return shown_stat(path, into);
  };
  out->gl_lstat = [](const char* __restrict path, struct stat* __restrict into) {
    return shown_lstat(path, into);
  };
  const int result = own(pattern, flags | GLOB_ALTDIRFUNC, failed, out);
  out->gl_flags &= ~GLOB_ALTDIRFUNC;
  return result;
}
}  // namespace
WAVESMITH_STANDS_IN(int, glob,
                    (const char* pattern, int flags, int (*failed)(const char*, int), glob_t* out)) {
  return glob_by(next<"glob", Glob>(), pattern, flags, failed, out);
}
WAVESMITH_STANDS_IN(int, glob64,
                    (const char* pattern, int flags, int (*failed)(const char*, int), glob_t* out)) {
  return glob_by(next<"glob64", Glob>(), pattern, flags, failed, out);
}

}  // namespace wavesmith::rocm
