#include "study/code_form.h"

#include <elf.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>

namespace wavesmith::study {
namespace {

bool starts_with(std::span<const uint8_t> bytes, std::string_view magic) {
  return bytes.size() >= magic.size() && std::memcmp(bytes.data(), magic.data(), magic.size()) == 0;
}

bool contains(std::string_view text, std::string_view what) { return text.find(what) != text.npos; }

CodeForm form_of_elf(std::span<const uint8_t> bytes) {
  Elf64_Ehdr header;
  if (bytes.size() < sizeof header) return CodeForm::HostProgram;  // who reads it says what is wrong
  std::memcpy(&header, bytes.data(), sizeof header);
  if (header.e_machine == EM_AMDGPU)
    return header.e_type == ET_REL ? CodeForm::Relocatable : CodeForm::CodeObject;
  if (header.e_type == ET_REL) return CodeForm::HostObject;
  if (header.e_type != ET_DYN) return CodeForm::HostProgram;
  // A program that can be loaded anywhere is of the same type as a library, but asks for a loader.
  for (size_t i = 0; i < header.e_phnum; ++i) {
    Elf64_Phdr segment;
    const uint64_t at = header.e_phoff + i * sizeof segment;
    if (at > bytes.size() || bytes.size() - at < sizeof segment) break;
    std::memcpy(&segment, bytes.data() + at, sizeof segment);
    if (segment.p_type == PT_INTERP) return CodeForm::HostProgram;
  }
  return CodeForm::SharedLibrary;
}

/// Text from behind `key`'s quote to the next quote.
std::string quoted_after(std::string_view text, std::string_view key) {
  const size_t at = text.find(key);
  if (at == text.npos) return {};
  const size_t begin = text.find('"', at + key.size());
  const size_t end = begin == text.npos ? text.npos : text.find('"', begin + 1);
  return end == text.npos ? std::string() : std::string(text.substr(begin + 1, end - begin - 1));
}

constexpr std::string_view kTextStart = "__CLANG_OFFLOAD_BUNDLE____START__ ",
                           kTextEnd = "__CLANG_OFFLOAD_BUNDLE____END__ ";

}  // namespace

std::string_view name_of(CodeForm form) {
  static constexpr std::array<std::string_view, 14> kNames = {
      "HIP source",        "LLVM IR",
      "LLVM bitcode",      "assembly",
      "a code object",     "a relocatable code object",
      "an offload bundle", "a compressed offload bundle",
      "a text bundle",     "a host's object file",
      "a host program",    "a shared library",
      "an archive",        "unknown",
  };
  return kNames[static_cast<size_t>(form)];
}

CodeForm form_of(std::span<const uint8_t> bytes, const std::string& path) {
  if (starts_with(bytes, ELFMAG)) return form_of_elf(bytes);
  if (starts_with(bytes, "__CLANG_OFFLOAD_BUNDLE__")) return CodeForm::Bundle;
  if (starts_with(bytes, "CCOB")) return CodeForm::CompressedBundle;
  if (starts_with(bytes, "BC\xC0\xDE") || starts_with(bytes, "\xDE\xC0\x17\x0B")) return CodeForm::Bitcode;
  if (starts_with(bytes, "!<arch>\n") || starts_with(bytes, "!<thin>\n")) return CodeForm::Archive;
  // Text has no zeros.
  if (std::find(bytes.begin(), bytes.end(), uint8_t{0}) != bytes.end()) return CodeForm::Unknown;
  const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
  if (contains(text.substr(0, 4096), kTextStart)) return CodeForm::TextBundle;
  const std::string extension = std::filesystem::path(path).extension().string();
  for (std::string_view known : {".hip", ".cu", ".cuh", ".cpp", ".cxx", ".cc", ".C", ".c++"})
    if (extension == known) return CodeForm::HipSource;
  if (extension == ".ll" || extension == ".llir") return CodeForm::IrText;
  if (extension == ".s" || extension == ".S" || extension == ".asm" || extension == ".amdgcn")
    return CodeForm::Assembly;
  // A name that says nothing, or a pipe.
  if (contains(text, ".amdgcn_target") || contains(text, ".amdhsa_kernel")) return CodeForm::Assembly;
  if (contains(text, "amdgpu_kernel") || contains(text, "target triple =")) return CodeForm::IrText;
  if (contains(text, "__global__") || contains(text, "__attribute__((global))")) return CodeForm::HipSource;
  return CodeForm::Unknown;
}

std::vector<TextEntry> split_text_bundle(std::string_view text) {
  std::vector<TextEntry> entries;
  for (size_t at = text.find(kTextStart); at != text.npos; at = text.find(kTextStart, at)) {
    at += kTextStart.size();
    const size_t line = std::min(text.find('\n', at), text.size());
    const std::string_view id = text.substr(at, line - at);
    const size_t end = std::min(text.find(kTextEnd, line), text.size());
    // The end's own line begins with a comment sign.
    const size_t last = end == text.size() ? end : text.rfind('\n', end) + 1;
    const size_t processor = id.find("-gfx");
    entries.push_back({processor == id.npos ? std::string() : std::string(id.substr(processor + 1)),
                       text.substr(std::min(line + 1, last), last - std::min(line + 1, last))});
    at = end;
  }
  return entries;
}

IrFacts facts_of_ir(std::string_view text) {
  IrFacts facts;
  facts.triple = quoted_after(text, "target triple =");
  facts.has_kernel = contains(text, "amdgpu_kernel ");
  constexpr std::string_view kKey = "\"target-cpu\"=";
  for (size_t at = text.find(kKey); at != text.npos; at = text.find(kKey, at + kKey.size())) {
    const std::string target = quoted_after(text.substr(at), kKey);
    if (!target.empty() &&
        std::find(facts.targets.begin(), facts.targets.end(), target) == facts.targets.end())
      facts.targets.push_back(target);
  }
  return facts;
}

std::optional<std::string> target_of_assembly(std::string_view text) {
  const std::string id = quoted_after(text, ".amdgcn_target");
  const size_t processor = id.find("gfx");
  if (processor == id.npos) return std::nullopt;
  return id.substr(processor);
}

}  // namespace wavesmith::study
