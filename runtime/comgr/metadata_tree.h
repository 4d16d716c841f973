// Metadata as comgr shows it: nodes that are a text, a list, a map or nothing.
#pragma once

#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/result.h"
#include "runtime/comgr/api.h"

namespace wavesmith::comgr {

/// Numbers and truth values are texts, as AMD's comgr has them; so are a map's keys, whatever they were.
struct MetadataNode {
  using Pointer = std::shared_ptr<const MetadataNode>;
  amd_comgr_metadata_kind_t kind = AMD_COMGR_METADATA_KIND_NULL;
  std::string text;
  std::vector<Pointer> list;
  std::map<std::string, Pointer> map;
};

MetadataNode::Pointer metadata_text(std::string text);
MetadataNode::Pointer metadata_map(std::map<std::string, MetadataNode::Pointer> map);

/// From msgpack. Several notes of one object become one map: their lists are joined, and of other values the
/// first stays. No note: a node that is nothing. Error: BadInput for what is no msgpack.
Result<MetadataNode::Pointer> parse_metadata(const std::vector<std::span<const uint8_t>>& notes);

}  // namespace wavesmith::comgr
