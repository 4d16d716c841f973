// comgr's objects behind their handles: data with counted references, sets of them, and descriptions of
// actions.
#include "runtime/comgr/api.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <memory>
#include <mutex>

#include "runtime/comgr/action.h"

using namespace wavesmith::comgr;

namespace {

/// What a set holds, in the order in which it was added.
using DataSet = std::vector<std::shared_ptr<Data>>;

struct Objects {
  std::mutex mutex;
  uint64_t next = 1;
  std::map<uint64_t, std::shared_ptr<Data>> data;
  std::map<uint64_t, DataSet> sets;
  std::map<uint64_t, ActionInfo> infos;
};
Objects& objects() {
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

bool is_kind(amd_comgr_data_kind_t kind) {
  return kind > AMD_COMGR_DATA_KIND_UNDEF && kind <= AMD_COMGR_DATA_KIND_LAST;
}

/// A buffer's size comes first, its bytes when there is room for them.
amd_comgr_status_t give(size_t* size, char* to, const void* from, size_t bytes) {
  if (!size) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  if (to && bytes) std::memcpy(to, from, std::min(*size, bytes));
  *size = bytes;
  return AMD_COMGR_STATUS_SUCCESS;
}

}  // namespace

amd_comgr_status_t amd_comgr_status_string(amd_comgr_status_t status, const char** text) {
  static constexpr const char* kTexts[] = {"SUCCESS", "ERROR", "INVALID_ARGUMENT", "OUT_OF_RESOURCES"};
  if (!text || status < 0 || status > AMD_COMGR_STATUS_ERROR_OUT_OF_RESOURCES)
    return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  *text = kTexts[status];
  return AMD_COMGR_STATUS_SUCCESS;
}

void amd_comgr_get_version(size_t* major, size_t* minor) {
  if (major) *major = 3;
  if (minor) *minor = 0;
}

amd_comgr_status_t amd_comgr_create_data(amd_comgr_data_kind_t kind, amd_comgr_data_t* data) {
  if (!is_kind(kind)) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  return create(&Objects::data, data, std::make_shared<Data>(Data{kind, {}, {}}));
}

amd_comgr_status_t amd_comgr_release_data(amd_comgr_data_t data) {
  return destroy(&Objects::data, data.handle);
}

amd_comgr_status_t amd_comgr_get_data_kind(amd_comgr_data_t data, amd_comgr_data_kind_t* kind) {
  if (!kind) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  return with(&Objects::data, data.handle, [&](const std::shared_ptr<Data>& found) {
    *kind = found->kind;
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_set_data(amd_comgr_data_t data, size_t size, const char* bytes) {
  if (!bytes || size == 0) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  return with(&Objects::data, data.handle, [&](const std::shared_ptr<Data>& found) {
    found->bytes.assign(bytes, bytes + size);
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_set_data_name(amd_comgr_data_t data, const char* name) {
  return with(&Objects::data, data.handle, [&](const std::shared_ptr<Data>& found) {
    found->name = name ? name : "";
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_get_data(amd_comgr_data_t data, size_t* size, char* bytes) {
  return with(&Objects::data, data.handle, [&](const std::shared_ptr<Data>& found) {
    return give(size, bytes, found->bytes.data(), found->bytes.size());
  });
}

amd_comgr_status_t amd_comgr_get_data_name(amd_comgr_data_t data, size_t* size, char* name) {
  return with(&Objects::data, data.handle, [&](const std::shared_ptr<Data>& found) {
    return give(size, name, found->name.c_str(), found->name.size() + 1);
  });
}

amd_comgr_status_t amd_comgr_create_data_set(amd_comgr_data_set_t* set) {
  return create(&Objects::sets, set, DataSet{});
}
amd_comgr_status_t amd_comgr_destroy_data_set(amd_comgr_data_set_t set) {
  return destroy(&Objects::sets, set.handle);
}

amd_comgr_status_t amd_comgr_data_set_add(amd_comgr_data_set_t set, amd_comgr_data_t data) {
  std::shared_ptr<Data> added;
  const auto status = with(&Objects::data, data.handle, [&](const std::shared_ptr<Data>& found) {
    added = found;
    return AMD_COMGR_STATUS_SUCCESS;
  });
  if (status != AMD_COMGR_STATUS_SUCCESS) return status;
  return with(&Objects::sets, set.handle, [&](DataSet& found) {
    found.push_back(added);
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_data_set_remove(amd_comgr_data_set_t set, amd_comgr_data_kind_t kind) {
  return with(&Objects::sets, set.handle, [&](DataSet& found) {
    std::erase_if(found,
                  [&](const auto& data) { return kind == AMD_COMGR_DATA_KIND_UNDEF || data->kind == kind; });
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_action_data_count(amd_comgr_data_set_t set, amd_comgr_data_kind_t kind,
                                               size_t* count) {
  if (!count || !is_kind(kind)) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  return with(&Objects::sets, set.handle, [&](const DataSet& found) {
    *count = 0;
    for (const auto& data : found) *count += data->kind == kind;
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_action_data_get_data(amd_comgr_data_set_t set, amd_comgr_data_kind_t kind,
                                                  size_t index, amd_comgr_data_t* data) {
  std::shared_ptr<Data> wanted;
  const auto status = with(&Objects::sets, set.handle, [&](const DataSet& found) {
    for (const auto& each : found)
      if (each->kind == kind && index-- == 0) {
        wanted = each;
        return AMD_COMGR_STATUS_SUCCESS;
      }
    return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  });
  return status == AMD_COMGR_STATUS_SUCCESS ? create(&Objects::data, data, wanted) : status;
}

amd_comgr_status_t amd_comgr_create_action_info(amd_comgr_action_info_t* info) {
  return create(&Objects::infos, info, ActionInfo{});
}
amd_comgr_status_t amd_comgr_destroy_action_info(amd_comgr_action_info_t info) {
  return destroy(&Objects::infos, info.handle);
}

amd_comgr_status_t amd_comgr_action_info_set_isa_name(amd_comgr_action_info_t info, const char* name) {
  return with(&Objects::infos, info.handle, [&](ActionInfo& found) {
    found.isa = name ? name : "";
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_action_info_set_language(amd_comgr_action_info_t info,
                                                      amd_comgr_language_t language) {
  if (language < 0 || language > AMD_COMGR_LANGUAGE_LAST) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  return with(&Objects::infos, info.handle, [&](ActionInfo& found) {
    found.language = language;
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_action_info_set_option_list(amd_comgr_action_info_t info, const char* options[],
                                                         size_t count) {
  if (!options && count) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  return with(&Objects::infos, info.handle, [&](ActionInfo& found) {
    found.options.assign(options, options + count);
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_action_info_set_working_directory_path(amd_comgr_action_info_t info,
                                                                    const char*) {
  return with(&Objects::infos, info.handle, [](ActionInfo&) { return AMD_COMGR_STATUS_SUCCESS; });
}

amd_comgr_status_t amd_comgr_action_info_set_logging(amd_comgr_action_info_t info, bool logging) {
  return with(&Objects::infos, info.handle, [&](ActionInfo& found) {
    found.logging = logging;
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_do_action(amd_comgr_action_kind_t kind, amd_comgr_action_info_t info,
                                       amd_comgr_data_set_t input, amd_comgr_data_set_t result) {
  ActionInfo how;
  DataSet from;
  auto status = with(&Objects::infos, info.handle, [&](const ActionInfo& found) {
    how = found;
    return AMD_COMGR_STATUS_SUCCESS;
  });
  if (status == AMD_COMGR_STATUS_SUCCESS)
    status = with(&Objects::sets, input.handle, [&](const DataSet& found) {
      from = found;
      return AMD_COMGR_STATUS_SUCCESS;
    });
  if (status != AMD_COMGR_STATUS_SUCCESS) return status;
  std::vector<const Data*> inputs;
  for (const auto& data : from) inputs.push_back(data.get());
  std::string log;
  auto results = act(kind, how, inputs, log);
  if (!results) {
    // The compiler's own words say enough; anything else is told.
    if (log.empty()) std::fprintf(stderr, "wavesmith: %s\n", results.error().text().c_str());
    log += results.error().text() + "\n";
  }
  return with(&Objects::sets, result.handle, [&](DataSet& found) {
    if (results)
      for (Data& data : *results) found.push_back(std::make_shared<Data>(std::move(data)));
    if (how.logging)
      found.push_back(std::make_shared<Data>(Data{
          AMD_COMGR_DATA_KIND_LOG, "log", {log.begin(), log.end()}
      }));
    return results ? AMD_COMGR_STATUS_SUCCESS : AMD_COMGR_STATUS_ERROR;
  });
}
