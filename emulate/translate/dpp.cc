#include "emulate/translate/dpp.h"

#include <deque>
#include <mutex>

#include <fmt/format.h>

namespace wavesmith::emulate {
namespace {

constexpr int kNone = -1;

/// The lane that `lane` reads, or kNone; the controls as in the ISA manuals' "Data Parallel Processing".
int source_lane(const isa::Modifier& control, int lane, int lanes) {
  const int n = control.values.empty() ? 0 : static_cast<int>(control.values[0]);
  const int row = lane & ~15, in_row = lane & 15;
  const std::string& name = control.name;
  if (name == "quad_perm") return (lane & ~3) + (static_cast<int>(control.values[lane & 3]) & 3);
  if (name == "dpp8") return (lane & ~7) + (static_cast<int>(control.values[lane & 7]) & 7);
  if (name == "row_shl") return in_row + n < 16 ? lane + n : kNone;
  if (name == "row_shr") return in_row >= n ? lane - n : kNone;
  if (name == "row_ror") return row + ((in_row - n) & 15);
  if (name == "row_mirror") return row + 15 - in_row;
  if (name == "row_half_mirror") return (lane & ~7) + 7 - (lane & 7);
  if (name == "row_share" || name == "row_newbcast") return row + (n & 15);
  if (name == "row_xmask") return row + (in_row ^ (n & 15));
  // Lanes before the first that is broadcast read themselves. Source: AMD's rocWMMA expects so of CDNA GPUs
  // (getDppWFallBCastExpect in its unit tests); the manuals do not say.
  if (name == "row_bcast") {
    const int first = lane & ~n;  // of the row, or of the half of the wave
    return first == 0 ? lane : first - 1;
  }
  if (name == "wave_shl") return lane + 1 < lanes ? lane + 1 : kNone;
  if (name == "wave_shr") return lane - 1;
  if (name == "wave_rol") return (lane + 1) % lanes;
  if (name == "wave_ror") return (lane + lanes - 1) % lanes;
  return kNone;
}

constexpr std::string_view kControls[] = {"quad_perm",    "dpp8",       "row_shl",         "row_shr",
                                          "row_ror",      "row_mirror", "row_half_mirror", "row_share",
                                          "row_newbcast", "row_xmask",  "row_bcast",       "wave_shl",
                                          "wave_shr",     "wave_rol",   "wave_ror"};

const isa::Modifier* control_of(const isa::Instruction& instruction) {
  for (const std::string_view name : kControls)
    if (const isa::Modifier* modifier = instruction.find(name)) return modifier;
  return nullptr;
}

/// Says of each sixteen lanes whether they read from sixteen only.
void find_packs(DppTable& table) {
  for (size_t to = 0; to < table.pack.size(); ++to) {
    int from = -2;
    for (size_t lane = 16 * to; lane < 16 * to + 16; ++lane) {
      if ((table.inside >> lane & 1) == 0) continue;
      const int pack = static_cast<int>(table.lane[lane] / 16);
      from = from == -2 || from == pack ? pack : -1;
      if (from == -1) break;
    }
    table.pack[to] = static_cast<int8_t>(from == -2 ? 0 : from);
  }
}

/// Tables that were made; the few that a process needs are kept to its end.
const DppTable* keep(DppTable table) {
  find_packs(table);
  static std::mutex mutex;
  static auto& tables = *new std::deque<DppTable>;
  const std::scoped_lock lock(mutex);
  for (const DppTable& known : tables)
    if (known == table) return &known;
  return &tables.emplace_back(table);
}

}  // namespace

bool is_dpp(const isa::Instruction& instruction) {
  return instruction.encoding == isa::Encoding::Dpp || instruction.encoding == isa::Encoding::E64Dpp ||
         control_of(instruction) != nullptr;
}

Result<const DppTable*> dpp_table(const isa::Instruction& instruction, int lanes) {
  const isa::Modifier* const control = control_of(instruction);
  const bool eight = control && control->name == "dpp8";
  const size_t values = control && control->name == "quad_perm" ? 4 : eight ? 8 : 0;
  if (!control || control->values.size() < values)
    return fail(ErrorKind::Unsupported, fmt::format("unknown DPP control of '{}'", instruction.text));
  DppTable table;
  const int64_t rows = instruction.value("row_mask", 15), banks = instruction.value("bank_mask", 15);
  for (int lane = 0; lane < lanes; ++lane) {
    const int from = source_lane(*control, lane, lanes);
    const uint64_t bit = uint64_t{1} << lane;
    if (from >= 0) table.inside |= bit, table.lane[lane] = static_cast<uint32_t>(from);
    if ((rows >> (lane / 16) & 1) && (banks >> (lane % 16 / 4) & 1)) table.written |= bit;
  }
  table.inactive_too = instruction.value("fi") != 0;
  table.bound_ctrl = eight || instruction.has("bound_ctrl");
  return keep(table);
}

const DppTable* quad_table(int of_quad) {
  DppTable table;
  for (uint32_t lane = 0; lane < table.lane.size(); ++lane)
    table.lane[lane] = (lane & ~3u) + static_cast<uint32_t>(of_quad);
  table.inside = table.written = ~uint64_t{0};
  table.inactive_too = table.bound_ctrl = true;
  return keep(table);
}

}  // namespace wavesmith::emulate
