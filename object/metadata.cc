#include "object/metadata.h"

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

namespace wavesmith::object {
namespace {

using Json = nlohmann::json;
using Kind = Argument::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 31> kKinds = {
    {
     {"by_value", Kind::Value},
     {"global_buffer", Kind::GlobalBuffer},
     {"dynamic_shared_pointer", Kind::DynamicSharedPointer},
     {"image", Kind::Image},
     {"sampler", Kind::Sampler},
     {"pipe", Kind::Pipe},
     {"queue", Kind::Queue},
     {"hidden_block_count_x", Kind::HiddenBlockCountX},
     {"hidden_block_count_y", Kind::HiddenBlockCountY},
     {"hidden_block_count_z", Kind::HiddenBlockCountZ},
     {"hidden_group_size_x", Kind::HiddenGroupSizeX},
     {"hidden_group_size_y", Kind::HiddenGroupSizeY},
     {"hidden_group_size_z", Kind::HiddenGroupSizeZ},
     {"hidden_remainder_x", Kind::HiddenRemainderX},
     {"hidden_remainder_y", Kind::HiddenRemainderY},
     {"hidden_remainder_z", Kind::HiddenRemainderZ},
     {"hidden_global_offset_x", Kind::HiddenGlobalOffsetX},
     {"hidden_global_offset_y", Kind::HiddenGlobalOffsetY},
     {"hidden_global_offset_z", Kind::HiddenGlobalOffsetZ},
     {"hidden_grid_dims", Kind::HiddenGridDims},
     {"hidden_none", Kind::HiddenNone},
     {"hidden_printf_buffer", Kind::HiddenPrintfBuffer},
     {"hidden_hostcall_buffer", Kind::HiddenHostcallBuffer},
     {"hidden_default_queue", Kind::HiddenDefaultQueue},
     {"hidden_completion_action", Kind::HiddenCompletionAction},
     {"hidden_multigrid_sync_arg", Kind::HiddenMultigridSyncArg},
     {"hidden_heap_v1", Kind::HiddenHeap},
     {"hidden_dynamic_lds_size", Kind::HiddenDynamicLdsSize},
     {"hidden_private_base", Kind::HiddenPrivateBase},
     {"hidden_shared_base", Kind::HiddenSharedBase},
     {"hidden_queue_ptr", Kind::HiddenQueuePtr},
     }
};

Kind kind_of(std::string_view name) {
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& row) { return row.first == name; });
  return found == kKinds.end() ? Kind::Unknown : found->second;
}

/// Whether the bytes are one msgpack value that nests at most `most` deep (a reader that recurses is safe
/// with it).
bool nests_at_most(std::span<const uint8_t> bytes, size_t most) {
  std::vector<uint64_t> open;  // values still to come, of each array or map that is open
  size_t at = 0;
  const auto number = [&](size_t width) -> uint64_t {
    uint64_t value = 0;
    for (size_t i = 0; i < width && at < bytes.size(); ++i) value = value << 8 | bytes[at++];
    return value;
  };
  do {
    if (at >= bytes.size()) return false;
    const uint8_t tag = bytes[at++];
    uint64_t skip = 0, values = 0;
    if (tag >= 0x80 && tag <= 0x8f)
      values = (tag & 15u) * 2;
    else if (tag >= 0x90 && tag <= 0x9f)
      values = tag & 15u;
    else if (tag >= 0xa0 && tag <= 0xbf)
      skip = tag & 31u;
    else
      switch (tag) {
        case 0xc4:
        case 0xd9:
          skip = number(1);
          break;
        case 0xc5:
        case 0xda:
          skip = number(2);
          break;
        case 0xc6:
        case 0xdb:
          skip = number(4);
          break;
        case 0xc7:
          skip = number(1) + 1;
          break;
        case 0xc8:
          skip = number(2) + 1;
          break;
        case 0xc9:
          skip = number(4) + 1;
          break;
        case 0xcc:
        case 0xd0:
          skip = 1;
          break;
        case 0xcd:
        case 0xd1:
          skip = 2;
          break;
        case 0xca:
        case 0xce:
        case 0xd2:
          skip = 4;
          break;
        case 0xcb:
        case 0xcf:
        case 0xd3:
          skip = 8;
          break;
        case 0xd4:
          skip = 2;
          break;
        case 0xd5:
          skip = 3;
          break;
        case 0xd6:
          skip = 5;
          break;
        case 0xd7:
          skip = 9;
          break;
        case 0xd8:
          skip = 17;
          break;
        case 0xdc:
          values = number(2);
          break;
        case 0xdd:
          values = number(4);
          break;
        case 0xde:
          values = number(2) * 2;
          break;
        case 0xdf:
          values = number(4) * 2;
          break;
        default:
          break;
      }
    if (skip > bytes.size() - at) return false;
    at += skip;
    if (values > 0) {
      if (open.size() >= most) return false;
      open.push_back(values);
    } else {
      while (!open.empty() && --open.back() == 0) open.pop_back();
    }
  } while (!open.empty());
  return true;
}

