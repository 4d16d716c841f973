// The state of one wave, laid out for the interpreter: every operand is at a fixed byte offset.
#pragma once

#include <cstddef>
#include <cstdint>

#include "emulate/translate/uop.h"

namespace wavesmith::emulate {

struct Workgroup;
struct MemoryMap;
struct Uop;
struct Site;

/// Lanes that a register row has room for; a wave32 uses the first half.
inline constexpr int kRowLanes = 64;
inline constexpr int kRowBytes = kRowLanes * 4;

/// Where scalar registers stand in Wave::s.
namespace scalar_index {
inline constexpr int kVcc = 106, kTtmp = 108, kM0 = 124, kExec = 126;
inline constexpr int kScc = 128;  ///< 0 or 1
inline constexpr int kFlatScratch = 130, kXnackMask = 132, kMode = 134, kTrapStatus = 136;
inline constexpr int kSharedBase = 138, kSharedLimit = 140, kPrivateBase = 142,
                     kPrivateLimit = 144;  ///< 64 bits each
inline constexpr int kSkip = 146;          ///< MODE.VSKIP: 1 while vector instructions are skipped
inline constexpr int kSink = 160;          ///< 16 dwords written by results sent to `null`
inline constexpr int kTemporary = 176;     ///< 32 dwords for micro-operations
inline constexpr int kCount = 208;
}  // namespace scalar_index

/// Where flat addresses mean LDS and private memory: outside of what a host gives its processes (2^47, or
/// 2^48 on AArch64). The upper halves are what the hardware's SH_MEM_BASES holds under ROCm.
inline constexpr uint64_t kPrivateAperture = 0x0001'0000'0000'0000, kSharedAperture = 0x0002'0000'0000'0000;

/// Rows before the VGPRs, for micro-operations; then v0-v255, then a0-a255.
inline constexpr int kTemporaryRows = 24;
/// Last come rows that stand for M0-relative VGPRs while an instruction uses them; they are numbered as VGPRs
/// are.
inline constexpr int kVgprRows = 256, kAgprRows = 256, kIndexedRows = 16;
inline constexpr int kFirstIndexed = kVgprRows + kAgprRows;
inline constexpr int kRows = kTemporaryRows + kVgprRows + kAgprRows + kIndexedRows;

/// Operands of matrix instructions as floats (emulate/translate/widened.h): 16 x 128 or 32 x 64 elements at
/// most.
inline constexpr int kWidenedSlots = 8, kWidenedFloats = 2048;

/// Constants that instructions name, 8 bytes each.
inline constexpr int kConstants = 4096;

/// Why a wave stopped running.
enum class Status : uint32_t {
  Ready,         ///< its time slice is over, or it sleeps
  Barrier,       ///< it waits at the workgroup's barrier
  SplitBarrier,  ///< it waits for the others' signals
  Done,          ///< s_endpgm
  Fault,         ///< Workgroup::fault says why
};

/// What a wave may do with its slice of a turn (emulate/run/turn.h).
enum class Share : uint32_t {
  AtOnce,      ///< it uses it without a break
  MayGiveWay,  ///< others may go on in between
  Spent,       ///< it is used
};

/// Where the lanes of the memory instruction under way find their data, made by an address micro-operation
/// and used by the access that follows it.
struct WaveAccess {
  enum class Pattern : uint32_t {
    Gather,       ///< lane l at Wave::address[l]
    Contiguous,   ///< lane l at base + l * bytes
    Uniform,      ///< every lane at base
    Interleaved,  ///< private memory: dword k of lane l at base + (k * lanes + l) * 4
    Translated,   ///< Wave::address[l] is a flat address, to be translated byte by byte
  };
  uint64_t base;
  uint64_t lanes;  ///< that access memory
  uint64_t zero;   ///< that are out of range: loads give 0
  uint64_t part;   ///< of `zero`, at Wave::address: the dwords that end by `end` are accessed after all
  uint64_t end;    ///< of a raw buffer's records
  Pattern pattern;
  uint32_t format, select;  ///< of formatted memory: an isa::FormatCode, and the resource's DST_SEL
  uint32_t word;            ///< the address micro-operation's AddressWord
};

/// One wave. Waves live in zeroed, page-backed memory; untouched rows cost nothing.
struct alignas(64) Wave {
  uint32_t s[scalar_index::kCount];

