#include "tests/fuzz/object_fuzzer.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "object/bundle.h"
#include "object/bytes.h"
#include "object/code_object.h"
#include "runtime/device/platform.h"
#include "runtime/launch/launch.h"
#include "runtime/launch/module.h"

namespace wavesmith::fuzz {
namespace {

constexpr uint64_t kBudget = 20'000;  // wave-instructions of a launch
constexpr size_t kMostKernels = 4;
constexpr uint64_t kMostLoaded = uint64_t{1} << 20;
constexpr size_t kBuffer = size_t{1} << 16;

/// Elf64_Ehdr, Elf64_Phdr and Elf64_Shdr, as far as they are read here.
struct ElfHeader {
  uint8_t ident[16];
  uint16_t type, machine;
  uint32_t version;
  uint64_t entry, program_headers, section_headers;
  uint32_t flags;
  uint16_t header_size, program_header_size, program_header_count, section_header_size, section_header_count,
      names;
};
struct SectionHeader {
  uint32_t name, type;
  uint64_t flags, address, offset, size;
  uint32_t link, info;
  uint64_t align, entry_size;
};

}  // namespace

struct ObjectFuzzer::State {
  runtime::Platform* platform = nullptr;
  std::mt19937_64 random{7};
  void* buffer = nullptr;

