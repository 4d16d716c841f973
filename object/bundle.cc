#include "object/bundle.h"

#include <elf.h>

#include <algorithm>
#include <cstring>

#include <fmt/format.h>

#include "isa/machines.h"
#include "object/bytes.h"
#include "object/decompress.h"

namespace wavesmith::object {
namespace {

constexpr std::string_view kBundleMagic = "__CLANG_OFFLOAD_BUNDLE__", kCompressedMagic = "CCOB";
/// Entries of one bundle; clang writes a few dozen at most.
constexpr uint64_t kMostEntries = 4096;

bool starts_with(std::span<const uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

tl::unexpected<Error> damaged(std::string_view what) {
  return fail(ErrorKind::BadInput, fmt::format("damaged offload bundle: {}", what));
}

/// The target in an entry's id: "hipv4-amdgcn-amd-amdhsa--gfx90a:xnack-"; nullopt for the host's entry and
/// other kinds.
std::optional<TargetId> target_of(std::string_view id) {
  const size_t triple = id.find("amdgcn-");
  if (triple == std::string_view::npos) return std::nullopt;
  const size_t processor = id.find("-gfx", triple);
  if (processor == std::string_view::npos) return std::nullopt;
  auto target = TargetId::parse(id.substr(processor + 1));
  if (!target) return std::nullopt;
  return std::move(*target);
}

/// The header of a compressed bundle.
struct CompressedHeader {
  Compression method = Compression::Zlib;
  uint64_t header_size = 0, file_size = 0, size = 0;  ///< file_size is 0 in version 1, which does not say
};

Result<CompressedHeader> read_compressed_header(std::span<const uint8_t> input) {
  const auto version = read<uint16_t>(input, 4);
  const auto method = read<uint16_t>(input, 6);
  if (!version || !method) return damaged("the header is cut off");
  CompressedHeader header;
  header.method = static_cast<Compression>(*method);
  const auto narrow = [&](uint64_t at) -> std::optional<uint64_t> { return read<uint32_t>(input, at); };
  std::optional<uint64_t> file_size = 0, size;
  switch (*version) {
    case 1:
      size = narrow(8);
      header.header_size = 20;
      break;
    case 2:
      file_size = narrow(8);
      size = narrow(12);
      header.header_size = 24;
      break;
    case 3:
      file_size = read<uint64_t>(input, 8);
      size = read<uint64_t>(input, 16);
      header.header_size = 32;
      break;
    default:
      return fail(ErrorKind::Unsupported, fmt::format("a compressed offload bundle of version {}", *version),
                  {}, "versions 1 to 3 are read");
  }
  if (!file_size || !size || input.size() < header.header_size) return damaged("the header is cut off");
  header.file_size = *file_size;
  header.size = *size;
  if (*version > 1 && (header.file_size < header.header_size || header.file_size > input.size()))
    return damaged("it says that it is longer than the file");
  return header;
}

/// The extent of an ELF file, by its headers.
Result<size_t> elf_extent(std::span<const uint8_t> input) {
  const auto header = read<Elf64_Ehdr>(input, 0);
  if (!header) return fail(ErrorKind::BadInput, "an ELF file that is cut off");
  uint64_t end = sizeof(Elf64_Ehdr);
  const auto reach = [&](uint64_t offset, uint64_t size) {
    if (!slice(input, offset, size)) return false;
    end = std::max(end, offset + size);
    return true;
  };
  const auto outside = [] { return fail(ErrorKind::BadInput, "an ELF file whose parts lie outside of it"); };
  if (!reach(header->e_phoff, uint64_t{header->e_phnum} * sizeof(Elf64_Phdr)) ||
      !reach(header->e_shoff, uint64_t{header->e_shnum} * sizeof(Elf64_Shdr)))
    return outside();
  for (uint64_t i = 0; i < header->e_phnum; ++i) {
    const auto phdr = *read<Elf64_Phdr>(input, header->e_phoff + i * sizeof(Elf64_Phdr));
    if (!reach(phdr.p_offset, phdr.p_filesz)) return outside();
  }
  for (uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto shdr = *read<Elf64_Shdr>(input, header->e_shoff + i * sizeof(Elf64_Shdr));
    if (shdr.sh_type != SHT_NOBITS && !reach(shdr.sh_offset, shdr.sh_size)) return outside();
  }
  return end;
}

/// What a bundle says of itself at its start.
struct Table {
  struct Entry {
    std::string id;
    uint64_t offset = 0, size = 0;
  };
  std::vector<Entry> entries;
  uint64_t end = 0;  ///< of the bundle
};

/// Reads the table from the start of a bundle of `size` bytes, of which only some need to be there.
Result<Table> read_table(std::span<const uint8_t> start, uint64_t size) {
  const auto count = read<uint64_t>(start, kBundleMagic.size());
  if (!count) return damaged("the header is cut off");
  if (*count > kMostEntries) return damaged(fmt::format("it says that it has {} entries", *count));
  uint64_t at = kBundleMagic.size() + 8;
  Table table{.end = at};
  for (uint64_t i = 0; i < *count; ++i) {
    const auto offset = read<uint64_t>(start, at), bytes = read<uint64_t>(start, at + 8),
               id_size = read<uint64_t>(start, at + 16);
    if (!offset || !bytes || !id_size) return damaged("an entry is cut off");
    const auto id = slice(start, at + 24, *id_size);
    if (!id || *offset > size || *bytes > size - *offset) return damaged("an entry lies outside of the file");
    table.entries.push_back(
        {std::string(reinterpret_cast<const char*>(id->data()), id->size()), *offset, *bytes});
    at += 24 + *id_size;
    table.end = std::max({table.end, at, *offset + *bytes});
  }
  return table;
}

/// Where a host program has its code.
Result<std::span<const uint8_t>> code_section(std::span<const uint8_t> input) {
  const auto header = *read<Elf64_Ehdr>(input, 0);
  if (header.e_ident[EI_CLASS] != ELFCLASS64) return fail(ErrorKind::BadInput, "not a 64-bit ELF file");
  const auto names_header =
      read<Elf64_Shdr>(input, header.e_shoff + uint64_t{header.e_shstrndx} * sizeof(Elf64_Shdr));
  const auto names =
      names_header ? slice(input, names_header->sh_offset, names_header->sh_size) : std::nullopt;
  for (uint64_t i = 0; names && i < header.e_shnum; ++i) {
    const auto section = read<Elf64_Shdr>(input, header.e_shoff + i * sizeof(Elf64_Shdr));
    if (!section) break;
    if (text_at(*names, section->sh_name) != ".hip_fatbin") continue;
    const auto bytes = slice(input, section->sh_offset, section->sh_size);
    if (!bytes || section->sh_type == SHT_NOBITS)
      return damaged("section .hip_fatbin lies outside of the file");
    return *bytes;
  }
  return fail(ErrorKind::NotFound,
              "an ELF file for the host with no GPU code in it (no section .hip_fatbin)");
}

/// No table is longer; what compressed bundles give before it is known.
constexpr size_t kLongestTable = size_t{4} << 20;
/// Room that is taken before the bytes have come: a lie about the size costs no more.
constexpr uint64_t kMostReserved = uint64_t{256} << 20;

/// The start of a compressed bundle, until its table is complete.
struct Start {
  std::vector<uint8_t> bytes = {};
  std::optional<Table> table = {};
  std::optional<Error> error = {};

  /// Takes the next piece of a bundle of `size` bytes; whether more is needed.
  bool take(std::span<const uint8_t> piece, uint64_t size) {
    bytes.insert(bytes.end(), piece.begin(), piece.end());
    if (bytes.size() >= kBundleMagic.size() && !starts_with(bytes, kBundleMagic)) {
      error = damaged("what was compressed is no bundle").value();
      return false;
    }
    auto read = read_table(bytes, size);
    if (!read && bytes.size() < std::min<size_t>(size, kLongestTable)) return true;
    if (read)
      table = std::move(*read);
    else
      error = read.error();
    return false;
  }
};

void add_named(const Table& table, std::vector<TargetId>& targets) {
  for (const Table::Entry& entry : table.entries)
    if (const auto target = entry.size > 0 ? target_of(entry.id) : std::nullopt) targets.push_back(*target);
}

/// Adds those of the bundle at the start; returns its length, or 0 where only all of it would tell.
Result<size_t> add_targets(std::span<const uint8_t> input, std::vector<TargetId>& targets) {
  if (starts_with(input, kBundleMagic)) {
    const auto table = read_table(input, input.size());
    if (!table) return tl::unexpected(table.error());
    add_named(*table, targets);
    return table->end;
  }
  const auto header = read_compressed_header(input);
  if (!header) return tl::unexpected(header.error());
  Start start;
  const auto done =
      decompress(header->method, input.subspan(header->header_size), header->size,
                 [&](std::span<const uint8_t> piece) { return start.take(piece, header->size); });
  if (start.error) return tl::unexpected(*start.error);
  if (!done) return tl::unexpected(done.error());
  if (!start.table) return damaged("what was compressed is no bundle");
  add_named(*start.table, targets);
  return header->file_size;
}

}  // namespace

Result<Bundle> Bundle::parse(std::span<const uint8_t> input, const TargetId* gpu) {
  Bundle bundle;
  bundle.only_ = gpu;
  if (auto done = bundle.add(input); !done) return tl::unexpected(done.error());
  bundle.only_ = nullptr;
  return bundle;
}

Result<void> Bundle::add(std::span<const uint8_t> input) {
  if (starts_with(input, kBundleMagic) || starts_with(input, kCompressedMagic)) return add_sequence(input);
  const auto header = read<Elf64_Ehdr>(input, 0);
  if (!starts_with(input, ELFMAG))
    return fail(ErrorKind::BadInput, "neither a code object nor an offload bundle nor a program with one", {},
                "expected an ELF file, '__CLANG_OFFLOAD_BUNDLE__' or 'CCOB' at the start");
  if (!header) return fail(ErrorKind::BadInput, "an ELF file that is cut off");
  return header->e_machine == EM_AMDGPU ? add_code_object(input) : add_host_program(input);
}

Result<void> Bundle::add_code_object(std::span<const uint8_t> input) {
  const auto header = *read<Elf64_Ehdr>(input, 0);
  const auto machine = static_cast<uint8_t>(header.e_flags);
  BundleEntry entry;
  entry.target.processor = isa::machine_name(machine);
  if (entry.target.processor.empty())
    return fail(ErrorKind::Unsupported, fmt::format("a code object for unknown machine {:#x}", machine));
  // ABI version 1 (format version 3) says only whether a feature is on.
  const auto setting = [](uint32_t bits) {
    return bits == 2 ? Setting::Off : bits == 3 ? Setting::On : Setting::Any;
  };
  if (header.e_ident[EI_ABIVERSION] >= 2) {
    entry.target.xnack = setting(header.e_flags >> 8 & 3);
    entry.target.sramecc = setting(header.e_flags >> 10 & 3);
  }
  entry.id = entry.target.text();
  entry.bytes = input;
  entries_.push_back(std::move(entry));
  return {};
}

Result<size_t> Bundle::add_bundle(std::span<const uint8_t> input) {
  auto table = read_table(input, input.size());
  if (!table) return tl::unexpected(table.error());
  for (Table::Entry& entry : table->entries)
    if (entry.size != 0)
      if (auto target = target_of(entry.id))
        entries_.push_back(
            {std::move(*target), std::move(entry.id), input.subspan(entry.offset, entry.size)});
  return table->end;
}

/// Large libraries have a gigabyte of code for twenty targets in one stream: what is not wanted passes by.
Result<size_t> Bundle::add_compressed(std::span<const uint8_t> input) {
  const auto header = read_compressed_header(input);
  if (!header) return tl::unexpected(header.error());
  const size_t available = header->file_size ? header->file_size : input.size();

  struct WantedEntry {
    uint64_t offset, size;
    size_t entry;
    std::shared_ptr<std::vector<uint8_t>> bytes;
  };
  std::vector<WantedEntry> wanted;
  Start start;
  uint64_t at = 0, end = 0;  // of what has passed; of the last entry that is wanted
  const auto keep = [&](std::span<const uint8_t> piece) {
    for (const WantedEntry& one : wanted) {
      const uint64_t from = std::max(at, one.offset), to = std::min(at + piece.size(), one.offset + one.size);
      if (from < to)
        one.bytes->insert(one.bytes->end(), piece.begin() + (from - at), piece.begin() + (to - at));
    }
    at += piece.size();
    return at < end || header->file_size == 0;  // where nobody says how long the file is, all of it is read
  };
  const auto choose = [&](Table& table) {
    for (Table::Entry& entry : table.entries) {
      auto target = entry.size != 0 ? target_of(entry.id) : std::nullopt;
      if (!target) continue;
      if (!only_ || suitability(*target, *only_)) {
        wanted.push_back(
            {entry.offset, entry.size, entries_.size(), std::make_shared<std::vector<uint8_t>>()});
        wanted.back().bytes->reserve(std::min(entry.size, kMostReserved));
        end = std::max(end, entry.offset + entry.size);
      }
      entries_.push_back({std::move(*target), std::move(entry.id), {}});
    }
  };
  const auto consumed =
      decompress(header->method, input.subspan(header->header_size, available - header->header_size),
                 header->size, [&](std::span<const uint8_t> piece) {
                   if (start.table) return keep(piece);
                   if (start.take(piece, header->size)) return true;
                   if (start.error) return false;
                   choose(*start.table);
                   return keep(start.bytes);
                 });
  if (start.error) return tl::unexpected(*start.error);
  if (!consumed) return consumed;
  if (!start.table) return damaged("what was compressed is no bundle");
  for (WantedEntry& one : wanted) {
    entries_[one.entry].bytes = *one.bytes;
    storage_.push_back(std::move(one.bytes));
  }
  return header->file_size ? header->file_size : header->header_size + *consumed;
}

/// A section may hold several bundles one after another (one for each translation unit), aligned and padded
/// with zeros.
Result<void> Bundle::add_sequence(std::span<const uint8_t> input) {
  while (!input.empty()) {
    if (input[0] == 0) {
      const auto next = std::find_if(input.begin(), input.end(), [](uint8_t byte) { return byte != 0; });
      input = input.subspan(static_cast<size_t>(next - input.begin()));
      continue;
    }
    Result<size_t> size = 0;
    if (starts_with(input, kBundleMagic))
      size = add_bundle(input);
    else if (starts_with(input, kCompressedMagic))
      size = add_compressed(input);
    else
      return entries_.empty() ? Result<void>(damaged("it does not start as one")) : Result<void>{};
    if (!size) return tl::unexpected(size.error());
    input = input.subspan(*size);
  }
  return {};
}

Result<void> Bundle::add_host_program(std::span<const uint8_t> input) {
  const auto section = code_section(input);
  return section ? add_sequence(*section) : tl::unexpected(section.error());
}

std::string Bundle::targets() const {
  std::string text;
  std::vector<TargetId> seen;
  for (const BundleEntry& entry : entries_) {
    if (std::find(seen.begin(), seen.end(), entry.target) != seen.end()) continue;
    seen.push_back(entry.target);
    text += (text.empty() ? "" : ", ") + entry.target.text();
  }
  return text.empty() ? "none" : text;
}

Result<BundleEntry> Bundle::choose(const TargetId& gpu) const {
  const BundleEntry* best = nullptr;
  int score = -1;
  for (const BundleEntry& entry : entries_) {
    const auto suits = entry.bytes.empty() ? std::nullopt : suitability(entry.target, gpu);
    if (!suits || *suits <= score) continue;
    score = *suits;
    best = &entry;
  }
  if (best) return *best;
  return fail(ErrorKind::WrongTarget,
              fmt::format("no code for {}; the program has code for: {}", gpu.text(), targets()), {},
              fmt::format("compile with --offload-arch={}, or choose a GPU that the program has code for",
                          gpu.processor));
}

Result<std::vector<TargetId>> targets_of(std::span<const uint8_t> input,
                                         const std::function<bool(const TargetId&)>& enough) {
  std::vector<TargetId> targets;
  const auto header = read<Elf64_Ehdr>(input, 0);
  if (starts_with(input, ELFMAG) && header && header->e_machine == EM_AMDGPU) {
    const auto bundle = Bundle::parse(input);
    if (!bundle) return tl::unexpected(bundle.error());
    targets.push_back(bundle->entries().front().target);
    if (enough) enough(targets.front());
    return targets;
  }
  if (starts_with(input, ELFMAG)) {
    const auto section = code_section(input);
    if (!section) return tl::unexpected(section.error());
    input = *section;
  }
  while (!input.empty()) {
    if (input[0] == 0) {
      const auto next = std::find_if(input.begin(), input.end(), [](uint8_t byte) { return byte != 0; });
      input = input.subspan(static_cast<size_t>(next - input.begin()));
      continue;
    }
    if (!starts_with(input, kBundleMagic) && !starts_with(input, kCompressedMagic)) {
      if (targets.empty()) return damaged("it does not start as one");
      break;
    }
    const size_t before = targets.size();
    const auto size = add_targets(input, targets);
    if (!size) return tl::unexpected(size.error());
    if (enough && std::any_of(targets.begin() + static_cast<ptrdiff_t>(before), targets.end(), enough)) break;
    if (*size == 0) break;
    input = input.subspan(*size);
  }
  if (targets.empty()) return fail(ErrorKind::BadInput, "there is no GPU code in it");
  std::sort(targets.begin(), targets.end(),
            [](const TargetId& a, const TargetId& b) { return a.text() < b.text(); });
  targets.erase(std::unique(targets.begin(), targets.end()), targets.end());
  return targets;
}

Result<size_t> extent(std::span<const uint8_t> available) {
  if (starts_with(available, kBundleMagic))
    return read_table(available, available.size()).transform([](const Table& table) -> size_t {
      return table.end;
    });
  if (starts_with(available, kCompressedMagic)) {
    const auto header = read_compressed_header(available);
    if (!header) return tl::unexpected(header.error());
    return header->file_size ? header->file_size : available.size();
  }
  if (starts_with(available, ELFMAG)) return elf_extent(available);
  return fail(ErrorKind::BadInput, "neither a code object nor an offload bundle");
}

}  // namespace wavesmith::object
