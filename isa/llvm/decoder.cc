#include "isa/llvm/decoder.h"

#include <algorithm>
#include <array>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <llvm/MC/MCAsmInfo.h>
#include <llvm/MC/MCContext.h>
#include <llvm/MC/MCDisassembler/MCDisassembler.h>
#include <llvm/MC/MCInst.h>
#include <llvm/MC/MCInstPrinter.h>
#include <llvm/MC/MCInstrInfo.h>
#include <llvm/MC/MCRegisterInfo.h>
#include <llvm/MC/MCSubtargetInfo.h>
#include <llvm/MC/MCTargetOptions.h>
#include <llvm/MC/TargetRegistry.h>
#include <llvm/Support/TargetSelect.h>
#include <llvm/Support/raw_ostream.h>

#include "isa/llvm/assembler.h"
#include "isa/llvm/target_registry.h"
#include "isa/llvm/unused_fields.h"

namespace wavesmith::isa {

struct Decoder::State {
  Target wavesmith_target;
  int wave_lanes = 0;
  uint64_t decoded = 0;  ///< instructions; LLVM keeps what it made of some
  const llvm::Target* target = nullptr;
  llvm::Triple triple{"amdgcn-amd-amdhsa"};
  std::unique_ptr<llvm::MCRegisterInfo> registers;
  std::unique_ptr<llvm::MCAsmInfo> asm_info;
  size_t longest = 0;  ///< instruction, in bytes
  std::unique_ptr<llvm::MCInstrInfo> instructions;
  std::unique_ptr<llvm::MCSubtargetInfo> subtarget;
  std::unique_ptr<llvm::MCContext> context;
  std::unique_ptr<llvm::MCDisassembler> disassembler;
  std::unique_ptr<llvm::MCInstPrinter> printer;
  std::string text;
};

namespace {

/// LLVM 22 decodes reserved values of SDWA's fields but cannot print them. The fields come last: dst_sel,
/// dst_unused, src0_sel, src1_sel of two sources; no src1_sel of one; the sources' alone of comparisons.
bool is_printable(const llvm::MCInst& inst, llvm::StringRef name) {
  if (!name.contains("_sdwa")) return true;
  const auto count = static_cast<int>(inst.getNumOperands());
  const bool compares = name.starts_with("V_CMP"), two_sources = count >= 10;
  const int fields = compares ? 2 : two_sources ? 4 : 3;
  for (int i = 0; i < fields && i < count; ++i) {
    const llvm::MCOperand& operand = inst.getOperand(static_cast<unsigned>(count - 1 - i));
    const bool unused = !compares && i == fields - 2;
    if (operand.isImm() && operand.getImm() > (unused ? 2 : 6)) return false;
  }
  return true;
}

/// LLVM 22 crashes over a literal as the operand of s_barrier_signal, _signal_isfirst, _init, _join and
/// _get_state, which take M0 or an inline constant. SOP1 of RDNA4: bits 31-23 are 101111101, 15-8 the
/// operation, 7-0 the source (255 is a literal). Source: AMD, "RDNA4 Instruction Set Architecture", section
/// "SOP1"; the operations' numbers are LLVM's.
bool crashes_llvm(const Target& target, std::span<const uint8_t> bytes) {
  if (!target.is(kRdna4) || bytes.size() < 4) return false;
  return bytes[3] == 0xbe && (bytes[2] & 0x80) != 0 && bytes[1] >= 0x4e && bytes[1] <= 0x52 &&
         bytes[0] == 0xff;
}

/// The last dword of v_madmk, v_madak, v_fmamk, v_fmaak, their dual and scalar forms is a constant. LLVM 22
/// takes it for the number of a source: 0xa8 becomes what source 168 is, the inline constant 40, and 255
/// crashes.
bool ends_in_constant(llvm::StringRef opcode) {
  return opcode.contains("MADMK") || opcode.contains("MADAK") || opcode.contains("FMAMK") ||
         opcode.contains("FMAAK");
}

/// A constant that is taken for what it is: no source has the number.
constexpr uint8_t kNoSource = 254;

/// Where a dword stands that could be such a constant and would be taken for another one; 0: nowhere.
size_t suspected_constant(std::span<const uint8_t, 32> bytes) {
  for (const size_t at : {4, 8}) {
    const bool inline_constant =
        (bytes[at] >= 128 && bytes[at] <= 208) || (bytes[at] >= 240 && bytes[at] <= 248);
    if ((inline_constant || bytes[at] == 255) && !bytes[at + 1] && !bytes[at + 2] && !bytes[at + 3])
      return at;
  }
  return 0;
}

/// LLVM 22 prints a rotation of ds_swizzle_b32 without its mask, the low five bits of the offset. One that
/// has a mask gets its offset as a number.
void keep_mask_of_rotation(const llvm::MCInst& inst, std::string& text) {
  const size_t begin = text.find("swizzle(ROTATE"), end = text.find(')', begin);
  if (begin == std::string::npos || end == std::string::npos) return;
  for (const llvm::MCOperand& operand : inst) {
    if (!operand.isImm()) continue;
    if ((operand.getImm() & 31) != 0) text.replace(begin, end + 1 - begin, fmt::to_string(operand.getImm()));
    return;  // the offset is the first
  }
}

/// LLVM 22 takes the control of the DPP forms of v_fma_mixlo_f16 and v_fma_mixhi_f16 for the number of a
/// source: for a quad permutation of 128 to 208 it prints what that constant would be, and for 255 it wants a
/// literal. They are decoded with permutation 0 instead, and the printed one is mended.
std::optional<uint8_t> take_quad_permutation(const Target& target, std::span<uint8_t, 32> bytes) {
  constexpr uint8_t kVop3p = 0xcc, kMixLow = 0x21, kMixHigh = 0x22, kDpp16 = 0xfa;
  const bool mix = bytes[3] == kVop3p && (bytes[2] == kMixLow || bytes[2] == kMixHigh);
  const bool dpp = bytes[4] == kDpp16 && (bytes[5] & 1) == 0, permutes = (bytes[10] & 1) == 0;
  if (!target.is(kRdna) || !mix || !dpp || !permutes) return {};
  return std::exchange(bytes[9], uint8_t{0});
}
void keep_quad_permutation(uint8_t control, std::string& text) {
  constexpr std::string_view kDecoded = "quad_perm:[0,0,0,0]";
  if (const size_t at = text.find(kDecoded); at != std::string::npos)
    text.replace(at, kDecoded.size(),
                 fmt::format("quad_perm:[{},{},{},{}]", control & 3, control >> 2 & 3, control >> 4 & 3,
                             control >> 6));
}

/// What RDNA's manuals reserve and tinygrad's tests of RDNA3 hardware run (test/amd/hw): V_INTERP's sources
/// have nine bits as VOP3's and may so name a scalar, and the two controls that were CDNA's row_bcast give a
/// row its first lane. LLVM decodes both and prints a remark.
void accept_reserved(const Target& target, std::string& text) {
  if (!target.is(kRdna) || text.find("/*") == std::string::npos) return;
  constexpr std::string_view kBroadcast = "/* row_bcast is not supported starting from GFX10 */",
                             kScalar = "/*Invalid register, operand has 'VGPR_32' register class*/";
  if (const size_t at = text.find(kBroadcast); at != std::string::npos)
    text.replace(at, kBroadcast.size(), "row_share:0");
  if (text.find("v_interp_p") == std::string::npos) return;
  for (size_t at = text.find(kScalar); at != std::string::npos; at = text.find(kScalar))
    text.erase(at, kScalar.size());
}

}  // namespace

/// States that nobody uses at present: one takes half a megabyte, most of it LLVM's tables of registers.
class Decoder::Idle {
 public:
  std::unique_ptr<State> take(const Target& target, int wave_lanes) {
    const std::scoped_lock lock(mutex_);
    const auto found = std::find_if(states_.begin(), states_.end(), [&](const auto& state) {
      return state->wavesmith_target.name == target.name && state->wave_lanes == wave_lanes;
    });
    if (found == states_.end()) return nullptr;
    std::unique_ptr<State> state = std::move(*found);
    states_.erase(found);
    return state;
  }
  void give(std::unique_ptr<State> state) {
    if (!state || state->decoded > kMostDecoded) return;
    const std::scoped_lock lock(mutex_);
    if (states_.size() == kMost) states_.erase(states_.begin());
    states_.push_back(std::move(state));
  }
  static Idle& all() {
    static Idle& idle = *new Idle;  // decoders may outlive the end of main
    return idle;
  }

