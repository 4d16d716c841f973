// Which bits of a wave's registers nobody wrote.
#pragma once

#include <array>
#include <bit>
#include <cstdint>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "isa/effects.h"

namespace wavesmith::check::init {

inline constexpr int kLanes = 64;
inline constexpr int kVectorRegisters = isa::reg::kSgpr;
inline constexpr int kScalarRegisters = isa::reg::kCount - isa::reg::kSgpr;
/// The origin of a register that nobody wrote and nobody read yet.
inline constexpr uint32_t kNeverWritten = 0;

constexpr bool is_vector(uint16_t r) { return r < kVectorRegisters; }

/// Undefined bits of a VGPR or AGPR. `whole` and `part` have no lane in common.
struct Row {
  uint64_t whole = ~uint64_t{0};  ///< lanes of which no bit is defined
  uint64_t part = 0;              ///< lanes of which some are not: see WaveShadow::bits()
  uint64_t computed = 0;          ///< lanes whose undefined bits were calculated with, not only copied
  uint32_t origin = kNeverWritten;
  [[nodiscard]] uint64_t lanes() const { return whole | part; }
};

struct Scalar {
  uint32_t bits = ~uint32_t{0};  ///< that are undefined
  uint32_t origin = kNeverWritten;
  bool computed = false;
};

/// Undefined bytes of a lane's private memory, of all lanes at once.
class PrivateShadow {
 public:
  struct Byte {
    uint64_t undefined = ~uint64_t{0}, computed = 0;  ///< lanes
  };
  /// Forgets all that was written.
  void begin() {
    bytes_.clear();
    origins.clear();
  }
  /// Of an offset below kMost.
  Byte& at(uint64_t offset) {
    if (offset >= bytes_.size()) bytes_.resize(offset + 1);
    return bytes_[offset];
  }
  static constexpr uint64_t kMost = uint64_t{1} << 24;
  std::unordered_map<uint64_t, uint32_t> origins;  ///< of undefined values that were written, by dword

 private:
  std::vector<Byte> bytes_;
};

class WaveShadow {
 public:
  /// No register is defined.
  void begin();
  /// Whether any bit of the registers may be undefined.
  [[nodiscard]] bool dirty(uint16_t r) const { return dirty_[r / 64] >> (r % 64) & 1; }
  [[nodiscard]] std::span<const uint64_t> dirty_words() const { return dirty_; }
  [[nodiscard]] bool dirty(isa::RegisterRange range) const {
    for (int i = 0; i < range.count; ++i)
      if (dirty(static_cast<uint16_t>(range.first + i))) return true;
    return false;
  }
  Row& row(uint16_t r) { return rows_[r]; }
  Scalar& scalar(uint16_t r) { return scalars_[r - kVectorRegisters]; }
  /// The undefined bits of a lane.
  [[nodiscard]] uint32_t bits(uint16_t r, int lane) const {
    const Row& row = rows_[r];
    return row.whole >> lane & 1 ? ~uint32_t{0} : row.part >> lane & 1 ? bits_[r][lane] : 0;
  }
  /// Lanes of which a bit of `mask` is undefined.
  [[nodiscard]] uint64_t lanes(uint16_t r, uint32_t mask = ~uint32_t{0}) const;

  void define_all_vectors();
  /// Bits of `mask` are defined in these lanes.
  void define(uint16_t r, uint64_t lanes, uint32_t mask = ~uint32_t{0});
  /// All bits are undefined in those of `lanes` that are in `undefined`, and defined in the others of them.
  void set(uint16_t r, uint64_t lanes, uint64_t undefined, uint64_t computed, uint32_t origin);
  /// Replaces the bits of `mask` in a lane; update() comes afterwards.
  void set_bits(uint16_t r, int lane, uint32_t undefined, uint32_t mask);
  void update(uint16_t r) { mark(r, rows_[r].lanes() != 0); }
  void set_scalar(uint16_t r, uint32_t undefined, bool computed, uint32_t origin);

  PrivateShadow scratch;
  // Of the memory instruction under way.
  uint32_t next_dword = 0, next_place = 0;   ///< of the registers that its next access fills or stores
  std::array<uint32_t, kLanes> in_flight{};  ///< undefined bytes on their way from memory to LDS
  bool any_in_flight = false;
  uint32_t in_flight_origin = kNeverWritten;

 private:
  void mark(uint16_t r, bool dirty) {
    const uint64_t bit = uint64_t{1} << (r % 64);
    dirty ? dirty_[r / 64] |= bit : dirty_[r / 64] &= ~bit;
  }
  std::array<uint64_t, (isa::reg::kCount + 63) / 64> dirty_{};
  std::array<Row, kVectorRegisters> rows_;
  std::array<Scalar, kScalarRegisters> scalars_;
  std::unique_ptr<uint32_t[][kLanes]> bits_{new uint32_t[kVectorRegisters][kLanes]};
};

/// Undefined bytes of a workgroup's LDS.
class LdsShadow {
 public:
  enum State : uint8_t { kDefined, kCopied, kComputed };
  void begin(uint32_t bytes) {
    states_.assign(bytes, kCopied);
    origins.clear();
  }
  /// nullptr: not that much LDS.
  uint8_t* at(uint64_t offset, uint32_t bytes) {
    return offset + bytes <= states_.size() ? states_.data() + offset : nullptr;
  }
  std::unordered_map<uint64_t, uint32_t> origins;  ///< of undefined values that were written, by dword

 private:
  std::vector<uint8_t> states_;
};

}  // namespace wavesmith::check::init
