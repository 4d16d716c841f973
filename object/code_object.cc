#include "object/code_object.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <unordered_map>

#include <fmt/format.h>

#include "base/bits.h"
#include "object/bytes.h"
#include "object/metadata.h"

namespace wavesmith::object {
namespace {

constexpr uint8_t kOsAbiHsa = 64;
constexpr uint32_t kNoteMetadata = 32;
constexpr uint64_t kPage = 4096;
/// An object may ask for this much memory at most: more is damage, not a program.
constexpr uint64_t kMostMemory = uint64_t{4} << 30;

// Relocations. Source: LLVM, "User Guide for AMDGPU Backend", table "AMDGPU ELF Relocation Records".
enum RelocationType : uint32_t {
  kNone = 0,
  kAbs32Lo = 1,
  kAbs32Hi = 2,
  kAbs64 = 3,
  kRel32 = 4,
  kRel64 = 5,
  kAbs32 = 6,
  kRel32Lo = 10,
  kRel32Hi = 11,
  kRelative64 = 13
};

tl::unexpected<Error> damaged(std::string what) {
  return fail(ErrorKind::BadInput, "damaged code object: " + std::move(what));
}

}  // namespace

struct CodeObject::Reader {
  CodeObject& object;
  std::span<const uint8_t> file;
  Elf64_Ehdr header{};
  std::vector<Elf64_Phdr> program_headers = {};
  std::vector<Elf64_Shdr> sections = {};
  struct Symbol {
    std::string_view name;
    Elf64_Sym fields;
  };
  std::vector<Symbol> dynamic_symbols = {}, symbols = {};
  Metadata metadata = {};

  Result<void> read_header() {
    if (file.size() < 4 || std::memcmp(file.data(), ELFMAG, SELFMAG) != 0)
      return fail(ErrorKind::BadInput, "not an ELF file");
    const auto start = read<Elf64_Ehdr>(file, 0);
    if (!start) return damaged("its header is cut off");
    header = *start;
    if (header.e_ident[EI_CLASS] != ELFCLASS64 || header.e_ident[EI_DATA] != ELFDATA2LSB)
      return fail(ErrorKind::BadInput, "not a 64-bit little-endian ELF file");
    if (header.e_machine != EM_AMDGPU)
      return fail(ErrorKind::BadInput,
                  fmt::format("an ELF file for machine {}, not for AMD GPUs", header.e_machine));
    if (header.e_ident[EI_OSABI] != kOsAbiHsa)
      return fail(ErrorKind::Unsupported, "a code object for another operating system than HSA");
    if (header.e_type != ET_DYN)
      return fail(ErrorKind::BadInput, "a relocatable object, not a linked code object", {},
                  "link it with ld.lld -shared");
    switch (header.e_ident[EI_ABIVERSION]) {
      case 1:
        object.version_ = 3;
        break;
      case 2:
        object.version_ = 4;
        break;
      case 3:
        object.version_ = 5;
        break;
      case 4:
        object.version_ = 6;
        break;
      default:
        return fail(ErrorKind::Unsupported,
                    fmt::format("a code object of ABI version {}", header.e_ident[EI_ABIVERSION]), {},
                    "versions 3 to 6 are read (-mcode-object-version=)");
    }
    return read_target();
  }

  Result<void> read_target() {
    auto target = TargetId::of_elf(header.e_flags, header.e_ident[EI_ABIVERSION]);
    if (!target)
      return fail(ErrorKind::Unsupported,
                  fmt::format("a code object for unknown machine {:#x}", header.e_flags & 0xff));
    object.target_ = std::move(*target);
    return {};
  }

  Result<void> read_tables() {
    if (header.e_phentsize != sizeof(Elf64_Phdr) && header.e_phnum)
      return damaged("its program headers have an unknown size");
    for (uint64_t i = 0; i < header.e_phnum; ++i) {
      const auto entry = slice(file, header.e_phoff, (i + 1) * sizeof(Elf64_Phdr));
      if (!entry) return damaged("its program headers lie outside of the file");
      program_headers.push_back(*read<Elf64_Phdr>(*entry, i * sizeof(Elf64_Phdr)));
    }
    if (header.e_shentsize != sizeof(Elf64_Shdr) && header.e_shnum)
      return damaged("its section headers have an unknown size");
    for (uint64_t i = 0; i < header.e_shnum; ++i) {
      const auto entry = slice(file, header.e_shoff, (i + 1) * sizeof(Elf64_Shdr));
      if (!entry) return damaged("its section headers lie outside of the file");
      sections.push_back(*read<Elf64_Shdr>(*entry, i * sizeof(Elf64_Shdr)));
    }
    return {};
  }

