// comgr's calls for what a code object holds: symbols, names, the places of code in a bundle and in a file.
#include <algorithm>

#include "isa/llvm/demangle.h"
#include "object/bundle.h"
#include "runtime/comgr/api.h"
#include "runtime/comgr/objects.h"

using namespace wavesmith;
using namespace wavesmith::comgr;

namespace {

constexpr auto kRefused = AMD_COMGR_STATUS_ERROR_INVALID_ARGUMENT;

/// The data of a handle when it is machine code; else nothing.
std::shared_ptr<Data> machine_code(amd_comgr_data_t handle) {
  auto data = find(&Objects::data, handle.handle);
  const bool fits =
      data && (data->kind == AMD_COMGR_DATA_KIND_RELOCATABLE || data->kind == AMD_COMGR_DATA_KIND_EXECUTABLE);
  return fits ? data : nullptr;
}

/// A symbol's handle is its place in memory, as AMD's is. Those that were looked up live as long as the
/// process: comgr has no call that frees them.
amd_comgr_symbol_t handle_of(const Symbol& symbol) { return {reinterpret_cast<uintptr_t>(&symbol)}; }

}  // namespace

amd_comgr_status_t amd_comgr_get_data_isa_name(amd_comgr_data_t data, size_t* size, char* name) {
  const auto found = machine_code(data);
  if (!found) return kRefused;
  const auto file = ElfView::parse(found->bytes);
  if (!file || file->isa_name().empty()) return kRefused;
  return give(size, name, file->isa_name());
}

amd_comgr_status_t amd_comgr_iterate_symbols(amd_comgr_data_t data,
                                             amd_comgr_status_t (*callback)(amd_comgr_symbol_t symbol,
                                                                            void* user_data),
                                             void* user_data) {
  const auto found = machine_code(data);
  if (!found || !callback) return kRefused;
  const auto file = ElfView::parse(found->bytes);
  if (!file) return kRefused;
  for (const Symbol& symbol : file->symbols())
    if (callback(handle_of(symbol), user_data) != AMD_COMGR_STATUS_SUCCESS) return AMD_COMGR_STATUS_ERROR;
  return AMD_COMGR_STATUS_SUCCESS;
}

amd_comgr_status_t amd_comgr_symbol_lookup(amd_comgr_data_t data, const char* name,
                                           amd_comgr_symbol_t* symbol) {
  const auto found = machine_code(data);
  if (!found || !name || !symbol) return kRefused;
  const auto file = ElfView::parse(found->bytes);
  if (!file) return kRefused;
  for (const Symbol& each : file->symbols())
    if (each.name == name) {
      *symbol = handle_of(*new Symbol(each));
      return AMD_COMGR_STATUS_SUCCESS;
    }
  return AMD_COMGR_STATUS_ERROR;
}

amd_comgr_status_t amd_comgr_symbol_get_info(amd_comgr_symbol_t handle, amd_comgr_symbol_info_t attribute,
                                             void* value) {
  if (!handle.handle || !value) return kRefused;
  const auto& symbol = *reinterpret_cast<const Symbol*>(handle.handle);
  switch (attribute) {
    case AMD_COMGR_SYMBOL_INFO_NAME_LENGTH:
      *static_cast<size_t*>(value) = symbol.name.size();
      return AMD_COMGR_STATUS_SUCCESS;
    case AMD_COMGR_SYMBOL_INFO_NAME:
      std::memcpy(value, symbol.name.c_str(), symbol.name.size() + 1);
      return AMD_COMGR_STATUS_SUCCESS;
    case AMD_COMGR_SYMBOL_INFO_TYPE:  // ELF's own numbers
      *static_cast<int*>(value) = ELF64_ST_TYPE(symbol.fields.st_info);
      return AMD_COMGR_STATUS_SUCCESS;
    case AMD_COMGR_SYMBOL_INFO_SIZE:
      *static_cast<uint64_t*>(value) = symbol.fields.st_size;
      return AMD_COMGR_STATUS_SUCCESS;
    case AMD_COMGR_SYMBOL_INFO_IS_UNDEFINED:
      *static_cast<bool*>(value) = symbol.fields.st_shndx == SHN_UNDEF;
      return AMD_COMGR_STATUS_SUCCESS;
    case AMD_COMGR_SYMBOL_INFO_VALUE:
      *static_cast<uint64_t*>(value) = symbol.fields.st_value;
      return AMD_COMGR_STATUS_SUCCESS;
  }
  return kRefused;
}

