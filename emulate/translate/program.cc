#include "emulate/translate/program.h"

#include <algorithm>
#include <map>
#include <set>

#include <fmt/format.h>

#include "emulate/run/host_mode.h"
#include "emulate/run/workgroup.h"
#include "emulate/translate/emitter.h"
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

/// While GPR_IDX_EN is 1, M0's index is added to the numbers of the VGPRs that M0's bits 12 to 15 name:
/// first, second and third source, and result (CDNA3 ISA, "VGPR indexing"). The instruction works on rows
/// that stand for those registers.
Result<void> translate_indexed(Emitter& emitter, isa::Instruction instruction) {
  const Implementation* const implementation = find_implementation(instruction.mnemonic, emitter.target());
  size_t results = 1;
  if (implementation) {
    const isa::Row& row = implementation->row;
    results = static_cast<size_t>(std::count_if(row.roles, row.roles + row.count, [](const isa::Role& role) {
      return role.printed && role.use == isa::Role::Use::Write;
    }));
  }
  struct Copy {
    uint32_t stand_in, registers, bit, rows;
  };
  std::vector<Copy> copies;
  int used = 0;
  for (size_t i = 0; i < instruction.operands.size(); ++i) {
    isa::Operand& operand = instruction.operands[i];
    if (operand.kind != isa::Operand::Kind::Vgpr) continue;
    if (used + operand.count > kIndexedRows)
      return fail(ErrorKind::Unsupported, fmt::format("M0-relative registers of '{}'", instruction.text));
    const uint32_t stand_in = vgpr_offset(kFirstIndexed + used);
    const uint32_t bit = i < results ? 15 : 12 + static_cast<uint32_t>(i - results);
    if (bit <= 15) {
      copies.push_back({stand_in, vgpr_offset(operand.index), bit, operand.count});
      operand.index = static_cast<uint16_t>(kFirstIndexed + used);
      used += operand.count;
    }
  }
  for (const Copy& copy : copies)
    emitter.emit(control::load_indexed, copy.stand_in, copy.registers, copy.bit, copy.rows);
  if (const auto done = translate_plain(emitter, instruction); !done) return done;
  for (const Copy& copy : copies)
    if (copy.bit == 15)
      emitter.emit(control::store_indexed, copy.stand_in, copy.registers, copy.bit, copy.rows);
  return {};
}

/// An instruction that has a row, by its shape.
Result<void> translate_row(Emitter& emitter, const isa::Instruction& instruction,
                           const Implementation& implementation) {
  switch (implementation.row.shape) {
    case isa::Shape::Lane:
      return translate_lane(emitter, instruction, implementation);
    case isa::Shape::Packed:
      return translate_packed(emitter, instruction, implementation);
    case isa::Shape::Wave:
      return translate_wave(emitter, instruction, implementation);
    case isa::Shape::Scalar:
      return translate_scalar(emitter, instruction, implementation);
    case isa::Shape::Matrix:
      return translate_matrix(emitter, instruction, implementation);
    default:
      return translate_memory(emitter, instruction, implementation);
  }
}

