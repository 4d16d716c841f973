// Loads and stores: what happens once Wave::access says where the lanes' data is.
#include "isa/memory/load_store.h"

#include "emulate/engine/collect.h"
#include "emulate/engine/element_io.h"
#include "emulate/run/turn.h"

namespace wavesmith::emulate {
namespace {

/// The dwords in range of lanes that cross a raw buffer's end: f(where, lane, dword).
template <class F>
[[gnu::noinline]] void each_part(Wave* wave, F f) {
  WaveAccess& access = wave->access;
  for (; access.part; access.part &= access.part - 1) {
    const int lane = std::countr_zero(access.part);
    const uint64_t at = wave->address[lane];
    for (int dword = 0; at + 4 * static_cast<uint64_t>(dword) + 4 <= access.end; ++dword)
      f(reinterpret_cast<std::byte*>(at) + 4 * dword, lane, dword);
  }
}

template <int kLanes, class E>
struct Load {
  static constexpr int kPacks = kLanes / kPackLanes;

  /// All lanes side by side.
  [[gnu::always_inline]] static void contiguous(const std::byte* from, uint32_t* to) {
#pragma clang loop unroll(full)
    for (int pack = 0; pack < kPacks; ++pack) {
      auto* const row = reinterpret_cast<std::byte*>(to);
      if constexpr (E::kBytes < 4) {
        Pack<Narrow<E>> narrow;
        std::memcpy(&narrow, from + pack * kPackLanes * E::kBytes, sizeof narrow);
        dwords(row, pack) =
            placed<E>(__builtin_bit_cast(Dwords, convert<int32_t>(narrow)), dwords(row, pack));
      } else {
        Dwords rows[E::kDwords];
        from_memory<E::kDwords>(from + pack * kPackLanes * E::kBytes, rows);
        for (int i = 0; i < E::kDwords; ++i) dwords(row + i * kRowBytes, pack) = rows[i];
      }
    }
  }

#if defined(__AVX512F__)
  /// Some lanes side by side; memory of the others isn't touched.
  [[gnu::always_inline]] static void masked(const std::byte* from, uint32_t* to, uint64_t lanes) {
    if constexpr (E::kBytes <= 4) {
#pragma clang loop unroll(full)
      for (int pack = 0; pack < kPacks; ++pack) {
        const auto mask = static_cast<uint16_t>(lanes >> (pack * kPackLanes));
        if (mask == 0) continue;
        Dwords& row = dwords(reinterpret_cast<std::byte*>(to), pack);
        const std::byte* const at = from + pack * kPackLanes * E::kBytes;
        Dwords value;
        if constexpr (E::kBytes == 4) {
          value = __builtin_bit_cast(Dwords, _mm512_maskz_loadu_epi32(mask, at));
        } else if constexpr (E::kBytes == 2) {
          const auto narrow = __builtin_bit_cast(Pack<Narrow<E>>, _mm256_maskz_loadu_epi16(mask, at));
          value = placed<E>(__builtin_bit_cast(Dwords, convert<int32_t>(narrow)), row);
        } else {
          const auto narrow = __builtin_bit_cast(Pack<Narrow<E>>, _mm_maskz_loadu_epi8(mask, at));
          value = placed<E>(__builtin_bit_cast(Dwords, convert<int32_t>(narrow)), row);
        }
        row = __builtin_bit_cast(Mask, mask) ? value : row;
      }
    }
  }
#else
  static void masked(const std::byte*, uint32_t*, uint64_t) {}
#endif

  [[gnu::always_inline]] static void interleaved(const std::byte* from, uint32_t* to, uint64_t lanes) {
    if constexpr (E::kBytes < 4) {
      each_lane<kLanes>(lanes, [&](int lane) { load_lane<E>(from + 4 * lane, to, lane); });
    } else {
      for (int i = 0; i < E::kDwords; ++i)
        for (int pack = 0; pack < kPacks; ++pack)
          store<false>(reinterpret_cast<std::byte*>(to) + i * kRowBytes, pack,
                       load_dwords(from + (i * kLanes + pack * kPackLanes) * 4), mask_of(lanes, pack));
    }
  }

