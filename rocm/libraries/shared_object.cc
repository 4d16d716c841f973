#include "rocm/libraries/shared_object.h"

#include <elf.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string_view>

#include "object/bytes.h"
#include "rocm/libraries/mapped_file.h"

namespace wavesmith::rocm {
namespace {

using object::read;
using object::slice;
using object::text_at;

/// A loaded address as an offset in the file.
class Image {
 public:
  explicit Image(std::span<const uint8_t> file) : file_(file) {
    header_ = read<Elf64_Ehdr>(file, 0);
    const bool fits = header_ && std::memcmp(header_->e_ident, ELFMAG, SELFMAG) == 0 &&
                      header_->e_ident[EI_CLASS] == ELFCLASS64 && header_->e_ident[EI_DATA] == ELFDATA2LSB;
    if (!fits) header_.reset();
    for (uint64_t i = 0; header_ && i < header_->e_phnum; ++i)
      if (const auto one = read<Elf64_Phdr>(file, header_->e_phoff + i * sizeof(Elf64_Phdr)))
        parts_.push_back(*one);
  }
  [[nodiscard]] const std::optional<Elf64_Ehdr>& header() const { return header_; }
  [[nodiscard]] const std::vector<Elf64_Phdr>& parts() const { return parts_; }
  [[nodiscard]] std::span<const uint8_t> at(uint64_t address) const {
    for (const Elf64_Phdr& part : parts_)
      if (part.p_type == PT_LOAD && address >= part.p_vaddr && address - part.p_vaddr < part.p_filesz)
        if (const auto bytes = slice(file_, part.p_offset, part.p_filesz))
          return bytes->subspan(address - part.p_vaddr);
    return {};
  }
  [[nodiscard]] std::span<const uint8_t> file() const { return file_; }

 private:
  std::span<const uint8_t> file_;
  std::optional<Elf64_Ehdr> header_;
  std::vector<Elf64_Phdr> parts_;
};

void read_wanted(SharedObject& object, std::span<const uint8_t> table, uint64_t count,
                 std::span<const uint8_t> strings) {
  for (uint64_t at = 0; count > 0; --count) {
    const auto need = read<Elf64_Verneed>(table, at);
    if (!need) return;
    auto& versions = object.wanted[std::string(text_at(strings, need->vn_file))];
    uint64_t one = at + need->vn_aux;
    for (unsigned i = 0; i < need->vn_cnt; ++i) {
      const auto version = read<Elf64_Vernaux>(table, one);
      if (!version) return;
      // A weak one may be missing.
      if (!(version->vna_flags & VER_FLG_WEAK)) versions.emplace_back(text_at(strings, version->vna_name));
      if (version->vna_next == 0) break;
      one += version->vna_next;
    }
    if (need->vn_next == 0) return;
    at += need->vn_next;
  }
}

void read_versions(SharedObject& object, std::span<const uint8_t> table, uint64_t count,
                   std::span<const uint8_t> strings) {
  for (uint64_t at = 0; count > 0; --count) {
    const auto definition = read<Elf64_Verdef>(table, at);
    if (!definition) return;
    const auto name = read<Elf64_Verdaux>(table, at + definition->vd_aux);
    // The first says the library's own name.
    if (name && !(definition->vd_flags & VER_FLG_BASE))
      object.versions.emplace(text_at(strings, name->vda_name));
    if (definition->vd_next == 0) return;
    at += definition->vd_next;
  }
}

/// Folders between colons, $ORIGIN in them being that of the file itself (ld.so(8)).
std::vector<std::string> folders_of(std::string_view text, const std::string& file) {
  const std::string origin = std::filesystem::absolute(file).parent_path();
  std::vector<std::string> folders;
  while (!text.empty()) {
    const size_t length = std::min(text.find(':'), text.size());
    std::string folder(text.substr(0, length));
    text.remove_prefix(std::min(length + 1, text.size()));
    for (const std::string_view token : {"$ORIGIN", "${ORIGIN}"})
      if (const size_t at = folder.find(token); at != folder.npos) folder.replace(at, token.size(), origin);
    if (!folder.empty()) folders.push_back(std::move(folder));
  }
  return folders;
}

}  // namespace

Result<SharedObject> SharedObject::read(const std::string& path) {
  const MappedFile file(path);
  if (file.bytes().empty()) return fail(ErrorKind::NotFound, fmt::format("cannot read '{}'", path));
  const Image image(file.bytes());
  if (!image.header()) return fail(ErrorKind::BadInput, fmt::format("'{}' is not a 64-bit ELF file", path));
  SharedObject object;
  object.machine = image.header()->e_machine;
  std::map<int64_t, uint64_t> values;
  std::vector<uint64_t> needed;
  for (const Elf64_Phdr& part : image.parts()) {
    if (part.p_type == PT_INTERP) object.interpreter = text_at(file.bytes(), part.p_offset);
    if (part.p_type != PT_DYNAMIC) continue;
    for (uint64_t at = part.p_offset; at < part.p_offset + part.p_filesz; at += sizeof(Elf64_Dyn)) {
      const auto entry = object::read<Elf64_Dyn>(file.bytes(), at);
      if (!entry || entry->d_tag == DT_NULL) break;
      if (entry->d_tag == DT_NEEDED)
        needed.push_back(entry->d_un.d_val);
      else
        values.emplace(entry->d_tag, entry->d_un.d_val);
    }
  }
  if (!values.contains(DT_STRTAB))
    return fail(ErrorKind::BadInput, fmt::format("'{}' is not linked dynamically", path));
  const std::span<const uint8_t> strings = image.at(values[DT_STRTAB]);
  if (values.contains(DT_SONAME)) object.soname = text_at(strings, values[DT_SONAME]);
  for (const uint64_t name : needed) object.needed.emplace_back(text_at(strings, name));
  // The older of the two counts where the newer is missing.
  for (const int64_t tag : {DT_RPATH, DT_RUNPATH})
    if (values.contains(tag)) object.folders = folders_of(text_at(strings, values[tag]), path);
  if (values.contains(DT_VERNEED))
    read_wanted(object, image.at(values[DT_VERNEED]), values[DT_VERNEEDNUM], strings);
  if (values.contains(DT_VERDEF))
    read_versions(object, image.at(values[DT_VERDEF]), values[DT_VERDEFNUM], strings);
  return object;
}

std::set<std::string> exported(const std::string& path) {
  const MappedFile file(path);
  const Image image(file.bytes());
  std::set<std::string> names;
  if (!image.header()) return names;
  const auto section = [&](uint64_t i) {
    return read<Elf64_Shdr>(file.bytes(), image.header()->e_shoff + i * sizeof(Elf64_Shdr));
  };
  for (uint64_t i = 0; i < image.header()->e_shnum; ++i) {
    const auto symbols = section(i);
    if (!symbols || symbols->sh_type != SHT_DYNSYM) continue;
    const auto linked = section(symbols->sh_link);
    const auto strings = linked ? slice(file.bytes(), linked->sh_offset, linked->sh_size) : std::nullopt;
    if (!strings) continue;
    for (uint64_t at = 0; at + sizeof(Elf64_Sym) <= symbols->sh_size; at += sizeof(Elf64_Sym))
      if (const auto symbol = read<Elf64_Sym>(file.bytes(), symbols->sh_offset + at);
          symbol && symbol->st_shndx != SHN_UNDEF)
        names.emplace(text_at(*strings, symbol->st_name));
  }
  return names;
}

}  // namespace wavesmith::rocm
