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
#define WAVESMITH_FAMILY(name) add_##name(collector);
#include "emulate/engine/families.inc"
#undef WAVESMITH_FAMILY
    add_micro(made);
    add_address(made);
    add_operands(made);
    made.implementations = collector.table;
    return made;
  }());
  return &engine;
}
