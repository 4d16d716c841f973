// The counters that waits wait for: how far each counts, what raises it, and what comes back in order.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "isa/instruction.h"
#include "isa/row.h"
#include "isa/target.h"

namespace wavesmith::check::wait {

inline constexpr size_t kCounters = static_cast<size_t>(isa::Counter::Km) + 1;

/// Of the instructions that raise a counter, those of one order come back as they were issued. Between two
/// orders, and within Any, nothing is known.
enum class Order : uint8_t { Any, Vector, Lds };
inline constexpr size_t kOrders = 3;

/// An instruction raises a counter by one.
struct Raise {
  isa::Counter counter;
  Order order;
};
std::vector<Raise> raises_of(const isa::Instruction& instruction, const isa::Row* row,
                             const isa::Target& target);

/// The largest count that a counter holds. An instruction that would raise it further waits to be issued.
uint16_t most_of(isa::Counter counter, const isa::Target& target);

/// What an instruction waits for, by counter: the most that may be outstanding afterwards.
using Limits = std::array<uint16_t, kCounters>;
inline constexpr uint16_t kNoLimit = 0xffff;
Limits limits_of(const isa::Instruction& instruction, const isa::Target& target);

/// Vector loads write their VGPRs in the order of their issue; otherwise in any, though the counter falls in
/// order.
bool loads_write_in_order(const isa::Target& target);

/// The instruction that waits until at most `count` are outstanding.
std::string wait_text(isa::Counter counter, size_t count);

}  // namespace wavesmith::check::wait