bool sets_mode(const isa::Instruction& instruction) {
  if (instruction.mnemonic == "s_round_mode" || instruction.mnemonic == "s_denorm_mode") return true;
  return instruction.mnemonic.starts_with("s_setreg") &&
         instruction.text.find("HW_REG_MODE") != std::string::npos;
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

Result<void> translate_plain(Emitter& emitter, const isa::Instruction& instruction) {
  const Implementation* const implementation = find_implementation(instruction.mnemonic, emitter.target());
  if (!implementation) return translate_control(emitter, instruction);
  const auto mode =
      emitter.mode_varies() ? host_mode_of(implementation->row, instruction.mnemonic) : std::nullopt;
  if (!mode) return translate_row(emitter, instruction, *implementation);
  emitter.emit(control::follow_mode, mode->word());
  const auto done = translate_row(emitter, instruction, *implementation);
  emitter.emit(control::follow_mode, HostMode{}.word());
  return done;
}

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

Program& Program::observed() {
  const std::scoped_lock lock(mutex_);
  if (!observed_) {
    observed_.reset(new Program(target_, wave_lanes_, code_));
    observed_->tells_events_ = true;
    observed_->interleave_ = interleave_;
    observed_->sram_ecc_ = sram_ecc_;
  }
  return *observed_;
}

size_t Program::block_count() const {
  const std::scoped_lock lock(mutex_);
  return blocks_.size();
}

uint64_t Program::count(const uint64_t* hits) {
  const std::scoped_lock lock(mutex_);
  totals_.resize(blocks_.size());
  uint64_t instructions = 0;
  for (size_t i = 0; i < blocks_.size(); ++i) {
    totals_[i] += hits[i];
    instructions += hits[i] * blocks_[i]->instructions;
  }
  return instructions;
}

bool Program::count_empty(uint64_t pc, uint64_t waves) {
  const std::scoped_lock lock(mutex_);
  totals_.resize(blocks_.size());
  for (size_t i = 0; i < blocks_.size(); ++i) {
    if (blocks_[i]->pc != pc || blocks_[i]->mnemonics != std::vector<std::string>{"s_endpgm"}) continue;
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
  if (observed_)
    for (const auto& [mnemonic, count] : observed_->instruction_mix()) mix[mnemonic] += count;
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

Program::Place Program::place(const Uop* uop) const {
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

Result<const Uop*> Program::translate(uint64_t entry_pc) {
  const auto begin = reinterpret_cast<uint64_t>(code_.data());
  if (entry_pc < begin || entry_pc >= begin + code_.size())
    return fail(ErrorKind::BadInput, "jump to an address outside of the code",
                fmt::format("pc {:#x}", entry_pc));

  // What can be reached by direct control flow, and where blocks begin.
  std::map<uint64_t, isa::Instruction> code;
  std::map<uint64_t, Error> undecodable;
  std::set<uint64_t> leaders{entry_pc};
  std::vector<uint64_t> work{entry_pc};
  isa::Decoder decoder = this->decoder();
  while (!work.empty()) {
    uint64_t pc = work.back();
    work.pop_back();
    while (!code.contains(pc) && !undecodable.contains(pc) && !entries_.contains(pc)) {
      if (pc < begin || pc >= begin + code_.size()) {
        undecodable.emplace(
            pc, Error{ErrorKind::BadInput, "the code runs past its end", fmt::format("pc {:#x}", pc)});
        break;
      }
      auto decoded = decoder.decode(code_.subspan(pc - begin), pc);
      if (!decoded) {
        undecodable.emplace(pc, decoded.error());
        break;
      }
      const Flow flow = flow_of(decoded->mnemonic);
      const uint64_t next = pc + decoded->size;
      if (flow == Flow::Branch || flow == Flow::Conditional || flow == Flow::Call) {
        const uint64_t target = branch_target(*decoded);
        leaders.insert(target);
        work.push_back(target);
      }
      code.emplace(pc, std::move(*decoded));
      if (flow != Flow::Next && goes_on(flow)) leaders.insert(next);
      if (!goes_on(flow)) break;
      pc = next;
    }
  }

  if (!mode_varies_ &&
      std::any_of(code.begin(), code.end(), [](const auto& each) { return sets_mode(each.second); })) {
    forget_translations();
    return translate(entry_pc);
  }

  if (interleave_) cut(code, interleave_, leaders);

  auto unit = std::make_unique<Unit>();
  std::vector<Uop>& uops = unit->uops;
  Emitter emitter(*this, uops);
  struct Fixup {
    size_t uop;
    uint64_t target;
  };
  std::vector<Fixup> fixups;
  std::vector<size_t> skips;             // jumps over an instruction that VSKIP skips; their target is in d
  std::map<uint64_t, size_t> positions;  // of leaders
  const std::map<uint64_t, Modes> modes = follow_modes(code, entry_pc, branch_target);
  Block* block = nullptr;
  const auto jump = [&](Micro operation, uint64_t target, uint32_t d = 0, uint32_t a = 0) {
    fixups.push_back({uops.size(), target});
    emitter.emit(operation, d, a);
  };
  uint64_t expected = 0;  // where the code emitted last goes on; 0 when it does not
  const auto begin_at = [&](uint64_t pc) {
    if (expected != 0 && expected != pc) jump(Micro::Jump, expected);
    if (!leaders.contains(pc)) return;
    if (blocks_.size() >= kMostBlocks) return;
    positions[pc] = uops.size();
    blocks_.push_back(std::make_unique<Block>());
    block = blocks_.back().get();
    block->number = static_cast<uint32_t>(blocks_.size() - 1);
    block->pc = pc;
    unit->starts.push_back({static_cast<uint32_t>(uops.size()), pc});
    emitter.emit(Micro::Block).pointer = block;
  };
  for (auto& [pc, instruction] : code) {
    if (leaders.contains(pc) || expected != pc) emitter.widened().forget();
    begin_at(pc);
    emitter.begin();
    unit->starts.push_back({static_cast<uint32_t>(uops.size()), pc});
    if (block) {
      block->instructions++;
      block->mnemonics.push_back(instruction.mnemonic);
    }
    const Flow flow = flow_of(instruction.mnemonic);
    const uint64_t next = pc + instruction.size;
    const uint32_t scc = scalar_offset(index::kScc), vcc = scalar_offset(index::kVcc),
                   exec = scalar_offset(index::kExec);
    const Micro wide = emitter.wave32() ? Micro::JumpIf : Micro::JumpIf64;
    Result<void> done;
    const std::string& name = instruction.mnemonic;
    const auto mode = modes.find(pc);
    const Modes here = mode == modes.end() ? Modes{} : mode->second;
    const bool skippable = here.may_skip && is_vector(instruction);
    if (skippable) {
      skips.push_back(uops.size());
      emitter.emit(Micro::JumpIf, 1, scalar_offset(index::kSkip));
    }
    const Site* site = nullptr;
    if (tells_events_) {
      site = &sites_.emplace_back(make_site(instruction, target_));
      emit_instruction_event(emitter, *site);
    }
    const size_t own = uops.size();
    switch (flow) {
      case Flow::Branch:
        jump(Micro::Jump, branch_target(instruction));
        break;
      case Flow::Conditional:
        if (name == "s_cbranch_scc0")
          jump(Micro::JumpIf, branch_target(instruction), 0, scc);
        else if (name == "s_cbranch_scc1")
          jump(Micro::JumpIf, branch_target(instruction), 1, scc);
        else if (name == "s_cbranch_vccz")
          jump(wide, branch_target(instruction), 0, vcc);
        else if (name == "s_cbranch_vccnz")
          jump(wide, branch_target(instruction), 1, vcc);
        else if (name == "s_cbranch_execz")
          jump(wide, branch_target(instruction), 0, exec);
        else if (name == "s_cbranch_execnz")
          jump(wide, branch_target(instruction), 1, exec);
        else if (!name.starts_with("s_cbranch_cdbg"))  // no debugger is attached: never taken
          done = fail(ErrorKind::Unsupported, fmt::format("unsupported instruction '{}'", instruction.text));
        break;
      case Flow::Call:
      case Flow::IndirectCall: {
        const auto result = emitter.register_offset(instruction.operands[0]);
        const auto move = find_implementation("s_mov_b64", target_);
        if (!result) {
          done = tl::unexpected(result.error());
          break;
        }
        if (flow == Flow::Call) {
          emitter.emit(move->handlers[0][0], *result, emitter.constant(next));
          jump(Micro::Jump, branch_target(instruction));
        } else {
          const uint32_t target = emitter.temporary_scalars(2);
          const auto source = emitter.scalar_source(instruction.operands[1], isa::Type::U64);
          if (!source) {
            done = tl::unexpected(source.error());
            break;
          }
          emitter.emit(move->handlers[0][0], target, *source);
          emitter.emit(move->handlers[0][0], *result, emitter.constant(next));
          emitter.emit(Micro::JumpTo, 0, target);
        }
        break;
      }
      case Flow::Indirect: {
        const auto source = emitter.scalar_source(instruction.operands[0], isa::Type::U64);
        if (source)
          emitter.emit(Micro::JumpTo, 0, *source);
        else
          done = tl::unexpected(source.error());
        break;
      }
      case Flow::End:
        emitter.emit(Micro::End);
        break;
      case Flow::Next:
        if (name == "s_getpc_b64") {
          const auto result = emitter.register_offset(instruction.operands[0]);
          if (result)
            emitter.emit(find_implementation("s_mov_b64", target_)->handlers[0][0], *result,
                         emitter.constant(next));
          else
            done = tl::unexpected(result.error());
        } else if (here.may_index && is_vector(instruction)) {
          done = here.may_not_index
                     ? fail(ErrorKind::Unsupported,
                            fmt::format("'{}' where s_set_gpr_idx_on may or may not hold", instruction.text))
                     : translate_indexed(emitter, instruction);
        } else {
          done = instruction.second.empty() ? translate_plain(emitter, instruction)
                                            : translate_dual(emitter, instruction);
        }
    }
    if (!done) emitter.emit_stop(done.error());
    if (site && flow == Flow::Next) insert_access_events(emitter, uops, own, *site);
    if (translated_) translated_(instruction, done ? nullptr : &done.error());
    if (here.may_skip || here.may_index)
      emitter.widened().forget();
    else if (!isa::is_matrix(name))
      emitter.widened().passed(instruction);
    if (skippable) uops[skips.back()].d = static_cast<uint32_t>(uops.size());
    expected = goes_on(flow) ? next : 0;
  }
  if (expected != 0) jump(Micro::Jump, expected);
  for (const auto& [pc, error] : undecodable) {
    if (!leaders.contains(pc)) leaders.insert(pc);
    expected = 0;
    begin_at(pc);
    emitter.emit_stop(error);
    if (translated_) translated_({.pc = pc}, &error);
  }
  for (const Fixup& fixup : fixups) {
    const auto here = positions.find(fixup.target);
    const auto elsewhere = entries_.find(fixup.target);
    uops[fixup.uop].pointer = here != positions.end()       ? &uops[here->second]
                              : elsewhere != entries_.end() ? elsewhere->second
                                                            : nullptr;
  }
  for (const size_t skip : skips) {
    uops[skip].pointer = &uops[uops[skip].d];
    uops[skip].d = 1;
  }
  for (const auto& [pc, position] : positions) entries_.emplace(pc, &uops[position]);
  units_.push_back(std::move(unit));
  constant_count_.store(static_cast<uint32_t>(constants_.size()), std::memory_order_release);
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
