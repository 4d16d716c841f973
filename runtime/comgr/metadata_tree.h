// Metadata as comgr exposes it: nodes that are a text, a list, a map or empty.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/comgr/api.h"

namespace wavesmith::comgr {

/// A node. Numbers and booleans are texts, as in AMD's comgr, and so are all keys of a map.
struct MetadataNode {
  using Pointer = std::shared_ptr<const MetadataNode>;
  amd_comgr_metadata_kind_t kind = AMD_COMGR_METADATA_KIND_NULL;
  std::string text;
  std::vector<Pointer> list;
  std::map<std::string, Pointer> map;
};

MetadataNode::Pointer metadata_text(std::string text);
MetadataNode::Pointer metadata_map(std::map<std::string, MetadataNode::Pointer> map);

/// Parses msgpack. Several notes of one object become one map: lists are joined, of other values the first is
/// kept. Without a note the result is an empty node. Error: BadInput for malformed msgpack.
Result<MetadataNode::Pointer> parse_metadata(const std::vector<std::span<const uint8_t>>& notes);

}  // namespace wavesmith::comgr
