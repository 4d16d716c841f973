// The counters that a wait instruction waits for, one by one.
#pragma once

#include "isa/row.h"
#include "isa/wait_counters.h"

namespace wavesmith::isa {

/// Calls `told(counter, most)` for each that it waits for, of those that instructions of rows raise.
template <class Told>
void each_counter(const WaitCounters& wait, Told told) {
  const auto tell = [&](Counter counter, uint16_t most) {
    if (most != WaitCounters::kAny) told(counter, most);
  };
  tell(Counter::Vm, wait.vm);
  tell(Counter::Lgkm, wait.lgkm);
  tell(Counter::Exp, wait.exp);
  tell(Counter::Vs, wait.vs);
  tell(Counter::Load, wait.load);
  tell(Counter::Store, wait.store);
  tell(Counter::Ds, wait.ds);
  tell(Counter::Km, wait.km);
}

}  // namespace wavesmith::isa
