// LLVM's tables hold the instructions of all targets together and do not say in public which belong to which.
// Its assembler does: a mnemonic alone on a line is answered with "too few operands" where it exists, and
// with "not supported on this GPU" or "invalid instruction" where it does not.
#include "isa/llvm/mnemonics.h"

#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCObjectFileInfo.h>
#include <llvm/MC/MCParser/MCAsmParser.h>
#include <llvm/MC/MCParser/MCTargetAsmParser.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCStreamer.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/MemoryBuffer.h>
#include <llvm/Support/SourceMgr.h>

#include <algorithm>
#include <array>
#include <memory>
#include <set>

#include "isa/llvm/assembler.h"
#include "isa/llvm/target_registry.h"
#include "isa/mnemonic.h"

namespace wavesmith::isa {
namespace {

constexpr std::array kSuffixed = {Encoding::E32, Encoding::E64, Encoding::Dpp, Encoding::Sdwa,
                                  Encoding::E64Dpp};

struct Assembler {
  const llvm::Target& target;
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  llvm::MCTargetOptions options;
  std::unique_ptr<llvm::MCRegisterInfo> registers{target.createMCRegInfo(triple)};
  std::unique_ptr<llvm::MCAsmInfo> asm_info{target.createMCAsmInfo(*registers, triple, options)};
  std::unique_ptr<llvm::MCInstrInfo> instructions{target.createMCInstrInfo()};
};

/// The first word of every instruction's printed form, of all targets.
std::set<std::string> all_names(const Assembler& assembler) {
  const std::unique_ptr<llvm::MCInstPrinter> printer(assembler.target.createMCInstPrinter(
      assembler.triple, 0, *assembler.asm_info, *assembler.instructions, *assembler.registers));
  std::set<std::string> names;
  for (unsigned opcode = 0; opcode < assembler.instructions->getNumOpcodes(); ++opcode) {
    if (assembler.instructions->get(opcode).isPseudo()) continue;
    llvm::MCInst inst;
    inst.setOpcode(opcode);
    const char* const printed = printer->getMnemonic(inst).first;
    if (!printed) continue;
    std::string_view name = printed;
    name = name.substr(0, name.find(' '));
    for (const std::string_view suffix : {"_e64_dpp", "_e32", "_e64", "_dpp", "_sdwa"})
      if (name.ends_with(suffix)) {
        name.remove_suffix(suffix.size());
        break;
      }
    if (!name.empty() && name.front() >= 'a' && name.front() <= 'z') names.emplace(name);
  }
  return names;
}

/// Marks the lines (from 1) that name no instruction of the target.
void mark_unknown(const llvm::SMDiagnostic& diagnostic, void* context) {
  auto& unknown = *static_cast<std::vector<bool>*>(context);
  const llvm::StringRef message = diagnostic.getMessage();
  const auto line = static_cast<size_t>(std::max(diagnostic.getLineNo(), 0));
  if (line < unknown.size() && (message.contains("not supported") || message.contains("invalid instruction")))
    unknown[line] = true;
}

/// Which of the lines name an instruction of the target.
std::vector<bool> known(const Assembler& assembler, const Target& target,
                        const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  const std::unique_ptr<llvm::MCSubtargetInfo> subtarget(assembler.target.createMCSubtargetInfo(
      assembler.triple, llvm::StringRef(target.name), llvm::StringRef(wave_features(target, 32))));
  std::vector<bool> unknown(lines.size() + 1);
  llvm::SourceMgr sources;
  sources.setDiagHandler(mark_unknown, &unknown);
  sources.AddNewSourceBuffer(llvm::MemoryBuffer::getMemBufferCopy(text), llvm::SMLoc());
  llvm::MCContext context(assembler.triple, assembler.asm_info.get(), assembler.registers.get(),
                          subtarget.get(), &sources, &assembler.options);
  const std::unique_ptr<llvm::MCObjectFileInfo> sections(
      assembler.target.createMCObjectFileInfo(context, true));
  context.setObjectFileInfo(sections.get());
  const std::unique_ptr<llvm::MCStreamer> streamer(llvm::createNullStreamer(context));
  const std::unique_ptr<llvm::MCAsmParser> parser(
      llvm::createMCAsmParser(sources, context, *streamer, *assembler.asm_info));
  assembler.target.createNullTargetStreamer(*streamer);
  const std::unique_ptr<llvm::MCTargetAsmParser> target_parser(
      assembler.target.createMCAsmParser(*subtarget, *parser, *assembler.instructions, assembler.options));
  parser->setTargetParser(*target_parser);
  (void)parser->Run(true);
  std::vector<bool> result(lines.size());
  for (size_t i = 0; i < lines.size(); ++i) result[i] = !unknown[i + 1];
  return result;
}

}  // namespace

std::string_view encoding_suffix(Encoding encoding) {
  switch (encoding) {
    case Encoding::Plain:
      return "";
    case Encoding::E32:
      return "_e32";
    case Encoding::E64:
      return "_e64";
    case Encoding::Dpp:
      return "_dpp";
    case Encoding::Sdwa:
      return "_sdwa";
    case Encoding::E64Dpp:
      return "_e64_dpp";
  }
  return "";
}

Result<std::vector<Mnemonic>> mnemonics(const Target& target) {
  const llvm::Target* const llvm_amdgpu = llvm_target();
  if (!llvm_amdgpu) return fail(ErrorKind::Internal, "LLVM was built without its AMDGPU target");
  const Assembler assembler{*llvm_amdgpu};
  const std::set<std::string> names = all_names(assembler);
  const std::vector<std::string> candidates(names.begin(), names.end());
  const std::vector<bool> exists = known(assembler, target, candidates);

  std::vector<Mnemonic> found;
  for (size_t i = 0; i < candidates.size(); ++i)
    if (exists[i]) found.push_back({candidates[i], {}});
  // A suffix chooses an encoding where there are several. Scalar and memory instructions have none.
  std::vector<std::string> suffixed;
  for (const Mnemonic& mnemonic : found)
    if (is_vector(mnemonic.name))
      for (const Encoding encoding : kSuffixed)
        suffixed.push_back(mnemonic.name + std::string(encoding_suffix(encoding)));
  const std::vector<bool> encodable = known(assembler, target, suffixed);
  size_t next = 0;
  for (Mnemonic& mnemonic : found) {
    if (is_vector(mnemonic.name))
      for (const Encoding encoding : kSuffixed)
        if (encodable[next++]) mnemonic.encodings.push_back(encoding);
    // LLVM prints no suffix for what has no short form.
    const bool has_short = std::find(mnemonic.encodings.begin(), mnemonic.encodings.end(), Encoding::E32) !=
                           mnemonic.encodings.end();
    if (!has_short) {
      std::erase(mnemonic.encodings, Encoding::E64);
      mnemonic.encodings.insert(mnemonic.encodings.begin(), Encoding::Plain);
    }
  }
  return found;
}

}  // namespace wavesmith::isa
