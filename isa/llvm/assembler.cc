#include "isa/llvm/assembler.h"

#include <fmt/format.h>
#include <llvm/ADT/SmallString.h>
#include <llvm/MC/MCAsmBackend.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCCodeEmitter.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCObjectWriter.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Object/ObjectFile.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>
#include <llvm/Support/raw_ostream.h>

#include <memory>

#include "isa/llvm/target_registry.h"

namespace wavesmith::isa {
namespace {

void keep_first(const llvm::SMDiagnostic& diagnostic, void* context) {
  auto& message = *static_cast<std::string*>(context);
  if (message.empty())
    message = fmt::format("line {}: {}: {}", diagnostic.getLineNo(), diagnostic.getMessage().str(),
                          diagnostic.getLineContents().str());
}

std::vector<uint8_t> text_section(llvm::StringRef object) {
  auto file = llvm::object::ObjectFile::createObjectFile(llvm::MemoryBufferRef(object, "assembled"));
  if (!file) {
    llvm::consumeError(file.takeError());
    return {};
  }
  for (const auto& section : (*file)->sections()) {
    auto name = section.getName();
    if (!name || *name != ".text") {
      if (!name) llvm::consumeError(name.takeError());
      continue;
    }
    auto contents = section.getContents();
    if (contents) return {contents->bytes_begin(), contents->bytes_end()};
    llvm::consumeError(contents.takeError());
  }
  return {};
}

}  // namespace

std::string_view wave_features(const Target& target, int wave_lanes) {
  if (target.wave64_only) return "";
  // Halves of registers by name (v0.l, v0.h), also where LLVM does not yet print them by default.
  return wave_lanes == 64 ? "+real-true16,+wavefrontsize64,-wavefrontsize32"
                          : "+real-true16,+wavefrontsize32,-wavefrontsize64";
}

Result<std::vector<uint8_t>> assemble(const Target& target, int wave_lanes, std::string_view text) {
  const llvm::Target* const llvm_amdgpu = llvm_target();
  if (!llvm_amdgpu) return fail(ErrorKind::Internal, "LLVM was built without its AMDGPU target");
  const llvm::Triple triple("amdgcn-amd-amdhsa");
  const llvm::MCTargetOptions options;
  const std::unique_ptr<llvm::MCRegisterInfo> registers(llvm_amdgpu->createMCRegInfo(triple));
  const std::unique_ptr<llvm::MCAsmInfo> asm_info(llvm_amdgpu->createMCAsmInfo(*registers, triple, options));
  const std::unique_ptr<llvm::MCInstrInfo> instructions(llvm_amdgpu->createMCInstrInfo());
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(llvm_amdgpu->createMCSubtargetInfo(
      triple, llvm::StringRef(target.name), llvm::StringRef(wave_features(target, wave_lanes))));

  std::string message;
  llvm::SourceMgr sources;
  sources.setDiagHandler(keep_first, &message);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(llvm::StringRef(text)), llvm::SMLoc());
  llvm::MCContext context(triple, asm_info.get(), registers.get(), subtarget.get(), &sources, &options);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(llvm_amdgpu->createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(sections.get());

  llvm::SmallString<0> object;
  llvm::raw_svector_ostream stream(object);
  std::unique_ptr<llvm::MCAsmBackend> backend(
      llvm_amdgpu->createMCAsmBackend(*subtarget, *registers, options));
  std::unique_ptr<llvm::MCObjectWriter> writer = backend->createObjectWriter(stream);
  std::unique_ptr<llvm::MCCodeEmitter> emitter(llvm_amdgpu->createMCCodeEmitter(*instructions, context));
  const std::unique_ptr<llvm::MCStreamer> streamer(llvm_amdgpu->createMCObjectStreamer(
      triple, context, std::move(backend), std::move(writer), std::move(emitter), *subtarget));
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *asm_info));
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      llvm_amdgpu->createMCAsmParser(*subtarget, *parser, *instructions, options));
  parser->setTargetParser(*target_parser);
  if (parser->Run(false) || !message.empty())
    return fail(ErrorKind::BadInput, fmt::format("cannot assemble for {}: {}", target.name, message));
  return text_section(object);
}

}  // namespace wavesmith::isa