  Result<void> read_segments() {
    uint64_t begin = UINT64_MAX, end = 0;
    for (const Elf64_Phdr& phdr : program_headers) {
      if (phdr.p_type != PT_LOAD) continue;
      if (!slice(file, phdr.p_offset, phdr.p_filesz)) return damaged("a segment lies outside of the file");
      if (phdr.p_filesz > phdr.p_memsz || phdr.p_memsz > kMostMemory || phdr.p_vaddr > UINT64_MAX / 4)
        return damaged("a segment's sizes contradict each other");
      object.segments_.push_back({phdr.p_vaddr, phdr.p_offset, phdr.p_filesz, phdr.p_memsz, phdr.p_align,
                                  (phdr.p_flags & PF_X) != 0, (phdr.p_flags & PF_W) != 0});
      begin = std::min(begin, phdr.p_vaddr);
      end = std::max(end, phdr.p_vaddr + phdr.p_memsz);
    }
    if (object.segments_.empty()) return damaged("it has nothing to load");
    object.load_begin_ = begin / kPage * kPage;
    object.load_end_ = round_up(end, kPage);
    if (object.load_size() == 0) return damaged("it has nothing to load");
    if (object.load_size() > kMostMemory)
      return damaged(fmt::format("it needs {} bytes of memory", object.load_size()));
    return {};
  }

  Result<void> read_symbols(const Elf64_Shdr& section, std::vector<Symbol>& into) {
    if (section.sh_link >= sections.size()) return damaged("a symbol table without names");
    const Elf64_Shdr& names = sections[section.sh_link];
    const auto text = slice(file, names.sh_offset, names.sh_size);
    const auto table = slice(file, section.sh_offset, section.sh_size);
    if (!text || !table) return damaged("a symbol table lies outside of the file");
    for (uint64_t i = 0; i + sizeof(Elf64_Sym) <= table->size(); i += sizeof(Elf64_Sym)) {
      const Elf64_Sym fields = *read<Elf64_Sym>(*table, i);
      into.push_back({text_at(*text, fields.st_name), fields});
    }
    return {};
  }

