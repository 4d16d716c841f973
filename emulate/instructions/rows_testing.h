// For tests: which rows they have run. A row that no test runs has a body that nobody checks.
#pragma once

#include <set>

#include "emulate/translate/program.h"
#include "isa/row.h"

namespace wavesmith::emulate {

/// Notes the rows of the instructions that `program` is going to translate.
void note_rows(Program& program, const isa::Target& target, int lanes);

/// Those noted by now, in this process.
std::set<const isa::Row*> rows_run();

}  // namespace wavesmith::emulate
