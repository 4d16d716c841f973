#include "object/metadata.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <utility>

#include <fmt/format.h>
#include <msgpack.h>

namespace wavesmith::object {
namespace {

using Kind = Argument::Kind;

constexpr std::array<std::pair<std::string_view, Kind>, 31> kKinds = {{
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
}};

Kind kind_of(std::string_view name) {
  const auto* const found =
      std::find_if(kKinds.begin(), kKinds.end(), [&](const auto& row) { return row.first == name; });
  return found == kKinds.end() ? Kind::Unknown : found->second;
}

/// A value of the note. Keys may be of any type: linkers keep those that programs put there.
class Value {
 public:
  explicit Value(const msgpack_object& object) : object_(object) {}

  [[nodiscard]] bool is_map() const { return object_.type == MSGPACK_OBJECT_MAP; }
  [[nodiscard]] bool is_text() const { return object_.type == MSGPACK_OBJECT_STR; }
  [[nodiscard]] bool is_count() const { return object_.type == MSGPACK_OBJECT_POSITIVE_INTEGER; }
  [[nodiscard]] uint64_t count() const { return object_.via.u64; }
  [[nodiscard]] std::string text() const { return {object_.via.str.ptr, object_.via.str.size}; }

  /// What a map has under the key.
  [[nodiscard]] std::optional<Value> find(std::string_view key) const {
    if (!is_map()) return {};
    for (uint32_t i = 0; i < object_.via.map.size; ++i) {
      const msgpack_object_kv& entry = object_.via.map.ptr[i];
      if (entry.key.type == MSGPACK_OBJECT_STR &&
          std::string_view(entry.key.via.str.ptr, entry.key.via.str.size) == key)
        return Value(entry.val);
    }
    return {};
  }
  /// A number under the key, at most that of 32 bits; `otherwise` where there is none.
  [[nodiscard]] uint32_t number(std::string_view key, uint32_t otherwise = 0) const {
    const auto found = find(key);
    if (!found) return otherwise;
    switch (found->object_.type) {
      case MSGPACK_OBJECT_BOOLEAN:
        return found->object_.via.boolean ? 1 : 0;
      case MSGPACK_OBJECT_NEGATIVE_INTEGER:
        return 0;
      case MSGPACK_OBJECT_POSITIVE_INTEGER:
        return static_cast<uint32_t>(
            std::min<uint64_t>(found->count(), std::numeric_limits<uint32_t>::max()));
      default:
        return otherwise;
    }
  }
  /// A text under the key; empty where there is none.
  [[nodiscard]] std::string text(std::string_view key) const {
    const auto found = find(key);
    return found && found->is_text() ? found->text() : std::string{};
  }
  /// The members of an array under the key.
  [[nodiscard]] std::vector<Value> list(std::string_view key) const {
    std::vector<Value> members;
    const auto found = find(key);
    if (!found || found->object_.type != MSGPACK_OBJECT_ARRAY) return members;
    const msgpack_object_array& array = found->object_.via.array;
    members.reserve(array.size);
    for (uint32_t i = 0; i < array.size; ++i) members.emplace_back(array.ptr[i]);
    return members;
  }

