#include "emulate/translate/program.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "emulate/run/host_mode.h"
#include "emulate/run/workgroup.h"
#include "emulate/translate/emitter.h"
#include "emulate/translate/hits.h"
#include "emulate/translate/matrix_plan.h"
#include "emulate/translate/mode_flow.h"
#include "emulate/translate/observe.h"
#include "isa/flow.h"
#include "isa/llvm/decoder.h"
#include "isa/matrix/instruction.h"

namespace wavesmith::emulate {
namespace {

namespace index = scalar_index;
using isa::branch_target;
using isa::Flow;
using isa::flow_of;
using isa::goes_on;

bool sets_mode(const isa::Instruction& instruction) {
  switch (isa::operation_of(instruction.mnemonic)) {
    case isa::Operation::RoundMode:
    case isa::Operation::DenormMode:
      return true;
    case isa::Operation::SetRegister:
      return instruction.text.find("HW_REG_MODE") != std::string::npos;
    default:
      return false;
  }
}

/// Further beginnings of blocks, so that none has more instructions than `longest`.
void cut(const std::map<uint64_t, isa::Instruction>& code, uint32_t longest, std::set<uint64_t>& leaders) {
  uint32_t length = 0;
  for (const auto& [pc, instruction] : code) {
    if (leaders.contains(pc)) length = 0;
    if (length++ < longest) continue;
    leaders.insert(pc);
    length = 1;
  }
}

}  // namespace

/// The micro-operations of one piece of code, translated together. They never move.
struct Program::Unit {
  std::vector<Uop> uops;
  struct Start {
    uint32_t uop;
    uint64_t pc;
  };
  std::vector<Start> starts;  ///< of each instruction, ascending
};

Program::Program(const isa::Target& target, int wave_lanes, std::span<const uint8_t> code)
    : target_(target), wave_lanes_(wave_lanes), code_(code) {
  constants_.reserve(kConstants);
}
Program::~Program() = default;

Result<std::unique_ptr<Program>> Program::create(const isa::Target& target, int wave_lanes,
                                                 std::span<const uint8_t> code) {
  auto decoder = isa::Decoder::create(target, wave_lanes);
  if (!decoder) return tl::unexpected(decoder.error());
  return std::unique_ptr<Program>(new Program(target, wave_lanes, code));
}

/// One was made for this target when the program was, so another one can be.
isa::Decoder Program::decoder() const { return isa::Decoder::create(target_, wave_lanes_).value(); }

Program& Program::observed(bool instructions) {
  const std::scoped_lock lock(mutex_);
  std::unique_ptr<Program>& observed = observed_[instructions];
  if (!observed) {
    observed.reset(new Program(target_, wave_lanes_, code_));
    observed->tells_accesses_ = true;
    observed->tells_instructions_ = instructions;
    observed->interleave_ = interleave_;
    observed->sram_ecc_ = sram_ecc_;
  }
  return *observed;
}

size_t Program::block_count() const {
  const std::scoped_lock lock(mutex_);
  return blocks_.size();
}

uint64_t Program::count(const Hits& hits) {
  const std::scoped_lock lock(mutex_);
  totals_.resize(blocks_.size());
  uint64_t instructions = 0;
  hits.each_stretch(blocks_.size(), [&](size_t begin, size_t end) {
    for (size_t i = begin; i < end; ++i) {
      if (hits.data()[i] == 0) continue;
      totals_[i] += hits.data()[i];
      instructions += hits.data()[i] * blocks_[i]->instructions;
    }
  });
  return instructions;
}

bool Program::count_empty(uint64_t pc, uint64_t waves) {
  const std::scoped_lock lock(mutex_);
  totals_.resize(blocks_.size());
  for (size_t i = 0; i < blocks_.size(); ++i) {
    const std::vector<std::string>& mnemonics = blocks_[i]->mnemonics;
    if (blocks_[i]->pc != pc || mnemonics.size() != 1 || flow_of(mnemonics.front()) != Flow::End) continue;
    totals_[i] += waves;
    return true;
  }
  return false;
}

std::map<std::string, uint64_t> Program::instruction_mix() const {
  const std::scoped_lock lock(mutex_);
  std::map<std::string, uint64_t> mix;
  for (size_t i = 0; i < totals_.size(); ++i)
    if (totals_[i])
      for (const std::string& mnemonic : blocks_[i]->mnemonics) mix[mnemonic] += totals_[i];
  for (const auto& observed : observed_)
    if (observed)
      for (const auto& [mnemonic, count] : observed->instruction_mix()) mix[mnemonic] += count;
  return mix;
}

void Program::load_constants(Wave& wave) const {
  const uint32_t count = constant_count_.load(std::memory_order_acquire);
  std::copy(constants_.data() + wave.constants_loaded, constants_.data() + count,
            wave.constants + wave.constants_loaded);
  wave.constants_loaded = count;
}

const Uop* Program::find_jump(uint64_t pc) const {
  const Jump* const jump = jumps_[jump_slot(pc)].load(std::memory_order_acquire);
  return jump && jump->pc == pc ? jump->uop : nullptr;
}

void Program::remember_jump(uint64_t pc, const Uop* uop) {
  const std::scoped_lock lock(mutex_);
  jumps_[jump_slot(pc)].store(&kept_jumps_.try_emplace(pc, Jump{pc, uop}).first->second,
                              std::memory_order_release);
}

void Program::expect_mode(uint32_t mode) {
  if (is_default_mode(mode) || mode_varies_) return;
  const std::scoped_lock lock(mutex_);
  forget_translations();
}

/// What was translated without regard to MODE goes on for the waves that are in it.
void Program::forget_translations() {
  if (mode_varies_.exchange(true)) return;
  entries_.clear();
  for (auto& jump : jumps_) jump.store(nullptr, std::memory_order_release);
  old_jumps_.push_back(std::exchange(kept_jumps_, {}));
}

Result<const Uop*> Program::entry(uint64_t pc) {
  const std::scoped_lock lock(mutex_);
  if (const auto found = entries_.find(pc); found != entries_.end()) return found->second;
  return translate(pc);
}

Program::Location Program::locate(const Uop* uop) const {
  const std::scoped_lock lock(mutex_);
  for (const auto& unit : units_) {
    if (uop < unit->uops.data() || uop >= unit->uops.data() + unit->uops.size()) continue;
    const auto position = static_cast<uint32_t>(uop - unit->uops.data());
    const auto after = std::upper_bound(unit->starts.begin(), unit->starts.end(), position,
                                        [](uint32_t p, const Unit::Start& start) { return p < start.uop; });
    if (after == unit->starts.begin()) break;
    const uint64_t pc = std::prev(after)->pc;
    const auto begin = reinterpret_cast<uint64_t>(code_.data());
    if (pc - begin >= code_.size()) return {pc, "?"};  // a branch out of the code
    const auto instruction = decoder().decode(code_.subspan(pc - begin), pc);
    return {pc, instruction ? instruction->text : std::string("?")};
  }
  return {};
}

/// One function on its way from machine code to micro-operations.
class Program::Translation {
 public:
  Translation(Program& program, uint64_t entry)
      : program_(program),
        begin_(reinterpret_cast<uint64_t>(program.code_.data())),
        entry_(entry),
        emitter_(program, uops_) {}

