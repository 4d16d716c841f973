// One level's table: its only symbol that other levels and the rest of the program see.
#include "emulate/engine/collect.h"

#define WAVESMITH_NAME_(level) wavesmith_engine_##level
#define WAVESMITH_NAME(level) WAVESMITH_NAME_(level)
#define WAVESMITH_TEXT_(level) #level
#define WAVESMITH_TEXT(level) WAVESMITH_TEXT_(level)

extern "C" const wavesmith::emulate::Engine* WAVESMITH_NAME(WAVESMITH_LEVEL)();

const wavesmith::emulate::Engine* WAVESMITH_NAME(WAVESMITH_LEVEL)() {
  using namespace wavesmith::emulate;
  // Never destroyed: kernels may run on while the process ends.
  static Collector& collector = *new Collector;
  static const Engine& engine = *new Engine([] {
    Engine made{};
    made.level = WAVESMITH_TEXT(WAVESMITH_LEVEL);
    add_float32(collector);
    add_float16(collector);
    add_float64(collector);
    add_float_extremes(collector);
    add_division(collector);
    add_convert(collector);
    add_integer32(collector);
    add_bitfield(collector);
    add_bytes(collector);
    add_integer16(collector);
    add_integer64(collector);
    add_compare(collector);
    add_scalar_integer(collector);
    add_scalar_float(collector);
    add_load_store(collector);
    add_formatted(collector);
    add_block(collector);
    add_lds_lanes(collector);
    add_integer_atomics(collector);
    add_float_atomics(collector);
    add_scalar_memory(collector);
    add_packed_math(collector);
    add_dot(collector);
    add_cross_lane(collector);
    add_transcendental(collector);
    add_matrix(collector);
    add_small_float(collector);
    add_scaled_conversion(collector);
    add_move(collector);
    add_micro(made);
    add_address(made);
    add_operands(made);
    made.implementations = collector.table;
    return made;
  }());
  return &engine;
}
