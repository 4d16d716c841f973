// What a checker knows of each program, kept from one launch to the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>

#include "check/launch.h"

namespace wavesmith::check {

/// A T per program, made when it is first asked for: most often one that holds a PerSite. The oldest programs
/// are forgotten.
template <class T>
class PerProgram {
 public:
  std::shared_ptr<T> of(const Launch& launch) {
    if (launch.program == 0) return std::make_shared<T>();
    const std::scoped_lock lock(mutex_);
    std::shared_ptr<T>& known = programs_[launch.program];
    if (!known) known = std::make_shared<T>();
    const std::shared_ptr<T> found = known;
    if (programs_.size() > kMost) programs_.erase(programs_.begin());
    return found;
  }

 private:
  static constexpr size_t kMost = 256;
  std::mutex mutex_;
  std::map<uint64_t, std::shared_ptr<T>> programs_;
};

}  // namespace wavesmith::check
