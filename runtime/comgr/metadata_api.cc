// comgr's calls for metadata.
#include "runtime/comgr/api.h"
#include "runtime/comgr/objects.h"

using namespace wavesmith::comgr;

namespace {

constexpr auto kRefused = AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;

/// The node of a handle when it is of that kind; else nothing.
MetadataNode::Pointer node_of(amd_comgr_metadata_node_t handle, amd_comgr_metadata_kind_t kind) {
  auto node = find(&Objects::metadata, handle.handle);
  return node && node->kind == kind ? node : nullptr;
}

}  // namespace

amd_comgr_status_t amd_comgr_get_data_metadata(amd_comgr_data_t data, amd_comgr_metadata_node_t* metadata) {
  const auto found = find(&Objects::data, data.handle);
  if (!found || !metadata) return kRefused;
  const auto file = ElfView::parse(found->bytes);
  if (!file) return create(&Objects::metadata, metadata, std::make_shared<const MetadataNode>());
  auto tree = parse_metadata(file->metadata_notes());
  return tree ? create(&Objects::metadata, metadata, std::move(*tree)) : AMD_COMGR_STATUS_ERROR;
}

amd_comgr_status_t amd_comgr_destroy_metadata(amd_comgr_metadata_node_t metadata) {
  return destroy(&Objects::metadata, metadata.handle);
}

amd_comgr_status_t amd_comgr_get_metadata_kind(amd_comgr_metadata_node_t metadata,
                                               amd_comgr_metadata_kind_t* kind) {
  const auto node = find(&Objects::metadata, metadata.handle);
  if (!node || !kind) return kRefused;
  *kind = node->kind;
  return AMD_COMGR_STATUS_SUCCESS;
}

amd_comgr_status_t amd_comgr_get_metadata_string(amd_comgr_metadata_node_t metadata, size_t* size,
                                                 char* string) {
  const auto node = node_of(metadata, AMD_COMGR_METADATA_KIND_STRING);
  return node ? give(size, string, node->text) : kRefused;
}

amd_comgr_status_t amd_comgr_get_metadata_map_size(amd_comgr_metadata_node_t metadata, size_t* size) {
  const auto node = node_of(metadata, AMD_COMGR_METADATA_KIND_MAP);
  if (!node || !size) return kRefused;
  *size = node->map.size();
  return AMD_COMGR_STATUS_SUCCESS;
}

amd_comgr_status_t amd_comgr_iterate_map_metadata(
    amd_comgr_metadata_node_t metadata,
    amd_comgr_status_t (*callback)(amd_comgr_metadata_node_t key, amd_comgr_metadata_node_t value,
                                   void* user_data),
    void* user_data) {
  const auto node = node_of(metadata, AMD_COMGR_METADATA_KIND_MAP);
  if (!node || !callback) return kRefused;
  for (const auto& [key, value] : node->map) {
    amd_comgr_metadata_node_t first{}, second{};
    create(&Objects::metadata, &first, metadata_text(key));
    create(&Objects::metadata, &second, value);
    const auto status = callback(first, second, user_data);
    amd_comgr_destroy_metadata(first);
    amd_comgr_destroy_metadata(second);
    if (status != AMD_COMGR_STATUS_SUCCESS) return AMD_COMGR_STATUS_ERROR;
  }
  return AMD_COMGR_STATUS_SUCCESS;
}

amd_comgr_status_t amd_comgr_metadata_lookup(amd_comgr_metadata_node_t metadata, const char* key,
                                             amd_comgr_metadata_node_t* value) {
  const auto node = node_of(metadata, AMD_COMGR_METADATA_KIND_MAP);
  if (!node || !key || !value) return kRefused;
  const auto found = node->map.find(key);
  return found == node->map.end() ? AMD_COMGR_STATUS_ERROR : create(&Objects::metadata, value, found->second);
}

amd_comgr_status_t amd_comgr_get_metadata_list_size(amd_comgr_metadata_node_t metadata, size_t* size) {
  const auto node = node_of(metadata, AMD_COMGR_METADATA_KIND_LIST);
  if (!node || !size) return kRefused;
  *size = node->list.size();
  return AMD_COMGR_STATUS_SUCCESS;
}

amd_comgr_status_t amd_comgr_index_list_metadata(amd_comgr_metadata_node_t metadata, size_t index,
                                                 amd_comgr_metadata_node_t* value) {
  const auto node = node_of(metadata, AMD_COMGR_METADATA_KIND_LIST);
  if (!node || !value || index >= node->list.size()) return kRefused;
  return create(&Objects::metadata, value, node->list[index]);
}
