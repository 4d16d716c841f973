// Handles of a library of AMD's. Making one takes long, and what it keeps, like memory for its kernels, is
// for one stream; so each stream of a device has its own, and one more for each thread that calls meanwhile.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <utility>
#include <vector>

#include <c10/core/Device.h>

#include "device/hip.h"

namespace wavesmith::device::amd {

class Handles {
 public:
  using Handle = void*;
  using Place = std::pair<c10::DeviceIndex, hipStream_t>;

  // A handle for as long as it lives. It is empty where making one failed.
  class Lease {
   public:
    Lease(Handles& from, Place place, Handle handle) : from_(&from), place_(place), handle_(handle) {}
    ~Lease() {
      if (handle_ != nullptr) from_->give_back(place_, handle_);
    }
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    Handle get() const { return handle_; }
    explicit operator bool() const { return handle_ != nullptr; }

   private:
    Handles* from_;
    Place place_;
    Handle handle_;
  };

  // `make(stream)` makes one on the calling thread's device, or returns null.
  template <typename Make>
  Lease take(c10::DeviceIndex device, hipStream_t stream, const Make& make) {
    const Place place{device, stream};
    {
      const std::lock_guard lock(mutex_);
      auto& idle = idle_[place];
      if (!idle.empty()) {
        Handle const handle = idle.back();
        idle.pop_back();
        return {*this, place, handle};
      }
    }
    return {*this, place, make(stream)};
  }

 private:
  void give_back(Place place, Handle handle) {
    const std::lock_guard lock(mutex_);
    idle_[place].push_back(handle);
  }

  std::mutex mutex_;
  std::map<Place, std::vector<Handle>> idle_;  // never destroyed: the library may be gone by then
};

// An object that a library made, destroyed by the library.
struct Destroy {
  int (*function)(void*);
  void operator()(void* object) const { function(object); }
};
using Object = std::unique_ptr<void, Destroy>;

}  // namespace wavesmith::device::amd
