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

/// The end of an uncompressed bundle, and each entry by `take(id, bytes)`.
template <class Take>
Result<size_t> read_bundle(std::span<const uint8_t> input, Take take) {
  const auto count = read<uint64_t>(input, kBundleMagic.size());
  if (!count) return damaged("the header is cut off");
  if (*count > kMostEntries) return damaged(fmt::format("it says that it has {} entries", *count));
  uint64_t at = kBundleMagic.size() + 8, end = at;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto offset = read<uint64_t>(input, at), size = read<uint64_t>(input, at + 8),
               id_size = read<uint64_t>(input, at + 16);
    if (!offset || !size || !id_size) return damaged("an entry is cut off");
    const auto id = slice(input, at + 24, *id_size);
    const auto bytes = slice(input, *offset, *size);
    if (!id || !bytes) return damaged("an entry lies outside of the file");
    take(std::string_view(reinterpret_cast<const char*>(id->data()), id->size()), *bytes);
    at += 24 + *id_size;
    end = std::max({end, at, *offset + *size});
  }
  return end;
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

/// Adds the targets that a bundle's header names; it may be cut off behind that.
Result<void> add_named(std::span<const uint8_t> header, std::vector<TargetId>& targets) {
  const auto count = read<uint64_t>(header, kBundleMagic.size());
  if (!count || *count > kMostEntries) return damaged("the header is cut off");
  uint64_t at = kBundleMagic.size() + 8;
  for (uint64_t i = 0; i < *count; ++i) {
    const auto size = read<uint64_t>(header, at + 8), id_size = read<uint64_t>(header, at + 16);
    const auto id = id_size ? slice(header, at + 24, *id_size) : std::nullopt;
    if (!size || !id) return damaged("an entry is cut off");
    at += 24 + *id_size;
    const auto target = target_of({reinterpret_cast<const char*>(id->data()), id->size()});
    if (target && *size > 0) targets.push_back(*target);
  }
  return {};
}

/// Adds those of the bundle at the start; returns its length, or 0 where only all of it would tell.
Result<size_t> add_targets(std::span<const uint8_t> input, std::vector<TargetId>& targets) {
  if (starts_with(input, kBundleMagic)) {
    if (const auto done = add_named(input, targets); !done) return tl::unexpected(done.error());
    return read_bundle(input, [](auto, auto) {});
  }
  const auto header = read_compressed_header(input);
  if (!header) return tl::unexpected(header.error());
  constexpr size_t kHeader = 65536;  // of some hundred entries
  const auto start = decompress_start(header->method, input.subspan(header->header_size), kHeader);
  if (!start) return tl::unexpected(start.error());
  if (!starts_with(*start, kBundleMagic)) return damaged("what was compressed is no bundle");
  if (const auto done = add_named(*start, targets); !done) return tl::unexpected(done.error());
  return header->file_size;
}

}  // namespace

Result<Bundle> Bundle::parse(std::span<const uint8_t> input) {
  Bundle bundle;
  if (auto done = bundle.add(input); !done) return tl::unexpected(done.error());
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
  return read_bundle(input, [&](std::string_view id, std::span<const uint8_t> bytes) {
    if (bytes.empty()) return;
    if (auto target = target_of(id)) entries_.push_back({std::move(*target), std::string(id), bytes});
  });
}

Result<size_t> Bundle::add_compressed(std::span<const uint8_t> input) {
  const auto header = read_compressed_header(input);
  if (!header) return tl::unexpected(header.error());
  const size_t available = header->file_size ? header->file_size : input.size();
  auto contents = decompress(
      header->method, input.subspan(header->header_size, available - header->header_size), header->size);
  if (!contents) return tl::unexpected(contents.error());
  auto bytes = std::make_shared<std::vector<uint8_t>>(std::move(contents->bytes));
  storage_.push_back(bytes);
  if (!starts_with(*bytes, kBundleMagic)) return damaged("what was compressed is no bundle");
  if (auto inner = add_bundle(*bytes); !inner) return inner;
  return header->file_size ? header->file_size : header->header_size + contents->consumed;
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
    const auto suits = suitability(entry.target, gpu);
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

Result<std::vector<TargetId>> targets_of(std::span<const uint8_t> input) {
  std::vector<TargetId> targets;
  const auto header = read<Elf64_Ehdr>(input, 0);
  if (starts_with(input, ELFMAG) && header && header->e_machine == EM_AMDGPU) {
    const auto bundle = Bundle::parse(input);
    if (!bundle) return tl::unexpected(bundle.error());
    targets.push_back(bundle->entries().front().target);
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
    const auto size = add_targets(input, targets);
    if (!size) return tl::unexpected(size.error());
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
  if (starts_with(available, kBundleMagic)) return read_bundle(available, [](auto, auto) {});
  if (starts_with(available, kCompressedMagic)) {
    const auto header = read_compressed_header(available);
    if (!header) return tl::unexpected(header.error());
    return header->file_size ? header->file_size : available.size();
  }
  if (starts_with(available, ELFMAG)) return elf_extent(available);
  return fail(ErrorKind::BadInput, "neither a code object nor an offload bundle");
}

}  // namespace wavesmith::object