  /// Decodes what direct control flow reaches from the entry, and finds where blocks begin.
  void read();
  [[nodiscard]] bool sets_mode() const {
    return std::any_of(code_.begin(), code_.end(),
                       [](const auto& each) { return emulate::sets_mode(each.second); });
  }
  /// Emits the micro-operations of all that was read, and makes them known to the program.
  void write();

 private:
  struct Fixup {
    size_t uop;
    uint64_t target;
  };

  Result<void> decode(isa::Decoder& decoder, uint64_t pc);
  void begin_at(uint64_t pc);
  void jump(Micro operation, uint64_t target, uint32_t d = 0, uint32_t a = 0) {
    fixups_.push_back({uops_.size(), target});
    emitter_.emit(operation, d, a);
  }
  void instruction(uint64_t pc, const isa::Instruction& instruction);
  Result<void> flow(const isa::Instruction& instruction, Flow flow, const Modes& modes);
  void conditional(const isa::Instruction& instruction);
  Result<void> call(const isa::Instruction& instruction, bool indirect);
  Result<void> indirect(const isa::Instruction& instruction);
  Result<void> next_instruction(const isa::Instruction& instruction, const Modes& modes);
  void stops();
  void join();

  Program& program_;
  uint64_t begin_, entry_;
  std::map<uint64_t, isa::Instruction> code_;
  std::map<uint64_t, Error> undecodable_;
  std::set<uint64_t> leaders_;
  std::unique_ptr<Unit> unit_ = std::make_unique<Unit>();
  std::vector<Uop>& uops_ = unit_->uops;
  Emitter emitter_;
  std::map<uint64_t, Modes> modes_;
  std::vector<Fixup> fixups_;
  std::vector<size_t> skips_;             // jumps over an instruction that VSKIP skips; their target is in d
  std::map<uint64_t, size_t> positions_;  // of leaders
  Block* block_ = nullptr;
  uint64_t expected_ = 0;  // where the code emitted last goes on; 0 when it does not
};

void Program::Translation::read() {
  leaders_.insert(entry_);
  std::vector<uint64_t> work{entry_};
  isa::Decoder decoder = program_.decoder();
  while (!work.empty()) {
    uint64_t pc = work.back();
    work.pop_back();
    while (!code_.contains(pc) && !undecodable_.contains(pc) && !program_.entries_.contains(pc)) {
      if (const auto done = decode(decoder, pc); !done) {
        undecodable_.emplace(pc, done.error());
        break;
      }
      const isa::Instruction& decoded = code_.at(pc);
      const Flow flow = flow_of(decoded.mnemonic);
      const uint64_t next = pc + decoded.size;
      if (flow == Flow::Branch || flow == Flow::Conditional || flow == Flow::Call) {
        const uint64_t target = branch_target(decoded);
        leaders_.insert(target);
        work.push_back(target);
      }
      if (flow != Flow::Next && goes_on(flow)) leaders_.insert(next);
      if (!goes_on(flow)) break;
      pc = next;
    }
  }
}

Result<void> Program::Translation::decode(isa::Decoder& decoder, uint64_t pc) {
  const std::span<const uint8_t> bytes = program_.code_;
  if (pc < begin_ || pc >= begin_ + bytes.size())
    return fail(ErrorKind::BadInput, "the code runs past its end", fmt::format("pc {:#x}", pc));
  auto decoded = decoder.decode(bytes.subspan(pc - begin_), pc);
  if (!decoded) return tl::unexpected(decoded.error());
  code_.emplace(pc, std::move(*decoded));
  return {};
}

void Program::Translation::write() {
  if (program_.interleave_) cut(code_, program_.interleave_, leaders_);
  modes_ = follow_modes(code_, entry_);
  for (const auto& [pc, instruction] : code_) this->instruction(pc, instruction);
  if (expected_ != 0) jump(Micro::Jump, expected_);
  stops();
  join();
}

/// What stands before the instruction at `pc`: a jump where the code emitted last goes on elsewhere, and the
/// beginning of a block.
void Program::Translation::begin_at(uint64_t pc) {
  if (expected_ != 0 && expected_ != pc) jump(Micro::Jump, expected_);
  if (!leaders_.contains(pc)) return;
  auto& blocks = program_.blocks_;
  if (blocks.size() >= kMostBlocks) return;
  positions_[pc] = uops_.size();
  blocks.push_back(std::make_unique<Block>());
  block_ = blocks.back().get();
  block_->number = static_cast<uint32_t>(blocks.size() - 1);
  block_->pc = pc;
  unit_->starts.push_back({static_cast<uint32_t>(uops_.size()), pc});
  emitter_.emit(Micro::Block).pointer = block_;
}

void Program::Translation::instruction(uint64_t pc, const isa::Instruction& instruction) {
  if (leaders_.contains(pc) || expected_ != pc) emitter_.widened().forget();
  begin_at(pc);
  emitter_.begin();
  unit_->starts.push_back({static_cast<uint32_t>(uops_.size()), pc});
  if (block_) {
    block_->instructions++;
    block_->mnemonics.push_back(instruction.mnemonic);
  }
  const auto mode = modes_.find(pc);
  const Modes modes = mode == modes_.end() ? Modes{} : mode->second;
  const bool skippable = modes.may_skip && is_vector(instruction);
  if (skippable) {
    skips_.push_back(uops_.size());
    emitter_.emit(Micro::JumpIf, 1, scalar_offset(index::kSkip));
  }
  const Site* site = nullptr;
  if (program_.tells_accesses_) {
    Site& made = program_.sites_.emplace_back(make_site(instruction, program_.target_));
    made.number = static_cast<uint32_t>(program_.sites_.size() - 1);
    site = &made;
    if (program_.tells_instructions_) emit_instruction_event(emitter_, *site);
  }
  const size_t own = uops_.size();
  const Flow flow = flow_of(instruction.mnemonic);
  const Result<void> done = this->flow(instruction, flow, modes);
  if (!done) emitter_.emit_stop(done.error());
  if (site && flow == Flow::Next)
    insert_access_events(emitter_, uops_, own, *site, program_.tells_instructions_);
  if (program_.translated_) program_.translated_(instruction, done ? nullptr : &done.error());
  if (modes.may_skip || modes.may_index)
    emitter_.widened().forget();
  else if (!isa::is_matrix(instruction.mnemonic))
    emitter_.widened().passed(instruction);
  if (skippable) uops_[skips_.back()].d = static_cast<uint32_t>(uops_.size());
  expected_ = goes_on(flow) ? pc + instruction.size : 0;
}

Result<void> Program::Translation::flow(const isa::Instruction& instruction, Flow flow, const Modes& modes) {
  switch (flow) {
    case Flow::Branch:
      jump(Micro::Jump, branch_target(instruction));
      return {};
    case Flow::Conditional:
      conditional(instruction);
      return {};
    case Flow::Call:
      return call(instruction, false);
    case Flow::IndirectCall:
      return call(instruction, true);
    case Flow::Indirect:
      return indirect(instruction);
    case Flow::End:
      emitter_.emit(Micro::End);
      return {};
    case Flow::Next:
      return next_instruction(instruction, modes);
  }
  return {};
}

void Program::Translation::conditional(const isa::Instruction& instruction) {
  const uint32_t scc = scalar_offset(index::kScc), vcc = scalar_offset(index::kVcc),
                 exec = scalar_offset(index::kExec);
  const Micro wide = emitter_.wave32() ? Micro::JumpIf : Micro::JumpIf64;
  const uint64_t target = branch_target(instruction);
  const isa::BranchCondition condition = isa::condition_of(instruction.mnemonic);
  const auto when = static_cast<uint32_t>(condition.set);
  switch (condition.flag) {
    case isa::BranchCondition::Flag::Scc:
      jump(Micro::JumpIf, target, when, scc);
      break;
    case isa::BranchCondition::Flag::Vcc:
      jump(wide, target, when, vcc);
      break;
    case isa::BranchCondition::Flag::Exec:
      jump(wide, target, when, exec);
      break;
    case isa::BranchCondition::Flag::None:
      break;  // of a debugger: none is attached
  }
}

Result<void> Program::Translation::call(const isa::Instruction& instruction, bool indirect) {
  const auto result = emitter_.register_offset(instruction.operands[0]);
  if (!result) return tl::unexpected(result.error());
  const uint32_t next = emitter_.constant(instruction.pc + instruction.size);
  if (!indirect) {
    emitter_.emit(Micro::CopyScalar64, *result, next);
    jump(Micro::Jump, branch_target(instruction));
    return {};
  }
  const uint32_t target = emitter_.temporary_scalars(2);
  const auto source = emitter_.scalar_source(instruction.operands[1], isa::Type::U64);
  if (!source) return tl::unexpected(source.error());
  emitter_.emit(Micro::CopyScalar64, target, *source);
  emitter_.emit(Micro::CopyScalar64, *result, next);
  emitter_.emit(Micro::JumpTo, 0, target);
  return {};
}

Result<void> Program::Translation::indirect(const isa::Instruction& instruction) {
  const auto source = emitter_.scalar_source(instruction.operands[0], isa::Type::U64);
  if (!source) return tl::unexpected(source.error());
  emitter_.emit(Micro::JumpTo, 0, *source);
  return {};
}

/// An instruction behind which the next one follows.
Result<void> Program::Translation::next_instruction(const isa::Instruction& instruction, const Modes& modes) {
  if (isa::operation_of(instruction.mnemonic) == isa::Operation::ProgramCounter) {
    const auto result = emitter_.register_offset(instruction.operands[0]);
    if (!result) return tl::unexpected(result.error());
    emitter_.emit(Micro::CopyScalar64, *result, emitter_.constant(instruction.pc + instruction.size));
    return {};
  }
  if (modes.may_index && is_vector(instruction)) {
    if (modes.may_not_index)
      return fail(ErrorKind::Unsupported,
                  fmt::format("'{}' where s_set_gpr_idx_on may or may not hold", instruction.text));
    return translate_indexed(emitter_, instruction);
  }
  return instruction.second.empty() ? translate_plain(emitter_, instruction)
                                    : translate_dual(emitter_, instruction);
}

/// Where code cannot be decoded, a wave that comes there stops.
void Program::Translation::stops() {
  for (const auto& [pc, error] : undecodable_) {
    leaders_.insert(pc);
    expected_ = 0;
    begin_at(pc);
    emitter_.emit_stop(error);
    if (program_.translated_) program_.translated_({.pc = pc}, &error);
  }
}

/// Jumps learn the addresses of their targets; from here on the micro-operations do not move.
void Program::Translation::join() {
  auto& entries = program_.entries_;
  for (const Fixup& fixup : fixups_) {
    const auto here = positions_.find(fixup.target);
    const auto elsewhere = entries.find(fixup.target);
    uops_[fixup.uop].pointer = here != positions_.end()     ? &uops_[here->second]
                               : elsewhere != entries.end() ? elsewhere->second
                                                            : nullptr;
  }
  for (const size_t skip : skips_) {
    uops_[skip].pointer = &uops_[uops_[skip].d];
    uops_[skip].d = 1;
  }
  for (const auto& [pc, position] : positions_) entries.emplace(pc, &uops_[position]);
  program_.units_.push_back(std::move(unit_));
  program_.constant_count_.store(static_cast<uint32_t>(program_.constants_.size()),
                                 std::memory_order_release);
}

Result<const Uop*> Program::translate(uint64_t entry_pc) {
  const auto begin = reinterpret_cast<uint64_t>(code_.data());
  if (entry_pc < begin || entry_pc >= begin + code_.size())
    return fail(ErrorKind::BadInput, fmt::format("a jump to address {:#x}, where there is no code", entry_pc),
                fmt::format("pc {:#x}", entry_pc));
  Translation translation(*this, entry_pc);
  translation.read();
  if (!mode_varies_ && translation.sets_mode()) {
    forget_translations();
    return translate(entry_pc);
  }
  translation.write();
  return entries_.at(entry_pc);
}

const Uop* resolve_jump(const Uop* uop, Wave* wave, uint64_t pc) {
  Program& program = *wave->group->program;
  if (const Uop* const known = program.find_jump(pc)) {
    program.load_constants(*wave);
    return known;
  }
  const auto target = program.entry(pc);
  if (!target) {
    wave->group->fail(*wave, uop, target.error());
    return nullptr;
  }
  program.remember_jump(pc, *target);
  program.load_constants(*wave);
  return *target;
}

}  // namespace wavesmith::emulate
