// The folder that is shown to this process.
#pragma once

#include "rocm/preload/loader.h"
#include "rocm/preload/redirect.h"

namespace wavesmith::rocm {

/// The folder of WAVESMITH_MACHINE_ROOT, read once; empty if there is none. Async-signal-safe.
const ShownFolder& shown();

/// Shows another folder from now on; false when it has no list of prefixes.
bool show(const char* root);

/// A redirected path for libc, on the caller's stack.
class Path {
 public:
  explicit Path(const char* path) : seen_(own_program(path)), moved_(false) {
    if (seen_) return;
    seen_ = redirected(path, shown(), buffer_);
    moved_ = seen_ == buffer_;
  }
  operator const char*() const { return seen_; }
  [[nodiscard]] bool moved() const { return moved_; }

 private:
  char buffer_[PATH_MAX];
  const char* seen_;
  bool moved_;
};

}  // namespace wavesmith::rocm
