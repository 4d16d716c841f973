// Trip counts of loops, from the comparison that leaves a loop, the initial values of its operands and their
// increments per pass.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "analysis/code.h"
#include "analysis/graph.h"
#include "analysis/values/formula.h"
#include "object/kernel.h"

namespace wavesmith::analysis {

/// Register contents when a kernel begins, and the names of its arguments.
struct EntryValues {
  struct Argument {
    uint32_t offset = 0, size = 0;
    std::string name;
    int number = -1;  ///< of the program's arguments, from 0; -1: the runtime passes it
  };
  std::map<uint16_t, Formula> registers;  ///< by number
  std::vector<Argument> arguments;
};

/// A name for the address of the arguments, which no argument has.
inline constexpr const char* kArguments = "@arguments";

EntryValues entry_values(const object::Kernel& kernel, const isa::Target& target);

/// Fills in Loop::trips and Loop::trips_formula.
void find_trips(const Code& code, const Graph& graph, const EntryValues& entry, std::vector<Loop>& loops);

}  // namespace wavesmith::analysis
