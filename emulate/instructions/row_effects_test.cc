// Every row of lanes, packed, scalar and wave instructions touches exactly the operands that it declares: its
// handlers run on random registers, once more with everything undeclared changed, and once more with each
// declared source changed. Rows of memory and matrix instructions have operands of their spaces and shapes;
// the instruction fuzzer checks them, and what translation adds, instruction by instruction
// (tests/fuzz/effects.h).
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <cstring>
#include <memory>
#include <random>
#include <vector>

#include "emulate/engine/handlers.h"
#include "emulate/run/wave.h"

namespace wavesmith::emulate {
namespace {

using isa::Role;
using isa::Type;

int rows_of(Type type) {
  switch (type) {
    case Type::F64:
    case Type::U64:
    case Type::I64:
    case Type::V2F32:
    case Type::V2U32:
      return 2;
    case Type::B192:
      return 6;
    case Type::B512:
      return 16;
    case Type::B1024:
      return 32;
    default:
      return 1;
  }
}

/// Bytes of the wave that a role names.
struct Place {
  uint32_t offset, bytes;
  bool source, result;
};

struct Bound {
  Uop uop;
  std::vector<Place> places;
};

constexpr int kStride = 40;  // VGPRs between operands

/// Of rows other than Lane: what is not printed has its own place.
Place implicit(const isa::Row& row, const Role& role) {
  const bool writes = role.use == Role::Use::Write;
  switch (role.type) {
    case Type::Scc:
      return {scalar_offset(scalar_index::kScc), 4, !writes, writes};
    case Type::M0:
      return {scalar_offset(scalar_index::kM0), 4, !writes, writes};
    case Type::Exec:
      return {scalar_offset(scalar_index::kExec), 8, !writes, writes};
    case Type::LaneMask: {  // VCC, or EXEC of a wave32
      const bool exec = row.mnemonics.find("exec") != std::string_view::npos;
      return {scalar_offset(exec ? scalar_index::kExec : scalar_index::kVcc), exec ? 4u : 8u, !writes,
              writes};
    }
    default:
      return {0, 0, false, false};
  }
}

/// Scalar, packed and wave rows.
Bound bind_other(const Implementation& implementation, Handler handler) {
  const isa::Row& row = implementation.row;
  const bool scalar = row.shape == isa::Shape::Scalar, wave = row.shape == isa::Shape::Wave;
  Bound bound;
  bound.uop.handler = handler;
  uint32_t* const results[] = {&bound.uop.d, wave ? &bound.uop.a : &bound.uop.e, &bound.uop.f};
  uint32_t* const sources[] = {&bound.uop.a, &bound.uop.b, &bound.uop.c, &bound.uop.f};
  size_t result = 0, source = 0;
  int number = 0;
  for (int i = 0; i < row.count; ++i) {
    const Role& role = row.roles[i];
    const bool writes = role.use == Role::Use::Write;
    if (role.destination_too && !writes) {
      bound.places.front().source = true;
      continue;
    }
    if (!role.printed) {
      if (writes) ++result;
      if (const Place place = implicit(row, role); place.bytes != 0) bound.places.push_back(place);
      continue;
    }
    const int position = number++;
    const auto dwords = static_cast<uint32_t>(rows_of(role.type));
    const bool in_scalar = scalar || (wave && role.type != Type::Row);
    Place place = in_scalar ? Place{scalar_offset(8 + 8 * position), 4 * dwords, !writes, writes}
                            : Place{vgpr_offset(kStride * position), kRowBytes * dwords, !writes, writes};
    if (role.destination_too) place.source = true;
    bound.places.push_back(place);
    (writes ? *results[result++] : *sources[source++]) = place.offset;
  }
  return bound;
}

Bound bind(const Implementation& implementation, int lanes, Handler handler, bool scalar_first) {
  Bound bound;
  bound.uop.handler = handler;
  uint32_t* const results[] = {&bound.uop.d, &bound.uop.e};
  uint32_t* const sources[] = {&bound.uop.a, &bound.uop.b, &bound.uop.c, &bound.uop.f};
  const auto mask_bytes = static_cast<uint32_t>(lanes / 8);
  size_t result = 0, source = 0;
  int number = 0;
  for (int i = 0; i < implementation.row.count; ++i) {
    const Role& role = implementation.row.roles[i];
    const bool writes = role.use == Role::Use::Write;
    if (role.type == Type::Exec) {
      if (result == 0) {
        bound.places.push_back({scalar_offset(scalar_index::kExec), mask_bytes, false, true});
        *results[0] = scalar_offset(scalar_index::kExec);
      }
      ++result;
      continue;
    }
    Place place{};
    if (role.destination_too) {
      bound.places.front().source = true;
      continue;
    }
    const auto position = number++;
    if (role.type == Type::LaneMask)
      place = {role.printed ? scalar_offset(2 + 2 * position) : scalar_offset(scalar_index::kVcc), mask_bytes,
               !writes, writes};
    else if (scalar_first && !writes && source == 0)
      place = {scalar_offset(40), static_cast<uint32_t>(4 * rows_of(role.type)), true, false};
    else
      place = {vgpr_offset(kStride * position), static_cast<uint32_t>(kRowBytes * rows_of(role.type)),
               !writes, writes};
    bound.places.push_back(place);
    (writes ? *results[result++] : *sources[source++]) = place.offset;
  }
  return bound;
}

/// Storage for waves as the interpreter wants it.
struct Storage {
  std::unique_ptr<Wave, void (*)(void*)> wave{
      static_cast<Wave*>(std::aligned_alloc(alignof(Wave), sizeof(Wave))), std::free};
  std::byte* bytes() { return reinterpret_cast<std::byte*>(wave.get()); }
};

/// The registers: SGPRs up to SCC, EXEC apart, and all rows.
constexpr size_t kScalarsEnd = offsetof(Wave, s) + 4 * scalar_index::kExec, kRowsBegin = offsetof(Wave, row),
                 kRowsEnd = kRowsBegin + sizeof(Wave::row);

bool same_registers(const std::byte* a, const std::byte* b) {
  return std::memcmp(a + offsetof(Wave, s), b + offsetof(Wave, s), 4 * (scalar_index::kScc + 1)) == 0 &&
         std::memcmp(a + kRowsBegin, b + kRowsBegin, kRowsEnd - kRowsBegin) == 0;
}
void change_registers(std::byte* wave) {
  for (size_t i = offsetof(Wave, s); i < kScalarsEnd; ++i) wave[i] ^= std::byte{0x5a};
  wave[offsetof(Wave, s) + 4 * scalar_index::kScc] ^= std::byte{1};
  for (size_t i = kRowsBegin; i < kRowsEnd; ++i) wave[i] ^= std::byte{0x5a};
}
void copy_places(std::byte* to, const std::byte* from, const Bound& bound, bool results_only) {
  for (const Place& place : bound.places)
    if (place.result || !results_only) std::memcpy(to + place.offset, from + place.offset, place.bytes);
}

class RowEffects : public testing::Test {
 protected:
  void fill(Wave& wave, int lanes, uint64_t exec) {
    std::memset(static_cast<void*>(&wave), 0, sizeof wave);
    // Rows begin at different places of few values: drawing all of them is what would take the time.
    constexpr size_t kRow = kRowBytes / 4;
    std::array<uint32_t, 16 * kRow> values;
    for (uint32_t& each : values) each = value();
    auto* const dwords = reinterpret_cast<uint32_t*>(wave.row);
    for (size_t i = 0; i < sizeof(wave.row) / 4; i += kRow)
      std::memcpy(dwords + i, &values[random_() % (values.size() - kRow + 1)], kRowBytes);
    for (int i = 0; i < scalar_index::kExec; ++i) wave.s[i] = value();
    wave.s[scalar_index::kScc] = random_() & 1;
    wave.s[scalar_index::kMode] = 0xf0;
    wave.lanes = static_cast<uint32_t>(lanes);
    wave.exec() = exec & (lanes == 64 ? ~uint64_t{0} : 0xffffffffu);
  }
  /// Any bits, small numbers, NaN, and floats near 1 of each width.
  uint32_t value() {
    const auto any = static_cast<uint32_t>(random_());
    if (few_) return any & 1;
    switch (random_() % 8) {
      case 0:
        return any & 0x1f;
      case 3:
        return 0x7fc07e00u | any;
      case 1:
        return 0x3f800000u ^ (any & 0x81ffffffu);
      case 2:
        return 0x3c003c00u ^ (any & 0x87ff87ffu);
      default:
        return any;
    }
  }
  void execute(Wave& wave, const Uop& uop) {
    const Uop code[] = {uop, Uop{engine().micro[static_cast<size_t>(Micro::End)][0]}};
    code[0].handler(code, &wave);
  }
  void check(const Implementation& implementation, int lanes, Handler handler, bool scalar_first) {
    check(implementation, lanes, bind(implementation, lanes, handler, scalar_first));
  }
  void check(const Implementation& implementation, int lanes, const Bound& bound) {
    std::vector<bool> matters(bound.places.size());
    bool changed = false;
    const auto all_matter = [&] {
      for (size_t p = 0; p < bound.places.size(); ++p)
        if (bound.places[p].source && !matters[p]) return false;
      return true;
    };
    for (int round = 0; round < 4 || (round < 60 && !(changed && all_matter())); ++round) {
      few_ = round % 3 == 2;
      fill(*before_.wave, lanes, round % 2 ? random_() | random_() : ~uint64_t{0});
      std::memcpy(after_.bytes(), before_.bytes(), sizeof(Wave));
      execute(*after_.wave, bound.uop);
      std::memcpy(other_.bytes(), after_.bytes(), sizeof(Wave));
      changed |= !same_registers(other_.bytes(), before_.bytes());
      copy_places(other_.bytes(), before_.bytes(), bound, true);
      ASSERT_TRUE(same_registers(other_.bytes(), before_.bytes())) << "writes what it does not declare";
      // What it does not declare makes no difference.
      std::memcpy(other_.bytes(), before_.bytes(), sizeof(Wave));
      change_registers(other_.bytes());
      copy_places(other_.bytes(), before_.bytes(), bound, false);
      execute(*other_.wave, bound.uop);
      for (const Place& place : bound.places)
        if (place.result)
          ASSERT_EQ(std::memcmp(other_.bytes() + place.offset, after_.bytes() + place.offset, place.bytes), 0)
              << "reads what it does not declare";
      for (size_t p = 0; p < bound.places.size(); ++p) {
        if (!bound.places[p].source || matters[p]) continue;
        std::memcpy(other_.bytes(), before_.bytes(), sizeof(Wave));
        for (uint32_t i = 0; i < bound.places[p].bytes; i += 4) {
          const bool flag = bound.places[p].offset == scalar_offset(scalar_index::kScc);
          const uint32_t another = flag ? before_.wave->s[scalar_index::kScc] ^ 1 : value();
          std::memcpy(other_.bytes() + bound.places[p].offset + i, &another, 4);
        }
        execute(*other_.wave, bound.uop);
        for (const Place& place : bound.places)
          if (place.result &&
              std::memcmp(other_.bytes() + place.offset, after_.bytes() + place.offset, place.bytes) != 0)
            matters[p] = true;
      }
    }
    // A comparison that is always or never true reads nothing; a wave32 has no upper half.
    const std::string_view names = implementation.row.mnemonics;
    for (const std::string_view constant : {"v_cmp_f_", "v_cmpx_f_", "v_cmp_t_", "v_cmpx_t_", "v_cmp_tru_",
                                            "v_cmpx_tru_", lanes == 32 ? "v_mbcnt_hi" : "-"})
      if (names.starts_with(constant)) return;
    EXPECT_TRUE(changed) << "writes nothing";
    for (size_t p = 0; p < bound.places.size(); ++p)
      if (bound.places[p].source) EXPECT_TRUE(matters[p]) << "operand " << p << " makes no difference";
  }

