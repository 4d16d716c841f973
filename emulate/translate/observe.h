// How events come about: micro-operations that stand among those of an instruction where somebody listens.
#pragma once

#include <vector>

#include "emulate/run/events.h"
#include "emulate/translate/uop.h"

namespace wavesmith::emulate {

class Emitter;

/// The site of an instruction.
Site make_site(const isa::Instruction& instruction, const isa::Target& target);

/// Before an instruction's micro-operations: tells the instruction.
void emit_instruction_event(Emitter& emitter, const Site& site);

/// After its micro-operations, which begin at `start`: puts what tells of its accesses between the making of
/// the addresses and the access. Unless the instruction was told, its site is noted before them.
void insert_access_events(Emitter& emitter, std::vector<Uop>& uops, size_t start, const Site& site,
                          bool site_is_noted);

}  // namespace wavesmith::emulate
