#include "kernels/assertion/assertion_arguments.h"
#include "kernels/pointwise/argument.h"
#include "kernels/pointwise/elements.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kAssertionThreads) void assert_nonzero(AssertionArguments arguments) {
  const auto& g = argument_in_place(arguments);
  if (tile::arch::thread_id() != 0) return;
  const auto x = load_element<Complex<double>>(reinterpret_cast<tile::u64>(g.x), g.type);
  if (x.re != 0 || x.im != 0) return;
  if (g.failed != nullptr) {
    tile::arch::store_at(reinterpret_cast<tile::u64>(g.failed), static_cast<tile::i64>(g.number));
    __atomic_thread_fence(__ATOMIC_SEQ_CST);  // there before the kernel stops
  }
  __builtin_trap();
}
