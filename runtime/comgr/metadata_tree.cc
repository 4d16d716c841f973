#include "runtime/comgr/metadata_tree.h"

#include <fmt/format.h>
#include <msgpack.h>

#include <iterator>

namespace wavesmith::comgr {
namespace {

using Pointer = MetadataNode::Pointer;

std::string text_of(const msgpack_object& object) {
  switch (object.type) {
    case MSGPACK_OBJECT_BOOLEAN:
      return object.via.boolean ? "1" : "0";
    case MSGPACK_OBJECT_POSITIVE_INTEGER:
      return fmt::to_string(object.via.u64);
    case MSGPACK_OBJECT_NEGATIVE_INTEGER:
      return fmt::to_string(object.via.i64);
    case MSGPACK_OBJECT_FLOAT32:
    case MSGPACK_OBJECT_FLOAT64:
      return fmt::to_string(object.via.f64);
    case MSGPACK_OBJECT_STR:
      return {object.via.str.ptr, object.via.str.size};
    default:
      return {};
  }
}

/// The reader has refused what nests deeper than its own stack of 32.
Pointer node_of(const msgpack_object& object) {
  auto node = std::make_shared<MetadataNode>();
  switch (object.type) {
    case MSGPACK_OBJECT_NIL:
      break;
    case MSGPACK_OBJECT_ARRAY:
      node->kind = AMD_COMGR_METADATA_KIND_LIST;
      for (uint32_t i = 0; i < object.via.array.size; ++i)
        node->list.push_back(node_of(object.via.array.ptr[i]));
      break;
    case MSGPACK_OBJECT_MAP:
      node->kind = AMD_COMGR_METADATA_KIND_MAP;
      for (uint32_t i = 0; i < object.via.map.size; ++i)
        node->map.emplace(text_of(object.via.map.ptr[i].key), node_of(object.via.map.ptr[i].val));
      break;
    default:
      return metadata_text(text_of(object));
  }
  return node;
}

Result<Pointer> parse(std::span<const uint8_t> note) {
  const std::unique_ptr<msgpack_zone, void (*)(msgpack_zone*)> zone(msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE),
                                                                    msgpack_zone_free);
  msgpack_object root;
  size_t at = 0;
  const auto status =
      zone ? msgpack_unpack(reinterpret_cast<const char*>(note.data()), note.size(), &at, zone.get(), &root)
           : MSGPACK_UNPACK_NOMEM_ERROR;
  if (status != MSGPACK_UNPACK_SUCCESS && status != MSGPACK_UNPACK_EXTRA_BYTES)
    return fail(ErrorKind::BadInput, "the metadata note is damaged");
  return node_of(root);
}

}  // namespace

Pointer metadata_text(std::string text) {
  auto node = std::make_shared<MetadataNode>();
  node->kind = AMD_COMGR_METADATA_KIND_STRING;
  node->text = std::move(text);
  return node;
}

Pointer metadata_map(std::map<std::string, Pointer> map) {
  auto node = std::make_shared<MetadataNode>();
  node->kind = AMD_COMGR_METADATA_KIND_MAP;
  node->map = std::move(map);
  return node;
}

Result<Pointer> parse_metadata(const std::vector<std::span<const uint8_t>>& notes) {
  Pointer whole = std::make_shared<MetadataNode>();
  for (const auto& note : notes) {
    const auto next = parse(note);
    if (!next) return tl::unexpected(next.error());
    if (whole->kind != AMD_COMGR_METADATA_KIND_MAP) {
      whole = *next;
      continue;
    }
    auto joined = std::make_shared<MetadataNode>(*whole);
    for (const auto& [key, value] : (*next)->map) {
      Pointer& there = joined->map[key];
      if (!there) {
        there = value;
      } else if (there->kind == AMD_COMGR_METADATA_KIND_LIST && key != "amdhsa.version") {
        auto longer = std::make_shared<MetadataNode>(*there);
        longer->list.insert(longer->list.end(), value->list.begin(), value->list.end());
        there = longer;
      }
    }
    whole = joined;
  }
  return whole;
}

}  // namespace wavesmith::comgr