uint32_t number(const Json& map, const char* key, uint32_t otherwise = 0) {
  const auto found = map.find(key);
  if (found == map.end()) return otherwise;
  if (found->is_boolean()) return found->get<bool>() ? 1 : 0;
  if (!found->is_number_integer()) return otherwise;
  const auto value = found->is_number_unsigned()
                         ? found->get<uint64_t>()
                         : static_cast<uint64_t>(std::max<int64_t>(0, found->get<int64_t>()));
  return static_cast<uint32_t>(std::min<uint64_t>(value, std::numeric_limits<uint32_t>::max()));
}

std::string text(const Json& map, const char* key) {
  const auto found = map.find(key);
  return found != map.end() && found->is_string() ? found->get<std::string>() : std::string{};
}

const Json& list(const Json& map, const char* key) {
  static const Json& empty = *new Json(Json::array());
  const auto found = map.find(key);
  return found != map.end() && found->is_array() ? *found : empty;
}

/// Kernel arguments beyond this are refused: the segment's address is user data, not a gigabyte of memory.
constexpr uint32_t kMostKernarg = 1u << 20;

Result<Metadata::Entry> parse_kernel(const Json& map) {
  if (!map.is_object()) return fail(ErrorKind::BadInput, "a kernel's metadata is not a map");
  Metadata::Entry entry;
  Kernel& kernel = entry.kernel;
  entry.symbol = text(map, ".symbol");
  kernel.name = text(map, ".name");
  // The symbol is what is looked up; ".name" of code written in assembly may be anything.
  if (entry.symbol.ends_with(".kd")) kernel.name = entry.symbol.substr(0, entry.symbol.size() - 3);
  if (entry.symbol.empty() || kernel.name.empty())
    return fail(ErrorKind::BadInput, "a kernel without a name or a symbol in the metadata");
  kernel.kernarg_size = number(map, ".kernarg_segment_size");
  kernel.kernarg_align = std::max(1u, number(map, ".kernarg_segment_align", 8));
  kernel.vgpr_count = number(map, ".vgpr_count");
  kernel.agpr_count = number(map, ".agpr_count");
  kernel.sgpr_count = number(map, ".sgpr_count");
  kernel.vgpr_spill_count = number(map, ".vgpr_spill_count");
  kernel.sgpr_spill_count = number(map, ".sgpr_spill_count");
  kernel.max_flat_workgroup_size = number(map, ".max_flat_workgroup_size", 1024);
  kernel.wavefront_size = number(map, ".wavefront_size", 64);
  kernel.uses_dynamic_stack = number(map, ".uses_dynamic_stack") != 0;
  kernel.uniform_workgroup_size = number(map, ".uniform_work_group_size") != 0;
  if (kernel.wavefront_size != 32 && kernel.wavefront_size != 64)
    return fail(ErrorKind::BadInput,
                fmt::format("kernel '{}' has waves of {} lanes", kernel.name, kernel.wavefront_size));
  if (kernel.kernarg_size > kMostKernarg)
    return fail(ErrorKind::BadInput,
                fmt::format("kernel '{}' takes {} bytes of arguments", kernel.name, kernel.kernarg_size));
  const Json& required = list(map, ".reqd_workgroup_size");
  for (size_t i = 0; i < 3 && i < required.size(); ++i)
    if (required[i].is_number_unsigned()) kernel.required_workgroup_size[i] = required[i].get<uint32_t>();
  for (const Json& item : list(map, ".args")) {
    if (!item.is_object())
      return fail(ErrorKind::BadInput, fmt::format("an argument of kernel '{}' is not a map", kernel.name));
    Argument argument;
    argument.value_kind = text(item, ".value_kind");
    argument.kind = kind_of(argument.value_kind);
    argument.offset = number(item, ".offset");
    argument.size = number(item, ".size");
    argument.name = text(item, ".name");
    argument.type_name = text(item, ".type_name");
    argument.pointee_align = number(item, ".pointee_align");
    const uint64_t end = uint64_t{argument.offset} + argument.size;
    if (end > kMostKernarg)
      return fail(ErrorKind::BadInput,
                  fmt::format("an argument of kernel '{}' ends at byte {}", kernel.name, end));
    // Metadata written by hand may say less than its own arguments take. Loaders do not compare the two.
    kernel.kernarg_size = std::max(kernel.kernarg_size, static_cast<uint32_t>(end));
    kernel.arguments.push_back(std::move(argument));
  }
  return entry;
}

}  // namespace

Result<Metadata> parse_metadata(std::span<const uint8_t> note) {
  if (!nests_at_most(note, 16)) return fail(ErrorKind::BadInput, "the metadata note is damaged");
  const Json map = Json::from_msgpack(note.begin(), note.end(), /*strict=*/false, /*allow_exceptions=*/false);
  if (!map.is_object()) return fail(ErrorKind::BadInput, "the metadata note is damaged");
  Metadata metadata;
  metadata.target = text(map, "amdhsa.target");
  for (const Json& item : list(map, "amdhsa.kernels")) {
    auto entry = parse_kernel(item);
    if (!entry) return tl::unexpected(entry.error());
    metadata.kernels.push_back(std::move(*entry));
  }
  for (const Json& item : list(map, "amdhsa.printf"))
    if (item.is_string()) metadata.printf_formats.push_back(item.get<std::string>());
  return metadata;
}

}  // namespace wavesmith::object