  Result<void> read_all_symbols() {
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != SHT_DYNSYM && section.sh_type != SHT_SYMTAB) continue;
      if (auto done = read_symbols(section, section.sh_type == SHT_DYNSYM ? dynamic_symbols : symbols); !done)
        return done;
    }
    return {};
  }

  /// An object that was linked from several has a note of each.
  Result<void> read_notes() {
    bool found = false;
    for (const Elf64_Phdr& phdr : program_headers) {
      if (phdr.p_type != PT_NOTE) continue;
      const auto notes = slice(file, phdr.p_offset, phdr.p_filesz);
      if (!notes) return damaged("its notes lie outside of the file");
      uint64_t at = 0;
      while (const auto note = read<Elf64_Nhdr>(*notes, at)) {
        const uint64_t name = at + sizeof(Elf64_Nhdr),
                       contents = name + round_up<uint64_t>(note->n_namesz, 4);
        const auto bytes = slice(*notes, contents, note->n_descsz);
        if (!bytes) return damaged("a note is cut off");
        if (note->n_type == kNoteMetadata && text_at(*notes, name) == "AMDGPU") {
          auto parsed = parse_metadata(*bytes);
          if (!parsed) return tl::unexpected(parsed.error());
          metadata.add(std::move(*parsed));
          found = true;
        }
        at = contents + round_up<uint64_t>(note->n_descsz, 4);
      }
    }
    if (!found) return damaged("it has no metadata note");
    return {};
  }

  /// Where an address of the object lies in the file.
  [[nodiscard]] std::span<const uint8_t> at(uint64_t address, uint64_t size) const {
    return object.at(address, size);
  }

  Result<void> read_kernels() {
    std::unordered_map<std::string_view, const Symbol*> by_name;
    for (const auto* table : {&dynamic_symbols, &symbols})
      for (const Symbol& symbol : *table)
        if (symbol.fields.st_shndx != SHN_UNDEF) by_name.emplace(symbol.name, &symbol);
    for (Metadata::Entry& entry : metadata.kernels) {
      Kernel& kernel = entry.kernel;
      const auto symbol = by_name.find(entry.symbol);
      if (symbol == by_name.end())
        return damaged(fmt::format("kernel '{}' has no symbol '{}'", kernel.name, entry.symbol));
      kernel.descriptor = symbol->second->fields.st_value;
      const auto bytes = at(kernel.descriptor, 64);
      if (bytes.empty())
        return damaged(fmt::format("the descriptor of kernel '{}' lies outside of the file", kernel.name));
      if (auto done = read_descriptor(bytes, kernel); !done) return done;
      object.kernels_.push_back(std::move(kernel));
    }
    return {};
  }

  Result<void> read_descriptor(std::span<const uint8_t> bytes, Kernel& kernel) const {
    Descriptor& fields = kernel.fields;
    fields.group_segment_fixed_size = *read<uint32_t>(bytes, 0);
    fields.private_segment_fixed_size = *read<uint32_t>(bytes, 4);
    fields.kernarg_size = *read<uint32_t>(bytes, 8);
    fields.kernel_code_entry_byte_offset = *read<int64_t>(bytes, 16);
    fields.compute_pgm_rsrc3 = *read<uint32_t>(bytes, 44);
    fields.compute_pgm_rsrc1 = *read<uint32_t>(bytes, 48);
    fields.compute_pgm_rsrc2 = *read<uint32_t>(bytes, 52);
    fields.kernel_code_properties = *read<uint16_t>(bytes, 56);
    fields.kernarg_preload = *read<uint16_t>(bytes, 58);
    const uint64_t entry = kernel.entry();
    const bool inside =
        std::any_of(object.segments_.begin(), object.segments_.end(), [&](const Segment& segment) {
          return segment.executable && entry >= segment.address &&
                 entry - segment.address < segment.memory_size;
        });
    if (!inside || entry % 4)
      return damaged(fmt::format("the entry of kernel '{}' lies outside of the code", kernel.name));
    // Sizes in the descriptor are what the hardware obeys; a kernel's metadata may leave its own out.
    if (kernel.kernarg_size == 0) kernel.kernarg_size = std::min(fields.kernarg_size, 1u << 20);
    constexpr uint32_t kMostScratch = 1u << 22, kMostLds = 1u << 20;
    if (fields.private_segment_fixed_size > kMostScratch || fields.group_segment_fixed_size > kMostLds)
      return damaged(fmt::format("kernel '{}' asks for {} bytes of scratch per lane and {} bytes of LDS",
                                 kernel.name, fields.private_segment_fixed_size,
                                 fields.group_segment_fixed_size));
    const uint32_t preload = fields.kernarg_preload & 0x7fu, offset = fields.kernarg_preload >> 7;
    if (preload > 16 ||
        (preload && (offset + preload) * 4 > std::max(kernel.kernarg_size, fields.kernarg_size)))
      return damaged(fmt::format("kernel '{}' preloads arguments that it does not have", kernel.name));
    return {};
  }

  Result<void> read_variables() {
    std::unordered_map<std::string_view, bool> seen;
    const auto& table = dynamic_symbols.empty() ? symbols : dynamic_symbols;
    for (const Symbol& symbol : table) {
      if (symbol.name.empty() || symbol.fields.st_shndx == SHN_UNDEF ||
          ELF64_ST_TYPE(symbol.fields.st_info) != STT_OBJECT)
        continue;
      if (symbol.name.ends_with(".kd") || !seen.emplace(symbol.name, true).second) continue;
      const uint64_t address = symbol.fields.st_value, size = symbol.fields.st_size;
      if (address < object.load_begin_ || address > object.load_end_ || size > object.load_end_ - address)
        return damaged(fmt::format("variable '{}' lies outside of the object", symbol.name));
      object.variables_.push_back({std::string(symbol.name), address, size, false});
    }
    for (Variable& variable : object.variables_) variable.managed = seen.contains(variable.name + ".managed");
    return {};
  }

  Result<void> read_routines() {
    // The symbol table proper also has the functions that are not exported.
    for (const Symbol& symbol : symbols.empty() ? dynamic_symbols : symbols)
      if (ELF64_ST_TYPE(symbol.fields.st_info) == STT_FUNC && symbol.fields.st_shndx != SHN_UNDEF &&
          !symbol.name.empty())
        object.routines_.push_back({std::string(symbol.name), symbol.fields.st_value, symbol.fields.st_size});
    return {};
  }

  Result<void> read_relocations() {
    for (const Elf64_Shdr& section : sections) {
      if (section.sh_type != SHT_RELA || !(section.sh_flags & SHF_ALLOC)) continue;
      const auto table = slice(file, section.sh_offset, section.sh_size);
      if (!table) return damaged("its relocations lie outside of the file");
      for (uint64_t i = 0; i + sizeof(Elf64_Rela) <= table->size(); i += sizeof(Elf64_Rela)) {
        const auto entry = *read<Elf64_Rela>(*table, i);
        Relocation relocation;
        relocation.address = entry.r_offset;
        relocation.type = static_cast<uint32_t>(ELF64_R_TYPE(entry.r_info));
        relocation.addend = entry.r_addend;
        const uint64_t number = ELF64_R_SYM(entry.r_info);
        if (number != 0) {
          if (number >= dynamic_symbols.size())
            return damaged("a relocation names a symbol that does not exist");
          const Symbol& symbol = dynamic_symbols[number];
          relocation.value = symbol.fields.st_value;
          relocation.defined = symbol.fields.st_shndx != SHN_UNDEF;
          relocation.weak = ELF64_ST_BIND(symbol.fields.st_info) == STB_WEAK;
          if (!relocation.defined) relocation.symbol = symbol.name;
        }
        if (relocation.address < object.load_begin_ || relocation.address > object.load_end_ - 8)
          return damaged("a relocation lies outside of the object");
        object.relocations_.push_back(std::move(relocation));
      }
    }
    return {};
  }
};

