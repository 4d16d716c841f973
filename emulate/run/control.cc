#include "emulate/run/control.h"

#include <atomic>
#include <cstring>

#include "emulate/run/dispatch.h"
#include "emulate/run/fault.h"
#include "emulate/run/hardware_registers.h"
#include "emulate/run/workgroup.h"

namespace wavesmith::emulate::control {
namespace {

namespace index = scalar_index;

/// SGPRs that a relative move can reach: s0 to s105, then VCC.
constexpr uint32_t kRelative = 108;

uint32_t& dword(Wave* wave, uint32_t offset) {
  return *reinterpret_cast<uint32_t*>(reinterpret_cast<std::byte*>(wave) + offset);
}
uint32_t* row(Wave* wave, uint32_t offset) { return &dword(wave, offset); }
uint32_t number_of(uint32_t offset) { return (offset - scalar_offset(0)) / 4; }

/// The SGPRs at a number, or nothing when it is out of range.
uint32_t* relative(Wave* wave, uint32_t number, uint32_t dwords) {
  return number + dwords <= kRelative ? &wave->s[number] : nullptr;
}

/// Out-of-range sources read s0, out-of-range results are dropped (RDNA3 ISA, "SGPR addressing: out of
/// range").
void move(Wave* wave, uint32_t to, uint32_t from, uint32_t dwords) {
  const uint32_t* source = relative(wave, from, dwords);
  uint32_t* const result = relative(wave, to, dwords);
  if (!source) source = wave->s;
  if (result) std::memmove(result, source, 4 * size_t{dwords});
}

uint64_t scalar(Wave* wave, uint32_t offset, uint32_t dwords) {
  uint64_t value = 0;
  std::memcpy(&value, &dword(wave, offset), 4 * size_t{dwords});
  return value;
}

}  // namespace

bool fence(const Uop*, Wave* wave) {
  // On x86-64 this is mfence, which orders non-temporal stores as well.
  std::atomic_thread_fence(std::memory_order_seq_cst);
  wave->streamed = 0;
  return true;
}

bool get_register(const Uop* uop, Wave* wave) {
  const uint32_t value = read_register(*wave, static_cast<HardwareRegister>(uop->a));
  dword(wave, uop->d) = value >> uop->b & static_cast<uint32_t>((uint64_t{1} << uop->c) - 1);
  return true;
}

bool set_register(const Uop* uop, Wave* wave) {
  const auto mask = static_cast<uint32_t>((uint64_t{1} << uop->c) - 1) << uop->b;
  write_register(*wave, static_cast<HardwareRegister>(uop->d), dword(wave, uop->a) << uop->b, mask);
  return true;
}

bool move_from_relative(const Uop* uop, Wave* wave) {
  const uint32_t* source = relative(wave, number_of(uop->a) + wave->s[index::kM0], uop->b);
  if (!source) source = wave->s;
  std::memmove(&dword(wave, uop->d), source, 4 * size_t{uop->b});
  return true;
}

bool move_to_relative(const Uop* uop, Wave* wave) {
  uint32_t* const result = relative(wave, number_of(uop->d) + wave->s[index::kM0], uop->b);
  if (result) std::memmove(result, &dword(wave, uop->a), 4 * size_t{uop->b});
  return true;
}

bool move_relative_both(const Uop* uop, Wave* wave) {
  const uint32_t m0 = wave->s[index::kM0];
  move(wave, number_of(uop->d) + (m0 >> 16 & 0x3ff), number_of(uop->a) + (m0 & 0x3ff), uop->b);
  return true;
}

bool move_rows_relative(const Uop* uop, Wave* wave) {
  const uint64_t m0 = wave->s[index::kM0];
  // The row of the VGPR whose number is that of `offset` and a part of M0; nothing for one that is no VGPR.
  const auto row = [&](uint32_t offset, uint32_t bit) -> uint32_t* {
    if (bit == 32) return &dword(wave, offset);
    const uint64_t number = (offset - vgpr_offset(0)) / kRowBytes + (m0 >> bit & 0x3ff);
    return number < kVgprRows ? wave->vgpr(static_cast<int>(number)) : nullptr;
  };
  const uint32_t* source = row(uop->a, uop->b);
  uint32_t* const result = row(uop->d, uop->c);
  if (!source) source = wave->vgpr(0);
  for (uint32_t lane = 0; result && lane < wave->lanes; ++lane)
    if (wave->exec() >> lane & 1) result[lane] = source[lane];
  return true;
}

bool is_zero(const Uop* uop, Wave* wave) {
  dword(wave, uop->d) = scalar(wave, uop->a, uop->b) == 0;
  return true;
}

bool interrupt(const Uop*, Wave* wave) {
  wave->may_wait = 1;
  return true;
}

bool message_return(const Uop* uop, Wave* wave) {
  const uint64_t value = uop->a == 1 ? realtime_clock(*wave) : uop->a == 2 ? shader_clock(*wave) : 0;
  std::memcpy(&dword(wave, uop->d), &value, 4 * size_t{uop->b});
  return true;
}

bool barrier_signal(const Uop* uop, Wave* wave) {
  Workgroup& group = *wave->group;
  if (uop->b) wave->s[index::kScc] = group.barrier_signals == 0;
  ++group.barrier_signals;
  group.complete_barrier();
  return true;
}

bool barrier_wait(const Uop* uop, Wave* wave) {
  // The wave whose signal was the last one gives way too: who goes on first is the scheduler's to say.
  if (wave->barrier_complete && !wave->group->leaving_barrier) {
    wave->barrier_complete = 0;
    return true;
  }
  wave->resume = uop;
  wave->status = wave->barrier_complete ? Status::Ready : Status::SplitBarrier;
  return false;
}

bool barrier_state(const Uop* uop, Wave* wave) {
  // RDNA4 ISA, S_GET_BARRIER_STATE: valid, members, signals.
  const Workgroup& group = *wave->group;
  dword(wave, uop->d) = 1 | (group.members() & 127) << 4 | (group.barrier_signals & 127) << 16;
  return true;
}

bool grid_barrier(const Uop* uop, Wave* wave) {
  Workgroup& group = *wave->group;
  const Dispatch* const dispatch = group.dispatch;
  GridBarrier* const barrier = dispatch ? dispatch->grid_barrier : nullptr;
  if (!barrier) {
    group.fail(*wave, uop,
               Error{ErrorKind::BadInput,
                     "a grid barrier in a kernel that was not launched cooperatively",
                     {},
                     "launch it with hipLaunchCooperativeKernel"});
    return false;
  }
  if (group.grid_phase == 0) {
    group.grid_phase = barrier->phase.load(std::memory_order_acquire) + 1;
    if (barrier->arrived.fetch_add(1, std::memory_order_acq_rel) + 1 == barrier->members) {
      barrier->arrived.store(0, std::memory_order_relaxed);
      barrier->phase.fetch_add(1, std::memory_order_release);
    }
  }
  if (barrier->phase.load(std::memory_order_acquire) >= group.grid_phase) {
    group.grid_phase = 0;
    return true;
  }
  wave->resume = uop;
  wave->status = Status::Ready;
  wave->slept = 1;
  return false;
}

bool load_indexed(const Uop* uop, Wave* wave) {
  const uint32_t m0 = wave->s[index::kM0];
  uint32_t number = (uop->a - vgpr_offset(0)) / kRowBytes;
  if (m0 >> uop->b & 1) number += m0 & 0xff;
  // An index out of range reads v0 (CDNA3 ISA, "VGPR indexing").
  if (number + uop->c > kVgprRows) number = 0;
  std::memcpy(row(wave, uop->d), wave->vgpr(static_cast<int>(number)), size_t{kRowBytes} * uop->c);
  return true;
}

bool store_indexed(const Uop* uop, Wave* wave) {
  const uint32_t m0 = wave->s[index::kM0];
  uint32_t number = (uop->a - vgpr_offset(0)) / kRowBytes;
  if (m0 >> uop->b & 1) number += m0 & 0xff;
  if (number + uop->c > kVgprRows) return true;
  std::memcpy(wave->vgpr(static_cast<int>(number)), row(wave, uop->d), size_t{kRowBytes} * uop->c);
  return true;
}

bool set_index(const Uop* uop, Wave* wave) {
  uint32_t& m0 = wave->s[index::kM0];
  m0 = (m0 & ~uop->b) | (dword(wave, uop->a) << uop->c & uop->b);
  return true;
}

namespace {

/// The new value of an atomic's memory.
template <class T>
T applied(ScalarAtomic::Operation operation, T old, T data, T compare) {
  using S = std::make_signed_t<T>;
  switch (operation) {
    case ScalarAtomic::Operation::Swap:
      return data;
    case ScalarAtomic::Operation::CompareSwap:
      return old == compare ? data : old;
    case ScalarAtomic::Operation::Add:
      return old + data;
    case ScalarAtomic::Operation::Sub:
      return old - data;
    case ScalarAtomic::Operation::Smin:
      return static_cast<S>(data) < static_cast<S>(old) ? data : old;
    case ScalarAtomic::Operation::Umin:
      return data < old ? data : old;
    case ScalarAtomic::Operation::Smax:
      return static_cast<S>(data) > static_cast<S>(old) ? data : old;
    case ScalarAtomic::Operation::Umax:
      return data > old ? data : old;
    case ScalarAtomic::Operation::And:
      return old & data;
    case ScalarAtomic::Operation::Or:
      return old | data;
    case ScalarAtomic::Operation::Xor:
      return old ^ data;
    case ScalarAtomic::Operation::Inc:
      return old >= data ? 0 : old + 1;
    case ScalarAtomic::Operation::Dec:
      return old == 0 || old > data ? data : old - 1;
  }
  return old;
}

template <class T>
bool atomic(const Uop* uop, Wave* wave, ScalarAtomic how) {
  uint64_t base = scalar(wave, uop->a, 2);
  const uint64_t offset = dword(wave, uop->b) + static_cast<uint64_t>(int64_t{how.immediate});
  if (how.buffer) {
    const uint64_t stride = base >> 48 & 0x3fff, records = dword(wave, uop->a + 8);
    base &= (uint64_t{1} << 48) - 1;
    const uint64_t size = stride != 0 ? stride * records : records;
    if (offset >= size || size - offset < sizeof(T)) {  // out of range: nothing changes, 0 comes back
      const T zero = 0;
      if (how.returns) std::memcpy(&dword(wave, uop->d), &zero, sizeof(T));
      return true;
    }
  }
  const uint64_t address = (base + offset) & ~uint64_t{sizeof(T) - 1};
  const emulate::MemoryMap& map = *wave->memory;
  if ((address < map.begin || address >= map.end) && !admit_scalar(uop, wave, address, sizeof(T)))
    return false;
  T data, compare;
  std::memcpy(&data, &dword(wave, uop->d), sizeof(T));
  std::memcpy(&compare, &dword(wave, uop->d + sizeof(T)), sizeof(T));
  T* const memory = reinterpret_cast<T*>(address);
  T old = __atomic_load_n(memory, __ATOMIC_RELAXED);
  while (!__atomic_compare_exchange_n(memory, &old, applied(how.operation, old, data, compare), false,
                                      __ATOMIC_SEQ_CST, __ATOMIC_RELAXED)) {
  }
  if (how.returns) std::memcpy(&dword(wave, uop->d), &old, sizeof(T));
  wave->may_wait = 1;
  return true;
}

}  // namespace

bool scalar_atomic(const Uop* uop, Wave* wave) {
  const ScalarAtomic how = ScalarAtomic::unpack(uop->c);
  return how.wide ? atomic<uint64_t>(uop, wave, how) : atomic<uint32_t>(uop, wave, how);
}

bool set_skip(const Uop* uop, Wave* wave) {
  wave->s[index::kSkip] = dword(wave, uop->a) >> (dword(wave, uop->b) & 31) & 1;
  return true;
}

}  // namespace wavesmith::emulate::control
