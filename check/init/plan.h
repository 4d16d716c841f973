// What an instruction does to undefined bits, found once per instruction.
#pragma once

#include <optional>
#include <vector>

#include "check/register_words.h"
#include "emulate/run/events.h"
#include "emulate/translate/dpp.h"
#include "isa/control/row.h"
#include "isa/effects.h"
#include "isa/meaning/expression.h"

namespace wavesmith::check::init {

/// Where a source's value or a result stands.
struct Place {
  enum class Kind : uint8_t {
    None,      ///< a constant, or what is always defined
    Vector,    ///< a VGPR or AGPR, lane by lane
    Scalar,    ///< a scalar register, the same for all lanes
    LaneMask,  ///< a bit of scalar registers for each lane
  };
  Kind kind = Kind::None;
  uint16_t first = 0;  ///< register
  uint8_t dwords = 1;  ///< registers
  uint8_t shift = 0;   ///< of the value's lowest bit
  uint8_t bits = 32;   ///< of the value, up to 64; more are not told apart
  bool sign = false;   ///< a source: the bits above it are copies of its highest one
  bool rest = false;   ///< a result: the register's other bits become defined
  /// A source of two values: which of them are its low and its high one.
  bool low_from_high = false, high_from_high = true;
  const emulate::DppTable* lanes = nullptr;  ///< a source: which lane each lane reads
  uint64_t constant = 0;                     ///< of None
};

/// How results follow from sources.
enum class Rule : uint8_t {
  Any,         ///< a result is undefined in lanes in which a bit of a source is
  Halves,      ///< the same for the low and the high value apart
  Pair,        ///< v_pk_mov_b32: the low value is the first source's, the high one the second's
  Expression,  ///< bit by bit, by what the row means
  Shuffle,     ///< whole registers, lanes exchanged
  Matrix,
};

/// Which lane each lane's result comes from.
enum class Shuffle : uint8_t {
  None,
  Unknown,  ///< all lanes may come from any
  WriteLane,
  Rows16,       ///< v_permlane16_b32
  RowsX16,      ///< v_permlanex16_b32
  Halves64,     ///< v_permlane64_b32
  Swap,         ///< v_swap_b32
  Swap16,       ///< v_permlane16_swap_b32
  Swap32,       ///< v_permlane32_swap_b32
  Swizzle,      ///< ds_swizzle_b32
  Permute,      ///< ds_permute_b32
  BackPermute,  ///< ds_bpermute_b32
};

struct Step {
  const isa::Row* row = nullptr;
  Rule rule = Rule::Any;
  Shuffle shuffle = Shuffle::None;
  uint16_t offset = 0;  ///< of Swizzle
  bool scalar = false;  ///< once a wave
  bool copies = false;  ///< Any: what is undefined is moved, not calculated with
  const isa::Expression* meaning = nullptr;
  std::vector<Place> sources, results;
  const emulate::DppTable* dpp = nullptr;
};

/// Registers that two of a matrix instruction's places stand for.
struct MatrixPlaces {
  struct Element {
    uint8_t line;  ///< row of A, column of B
    uint8_t block;
    uint8_t lane, dword;
    uint32_t mask;
  };
  struct Result {
    uint8_t row, column, block, lane, dword, dwords;
    uint32_t mask;
  };
  std::vector<Element> a, b;
  std::vector<Result> d;
};

struct Plan {
  enum class Kind : uint8_t {
    Nothing,  ///< neither reads nor writes what is followed
    Steps,
    Memory,
    Branch,   ///< by `condition`
    Jump,     ///< to an address in registers
    Defines,  ///< its results are defined: clocks, hardware registers
    Forgets,  ///< which registers it means is known at run time only
  };
  RegisterWords registers;  ///< that it reads and writes
  Kind kind = Kind::Nothing;
  std::vector<Step> steps;  ///< two of a dual instruction
  isa::BranchCondition condition;
  std::vector<isa::RegisterRange> writes;
  // Of memory.
  std::vector<isa::RegisterRange> addresses;
  isa::RegisterRange result, data, second;
  bool to_lds = false;
  bool sign = false;    ///< a load of less than a dword: the bits above are copies of its highest one
  bool merges = false;  ///< a load of 16 bits that keeps the other half of its register
  // Of matrices; nullptr: modifiers move elements, or they are scaled.
  std::unique_ptr<MatrixPlaces> matrix;
};

Plan plan_of(const emulate::Site& site, const isa::Target& target, int wave_lanes);

}  // namespace wavesmith::check::init