Result<CodeObject> CodeObject::parse(std::span<const uint8_t> file) {
  CodeObject object;
  object.file_.assign(file.begin(), file.end());
  Reader reader{object, object.file_};
  using Step = Result<void> (Reader::*)();
  for (const Step step : {&Reader::read_header, &Reader::read_tables, &Reader::read_segments,
                          &Reader::read_all_symbols, &Reader::read_notes, &Reader::read_kernels,
                          &Reader::read_variables, &Reader::read_routines, &Reader::read_relocations})
    if (auto done = (reader.*step)(); !done) return tl::unexpected(done.error());
  object.printf_formats_ = std::move(reader.metadata.printf_formats);
  return object;
}

const Kernel* CodeObject::kernel(std::string_view name) const {
  for (const Kernel& kernel : kernels_)
    if (kernel.name == name) return &kernel;
  return nullptr;
}

const Variable* CodeObject::variable(std::string_view name) const {
  for (const Variable& variable : variables_)
    if (variable.name == name) return &variable;
  return nullptr;
}

const Routine* CodeObject::routine_at(uint64_t address) const {
  for (const Routine& routine : routines_)
    if (address >= routine.address && address - routine.address < routine.size) return &routine;
  return nullptr;
}

std::span<const uint8_t> CodeObject::at(uint64_t address, uint64_t size) const {
  for (const Segment& segment : segments_) {
    if (address < segment.address || address - segment.address > segment.file_size) continue;
    const uint64_t offset = address - segment.address;
    if (size > segment.file_size - offset) continue;
    return std::span(file_).subspan(segment.file_offset + offset, size);
  }
  return {};
}

Result<void> CodeObject::load(std::span<uint8_t> memory,
                              const std::map<std::string, uint64_t>& externals) const {
  if (memory.size() < load_size())
    return fail(ErrorKind::Internal, "too little memory to load a code object");
  const auto base = reinterpret_cast<uint64_t>(memory.data());
  for (const Segment& segment : segments_) {
    const std::span<uint8_t> to = memory.subspan(segment.address - load_begin_, segment.memory_size);
    std::memcpy(to.data(), file_.data() + segment.file_offset, segment.file_size);
    std::memset(to.data() + segment.file_size, 0, segment.memory_size - segment.file_size);
  }
  for (const Relocation& relocation : relocations_) {
    uint64_t symbol = loaded(base, relocation.value);
    if (!relocation.defined) {
      const auto found = externals.find(relocation.symbol);
      if (found == externals.end() && !relocation.weak)
        return fail(
            ErrorKind::NotFound,
            fmt::format("the code object needs symbol '{}', which nothing defines", relocation.symbol));
      symbol = found == externals.end() ? 0 : found->second;
    }
    const auto addend = static_cast<uint64_t>(relocation.addend);
    const uint64_t place = loaded(base, relocation.address);
    uint64_t value = symbol + addend;
    size_t size = 8;
    switch (relocation.type) {
      case kNone:
        continue;
      case kAbs64:
        break;
      case kRel64:
        value -= place;
        break;
      case kRelative64:
        value = loaded(base, addend);
        break;
      case kAbs32:
      case kAbs32Lo:
        size = 4;
        break;
      case kAbs32Hi:
        value >>= 32;
        size = 4;
        break;
      case kRel32:
      case kRel32Lo:
        value -= place;
        size = 4;
        break;
      case kRel32Hi:
        value = (value - place) >> 32;
        size = 4;
        break;
      default:
        return fail(ErrorKind::Unsupported,
                    fmt::format("a code object with relocations of type {}", relocation.type));
    }
    std::memcpy(memory.data() + (relocation.address - load_begin_), &value, size);
  }
  return {};
}

std::span<const uint8_t> CodeObject::loaded_code(uint64_t base) const {
  uint64_t begin = UINT64_MAX, end = 0;
  for (const Segment& segment : segments_) {
    if (!segment.executable) continue;
    begin = std::min(begin, segment.address);
    end = std::max(end, segment.address + segment.memory_size);
  }
  if (begin >= end) return {};
  return {reinterpret_cast<const uint8_t*>(loaded(base, begin)), end - begin};
}

}  // namespace wavesmith::object