  void launch(runtime::Device& device, runtime::Module& module, ObjectOutcome& outcome);
};

ObjectFuzzer::ObjectFuzzer() : state_(std::make_unique<State>()) {
  setenv("WAVESMITH_GPU", "mi210,mi300x,mi355x,rx7900xtx,radeon8060s,rx9070xt", 1);
  setenv("WAVESMITH_THREADS", "1", 1);
  state_->platform = runtime::Platform::get();
  if (!state_->platform) std::abort();
  state_->platform->limits.instructions = kBudget;
  state_->platform->limits.threads = 1;
  const auto buffer =
      state_->platform->allocate(*state_->platform->devices[0], kBuffer, runtime::Allocation::Kind::Device);
  if (!buffer) std::abort();
  state_->buffer = *buffer;
}

ObjectFuzzer::~ObjectFuzzer() = default;

void ObjectFuzzer::State::launch(runtime::Device& device, runtime::Module& module, ObjectOutcome& outcome) {
  size_t count = 0;
  for (const object::Kernel& kernel : module.object().kernels()) {
    if (++count > kMostKernels) break;
    const auto function = module.function(kernel.name);
    if (!function) continue;
    if (kernel.kernarg_size > 1 << 20) continue;  // a caller's arguments have to be that long
    std::vector<std::vector<uint8_t>> values;
    for (const object::Argument& argument : kernel.arguments) {
      if (argument.hidden()) continue;
      auto& value = values.emplace_back(std::max<size_t>(8, argument.size));
      const uint64_t word = argument.kind == object::Argument::Kind::GlobalBuffer
                                ? reinterpret_cast<uint64_t>(buffer)
                                : random() % 300;
      std::memcpy(value.data(), &word, sizeof word);
    }
    std::vector<void*> arguments;
    for (auto& value : values) arguments.push_back(value.data());
    runtime::LaunchRequest request;
    request.function = *function;
    request.arguments = arguments.data();
    request.geometry.grid[0] = 96, request.geometry.grid[1] = request.geometry.grid[2] = 1;
    request.geometry.workgroup[0] = 64, request.geometry.workgroup[1] = request.geometry.workgroup[2] = 1;
    std::shared_ptr<runtime::LaunchOperation> operation;
    if (runtime::make_launch(*platform, device, request, operation) != hipSuccess) continue;
    ++outcome.launched;
    outcome.ended += operation->run(*device.null_stream()) == hipSuccess;
  }
}

ObjectOutcome ObjectFuzzer::run(std::span<const uint8_t> input, bool launches) {
  ObjectOutcome outcome;
  // An object may rightly ask for gigabytes of zeros, which only costs time here.
  if (const auto bundle = object::Bundle::parse(input))
    for (const object::BundleEntry& entry : bundle->entries())
      if (const auto parsed = object::CodeObject::parse(entry.bytes);
          parsed && parsed->load_size() > kMostLoaded)
        return outcome;
  for (const auto& device : state_->platform->devices) {
    auto module = runtime::Module::load(*state_->platform, *device, input);
    if (!module) {
      if (module.error().kind == ErrorKind::Internal)
        outcome.defect = "internal error: " + module.error().text();
      if (module.error().kind == ErrorKind::BadInput) break;  // the same on the others
      continue;
    }
    outcome.loaded = true;
    // Most of the time would go into launches otherwise.
    if (launches || state_->random() % 32 == 0) state_->launch(*device, **module, outcome);
  }
  return outcome;
}

std::vector<ObjectSource::Range> ObjectSource::headers_of(const Bytes& file) const {
  std::vector<Range> ranges{{0, std::min<uint64_t>(64, file.size())}};
  if (const auto header = object::read<ElfHeader>(file, 0)) {
    const uint64_t programs = uint64_t{header->program_header_count} * header->program_header_size,
                   sections = uint64_t{header->section_header_count} * header->section_header_size;
    if (object::slice(file, header->program_headers, programs))
      ranges.push_back({header->program_headers, programs});
    if (object::slice(file, header->section_headers, sections))
      ranges.push_back({header->section_headers, sections});
  }
  return ranges;
}

/// Notes, symbols, descriptors, code: whatever has a section.
std::vector<ObjectSource::Range> ObjectSource::sections_of(const Bytes& file) const {
  std::vector<Range> ranges;
  const auto header = object::read<ElfHeader>(file, 0);
  if (!header || std::memcmp(header->ident, "\177ELF", 4) != 0) return ranges;
  for (uint64_t i = 0; i < header->section_header_count; ++i) {
    const auto section =
        object::read<SectionHeader>(file, header->section_headers + i * sizeof(SectionHeader));
    constexpr uint32_t kNoBits = 8;
    if (section && section->type != kNoBits && section->size != 0 &&
        object::slice(file, section->offset, section->size))
      ranges.push_back({section->offset, section->size});
  }
  return ranges;
}

void ObjectSource::change_field(Bytes& file, const Range& range) {
  static constexpr uint64_t kValues[] = {0,          1,          2,           7,          8,
                                         63,         64,         255,         0x7fff,     0xffff,
                                         0x10000,    0x7fffffff, 0x80000000u, 0xffffffff, 1ull << 32,
                                         1ull << 47, 1ull << 63, ~0ull,       ~0ull - 7};
  const uint64_t width = uint64_t{1} << random_() % 4;
  if (range.size < width) return;
  const uint64_t at = range.begin + random_() % (range.size / width) * width;
  uint64_t value = 0;
  std::memcpy(&value, &file[at], width);
  switch (random_() % 5) {
    case 0:
      value = kValues[random_() % std::size(kValues)];
      break;
    case 1:
      value += random_() % 17 - 8;
      break;
    case 2:
      value = file.size() + random_() % 17 - 8;
      break;
    case 3:
      value ^= uint64_t{1} << random_() % (8 * width);
      break;
    default:
      value = random_();
  }
  std::memcpy(&file[at], &value, width);
}

void ObjectSource::change_bits(Bytes& file, const Range& range) {
  if (range.size != 0)
    file[range.begin + random_() % range.size] ^= static_cast<uint8_t>(1u << random_() % 8);
}

Bytes ObjectSource::next() {
  Bytes file = seeds_[random_() % seeds_.size()];
  const auto any = [&](const std::vector<Range>& ranges) {
    return ranges.empty() ? Range{0, file.size()} : ranges[random_() % ranges.size()];
  };
  for (uint64_t changes = 1 + random_() % 4; changes > 0; --changes) {
    switch (random_() % 8) {
      case 0:
        change_field(file, any(headers_of(file)));
        break;
      case 1:
      case 2:
        change_field(file, any(sections_of(file)));
        break;
      case 3:
      case 4:
        change_bits(file, any(sections_of(file)));
        break;
      case 5:
        change_bits(file, {0, std::min<uint64_t>(file.size(), 512)});
        break;
      case 6:
        change_bits(file, {0, file.size()});
        break;
      default:
        if (random_() % 4 == 0) {
          file.resize(random_() % (file.size() + 1));
        } else if (random_() % 4 == 0) {
          const Bytes& other = seeds_[random_() % seeds_.size()];
          const size_t from = random_() % other.size(), to = file.empty() ? 0 : random_() % file.size();
          const size_t size =
              std::min({other.size() - from, file.size() - to, static_cast<size_t>(random_() % 256)});
          std::copy_n(other.begin() + static_cast<ptrdiff_t>(from), size,
                      file.begin() + static_cast<ptrdiff_t>(to));
        }
    }
    if (file.empty()) break;
  }
  return file;
}

}  // namespace wavesmith::fuzz
