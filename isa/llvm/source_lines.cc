#include "isa/llvm/source_lines.h"

#include <algorithm>

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/DebugInfo/DWARF/DWARFFormValue.h>
#include <llvm/Object/ObjectFile.h>

namespace wavesmith::isa {
namespace {

/// Which forms a value of a line table's header may have. Source: DWARF 5, section 6.2.4.1.
bool may_have(uint64_t content, uint64_t form) {
  using namespace llvm::dwarf;
  const auto one_of = [form](std::initializer_list<Form> forms) {
    return std::find(forms.begin(), forms.end(), form) != forms.end();
  };
  switch (content) {
    case DW_LNCT_path:
      return one_of({DW_FORM_string, DW_FORM_line_strp, DW_FORM_strp, DW_FORM_udata, DW_FORM_strx,
                     DW_FORM_strx1, DW_FORM_strx2, DW_FORM_strx3, DW_FORM_strx4});
    case DW_LNCT_directory_index:
      return one_of({DW_FORM_data1, DW_FORM_data2, DW_FORM_udata});
    case DW_LNCT_MD5:
      return one_of({DW_FORM_data16});
    default:
      return one_of({DW_FORM_udata, DW_FORM_data1, DW_FORM_data2, DW_FORM_data4, DW_FORM_data8,
                     DW_FORM_data16, DW_FORM_block, DW_FORM_string, DW_FORM_line_strp, DW_FORM_strp});
  }
}

/// A table of directories or files: the forms of its fields, then its entries.
bool reads_entries(const llvm::DataExtractor& data, llvm::DataExtractor::Cursor& at,
                   llvm::dwarf::FormParams params) {
  llvm::SmallVector<llvm::dwarf::Form, 4> forms;
  for (unsigned left = data.getU8(at); left; --left) {
    const uint64_t content = data.getULEB128(at), form = data.getULEB128(at);
    if (!at || !may_have(content, form)) return false;
    forms.push_back(static_cast<llvm::dwarf::Form>(form));
  }
  const uint64_t count = data.getULEB128(at);
  if (!at || (forms.empty() && count)) return false;
  for (uint64_t i = 0; i < count; ++i)
    for (const auto form : forms) {
      uint64_t offset = at.tell();
      if (!llvm::DWARFFormValue::skipValue(form, data, &offset, params) || offset > data.size()) return false;
      at.seek(offset);
    }
  return true;
}

/// LLVM takes the forms in the headers of line tables on trust (of version 5, which name them), so these are
/// looked at first.
bool is_sound(llvm::StringRef line_tables, bool little_endian) {
  const llvm::DataExtractor data(line_tables, little_endian, 8);
  llvm::DataExtractor::Cursor at(0);
  bool good = true;
  while (good && at && at.tell() < line_tables.size()) {
    llvm::dwarf::FormParams params{0, 8, llvm::dwarf::DWARF32};
    uint64_t length = data.getU32(at);
    if (length == 0xffffffff) length = data.getU64(at), params.Format = llvm::dwarf::DWARF64;
    const uint64_t end = at.tell() + length;
    params.Version = data.getU16(at);
    good = at && length <= line_tables.size() && end <= line_tables.size() && params.Version >= 2 &&
           params.Version <= 5;
    if (good && params.Version == 5) {
      params.AddrSize = data.getU8(at);
      data.skip(at, 1 + params.getDwarfOffsetByteSize() + 5);  // to line_range
      const unsigned opcodes = data.getU8(at);
      if (opcodes > 1) data.skip(at, opcodes - 1);
      good = at && reads_entries(data, at, params) && reads_entries(data, at, params);
    }
    if (good) at.seek(end);
  }
  const bool failed = static_cast<bool>(at.takeError());
  return good && !failed;
}

/// LLVM expands compressed sections, of whatever size they say that they are, before it looks at any; so none
/// may be compressed.
bool has_sound_lines(const llvm::object::ObjectFile& object) {
  return std::all_of(object.section_begin(), object.section_end(), [&](const auto& section) {
    if (section.isCompressed()) return false;
    auto name = section.getName();
    if (!name) {
      llvm::consumeError(name.takeError());
      return false;
    }
    if (!name->starts_with(".debug_line") || *name == ".debug_line_str") return true;
    auto contents = section.getContents();
    if (!contents) {
      llvm::consumeError(contents.takeError());
      return false;
    }
    return is_sound(*contents, object.isLittleEndian());
  });
}

}  // namespace

struct SourceLines::State {
  std::unique_ptr<llvm::object::ObjectFile> object;
  std::unique_ptr<llvm::DWARFContext> context;
};

std::string SourceLine::text() const { return file + ":" + std::to_string(line); }

SourceLines::SourceLines(std::span<const uint8_t> file) : state_(std::make_unique<State>()) {
  const llvm::MemoryBufferRef buffer(llvm::StringRef(reinterpret_cast<const char*>(file.data()), file.size()),
                                     "code object");
  auto object = llvm::object::ObjectFile::createELFObjectFile(buffer);
  if (!object) {
    llvm::consumeError(object.takeError());
    return;
  }
  if (!has_sound_lines(**object)) return;
  state_->object = std::move(*object);
  // Damaged debug information is as good as none: nothing is said about it.
  auto ignore = [](llvm::Error error) { llvm::consumeError(std::move(error)); };
  state_->context = llvm::DWARFContext::create(
      *state_->object, llvm::DWARFContext::ProcessDebugRelocations::Process, nullptr, "", ignore, ignore);
}
SourceLines::SourceLines(SourceLines&&) noexcept = default;
SourceLines& SourceLines::operator=(SourceLines&&) noexcept = default;
SourceLines::~SourceLines() = default;

std::optional<SourceLine> SourceLines::at(uint64_t address) const {
  if (!state_->context) return std::nullopt;
  llvm::DILineInfoSpecifier specifier(llvm::DILineInfoSpecifier::FileLineInfoKind::AbsoluteFilePath,
                                      llvm::DILineInfoSpecifier::FunctionNameKind::None);
  const auto info = state_->context->getLineInfoForAddress(
      {address, llvm::object::SectionedAddress::UndefSection}, specifier);
  if (!info || info->Line == 0 || info->FileName == llvm::DILineInfo::BadString) return std::nullopt;
  return SourceLine{info->FileName, info->Line, info->Column};
}

}  // namespace wavesmith::isa