  // How it runs.
  const Uop* resume;  ///< where to go on
  Status status;
  uint32_t lanes;  ///< 64 or 32
  int64_t budget;  ///< instructions left in this time slice, until the wave gives way
  int64_t kept;    ///< those left afterwards
  Share share;
  uint32_t place;  ///< in Workgroup::waves
  uint64_t* hits;  ///< executions of each basic block, by the block's number
  Workgroup* group;
  const MemoryMap* memory;
  const Site* site;  ///< the instruction under way, where somebody listens (emulate/run/events.h)
  uint8_t* lds;      ///< the workgroup's LDS
  uint32_t lds_size;
  uint32_t index;         ///< the wave's number in its workgroup
  uint8_t* scratch;       ///< private memory, dword-interleaved: lane l's dword i is at (i * lanes + l) * 4
  uint32_t scratch_size;  ///< bytes a lane
  uint32_t constants_loaded;
  uint32_t may_wait;          ///< it did something in this slice that a wave waiting for another one does
  uint32_t barrier_complete;  ///< all waves have signalled the split barrier, and this one has not yet waited
  uint32_t slept;             ///< s_sleep asked for a turn of the others
  uint64_t instructions_before;  ///< executed in earlier slices

  /// Where contiguous accesses went last, by a hash of their micro-operation: the next one is foreseen from
  /// two.
  static constexpr int kStreams = 16;
  uint64_t streams[kStreams];
  uint32_t streamed;  ///< non-temporal stores were made that no fence followed yet

  WaveAccess access;                        ///< of the memory instruction under way
  alignas(64) uint64_t address[kRowLanes];  ///< the same, lane by lane
  alignas(64) uint64_t constants[kConstants];
  alignas(64) uint32_t row[kRows][kRowLanes];
  alignas(64) float widened[kWidenedSlots][kWidenedFloats];

  [[nodiscard]] uint64_t& scalar64(int index) { return reinterpret_cast<uint64_t&>(s[index]); }
  /// EXEC; the upper half is 0 in a wave32.
  [[nodiscard]] uint64_t& exec() { return scalar64(scalar_index::kExec); }
  void set_apertures() {
    scalar64(scalar_index::kSharedBase) = kSharedAperture;
    scalar64(scalar_index::kSharedLimit) = kSharedAperture | 0xffffffffu;
    scalar64(scalar_index::kPrivateBase) = kPrivateAperture;
    scalar64(scalar_index::kPrivateLimit) = kPrivateAperture | 0xffffffffu;
  }
  [[nodiscard]] uint32_t* vgpr(int index) { return row[kTemporaryRows + index]; }
  [[nodiscard]] uint32_t* agpr(int index) { return row[kTemporaryRows + kVgprRows + index]; }
};

// Operand offsets, as micro-operations hold them.
constexpr uint32_t scalar_offset(int index) {
  return static_cast<uint32_t>(offsetof(Wave, s) + 4 * static_cast<size_t>(index));
}
constexpr uint32_t row_offset(int index) {
  return static_cast<uint32_t>(offsetof(Wave, row) +
                               static_cast<size_t>(kRowBytes) * static_cast<size_t>(index));
}
constexpr uint32_t vgpr_offset(int index) { return row_offset(kTemporaryRows + index); }
constexpr uint32_t agpr_offset(int index) { return row_offset(kTemporaryRows + kVgprRows + index); }
constexpr uint32_t constant_offset(int index) {
  return static_cast<uint32_t>(offsetof(Wave, constants) + 8 * static_cast<size_t>(index));
}

}  // namespace wavesmith::emulate