  std::mt19937_64 random_{11};
  bool few_ = false;  ///< only two values, so that registers are equal
  Storage before_, after_, other_;
};

TEST_F(RowEffects, AreTheDeclaredOnes) {
  int checked = 0;
  for (const Implementation& implementation : engine().implementations) {
    if (implementation.row.shape != isa::Shape::Lane) continue;
    for (const int lanes : {64, 32})
      for (const bool scalar_first : {false, true}) {
        const Handler handler = implementation.handlers[lanes == 32][scalar_first];
        if (!handler || (lanes == 32 && !(implementation.row.facts.generations & isa::kRdna))) continue;
        SCOPED_TRACE(fmt::format("{}, {} lanes{}", implementation.row.mnemonics, lanes,
                                 scalar_first ? ", first source scalar" : ""));
        check(implementation, lanes, handler, scalar_first);
        ++checked;
        if (HasFatalFailure()) return;
      }
  }
  EXPECT_GT(checked, 500);
}

TEST_F(RowEffects, OfScalarPackedAndWaveRowsToo) {
  int checked[3] = {};
  for (const Implementation& implementation : engine().implementations) {
    const isa::Row& row = implementation.row;
    const bool scalar = row.shape == isa::Shape::Scalar, packed = row.shape == isa::Shape::Packed,
               wave = row.shape == isa::Shape::Wave;
    if (!scalar && !packed && !wave) continue;
    if (row.mnemonics == "v_swaprel_b32") continue;  // M0 chooses its registers
    for (const int lanes : {64, 32})
      for (const int form : {0, 1}) {
        const Handler handler = implementation.handlers[packed ? 0 : lanes == 32][packed ? form : 0];
        if (!handler || (!packed && form == 1)) continue;
        // Generations with waves of 64 alone; and what exchanges halves of a wave64 does nothing in a wave32.
        if (lanes == 32 && ((row.facts.generations & isa::kRdna) == 0 || row.mnemonics == "v_permlane64_b32"))
          continue;
        SCOPED_TRACE(fmt::format("{}, {} lanes, form {}", row.mnemonics, lanes, form));
        check(implementation, lanes, bind_other(implementation, handler));
        ++checked[scalar ? 0 : packed ? 1 : 2];
        if (HasFatalFailure()) return;
      }
  }
  EXPECT_GT(checked[0], 300);
  EXPECT_GT(checked[1], 100);
  EXPECT_GT(checked[2], 20);
}

}  // namespace
}  // namespace wavesmith::emulate
