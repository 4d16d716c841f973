#include "isa/valu/integer64.h"

#include <algorithm>

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {
namespace {

/// v_lshl_add_u64 with a shift of 0, as compilers add to an address: dword by dword, for which no lane's two
/// rows have to be put together.
template <bool kScalarFirst>
struct Sum {
  template <bool kFull>
  [[gnu::always_inline]] static void all(const Uop* uop, Wave* wave, uint64_t exec) {
    std::byte *const a = base(wave) + uop->a, *const c = base(wave) + uop->c, *const d = base(wave) + uop->d;
    constexpr int kHigh = kScalarFirst ? 4 : kRowBytes;
#pragma clang loop unroll(full)
    for (int pack = 0; pack < kRowLanes / kPackLanes; ++pack) {
      using Io = Io<isa::u32>;
      const auto source = [&](std::byte* from) {
        if constexpr (kScalarFirst)
          return Io::broadcast(from);
        else
          return Io::load(from, pack);
      };
      const Pack<uint32_t> low = source(a) + dwords(c, pack);
      const auto carry = __builtin_bit_cast(Pack<uint32_t>, low < dwords(c, pack));  // -1 where there is one
      const Pack<uint32_t> high = source(a + kHigh) + dwords(c + kRowBytes, pack) - carry;
      const Mask mask = mask_of(exec, pack);
      store<kFull>(d, pack, low, mask);
      store<kFull>(d + kRowBytes, pack, high, mask);
    }
  }

  static void run(const Uop* uop, Wave* wave) {
    const uint64_t exec = wave->exec();
    if (exec == ~uint64_t{0}) [[likely]]
      all<true>(uop, wave, exec);
    else
      all<false>(uop, wave, exec);
    [[clang::musttail]] return uop[1].handler(uop + 1, wave);
  }
};

}  // namespace

void add_integer64(Collector& collector) {
  isa::integer64(collector);
  for (Implementation& implementation : collector.table)
    if (implementation.row.mnemonics == "v_lshl_add_u64") {
      implementation.second_zero[0] = Sum<false>::run;
      implementation.second_zero[1] = Sum<true>::run;
    }
}

}  // namespace wavesmith::emulate