amd_comgr_status_t amd_comgr_demangle_symbol_name(amd_comgr_data_t mangled, amd_comgr_data_t* demangled) {
  const auto name = find(&Objects::data, mangled.handle);
  if (!name || name->kind != AMD_COMGR_DATA_KIND_BYTES || !demangled) return kRefused;
  const std::string text = isa::demangle({name->bytes.begin(), name->bytes.end()});
  return create(&Objects::data, demangled,
                std::make_shared<Data>(Data{AMD_COMGR_DATA_KIND_BYTES, {}, {text.begin(), text.end()}}));
}

amd_comgr_status_t amd_comgr_populate_mangled_names(amd_comgr_data_t data, size_t* count) {
  const auto found = find(&Objects::data, data.handle);
  if (!found || !count) return kRefused;
  if (found->kind == AMD_COMGR_DATA_KIND_BC) return not_served("the names in bitcode");
  const auto file = ElfView::parse(found->bytes);
  if (!file || found->kind != AMD_COMGR_DATA_KIND_EXECUTABLE) return kRefused;
  std::vector<std::string> names;
  for (Symbol& symbol : file->symbols()) names.push_back(std::move(symbol.name));
  *count = names.size();
  return with(&Objects::data, data.handle, [&](const std::shared_ptr<Data>& same) {
    same->mangled_names = std::move(names);
    return AMD_COMGR_STATUS_SUCCESS;
  });
}

amd_comgr_status_t amd_comgr_get_mangled_name(amd_comgr_data_t data, size_t index, size_t* size, char* name) {
  const auto found = find(&Objects::data, data.handle);
  if (!found || index >= found->mangled_names.size()) return kRefused;
  return give(size, name, found->mangled_names[index]);
}

amd_comgr_status_t amd_comgr_lookup_code_object(amd_comgr_data_t data,
                                                amd_comgr_code_object_info_t* info_list, size_t count) {
  const auto found = find(&Objects::data, data.handle);
  if (!found || !info_list) return kRefused;
  const auto bundle = object::Bundle::parse(found->bytes);
  if (!bundle) return AMD_COMGR_STATUS_ERROR;
  for (size_t i = 0; i < count; ++i) {
    amd_comgr_code_object_info_t& info = info_list[i];
    info.size = 0;
    info.offset = 0;
    const auto target = object::TargetId::parse(target_of(info.isa ? info.isa : ""));
    if (!target) continue;
    const auto entry = bundle->choose(*target);
    if (!entry) continue;
    const uint8_t* const begin = found->bytes.data();
    // Code that had to be decompressed has no place in the data.
    if (entry->bytes.data() < begin || entry->bytes.data() >= begin + found->bytes.size())
      return not_served("the place of code in a compressed bundle");
    info.size = entry->bytes.size();
    info.offset = static_cast<uint64_t>(entry->bytes.data() - begin);
  }
  return AMD_COMGR_STATUS_SUCCESS;
}

amd_comgr_status_t amd_comgr_map_elf_virtual_address_to_code_object_offset(amd_comgr_data_t data,
                                                                           uint64_t address, uint64_t* offset,
                                                                           uint64_t* slice_size,
                                                                           bool* nobits) {
  const auto found = find(&Objects::data, data.handle);
  if (!found || found->kind != AMD_COMGR_DATA_KIND_EXECUTABLE || !offset || !slice_size || !nobits)
    return kRefused;
  const auto file = ElfView::parse(found->bytes);
  if (!file) return AMD_COMGR_STATUS_ERROR;
  for (const Elf64_Phdr& segment : file->segments()) {
    if (segment.p_type != PT_LOAD || address < segment.p_vaddr) continue;
    const uint64_t inside = address - segment.p_vaddr;
    if (inside >= segment.p_memsz) continue;
    *offset = segment.p_offset + inside;
    *nobits = inside >= segment.p_filesz;
    *slice_size = (*nobits ? segment.p_memsz : segment.p_filesz) - inside;
    return AMD_COMGR_STATUS_SUCCESS;
  }
  return kRefused;
}
