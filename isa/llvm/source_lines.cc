#include "isa/llvm/source_lines.h"

#include <llvm/DebugInfo/DWARF/DWARFContext.h>
#include <llvm/Object/ObjectFile.h>

namespace wavesmith::isa {

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
