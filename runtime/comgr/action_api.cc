// comgr's calls for actions and their descriptions.
#include <cstdio>

#include "runtime/comgr/api.h"
#include "runtime/comgr/objects.h"

using namespace wavesmith::comgr;

amd_comgr_status_t amd_comgr_create_action_info(amd_comgr_action_info_t* info) {
  return create(&Objects::infos, info, ActionInfo{});
}
amd_comgr_status_t amd_comgr_destroy_action_info(amd_comgr_action_info_t info) {
  return destroy(&Objects::infos, info.handle);
}

amd_comgr_status_t amd_comgr_action_info_set_isa_name(amd_comgr_action_info_t info, const char* name) {
  if (name && *name && !is_isa_name(name)) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
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
                                                                    const char* path) {
  return with(&Objects::infos, info.handle, [&](ActionInfo& found) {
    found.working_directory = path ? path : "";
    return AMD_COMGR_STATUS_SUCCESS;
  });
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
      found.push_back(std::make_shared<Data>(Data{AMD_COMGR_DATA_KIND_LOG, "log", {log.begin(), log.end()}}));
    return results ? AMD_COMGR_STATUS_SUCCESS : AMD_COMGR_STATUS_ERROR;
  });
}

amd_comgr_status_t amd_comgr_action_info_set_bundle_entry_ids(amd_comgr_action_info_t info, const char* ids[],
                                                              size_t count) {
  if (!ids && count) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  return with(&Objects::infos, info.handle, [&](ActionInfo& found) {
    found.bundle_entries.assign(ids, ids + count);
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_action_info_set_device_lib_linking(amd_comgr_action_info_t info, bool link) {
  return with(&Objects::infos, info.handle, [&](ActionInfo& found) {
    found.device_libraries = link;
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

// Files are always written: whether in memory or on disk is the library's own affair.
amd_comgr_status_t amd_comgr_action_info_set_vfs(amd_comgr_action_info_t info, bool) {
  return with(&Objects::infos, info.handle, [](ActionInfo&) { return AMD_COMGR_STATUS_SUCCESS; });
}

amd_comgr_status_t amd_comgr_action_info_get_isa_name(amd_comgr_action_info_t info, size_t* size,
                                                      char* name) {
  return with(&Objects::infos, info.handle,
              [&](const ActionInfo& found) { return give(size, name, found.isa); });
}
amd_comgr_status_t amd_comgr_action_info_get_working_directory_path(amd_comgr_action_info_t info,
                                                                    size_t* size, char* path) {
  return with(&Objects::infos, info.handle,
              [&](const ActionInfo& found) { return give(size, path, found.working_directory); });
}

namespace {

/// A plain member of a description.
template <class T>
amd_comgr_status_t tell(amd_comgr_action_info_t info, T ActionInfo::* member, T* out) {
  if (!out) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  return with(&Objects::infos, info.handle, [&](const ActionInfo& found) {
    *out = found.*member;
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

using Texts = std::vector<std::string>;

amd_comgr_status_t count_of(amd_comgr_action_info_t info, Texts ActionInfo::* member, size_t* count) {
  if (!count) return AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  return with(&Objects::infos, info.handle, [&](const ActionInfo& found) {
    *count = (found.*member).size();
    return AMD_COMGR_STATUS_SUCCESS;
  });
}
amd_comgr_status_t item_of(amd_comgr_action_info_t info, Texts ActionInfo::* member, size_t index,
                           size_t* size, char* text) {
  return with(&Objects::infos, info.handle, [&](const ActionInfo& found) {
    const Texts& all = found.*member;
    return index < all.size() ? give(size, text, all[index]) : AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;
  });
}

}  // namespace

amd_comgr_status_t amd_comgr_action_info_get_language(amd_comgr_action_info_t info,
                                                      amd_comgr_language_t* language) {
  return tell(info, &ActionInfo::language, language);
}
amd_comgr_status_t amd_comgr_action_info_get_logging(amd_comgr_action_info_t info, bool* logging) {
  return tell(info, &ActionInfo::logging, logging);
}
amd_comgr_status_t amd_comgr_action_info_get_option_list_count(amd_comgr_action_info_t info, size_t* count) {
  return count_of(info, &ActionInfo::options, count);
}
amd_comgr_status_t amd_comgr_action_info_get_option_list_item(amd_comgr_action_info_t info, size_t index,
                                                              size_t* size, char* option) {
  return item_of(info, &ActionInfo::options, index, size, option);
}
amd_comgr_status_t amd_comgr_action_info_get_bundle_entry_id_count(amd_comgr_action_info_t info,
                                                                   size_t* count) {
  return count_of(info, &ActionInfo::bundle_entries, count);
}
amd_comgr_status_t amd_comgr_action_info_get_bundle_entry_id(amd_comgr_action_info_t info, size_t index,
                                                             size_t* size, char* id) {
  return item_of(info, &ActionInfo::bundle_entries, index, size, id);
}
