// Micro-operations: control flow, time slices and operand preparation.
#include <cstdint>

#include "emulate/engine/collect.h"
#include "emulate/engine/packed_flags.h"
#include "emulate/run/control.h"
#include "emulate/run/turn.h"
#include "emulate/translate/hits.h"
#include "emulate/translate/program.h"

namespace wavesmith::emulate {
namespace {

/// Before code that is compiled for any x86-64: its SSE instructions keep the upper parts of registers, and
/// so would wait for whatever these last held.
[[gnu::always_inline]] inline void leave() {
#ifdef __AVX__
  __builtin_ia32_vzeroupper();
#endif
}

[[gnu::noinline]] void end_of_slice(const Uop* uop, Wave* wave) {
  leave();
  wave->resume = uop;
  wave->status = Status::Ready;
  if (wave->kept == 0) return;
  wave = give_way(*wave);
  if (!wave) return;
  [[clang::musttail]] return wave->resume->handler(wave->resume, wave);
}

void block(const Uop* uop, Wave* wave) {
  const Block* block = static_cast<const Block*>(uop->pointer);
  Hits::count(wave->hits, block->number);
  wave->budget -= block->instructions;
  if (wave->budget < 0) [[unlikely]] {
    [[clang::musttail]] return end_of_slice(uop + 1, wave);
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

void jump(const Uop* uop, Wave* wave) {
  const Uop* target = static_cast<const Uop*>(uop->pointer);
  [[clang::musttail]] return target->handler(target, wave);
}

template <class T>
void jump_if(const Uop* uop, Wave* wave) {
  const bool set = at<T>(wave, uop->a) != 0;
  const Uop* next = set == (uop->d != 0) ? static_cast<const Uop*>(uop->pointer) : uop + 1;
  [[clang::musttail]] return next->handler(next, wave);
}

void jump_to(const Uop* uop, Wave* wave) {
  const Uop* next = resolve_jump(uop, wave, at<uint64_t>(wave, uop->a));
  if (!next) return;
  [[clang::musttail]] return next->handler(next, wave);
}

template <Status kStatus>
void stop(const Uop* uop, Wave* wave) {
  leave();
  wave->resume = uop + 1;
  wave->status = kStatus;
}

void sleep(const Uop* uop, Wave* wave) {
  leave();
  wave->resume = uop + 1;
  wave->status = Status::Ready;
  wave->slept = 1;
}

void call(const Uop* uop, Wave* wave) {
  const auto function = reinterpret_cast<ControlFunction>(const_cast<void*>(uop->pointer));
  leave();
  if (!function(uop, wave)) return;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

void nop(const Uop* uop, Wave* wave) { [[clang::musttail]] return uop[1].handler(uop + 1, wave); }

void trap(const Uop* uop, Wave* wave) {
  wave->resume = uop;
  wave->status = Status::Fault;
}

void set_scalar(const Uop* uop, Wave* wave) {
  at<uint64_t>(wave, uop->d) = uop->imm;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

template <int kWaveLanes>
void splat(const Uop* uop, Wave* wave) {
  const Pack<uint32_t> value(at<uint32_t>(wave, uop->a));
  for (int pack = 0; pack < kWaveLanes / kPackLanes; ++pack) dwords(base(wave) + uop->d, pack) = value;
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

template <int kWaveLanes, bool kFlip>
void change_sign(const Uop* uop, Wave* wave) {
  const Pack<uint32_t> bits(uop->c);
  for (int pack = 0; pack < kWaveLanes / kPackLanes; ++pack) {
    const auto value = dwords(base(wave) + uop->a, pack);
    dwords(base(wave) + uop->d, pack) = kFlip ? value ^ bits : value & ~bits;
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

void select_halves(const Uop* uop, Wave* wave) {
  const uint32_t low = (uop->b & kSelectLowFromHigh) != 0 ? 16 : 0,
                 high = (uop->b & kSelectHighFromHigh) != 0 ? 16 : 0;
  for (int pack = 0; pack < static_cast<int>(wave->lanes) / kPackLanes; ++pack) {
    const auto word = dwords(base(wave) + uop->a, pack);
    dwords(base(wave) + uop->d, pack) = ((word >> low & 0xffffu) | word >> high << 16) ^ uop->c;
  }
  [[clang::musttail]] return uop[1].handler(uop + 1, wave);
}

void both(Engine& engine, Micro operation, Handler handler) {
  engine.micro[static_cast<size_t>(operation)][0] = engine.micro[static_cast<size_t>(operation)][1] = handler;
}

void by_lanes(Engine& engine, Micro operation, Handler wave64, Handler wave32) {
  engine.micro[static_cast<size_t>(operation)][0] = wave64;
  engine.micro[static_cast<size_t>(operation)][1] = wave32;
}

}  // namespace

void add_micro(Engine& engine) {
  both(engine, Micro::Block, block);
  both(engine, Micro::Jump, jump);
  both(engine, Micro::JumpIf, jump_if<uint32_t>);
  both(engine, Micro::JumpIf64, jump_if<uint64_t>);
  both(engine, Micro::JumpTo, jump_to);
  both(engine, Micro::End, stop<Status::Done>);
  both(engine, Micro::Barrier, stop<Status::Barrier>);
  both(engine, Micro::Sleep, sleep);
  both(engine, Micro::Nop, nop);
  both(engine, Micro::Trap, trap);
  both(engine, Micro::SelectHalves, select_halves);
  both(engine, Micro::Call, call);
  both(engine, Micro::SetScalar, set_scalar);
  by_lanes(engine, Micro::Splat, splat<64>, splat<32>);
  by_lanes(engine, Micro::Negate, change_sign<64, true>, change_sign<32, true>);
  by_lanes(engine, Micro::ClearSign, change_sign<64, false>, change_sign<32, false>);
}

}  // namespace wavesmith::emulate
