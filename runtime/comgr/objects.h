// comgr's objects behind their handles: data with counted references, sets of them, descriptions of actions,
// nodes of metadata, symbols.
#pragma once

#include <algorithm>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

#include "runtime/comgr/action.h"
#include "runtime/comgr/elf_view.h"
#include "runtime/comgr/metadata_tree.h"

namespace wavesmith::comgr {

/// What a set holds, in the order in which it was added.
using DataSet = std::vector<std::shared_ptr<Data>>;

struct Objects {
  std::mutex mutex;
  uint64_t next = 1;
  std::map<uint64_t, std::shared_ptr<Data>> data;
  std::map<uint64_t, DataSet> sets;
  std::map<uint64_t, ActionInfo> infos;
  std::map<uint64_t, std::shared_ptr<const MetadataNode>> metadata;
};
inline Objects& objects() {
  static Objects* const all = new Objects;  // also for calls at the process's end
  return *all;
}

/// Calls f with the object of a handle, under the lock.
template <class Map, class F>
amd_comgr_status_t with(Map Objects::* map, uint64_t handle, F f) {
  Objects& all = objects();
  const std::lock_guard lock(all.mutex);
  const auto found = (all.*map).find(handle);
  return found == (all.*map).end() ? AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT : f(found->second);
}

/// The object of a handle; a default-constructed one (null for pointers) if there is none.
template <class Object>
Object find(std::map<uint64_t, Object> Objects::* map, uint64_t handle) {
  Object found{};
  with(map, handle, [&](const Object& object) {
    found = object;
    return AMD_COMGR_STATUS_SUCCESS;
  });
  return found;
}

template <class Map, class Handle, class Value>
amd_comgr_status_t create(Map Objects::* map, Handle* out, Value value) {
  if (!out) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  Objects& all = objects();
  const std::lock_guard lock(all.mutex);
  out->handle = all.next++;
  (all.*map)[out->handle] = std::move(value);
  return AMD_COMGR_STATUS_SUCCESS;
}

template <class Map>
amd_comgr_status_t destroy(Map Objects::* map, uint64_t handle) {
  Objects& all = objects();
  const std::lock_guard lock(all.mutex);
  return (all.*map).erase(handle) ? AMD_COMGR_STATUS_SUCCESS : AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
}

/// Sets `size`, and copies the bytes if `to` is not null and large enough.
inline amd_comgr_status_t give(size_t* size, char* to, const void* from, size_t bytes) {
  if (!size) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  if (to && bytes) std::memcpy(to, from, std::min(*size, bytes));
  *size = bytes;
  return AMD_COMGR_STATUS_SUCCESS;
}
/// A text with the zero at its end.
inline amd_comgr_status_t give(size_t* size, char* to, const std::string& text) {
  return give(size, to, text.c_str(), text.size() + 1);
}

}  // namespace wavesmith::comgr
