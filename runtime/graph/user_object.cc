#include "runtime/graph/user_object.h"

#include <mutex>
#include <unordered_map>

namespace wavesmith::runtime {
namespace {

struct UserObject {
  void* pointer;
  hipHostFn_t destroy;
  int references;
};

/// Handles are numbers that are never used twice, so that one of an object that is gone names nothing.
struct UserObjects {
  std::mutex mutex;
  uintptr_t last = 0;
  std::unordered_map<hipUserObject_t, UserObject> live;
};
UserObjects& objects() {
  static auto& all = *new UserObjects;
  return all;
}

}  // namespace

hipUserObject_t make_user_object(void* pointer, hipHostFn_t destroy, int references) {
  UserObjects& all = objects();
  const std::scoped_lock lock(all.mutex);
  const auto handle = reinterpret_cast<hipUserObject_t>(all.last += 16);
  all.live[handle] = {pointer, destroy, references};
  return handle;
}

int user_object_references(hipUserObject_t object) {
  UserObjects& all = objects();
  const std::scoped_lock lock(all.mutex);
  const auto found = all.live.find(object);
  return found == all.live.end() ? 0 : found->second.references;
}

void retain_user_object(hipUserObject_t object, int count) {
  UserObjects& all = objects();
  const std::scoped_lock lock(all.mutex);
  if (const auto found = all.live.find(object); found != all.live.end()) found->second.references += count;
}

void release_user_object(hipUserObject_t object, int count) {
  UserObjects& all = objects();
  UserObject gone{};
  {
    const std::scoped_lock lock(all.mutex);
    const auto found = all.live.find(object);
    if (found == all.live.end() || found->second.references < count) return;
    if ((found->second.references -= count) > 0) return;
    gone = found->second;
    all.live.erase(found);
  }
  gone.destroy(gone.pointer);
}

}  // namespace wavesmith::runtime