  [[gnu::noinline]] static void rare(Wave* wave, uint32_t* to) {
    const WaveAccess& access = wave->access;
    switch (access.pattern) {
      case Pattern::Uniform: {
        const auto* const from = reinterpret_cast<const std::byte*>(access.base);
        uint32_t element[E::kDwords];
        if constexpr (E::kBytes >= 4)
          read_dwords(from, element);
        else
          std::memcpy(element, from, E::kBytes);
        each_lane<kLanes>(access.lanes, [&](int lane) {
          load_lane<E>(reinterpret_cast<const std::byte*>(element), to, lane);
        });
        break;
      }
      case Pattern::Translated:
        for (uint64_t left = access.lanes; left; left &= left - 1) {
          const int lane = std::countr_zero(left);
          std::byte element[E::kBytes];
          for (int i = 0; i < E::kBytes; ++i)
            element[i] = *host_byte(wave, lane, wave->address[lane] + static_cast<uint64_t>(i));
          load_lane<E>(element, to, lane);
        }
        break;
      case Pattern::Interleaved:
        interleaved(reinterpret_cast<const std::byte*>(access.base), to, access.lanes);
        break;
      default:
        break;
    }
    constexpr std::byte kNothing[E::kBytes] = {};
    for (uint64_t left = access.zero; left; left &= left - 1)
      load_lane<E>(kNothing, to, std::countr_zero(left));
    if constexpr (E::kBytes > 4) {
      each_part(wave, [&](const std::byte* at, int lane, int dword) {
        std::memcpy(&to[dword * kRowLanes + lane], at, 4);
      });
    }
  }

  static void run(const Uop* uop, Wave* wave) {
    const WaveAccess& access = wave->access;
    uint32_t* const to = row_at(wave, uop->d);
    const auto* const from = reinterpret_cast<const std::byte*>(access.base);
    if (access.pattern == Pattern::Contiguous) [[likely]] {
      if (access.lanes == kEveryLane<kLanes>) [[likely]] {
        if constexpr (E::kBytes >= 4) {
          const int64_t jump = jump_of(uop, wave);
          if (is_far(jump))
            for (int line = 0; line < kLanes * E::kBytes; line += 64) __builtin_prefetch(from + jump + line);
        }
        contiguous(from, to);
      } else {
        masked(from, to, access.lanes);
      }
    } else {
      if (access.pattern == Pattern::Gather)
        each_lane<kLanes>(access.lanes, [&](int lane) {
          load_lane<E>(reinterpret_cast<const std::byte*>(wave->address[lane]), to, lane);
        });
      if (access.pattern != Pattern::Gather || access.zero) rare(wave, to);
    }
    [[clang::musttail]] return uop[1].handler(uop + 1, wave);
  }
};

template <int kLanes, class E>
struct Store {
  static constexpr int kPacks = kLanes / kPackLanes;
  /// Elements that fill whole lines are stored past the caches when the wave goes through memory in leaps.
#if defined(__x86_64__)
  static constexpr bool kStreams = E::kBytes >= 4;
#else
  static constexpr bool kStreams = false;
#endif

  [[gnu::always_inline]] static Pack<Narrow<E>> narrow(Dwords word) {
    return __builtin_bit_cast(Pack<Narrow<E>>, convert<std::make_unsigned_t<Narrow<E>>>(
                                                   E::kPart == isa::Part::High ? word >> 16 : word));
  }

  template <bool kStream>
  [[gnu::always_inline]] static void contiguous(std::byte* to, uint32_t* from) {
#pragma clang loop unroll(full)
    for (int pack = 0; pack < kPacks; ++pack) {
      auto* const row = reinterpret_cast<std::byte*>(from);
      if constexpr (E::kBytes < 4) {
        const auto value = narrow(dwords(row, pack));
        std::memcpy(to + pack * kPackLanes * E::kBytes, &value, sizeof value);
      } else {
        Dwords rows[E::kDwords];
        for (int i = 0; i < E::kDwords; ++i) rows[i] = dwords(row + i * kRowBytes, pack);
        to_memory<E::kDwords, kStream>(to + pack * kPackLanes * E::kBytes, rows);
      }
    }
  }

#if defined(__AVX512F__)
  [[gnu::always_inline]] static void masked(std::byte* to, uint32_t* from, uint64_t lanes) {
    if constexpr (E::kBytes <= 4) {
#pragma clang loop unroll(full)
      for (int pack = 0; pack < kPacks; ++pack) {
        const auto mask = static_cast<uint16_t>(lanes >> (pack * kPackLanes));
        if (mask == 0) continue;
        const Dwords value = dwords(reinterpret_cast<std::byte*>(from), pack);
        std::byte* const at = to + pack * kPackLanes * E::kBytes;
        if constexpr (E::kBytes == 4)
          _mm512_mask_storeu_epi32(at, mask, __builtin_bit_cast(__m512i, value));
        else if constexpr (E::kBytes == 2)
          _mm256_mask_storeu_epi16(at, mask, __builtin_bit_cast(__m256i, narrow(value)));
        else
          _mm_mask_storeu_epi8(at, mask, __builtin_bit_cast(__m128i, narrow(value)));
      }
    }
  }
#else
  static void masked(std::byte*, uint32_t*, uint64_t) {}
#endif

