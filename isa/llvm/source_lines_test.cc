#include "isa/llvm/source_lines.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string_view>
#include <vector>

namespace wavesmith::isa {
namespace {

using Bytes = std::vector<uint8_t>;

Bytes read(const std::string& name) {
  std::ifstream file(std::string(WAVESMITH_TESTDATA) + "/" + name, std::ios::binary);
  return Bytes(std::istreambuf_iterator<char>(file), {});
}

/// The header of a section in an ELF file, which lies at a multiple of its alignment in the test data.
Elf64_Shdr* header_of(Bytes& file, std::string_view wanted) {
  const auto* const header = reinterpret_cast<const Elf64_Ehdr*>(file.data());
  auto* const sections = reinterpret_cast<Elf64_Shdr*>(file.data() + header->e_shoff);
  const uint64_t names = sections[header->e_shstrndx].sh_offset;
  for (Elf64_Shdr* each = sections; each != sections + header->e_shnum; ++each)
    if (wanted == reinterpret_cast<const char*>(file.data() + names + each->sh_name)) return each;
  return nullptr;
}
/// The place of a section.
std::span<uint8_t> section(Bytes& file, std::string_view wanted) {
  const Elf64_Shdr* const header = header_of(file, wanted);
  return header ? std::span(file).subspan(header->sh_offset, header->sh_size) : std::span<uint8_t>();
}

/// An address that has a line.
std::optional<uint64_t> known_address(const SourceLines& lines) {
  for (uint64_t address = 0; address < 0x10000; address += 4)
    if (lines.at(address)) return address;
  return std::nullopt;
}

TEST(SourceLines, NameTheFileAndTheLine) {
  const Bytes file = read("v5.co");
  ASSERT_FALSE(file.empty());
  const SourceLines lines(file);
  const auto address = known_address(lines);
  ASSERT_TRUE(address);
  const auto line = lines.at(*address);
  EXPECT_TRUE(line->file.ends_with("sample.hip")) << line->text();
  EXPECT_GT(line->line, 0u);
}

TEST(SourceLines, DamagedTablesGiveNoLineAndNoCrash) {
  const Bytes file = read("v5.co");
  const auto address = known_address(SourceLines(file));
  ASSERT_TRUE(address);
  for (const char* name : {".debug_line", ".debug_info", ".debug_abbrev", ".debug_line_str"}) {
    Bytes damaged = file;
    const std::span<uint8_t> bytes = section(damaged, name);
    ASSERT_FALSE(bytes.empty()) << name;
    for (uint8_t& byte : bytes.first(std::min<size_t>(bytes.size(), 120))) {
      const uint8_t whole = byte;
      for (int value = 0; value < 256; value += 3) {
        byte = static_cast<uint8_t>(value);
        (void)SourceLines(damaged).at(*address);
      }
      byte = whole;
    }
  }
}

TEST(SourceLines, FormsThatAHeaderCannotHaveAreRefused) {
  Bytes file = read("v5.co");
  const auto address = known_address(SourceLines(file));
  ASSERT_TRUE(address);
  const std::span<uint8_t> bytes = section(file, ".debug_line");
  // After the header's 12 + 6 bytes and the operands of 12 opcodes: one field a directory, its content and
  // form.
  const size_t at = 18 + 12;
  ASSERT_EQ(bytes[at], 1u);
  ASSERT_EQ(bytes[at + 1], 1u);  // DW_LNCT_path
  bytes[at + 2] = 0x19;          // DW_FORM_flag_present
  EXPECT_FALSE(SourceLines(file).at(*address));
}

TEST(SourceLines, NothingIsExpandedToTheSizeThatASectionSays) {
  Bytes file = read("v5.co");
  const auto address = known_address(SourceLines(file));
  ASSERT_TRUE(address);
  Elf64_Shdr* const header = header_of(file, ".comment");
  ASSERT_NE(header, nullptr);
  ASSERT_GE(header->sh_size, sizeof(Elf64_Chdr));
  header->sh_flags |= SHF_COMPRESSED;
  const Elf64_Chdr said{ELFCOMPRESS_ZLIB, 0, uint64_t{1} << 40, 1};
  std::memcpy(file.data() + header->sh_offset, &said, sizeof said);
  EXPECT_FALSE(SourceLines(file).at(*address));
}

TEST(SourceLines, ATextIsNoObject) {
  const Bytes text(100, 'x');
  EXPECT_FALSE(SourceLines(text).at(0));
  EXPECT_FALSE(SourceLines(std::span<const uint8_t>{}).at(0));
}

}  // namespace
}  // namespace wavesmith::isa