 private:
  msgpack_object object_;
};

/// Kernel arguments beyond this are refused: the segment's address is user data, not a gigabyte of memory.
constexpr uint32_t kMostKernarg = 1u << 20;

Result<Metadata::Entry> parse_kernel(const Value& map) {
  if (!map.is_map()) return fail(ErrorKind::BadInput, "a kernel's metadata is not a map");
  Metadata::Entry entry;
  Kernel& kernel = entry.kernel;
  entry.symbol = map.text(".symbol");
  kernel.name = map.text(".name");
  // The symbol is what is looked up; ".name" of code written in assembly may be anything.
  if (entry.symbol.ends_with(".kd")) kernel.name = entry.symbol.substr(0, entry.symbol.size() - 3);
  if (entry.symbol.empty() || kernel.name.empty())
    return fail(ErrorKind::BadInput, "a kernel without a name or a symbol in the metadata");
  kernel.kernarg_size = map.number(".kernarg_segment_size");
  kernel.kernarg_align = std::max(1u, map.number(".kernarg_segment_align", 8));
  kernel.vgpr_count = map.number(".vgpr_count");
  kernel.agpr_count = map.number(".agpr_count");
  kernel.sgpr_count = map.number(".sgpr_count");
  kernel.vgpr_spill_count = map.number(".vgpr_spill_count");
  kernel.sgpr_spill_count = map.number(".sgpr_spill_count");
  kernel.max_flat_workgroup_size = map.number(".max_flat_workgroup_size", 1024);
  kernel.wavefront_size = map.number(".wavefront_size", 64);
  kernel.uses_dynamic_stack = map.number(".uses_dynamic_stack") != 0;
  kernel.uniform_workgroup_size = map.number(".uniform_work_group_size") != 0;
  if (kernel.wavefront_size != 32 && kernel.wavefront_size != 64)
    return fail(ErrorKind::BadInput,
                fmt::format("kernel '{}' has waves of {} lanes", kernel.name, kernel.wavefront_size));
  if (kernel.kernarg_size > kMostKernarg)
    return fail(ErrorKind::BadInput,
                fmt::format("kernel '{}' takes {} bytes of arguments", kernel.name, kernel.kernarg_size));
  const std::vector<Value> required = map.list(".reqd_workgroup_size");
  for (size_t i = 0; i < 3 && i < required.size(); ++i)
    if (required[i].is_count())
      kernel.required_workgroup_size[i] = static_cast<uint32_t>(required[i].count());
  for (const Value& item : map.list(".args")) {
    if (!item.is_map())
      return fail(ErrorKind::BadInput, fmt::format("an argument of kernel '{}' is not a map", kernel.name));
    Argument argument;
    argument.value_kind = item.text(".value_kind");
    argument.kind = kind_of(argument.value_kind);
    argument.offset = item.number(".offset");
    argument.size = item.number(".size");
    argument.name = item.text(".name");
    argument.type_name = item.text(".type_name");
    argument.pointee_align = item.number(".pointee_align");
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

/// Whether the note is long enough for the items that its headers announce, each of a byte at least. The
/// reader would allocate room for four thousand million of them because five bytes say so.
bool has_what_it_announces(std::span<const uint8_t> note) {
  // What follows the heads 0xc0 to 0xdf (https://github.com/msgpack/msgpack/blob/master/spec.md): bytes of a
  // length, then bytes without one. From 0xdc on the length counts items, in maps pairs of them.
  constexpr std::array<std::pair<uint8_t, uint8_t>, 32> kAfter = {{
      {0, 0},  {0, 0}, {0, 0}, {0, 0}, {1, 0}, {2, 0}, {4, 0}, {1, 1},  // nil, booleans, bin, ext 8
      {2, 1},  {4, 1}, {0, 4}, {0, 8}, {0, 1}, {0, 2}, {0, 4}, {0, 8},  // ext, float, uint
      {0, 1},  {0, 2}, {0, 4}, {0, 8}, {0, 2}, {0, 3}, {0, 5}, {0, 9},  // int, ext of fixed sizes
      {0, 17}, {1, 0}, {2, 0}, {4, 0}, {2, 0}, {4, 0}, {2, 0}, {4, 0},  // ext of 16, str, array, map
  }};
  uint64_t items = 1;
  for (uint64_t at = 0; items > 0; --items) {
    if (items > note.size() - std::min<uint64_t>(at, note.size())) return false;
    const uint8_t head = note[at++];
    if (head < 0x80 || head >= 0xe0) continue;
    if (head < 0xa0) {
      items += head < 0x90 ? 2U * (head & 0xfU) : head & 0xfU;
    } else if (head < 0xc0) {
      at += head & 0x1fU;
    } else {
      const auto [length_bytes, bytes] = kAfter[head - 0xc0U];
      if (length_bytes > note.size() - at) return false;
      uint64_t length = 0;
      for (const uint8_t byte : note.subspan(at, length_bytes)) length = length << 8 | byte;
      at += length_bytes + bytes;
      if (head < 0xdc)
        at += length;
      else
        items += head < 0xde ? length : 2 * length;
    }
  }
  return true;
}

}  // namespace

void Metadata::add(Metadata other) {
  std::move(other.kernels.begin(), other.kernels.end(), std::back_inserter(kernels));
  std::move(other.printf_formats.begin(), other.printf_formats.end(), std::back_inserter(printf_formats));
  if (target.empty()) target = std::move(other.target);
}

Result<Metadata> parse_metadata(std::span<const uint8_t> note) {
  if (!has_what_it_announces(note)) return fail(ErrorKind::BadInput, "the metadata note is damaged");
  // The reader refuses what nests deeper than its own stack of 32.
  const std::unique_ptr<msgpack_zone, void (*)(msgpack_zone*)> zone(msgpack_zone_new(MSGPACK_ZONE_CHUNK_SIZE),
                                                                    msgpack_zone_free);
  msgpack_object root;
  size_t at = 0;
  const auto status =
      zone ? msgpack_unpack(reinterpret_cast<const char*>(note.data()), note.size(), &at, zone.get(), &root)
           : MSGPACK_UNPACK_NOMEM_ERROR;
  if ((status != MSGPACK_UNPACK_SUCCESS && status != MSGPACK_UNPACK_EXTRA_BYTES) ||
      root.type != MSGPACK_OBJECT_MAP)
    return fail(ErrorKind::BadInput, "the metadata note is damaged");
  const Value map(root);
  Metadata metadata;
  metadata.target = map.text("amdhsa.target");
  for (const Value& item : map.list("amdhsa.kernels")) {
    auto entry = parse_kernel(item);
    if (!entry) return tl::unexpected(entry.error());
    metadata.kernels.push_back(std::move(*entry));
  }
  for (const Value& item : map.list("amdhsa.printf"))
    if (item.is_text()) metadata.printf_formats.push_back(item.text());
  return metadata;
}

}  // namespace wavesmith::object
