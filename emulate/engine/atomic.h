// Atomics once Wave::access says where: one handler an operation. Global memory is shared with other host
// threads, so the host's atomics are used; LDS belongs to the thread that runs the workgroup, and private
// memory to the lane.
#pragma once

#include "emulate/engine/access.h"
#include "emulate/engine/collect.h"
#include "isa/memory/atomic_bodies.h"

namespace wavesmith::emulate {

template <class T, class Body, bool kSecond>
struct Atomic {
  static constexpr int kDwords = sizeof(T) / 4;
  using Word = std::conditional_t<sizeof(T) == 8, uint64_t, uint32_t>;

  [[gnu::always_inline]] static T read(const uint32_t* row, int lane) {
    if constexpr (kDwords == 1)
      return isa::bits<T>(row[lane]);
    else
      return isa::bits<T>(uint64_t{row[kRowLanes + lane]} << 32 | row[lane]);
  }
  [[gnu::always_inline]] static void write(uint32_t* row, int lane, Word old) {
    row[lane] = static_cast<uint32_t>(old);
    if constexpr (kDwords == 2) row[kRowLanes + lane] = static_cast<uint32_t>(old >> 32);
  }
  [[gnu::always_inline]] static Word changed(Word old, T data, T second) {
    if constexpr (kSecond)
      return isa::bits<Word>(Body{}(isa::bits<T>(old), data, second));
    else
      return isa::bits<Word>(Body{}(isa::bits<T>(old), data));
  }

  /// The old value, after the new one was stored.
  [[gnu::always_inline]] static Word apply(Word* at, T data, T second) {
    if constexpr (std::is_same_v<Body, isa::Exchange>)
      return __atomic_exchange_n(at, isa::bits<Word>(data), __ATOMIC_SEQ_CST);
    if constexpr (std::is_integral_v<T>) {
      if constexpr (std::is_same_v<Body, isa::Add>) return __atomic_fetch_add(at, data, __ATOMIC_SEQ_CST);
      if constexpr (std::is_same_v<Body, isa::Subtract>)
        return __atomic_fetch_sub(at, data, __ATOMIC_SEQ_CST);
      if constexpr (std::is_same_v<Body, isa::And>) return __atomic_fetch_and(at, data, __ATOMIC_SEQ_CST);
      if constexpr (std::is_same_v<Body, isa::Or>) return __atomic_fetch_or(at, data, __ATOMIC_SEQ_CST);
      if constexpr (std::is_same_v<Body, isa::Xor>) return __atomic_fetch_xor(at, data, __ATOMIC_SEQ_CST);
    }
    Word old = __atomic_load_n(at, __ATOMIC_RELAXED);
    while (!__atomic_compare_exchange_n(at, &old, changed(old, data, second), true, __ATOMIC_SEQ_CST,
                                        __ATOMIC_RELAXED)) {
    }
    return old;
  }
  [[gnu::always_inline]] static Word apply_own(Word* at, T data, T second) {
    Word old;
    std::memcpy(&old, at, sizeof old);
    const Word after = changed(old, data, second);
    std::memcpy(at, &after, sizeof after);
    return old;
  }

  /// All lanes on one place: one transaction, in the order of the lanes.
  [[gnu::noinline]] static void uniform(Wave* wave, uint32_t* result, const uint32_t* data,
                                        const uint32_t* second) {
    auto* const at = reinterpret_cast<Word*>(wave->access.base);
    const uint64_t lanes = wave->access.lanes;
    Word seen[kRowLanes];
    Word old = __atomic_load_n(at, __ATOMIC_RELAXED), last;
    do {
      last = old;
      for (uint64_t left = lanes; left; left &= left - 1) {
        const int lane = std::countr_zero(left);
        seen[lane] = last;
        last = changed(last, read(data, lane), kSecond ? read(second, lane) : T{});
      }
    } while (!__atomic_compare_exchange_n(at, &old, last, false, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED));
    for (uint64_t left = lanes; left; left &= left - 1)
      write(result, std::countr_zero(left), seen[std::countr_zero(left)]);
  }

  /// Private memory, whose dwords are apart.
  [[gnu::noinline]] static void apart(Wave* wave, uint32_t* result, const uint32_t* data,
                                      const uint32_t* second) {
    const WaveAccess& access = wave->access;
    for (uint64_t left = access.lanes; left; left &= left - 1) {
      const int lane = std::countr_zero(left);
      uint32_t* dword[2];
      for (int i = 0; i < 2; ++i)
        dword[i] = reinterpret_cast<uint32_t*>(
            access.pattern == Pattern::Interleaved
                ? access.base + (static_cast<uint64_t>(i) * wave->lanes + static_cast<uint64_t>(lane)) * 4
                : host_address(wave, lane, wave->address[lane] + 4 * static_cast<uint64_t>(i)));
      Word old = *dword[0];
      if constexpr (kDwords == 2) old |= Word{*dword[1]} << 32;
      const Word after = changed(old, read(data, lane), kSecond ? read(second, lane) : T{});
      *dword[0] = static_cast<uint32_t>(after);
      if constexpr (kDwords == 2) *dword[1] = static_cast<uint32_t>(after >> 32);
      write(result, lane, old);
    }
  }

  static void run(const Uop* uop, Wave* wave) {
    const WaveAccess& access = wave->access;
    uint32_t* const result = row_at(wave, uop->d);
    const uint32_t* const data = row_at(wave, uop->a);
    const uint32_t* const second = row_at(wave, uop->b);
    const bool own = access.word & AddressWord::kOwn;
    if (access.pattern == Pattern::Uniform && !own) {
      if (access.base % sizeof(T) != 0) [[unlikely]]
        return misaligned_atomic(uop, wave, std::countr_zero(access.lanes), access.base);
      uniform(wave, result, data, second);
    } else if (access.pattern == Pattern::Interleaved || access.pattern == Pattern::Translated) {
      apart(wave, result, data, second);
    } else {
      const bool gather = access.pattern == Pattern::Gather;
      const uint64_t step = access.pattern == Pattern::Contiguous ? sizeof(T) : 0;
      for (uint64_t left = access.lanes; left; left &= left - 1) {
        const int lane = std::countr_zero(left);
        const uint64_t address =
            gather ? wave->address[lane] : access.base + step * static_cast<uint64_t>(lane);
        if (address % sizeof(T) != 0) [[unlikely]]
          return misaligned_atomic(uop, wave, lane, address);
        auto* const at = reinterpret_cast<Word*>(address);
        const T value = read(data, lane), other = kSecond ? read(second, lane) : T{};
        write(result, lane, own ? apply_own(at, value, other) : apply(at, value, other));
      }
      for (uint64_t left = access.zero; left; left &= left - 1) write(result, std::countr_zero(left), 0);
    }
    [[clang::musttail]] return uop[1].handler(uop + 1, wave);
  }
};

template <class T, class... Second, class Body>
void Collector::operator()(isa::AtomicSignature<T, Second...>, std::string_view names, Body,
                           isa::Facts facts) {
  constexpr bool kSecond = sizeof...(Second) != 0;
  Implementation implementation{isa::make_memory_row(names, isa::make_atomic_access<T>(1 + kSecond), facts)};
  implementation.handlers[0][0] = implementation.handlers[1][0] =
      Atomic<typename T::value, Body, kSecond>::run;
  table.push_back(implementation);
}

}  // namespace wavesmith::emulate
