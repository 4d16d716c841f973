#include "isa/valu/integer64.h"

#include "emulate/engine/collect.h"

namespace wavesmith::emulate {
namespace {

/// v_lshl_add_u64 with a shift of 0, as compilers add to an address.
struct Sum {
  template <class A, class B, class C>
  [[gnu::always_inline]] auto operator()(A a, B, C c) const {
    return a + c;
  }
};
using SumSignature = isa::u64(isa::u64, isa::u32, isa::u64);

}  // namespace

void add_integer64(Collector& collector) {
  isa::integer64(collector);
  for (Implementation& implementation : collector.table)
    if (implementation.row.mnemonics == "v_lshl_add_u64") {
      implementation.second_zero[0] = LaneOperation<64, false, Sum, SumSignature>::run;
      implementation.second_zero[1] = LaneOperation<64, true, Sum, SumSignature>::run;
    }
}

}  // namespace wavesmith::emulate
