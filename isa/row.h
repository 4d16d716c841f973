// A row: the facts of one instruction, one aligned line in a family's file. A family is a function template
// over a visitor, which is called once a row:
//
//   v(lane<f32(f32, f32)>, "v_add_f32", [](auto a, auto b) { return a + b; });
//
// The signature says what the instruction reads and writes, in the order in which operands are printed; the
// lambda is the body, the meaning. One visitor collects the facts (isa/rows.cc); another instantiates the
// interpreter's handlers (emulate/engine). A body is a pure function of what its signature names, so it can
// touch nothing else.
#pragma once

#include <cstdint>
#include <string_view>
#include <type_traits>

#include "isa/memory/element.h"
#include "isa/target.h"
#include "isa/types.h"

namespace wavesmith::isa {

/// How the engine runs an instruction.
enum class Shape : uint8_t {
  Scalar,   ///< once a wave, on SGPRs
  Lane,     ///< once a lane, under EXEC
  Packed,   ///< once a lane on parts of registers, which op_sel chooses: VOP3P, small floats
  Wave,     ///< across lanes
  Memory,   ///< loads, stores, atomics, LDS
  Matrix,   ///< MFMA, WMMA and their sparse forms
  Control,  ///< branches, barriers, waits, messages
};

/// How near the result is to the hardware's.
enum class Fidelity : uint8_t { Exact, Approximate, Unsupported };

/// What a vector instruction needs of the VALU beside its ordinary lanes. Rates follow (isa/cost/rate.cc), as
/// LLVM's scheduling model groups instructions (SISchedule.td).
enum class Issue : uint8_t {
  Plain,
  Transcendental,
  Double,
  Multiply,  ///< of 32-bit integers
  Half,      ///< at half of the rate
  Quarter,   ///< others at a quarter of the rate
};

/// Which lanes of a quad V_INTERP_* take sources from: of P10 the difference from lane 1 and the addend from
/// lane 0, of P2 the difference from lane 2.
enum class Interpolation : uint8_t { None, P10, P2 };

/// Which counter a wave waits on for the result.
enum class Counter : uint8_t { None, Vm, Lgkm, Exp, Vs, Load, Store, Ds, Km };

/// What a row may say beside its signature; the defaults are a plain VALU instruction of every generation.
struct Facts {
  Issue issue = Issue::Plain;
  Generations generations = kEvery;
  Fidelity fidelity = Fidelity::Exact;
  std::string_view bound = {};   ///< of an approximate row: its error, for example "1 ulp"
  bool keeps_high = false;       ///< a 16-bit result leaves the register's upper half in every generation
  bool commutes = false;         ///< its first two sources may be exchanged
  bool nearest = false;          ///< rounds to the nearest even, whatever MODE says
  bool saturates = false;        ///< the row of the form with `clamp`; the form without has a row of its own
  bool chooses = false;          ///< its result is one of its sources
  bool bounded = false;          ///< an integer result is the same with `clamp`: it saturates by itself
  bool copies = false;           ///< its result is its source
  bool dual = false;             ///< RDNA may issue it as a half of a dual instruction
  std::string_view packed = {};  ///< the instruction that does two of these
  std::string_view alias = {};   ///< a name of other generations that the assembler takes for it
  std::string_view modifier = {};  ///< as which its last source is printed
  Interpolation interpolates = Interpolation::None;
  // Of Shape::Wave:
  bool fetches = false;   ///< reads lanes that EXEC has not, or may be told to
  bool unmasked = false;  ///< writes a lane whatever EXEC says, and keeps the others
  // Of Shape::Memory:
  bool by_lane = false;          ///< each lane has the next element: no address is printed
  bool far = false;              ///< two offsets that count in 64 elements
  bool comparand_first = false;  ///< of a compare and swap: printed before the new value
  bool exchanges = false;        ///< an atomic that writes its data as it is
};

/// One operand of a row.
struct Role {
  enum class Use : uint8_t { Read, Write };
  Use use;
  Type type;
  bool printed;          ///< stands among the printed operands (otherwise implicit: VCC, SCC, EXEC)
  bool destination_too;  ///< a read: of the destination's former value; a write: of a register that is read
                         ///< as well
};

/// The facts of one instruction. `mnemonics` lists its names in all generations, separated by spaces.
struct Row {
  static constexpr int kMostRoles = 8;
  std::string_view mnemonics;
  Shape shape;
  Facts facts;
  Role roles[kMostRoles] = {};
  int count = 0;
  Access access = {};                                ///< of Shape::Memory
  const struct MatrixInstruction* matrix = nullptr;  ///< of Shape::Matrix
  /// What the body computes; nullptr where it has no expression, and in rows that are not of isa::rows().
  const class Expression* (*meaning)() = nullptr;
};

/// Whether the row reads or writes a value of that type.
constexpr bool has_type(const Row& row, Type type) {
  for (int i = 0; i < row.count; ++i)
    if (row.roles[i].type == type) return true;
  return false;
}

/// Signature tags: `lane<f32(f32)>`.
template <class Signature>
struct LaneSignature {};
template <class Signature>
inline constexpr LaneSignature<Signature> lane{};
/// The same for an instruction whose speed does not matter: one small handler serves both wave sizes.
template <class Signature>
struct RareSignature {};
template <class Signature>
inline constexpr RareSignature<Signature> rare{};
template <class Signature>
struct ScalarSignature {};
template <class Signature>
inline constexpr ScalarSignature<Signature> scalar{};

/// Memory rows: which element moves, and which way: `load<mem_b32>`. Address and data operands follow from
/// the space that the mnemonic names, so that one row serves all spaces.
template <class Element>
struct LoadSignature {};
template <class Element>
inline constexpr LoadSignature<Element> load{};
template <class Element>
struct StoreSignature {};
template <class Element>
inline constexpr StoreSignature<Element> store{};
/// Loads and stores with two offsets: `load_pair<mem_b32>`.
template <class Element>
struct PairSignature {
  Direction direction;
};
template <class Element>
inline constexpr PairSignature<Element> load_pair{Direction::Load};
template <class Element>
inline constexpr PairSignature<Element> store_pair{Direction::Store};
template <class Element>
inline constexpr PairSignature<Element> exchange_pair{Direction::Atomic};
/// `atomic<u32>`, and `atomic<u32, u32>` for those with a second operand.
template <class T, class... Second>
struct AtomicSignature {};
template <class T, class... Second>
inline constexpr AtomicSignature<T, Second...> atomic{};
struct LdsLaneSignature {
  LdsLane what;
};
template <LdsLane kWhat>
inline constexpr LdsLaneSignature lds_lane{kWhat};
template <class Element>
struct ScalarLoadSignature {};
template <class Element>
inline constexpr ScalarLoadSignature<Element> scalar_load{};
template <class Element>
struct ScalarStoreSignature {};
template <class Element>
inline constexpr ScalarStoreSignature<Element> scalar_store{};

namespace detail {

template <class T>
struct RoleOf {
  static constexpr Role read{Role::Use::Read, T::type, true, false};
  static constexpr Role write{Role::Use::Write, T::type, true, false};
};
template <>
struct RoleOf<vcc> {
  static constexpr Role read{Role::Use::Read, Type::LaneMask, false, false};
  static constexpr Role write{Role::Use::Write, Type::LaneMask, false, false};
};
template <>
struct RoleOf<exec> {
  static constexpr Role read{Role::Use::Read, Type::Exec, false, false};
  static constexpr Role write{Role::Use::Write, Type::Exec, false, false};
};
template <>
struct RoleOf<exec32> : RoleOf<vcc> {};
template <>
struct RoleOf<float_mode> {
  static constexpr Role read{Role::Use::Read, Type::Mode, false, false};
};
template <>
struct RoleOf<scc> {
  static constexpr Role read{Role::Use::Read, Type::Scc, false, false};
  static constexpr Role write{Role::Use::Write, Type::Scc, false, false};
};
template <class T>
struct RoleOf<old<T>> {
  static constexpr Role read{Role::Use::Read, RoleOf<T>::read.type, false, true};
};
template <>
struct RoleOf<v2f16> {
  static constexpr Role read{Role::Use::Read, Type::V2F16, true, false};
  static constexpr Role write{Role::Use::Write, Type::V2F16, true, false};
};
template <>
struct RoleOf<v2f16_code> : RoleOf<v2f16> {};
template <>
struct RoleOf<v2u16> {
  static constexpr Role read{Role::Use::Read, Type::V2U16, true, false};
  static constexpr Role write{Role::Use::Write, Type::V2U16, true, false};
};
template <>
struct RoleOf<v2i16> {
  static constexpr Role read{Role::Use::Read, Type::V2I16, true, false};
  static constexpr Role write{Role::Use::Write, Type::V2I16, true, false};
};

template <class R>
struct Written {
  static constexpr void add(Row& row) { row.roles[row.count++] = RoleOf<R>::write; }
};
template <>
struct Written<void> {
  static constexpr void add(Row&) {}
};
template <class... R>
struct Written<out<R...>> {
  static constexpr void add(Row& row) { ((row.roles[row.count++] = RoleOf<R>::write), ...); }
};

template <class A>
constexpr void add_source(Row& row) {
  if constexpr (!std::is_same_v<A, lane_number>) row.roles[row.count++] = RoleOf<A>::read;
}

template <class Signature>
struct Roles;
template <class R, class... A>
struct Roles<R(A...)> {
  static constexpr void add(Row& row) {
    Written<R>::add(row);
    (add_source<A>(row), ...);
  }
};

}  // namespace detail

/// The row of a signature: results first, then sources, in printed order.
template <class Signature>
constexpr Row make_row(Shape shape, std::string_view mnemonics, Facts facts) {
  Row row{mnemonics, shape, facts};
  detail::Roles<Signature>::add(row);
  return row;
}

/// The row of a memory instruction; its operands are those of its space.
constexpr Row make_memory_row(std::string_view mnemonics, Access access, Facts facts) {
  Row row{mnemonics, Shape::Memory, facts};
  row.access = access;
  row.access.far = facts.far;
  return row;
}

}  // namespace wavesmith::isa
