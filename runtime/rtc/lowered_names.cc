#include "runtime/rtc/lowered_names.h"

#include <elf.h>
#include <fmt/format.h>

#include <cstring>
#include <map>
#include <optional>
#include <string_view>

namespace wavesmith::rtc {
namespace {

constexpr const char* kPrefix = "__wavesmith_name_";
constexpr uint32_t kRelative64 = 13, kAbsolute64 = 3;  // R_AMDGPU_RELATIVE64, R_AMDGPU_ABS64

/// Reads a structure at an offset; nothing beyond the end is read.
template <class T>
std::optional<T> at(std::span<const uint8_t> bytes, uint64_t offset) {
  if (offset > bytes.size() || bytes.size() - offset < sizeof(T)) return {};
  T value;
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

std::string_view text_at(std::span<const uint8_t> bytes, uint64_t offset) {
  if (offset >= bytes.size()) return {};
  const auto* const begin = reinterpret_cast<const char*>(bytes.data() + offset);
  return {begin, strnlen(begin, bytes.size() - offset)};
}

struct Symbols {
  std::map<uint64_t, std::string> by_address;
  std::map<std::string, uint64_t, std::less<>> by_name;
  std::vector<std::string> by_index;
};

}  // namespace

std::string name_variables(const std::vector<std::string>& expressions) {
  if (expressions.empty()) return "\n";
  // A program's own -Weverything -Werror is not meant for these.
  std::string text = "\n#pragma clang diagnostic push\n#pragma clang diagnostic ignored \"-Weverything\"\n";
  for (size_t i = 0; i < expressions.size(); ++i) {
    std::string_view name = expressions[i];
    while (!name.empty() && (name.front() == ' ' || name.front() == '&')) name.remove_prefix(1);
    text += fmt::format(
        "extern \"C\" __attribute__((device, used, visibility(\"default\"))) const void* const {}{} = (const "
        "void*)(&{});\n",
        kPrefix, i, name);
  }
  return text + "#pragma clang diagnostic pop\n";
}

Result<std::vector<std::string>> lowered_names(std::span<const uint8_t> object, size_t expressions) {
  const auto bad = [] { return fail(ErrorKind::BadInput, "the compiler's output is not a code object"); };
  const auto header = at<Elf64_Ehdr>(object, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0) return bad();
  std::vector<Elf64_Shdr> sections;
  for (unsigned i = 0; i < header->e_shnum; ++i) {
    const auto section = at<Elf64_Shdr>(object, header->e_shoff + uint64_t{i} * sizeof(Elf64_Shdr));
    if (!section) return bad();
    sections.push_back(*section);
  }
  Symbols symbols;
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_DYNSYM || section.sh_link >= sections.size()) continue;
    const Elf64_Shdr& strings = sections[section.sh_link];
    if (strings.sh_offset > object.size() || strings.sh_size > object.size() - strings.sh_offset)
      return bad();
    const auto names = object.subspan(strings.sh_offset, strings.sh_size);
    for (uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Sym); ++i) {
      const auto symbol = at<Elf64_Sym>(object, section.sh_offset + i * sizeof(Elf64_Sym));
      if (!symbol) return bad();
      const std::string name(text_at(names, symbol->st_name));
      symbols.by_index.push_back(name);
      if (name.empty() || symbol->st_shndx == SHN_UNDEF) continue;
      symbols.by_name[name] = symbol->st_value;
      if (!name.starts_with(kPrefix) && !name.ends_with(".kd"))
        symbols.by_address.emplace(symbol->st_value, name);
    }
  }
  std::map<uint64_t, std::string> pointed_to;  // by the address of the variable
  for (const Elf64_Shdr& section : sections) {
    if (section.sh_type != SHT_RELA) continue;
    for (uint64_t i = 0; i < section.sh_size / sizeof(Elf64_Rela); ++i) {
      const auto relocation = at<Elf64_Rela>(object, section.sh_offset + i * sizeof(Elf64_Rela));
      if (!relocation) return bad();
      const uint32_t type = ELF64_R_TYPE(relocation->r_info);
      if (type == kRelative64) {
        const auto found = symbols.by_address.find(static_cast<uint64_t>(relocation->r_addend));
        if (found != symbols.by_address.end()) pointed_to[relocation->r_offset] = found->second;
      } else if (type == kAbsolute64 && ELF64_R_SYM(relocation->r_info) < symbols.by_index.size()) {
        pointed_to[relocation->r_offset] = symbols.by_index[ELF64_R_SYM(relocation->r_info)];
      }
    }
  }
  std::vector<std::string> names;
  for (size_t i = 0; i < expressions; ++i) {
    const auto variable = symbols.by_name.find(fmt::format("{}{}", kPrefix, i));
    if (variable == symbols.by_name.end())
      return fail(ErrorKind::BadInput, "a name expression has no symbol");
    const auto name = pointed_to.find(variable->second);
    if (name == pointed_to.end())
      return fail(ErrorKind::BadInput, "a name expression names nothing that has an address");
    names.push_back(name->second);
  }
  return names;
}

}  // namespace wavesmith::rtc