 private:
  static constexpr size_t kMost = 8;
  static constexpr uint64_t kMostDecoded = 1 << 20;
  std::mutex mutex_;
  std::vector<std::unique_ptr<State>> states_;  ///< the longest idle first
};

Decoder::Decoder(std::unique_ptr<State> state) : state_(std::move(state)) {}
Decoder::Decoder(Decoder&&) noexcept = default;
Decoder& Decoder::operator=(Decoder&&) noexcept = default;
Decoder::~Decoder() { Idle::all().give(std::move(state_)); }

Result<Decoder> Decoder::create(const Target& target, int wave_lanes) {
  if (auto idle = Idle::all().take(target, wave_lanes)) return Decoder(std::move(idle));
  auto state = std::make_unique<State>(State{target, wave_lanes});
  state->target = llvm_target();
  if (!state->target) return fail(ErrorKind::Internal, "LLVM was built without its AMDGPU target");
  const std::string_view features = wave_features(target, wave_lanes);
  state->registers.reset(state->target->createMCRegInfo(state->triple));
  state->asm_info.reset(
      state->target->createMCAsmInfo(*state->registers, state->triple, llvm::MCTargetOptions{}));
  state->instructions.reset(state->target->createMCInstrInfo());
  // LLVM 22 crashes over a literal behind the longest instruction of the target, so it is told that literals
  // may stand there; an instruction that has one is refused afterwards.
  const auto subtarget = [&](std::string_view asked) {
    return state->target->createMCSubtargetInfo(state->triple, llvm::StringRef(target.name),
                                                llvm::StringRef(asked));
  };
  const std::unique_ptr<llvm::MCSubtargetInfo> plain(subtarget(features));
  state->longest = state->asm_info->getMaxInstLength(plain.get());
  state->subtarget.reset(subtarget(fmt::format("{}{}+vop3-literal", features, features.empty() ? "" : ",")));
  state->context = std::make_unique<llvm::MCContext>(state->triple, state->asm_info.get(),
                                                     state->registers.get(), state->subtarget.get());
  state->disassembler.reset(state->target->createMCDisassembler(*state->subtarget, *state->context));
  state->printer.reset(state->target->createMCInstPrinter(state->triple, 0, *state->asm_info,
                                                          *state->instructions, *state->registers));
  if (!state->disassembler || !state->printer)
    return fail(ErrorKind::Internal, fmt::format("LLVM has no disassembler for {}", target.name));
  return Decoder(std::move(state));
}

Result<Instruction> Decoder::decode(std::span<const uint8_t> bytes, uint64_t pc) {
  ++state_->decoded;
  // LLVM wants to see the whole instruction, its literal included.
  std::array<uint8_t, 32> padded{};
  const size_t given = std::min(bytes.size(), padded.size());
  std::copy_n(bytes.begin(), given, padded.begin());
  const auto permutation = take_quad_permutation(state_->wavesmith_target, padded);
  llvm::MCInst inst;
  uint64_t size = 0;
  const auto accepted = [&] {
    inst.clear();
    return !crashes_llvm(state_->wavesmith_target, padded) &&
           state_->disassembler->getInstruction(inst, size, padded, pc, llvm::nulls()) !=
               llvm::MCDisassembler::Fail &&
           size != 0 && size <= std::min(given, state_->longest);
  };
  const size_t constant_at = suspected_constant(padded);
  const uint8_t constant = padded[constant_at];
  if (constant_at) padded[constant_at] = kNoSource;
  const bool has_constant = constant_at && accepted() && size == constant_at + 4 &&
                            ends_in_constant(state_->instructions->getName(inst.getOpcode()));
  if (constant_at && !has_constant) padded[constant_at] = constant;
  const bool valid = has_constant || accepted() || clear_unused_fields(padded, accepted);
  if (!valid || !is_printable(inst, state_->instructions->getName(inst.getOpcode()))) {
    std::string hex;
    for (size_t i = 0; i < std::min<size_t>(bytes.size(), 8); ++i) hex += fmt::format("{:02x} ", bytes[i]);
    return fail(ErrorKind::BadInput, fmt::format("bytes {}are no instruction of this target", hex),
                fmt::format("pc {:#x}", pc));
  }
  if (has_constant)
    for (llvm::MCOperand& operand : inst)
      if (operand.isImm() && operand.getImm() == kNoSource) operand.setImm(constant);
  state_->text.clear();
  llvm::raw_string_ostream stream(state_->text);
  state_->printer->printInst(&inst, pc, "", *state_->subtarget, stream);
  keep_mask_of_rotation(inst, state_->text);
  if (permutation) keep_quad_permutation(*permutation, state_->text);
  accept_reserved(state_->wavesmith_target, state_->text);
  auto parsed = parse_instruction(state_->text);
  if (!parsed) return parsed;
  parsed->pc = pc;
  parsed->size = static_cast<uint32_t>(size);
  return parsed;
}

}  // namespace wavesmith::isa
