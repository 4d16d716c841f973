#include "runtime/comgr/elf_view.h"

#include <cstring>

#include "base/bits.h"
#include "object/bytes.h"

namespace wavesmith::comgr {
namespace {

constexpr uint32_t kNoteMetadata = 32;  // NT_AMDGPU_METADATA

/// `count` headers at `offset`; none when the file does not reach so far.
template <class T>
std::optional<std::vector<T>> headers(std::span<const uint8_t> file, uint64_t offset, size_t count) {
  std::vector<T> all;
  for (size_t i = 0; i < count; ++i) {
    const auto header = object::read<T>(file, offset + i * sizeof(T));
    if (!header) return {};
    all.push_back(*header);
  }
  return all;
}

}  // namespace

Result<ElfView> ElfView::parse(std::span<const uint8_t> file) {
  ElfView view;
  view.file_ = file;
  const auto header = object::read<Elf64_Ehdr>(file, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 ||
      header->e_ident[EI_CLASS] != ELFCLASS64 || header->e_machine != EM_AMDGPU)
    return fail(ErrorKind::BadInput, "not an ELF file for AMD GPUs");
  view.header_ = *header;
  auto sections = headers<Elf64_Shdr>(file, header->e_shoff, header->e_shnum);
  auto segments = headers<Elf64_Phdr>(file, header->e_phoff, header->e_phnum);
  if (!sections || !segments) return fail(ErrorKind::BadInput, "damaged: headers outside of the file");
  view.sections_ = std::move(*sections);
  view.segments_ = std::move(*segments);
  return view;
}

std::string ElfView::isa_name() const {
  const auto target = object::TargetId::of_elf(header_.e_flags, header_.e_ident[EI_ABIVERSION]);
  return target ? "amdgcn-amd-amdhsa--" + target->text() : std::string();
}

std::vector<Symbol> ElfView::symbols() const {
  std::vector<Symbol> all;
  const uint32_t kind = header_.e_type == ET_REL ? SHT_SYMTAB : SHT_DYNSYM;
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != kind || section.sh_link >= sections_.size()) continue;
    const Elf64_Shdr& strings = sections_[section.sh_link];
    const auto names = object::slice(file_, strings.sh_offset, strings.sh_size);
    const auto table = object::slice(file_, section.sh_offset, section.sh_size);
    if (!names || !table) continue;
    for (uint64_t i = 1; i < table->size() / sizeof(Elf64_Sym); ++i) {  // the first is none
      const auto symbol = object::read<Elf64_Sym>(*table, i * sizeof(Elf64_Sym));
      all.push_back({std::string(object::text_at(*names, symbol->st_name)), *symbol});
    }
  }
  return all;
}

std::vector<std::span<const uint8_t>> ElfView::metadata_notes() const {
  std::vector<std::span<const uint8_t>> found;
  for (const Elf64_Shdr& section : sections_) {
    if (section.sh_type != SHT_NOTE) continue;
    const auto notes = object::slice(file_, section.sh_offset, section.sh_size);
    for (uint64_t at = 0; notes && at < notes->size();) {
      const auto note = object::read<Elf64_Nhdr>(*notes, at);
      if (!note) break;
      const uint64_t name = at + sizeof(Elf64_Nhdr), contents = name + round_up<uint64_t>(note->n_namesz, 4);
      const auto bytes = object::slice(*notes, contents, note->n_descsz);
      if (!bytes) break;
      if (note->n_type == kNoteMetadata && object::text_at(*notes, name) == "AMDGPU") found.push_back(*bytes);
      at = contents + round_up<uint64_t>(note->n_descsz, 4);
    }
  }
  return found;
}

}  // namespace wavesmith::comgr