  [[gnu::noinline]] static void rare(Wave* wave, uint32_t* from) {
    const WaveAccess& access = wave->access;
    auto* const to = reinterpret_cast<std::byte*>(access.base);
    switch (access.pattern) {
      case Pattern::Uniform:  // the last lane's value stays
        if (access.lanes) store_lane<E>(to, from, 63 - std::countl_zero(access.lanes));
        break;
      case Pattern::Translated:
        for (uint64_t left = access.lanes; left; left &= left - 1) {
          const int lane = std::countr_zero(left);
          std::byte element[E::kBytes];
          store_lane<E>(element, from, lane);
          for (int i = 0; i < E::kBytes; ++i)
            *host_byte(wave, lane, wave->address[lane] + static_cast<uint64_t>(i)) = element[i];
        }
        break;
      case Pattern::Interleaved:
        if constexpr (E::kBytes < 4) {
          each_lane<kLanes>(access.lanes, [&](int lane) { store_lane<E>(to + 4 * lane, from, lane); });
        } else {
          for (int i = 0; i < E::kDwords; ++i)
            for (int pack = 0; pack < kPacks; ++pack) {
              std::byte* const at = to + (i * kLanes + pack * kPackLanes) * 4;
              const Dwords value = dwords(reinterpret_cast<std::byte*>(from) + i * kRowBytes, pack);
              store_dwords(at, mask_of(access.lanes, pack) ? value : load_dwords(at));
            }
        }
        break;
      default:
        break;
    }
  }

  static void run(const Uop* uop, Wave* wave) {
    const WaveAccess& access = wave->access;
    uint32_t* const from = row_at(wave, uop->a);
    auto* const to = reinterpret_cast<std::byte*>(access.base);
    if (access.pattern == Pattern::Contiguous) [[likely]] {
      if (access.lanes == kEveryLane<kLanes>) [[likely]] {
        if (kStreams && is_far(jump_of(uop, wave)) && access.base % 64 == 0) {
          contiguous<true>(to, from);
          wave->streamed = 1;
          give_way_soon(*wave);
        } else {
          fence_streams(wave);
          contiguous<false>(to, from);
        }
      } else {
        fence_streams(wave);
        masked(to, from, access.lanes);
      }
    } else if (access.pattern == Pattern::Gather) {
      fence_streams(wave);
      each_lane<kLanes>(access.lanes, [&](int lane) {
        store_lane<E>(reinterpret_cast<std::byte*>(wave->address[lane]), from, lane);
      });
      if constexpr (E::kBytes > 4) {
        if (access.zero) [[unlikely]]
          each_part(wave, [&](std::byte* at, int lane, int dword) {
            std::memcpy(at, &from[dword * kRowLanes + lane], 4);
          });
      }
    } else {
      rare(wave, from);
    }
    [[clang::musttail]] return uop[1].handler(uop + 1, wave);
  }
};

}  // namespace

template <class E>
void Collector::operator()(isa::LoadSignature<E>, std::string_view names, isa::Facts facts) {
  Implementation implementation{
      isa::make_memory_row(names, isa::make_access<E>(isa::Direction::Load), facts)};
  implementation.handlers[0][0] = Load<64, E>::run;
  implementation.handlers[1][0] = Load<32, E>::run;
  // Only GPUs whose waves have 64 lanes have SRAM-ECC.
  if constexpr (E::kPart != isa::Part::Whole) implementation.handlers[0][1] = Load<64, isa::Clearing<E>>::run;
  table.push_back(implementation);
}

template <class E>
void Collector::operator()(isa::StoreSignature<E>, std::string_view names, isa::Facts facts) {
  Implementation implementation{
      isa::make_memory_row(names, isa::make_access<E>(isa::Direction::Store), facts)};
  implementation.handlers[0][0] = Store<64, E>::run;
  implementation.handlers[1][0] = Store<32, E>::run;
  table.push_back(implementation);
}

void add_load_store(Collector& collector) { isa::load_store(collector); }

}  // namespace wavesmith::emulate
