// comgr's calls for data and sets of them.
#include <unistd.h>

#include "runtime/comgr/api.h"
#include "runtime/comgr/objects.h"

using namespace wavesmith::comgr;

namespace {

bool is_kind(amd_comgr_data_kind_t kind) {
  return kind > AMD_COMGR_DATA_KIND_UNDEF && kind <= AMD_COMGR_DATA_KIND_LAST;
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

amd_comgr_status_t amd_comgr_set_data_from_file_slice(amd_comgr_data_t data, int descriptor, uint64_t offset,
                                                      uint64_t size) {
  // A file's end is not asked for: more than there is is refused while it is read.
  std::vector<uint8_t> bytes;
  for (uint64_t at = 0; at < size;) {
    uint8_t part[1 << 16];
    const ssize_t count =
        pread(descriptor, part, std::min<uint64_t>(sizeof part, size - at), static_cast<off_t>(offset + at));
    if (count <= 0) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
    bytes.insert(bytes.end(), part, part + count);
    at += static_cast<uint64_t>(count);
  }
  return amd_comgr_set_data(data, bytes.size(), reinterpret_cast<const char*>(bytes.data()));
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
  return with(&Objects::data, data.handle,
              [&](const std::shared_ptr<Data>& found) { return give(size, name, found->name); });
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
