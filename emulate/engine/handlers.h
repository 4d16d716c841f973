// The tables of handlers that a level of the host's instruction set provides.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

#include "emulate/translate/uop.h"
#include "isa/row.h"

namespace wavesmith::emulate {

/// An instruction's handlers. Which of them exist depends on the row's shape:
/// Lane: [wave32][first source is scalar] (none of the latter for a rare row), Packed: [0][clamp], Wave:
/// [0][0], other shapes: [wave32][0].
struct Implementation {
  isa::Row row;
  Handler handlers[2][2] = {};
  /// Rows of f32 alone: [wave32]; bit i of the micro-operation's e negates the i-th source, bit 8 + i takes
  /// its absolute value before that.
  Handler signs[2] = {};
  /// What is faster in a wave64 when the second source is the constant 0, where there is such:
  /// [first source is scalar].
  Handler second_zero[2] = {};
};

/// Micro-operations that are no instruction of their own: operand preparation and control.
enum class Micro : uint32_t {
  Block,     ///< begins a basic block: imm = Block*; counts, and ends the time slice
  Jump,      ///< pointer = target Uop
  JumpIf,    ///< a = scalar dword tested, d = 1: jump when it is not 0, 0: when it is; pointer = target
  JumpIf64,  ///< the same for 64 bits
  JumpTo,    ///< a = scalar pair with the target address
  End,       ///< s_endpgm
  Barrier,   ///< s_barrier
  Sleep,     ///< s_sleep
  Nop,
  Trap,       ///< pointer = Stop*: stops the wave with a typed error (unsupported, trap)
  SetScalar,  ///< scalar pair d = imm
  Splat,      ///< row d = scalar dword a in all lanes
  Negate,     ///< row d = row a ^ c's dword (sign bits)
  ClearSign,  ///< row d = row a & ~c's dword
  CopyRow,    ///< row d = row a
  Extract,    ///< row d = a Field (b, c) of row a
  Insert,     ///< a Field (b, c) of row d = row a's low bits, in active lanes
  ClampF16,   ///< row d to 0..1, in active lanes
  ClampF32,
  ClampF64,
  ScaleF16,  ///< row d times the f32 constant in c, in active lanes
  ScaleF32,
  ScaleF64,
  FlushF16,   ///< row d = row a, f16 denormals in the halves that c names (1 low, 2 high) as zeros unless bit
              ///< b of MODE keeps them, in active lanes
  DppMove,    ///< row d = row a, lanes exchanged by a DppTable in pointer; 0 where there is no source
  DppInsert,  ///< row d = the same in the lanes that the instruction writes: a whole move
  DppNarrow,  ///< scalar pair d = EXEC, then EXEC = those lanes of it that the DppTable in pointer writes
  CopyScalar64,  ///< scalar pair d = scalar pair a
  SelectHalves,  ///< row d = halves of row a, chosen by b (kSelect*), ^ c
  Call,          ///< pointer = ControlFunction (emulate/run/control.h): what is rare and needs no speed
  Count
};

/// Micro-operations that make the addresses of a memory access (Wave::access): a = vector address row, b =
/// scalar base, c = second scalar, d = AddressWord, imm = the instruction's offset.
enum class Address : uint32_t {
  Saddr,            ///< 64-bit scalar base + 32-bit vector offset
  Vaddr,            ///< 64-bit vector address
  Flat,             ///< the same, which may lie in an aperture
  Scratch,          ///< private memory: 32-bit scalar b + 32-bit vector a + imm
  Lds,              ///< 32-bit vector address
  Buffer,           ///< a = offset row, e = index row, b = resource, c = scalar offset, f = BufferWord
  FormattedBuffer,  ///< the same for formatted memory: d holds an isa::FormatCode too
  ByLane,           ///< LDS at M0 + imm + lane * c
  SaddrByLane,      ///< 64-bit scalar base + imm + lane * 4
  Count
};

/// The packed word that address micro-operations carry.
struct AddressWord {
  static constexpr uint32_t kWrite = 1u << 8, kAtomic = 1u << 9, kMayWait = 1u << 10,
                            kOwn = 1u << 11;  ///< kOwn: LDS, which no other host thread touches
  /// Formatted memory: the instruction names the format, in bits 16 to 23.
  static constexpr uint32_t kTyped = 1u << 24, kFormatAt = 16;
  static constexpr uint32_t bytes(uint32_t word) { return word & 0xff; }
};

/// A buffer instruction's immediate offset, and how its address is made.
struct BufferWord {
  static constexpr uint32_t kImmediate = 0xffffff, kOffset = 1u << 24, kIndex = 1u << 25, kNewer = 1u << 26;
};

/// What one level provides.
struct Engine {
  std::string_view level;
  std::span<const Implementation> implementations;
  Handler micro[static_cast<size_t>(Micro::Count)][2];      ///< [operation][wave32]
  Handler address[static_cast<size_t>(Address::Count)][2];  ///< [kind][wave32]
};

/// The engine for this host (the best level that it has, or the one that WAVESMITH_LEVEL in the environment
/// names).
const Engine& engine();

/// The implementation of a mnemonic (without encoding suffix) in a generation; nullptr when there is none.
/// `saturates`: the row of the form with integer `clamp`.
const Implementation* find_implementation(std::string_view mnemonic, const isa::Target& target,
                                          bool saturates = false);

}  // namespace wavesmith::emulate
