#include "emulate/instructions/rows_testing.h"

#include <mutex>

#include "isa/effects.h"
#include "isa/rows.h"

namespace wavesmith::emulate {
namespace {

struct Noted {
  std::mutex mutex;
  std::set<const isa::Row*> rows;
};

Noted& noted() {
  static Noted all;
  return all;
}

}  // namespace

void note_rows(Program& program, const isa::Target& target, int lanes) {
  program.on_translation([&target, lanes](const isa::Instruction& in, const Error* refusal) {
    if (refusal) return;
    const std::lock_guard lock(noted().mutex);
    const auto note = [&](const isa::Instruction& each) {
      const bool clamps = each.has("clamp");
      const isa::Row* row = isa::find_row(each.mnemonic, target, clamps);
      if (!row) row = isa::find_row(each.mnemonic, target);
      if (row) noted().rows.insert(row);
    };
    if (in.second.empty()) return note(in);
    for (const isa::Instruction* half : {&in, &in.second.front()}) note(isa::single_of(*half, lanes));
  });
}

std::set<const isa::Row*> rows_run() {
  const std::lock_guard lock(noted().mutex);
  return noted().rows;
}

}  // namespace wavesmith::emulate
