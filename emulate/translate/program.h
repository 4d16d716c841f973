// Machine code translated to micro-operations, lazily, a function at a time.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/result.h"
#include "emulate/translate/uop.h"
#include "isa/instruction.h"
#include "isa/target.h"

namespace wavesmith::isa {
class Decoder;
}

namespace wavesmith::emulate {

class Hits;
struct MatrixPlan;
struct Site;

/// A basic block as executed; hits are counted by `number`.
struct Block {
  uint32_t number = 0;
  uint32_t instructions = 0;
  uint64_t pc = 0;
  std::vector<std::string> mnemonics = {};  ///< of its instructions, for the instruction mix
};

/// Why a Trap micro-operation stops the wave.
struct Stop {
  Error error;
};

/// The translated code of one loaded code object for one wave size. Shared by all waves; translation is under
/// a lock.
class Program {
 public:
  /// `code` is the executable segment, loaded at its own address (instructions may read data relative to it).
  static Result<std::unique_ptr<Program>> create(const isa::Target& target, int wave_lanes,
                                                 std::span<const uint8_t> code);
  /// The same code translated with events (emulate/run/events.h), those of instructions or of their accesses
  /// alone; made when it is asked for first.
  Program& observed(bool instructions = true);
  /// Before anything is translated: a wave gives way to the next one after every so many instructions, and at
  /// the end of a basic block; 0: when its time slice is over. On a GPU the waves of a workgroup go on side
  /// by side, and programs exist that are right only because of it.
  void interleave(uint32_t instructions) { interleave_ = instructions; }
  [[nodiscard]] uint32_t interleave() const { return interleave_; }
  /// Before anything is translated: whether the GPU has SRAM-ECC on, with which loads of 16 bits clear the
  /// other half of their register. It is on where the target has it, unless this says otherwise.
  void sram_ecc(bool on) { sram_ecc_ = on && target_.may_have_sram_ecc(); }
  [[nodiscard]] bool sram_ecc() const { return sram_ecc_; }
  ~Program();

  /// The first micro-operation at `pc`, translated when it is new. Error: BadInput for a pc outside the code.
  Result<const Uop*> entry(uint64_t pc);

  /// The pc and text of the instruction that a micro-operation belongs to.
  struct Location {
    uint64_t pc = 0;
    std::string text;
  };
  [[nodiscard]] Location locate(const Uop* uop) const;

  /// Called with every instruction that is translated from now on, and with why it can't be executed where it
  /// can't; with an instruction of size 0 for bytes that are none. An instruction may come more than once.
  using Translated = std::function<void(const isa::Instruction&, const Error* refusal)>;
  void on_translation(Translated translated) { translated_ = std::move(translated); }

  /// Says with which MODE waves begin. From the first one on that is not the default, code is translated so
  /// that instructions follow the fields of their types (emulate/run/host_mode.h).
  void expect_mode(uint32_t mode);
  [[nodiscard]] bool mode_varies() const { return mode_varies_; }

  [[nodiscard]] const isa::Target& target() const { return target_; }
  [[nodiscard]] int wave_lanes() const { return wave_lanes_; }
  [[nodiscard]] std::span<const uint8_t> code() const { return code_; }
  /// No other program of the process has it, or had it.
  [[nodiscard]] uint64_t serial() const { return serial_; }
  [[nodiscard]] size_t block_count() const;
  /// Adds one thread's block hits to the program's totals; returns how many instructions these were.
  uint64_t count(const Hits& hits);
  /// Whether the kernel at `pc`, translated before, has nothing but its end; counts that many waves of it
  /// then.
  bool count_empty(uint64_t pc, uint64_t waves);
  /// Executions of each mnemonic so far.
  [[nodiscard]] std::map<std::string, uint64_t> instruction_mix() const;
  /// Copies the constants that a wave has not yet loaded.
  void load_constants(Wave& wave) const;

 private:
  friend class Emitter;
  friend const Uop* resolve_jump(const Uop* uop, Wave* wave, uint64_t pc);
  struct Unit;
  class Translation;
  Program(const isa::Target& target, int wave_lanes, std::span<const uint8_t> code);
  Result<const Uop*> translate(uint64_t pc);
  void forget_translations();
  [[nodiscard]] isa::Decoder decoder() const;

  const isa::Target& target_;
  bool sram_ecc_ = target_.may_have_sram_ecc();
  int wave_lanes_;
  std::span<const uint8_t> code_;
  inline static std::atomic<uint64_t> made_{0};
  const uint64_t serial_ = ++made_;
  mutable std::mutex mutex_;
  std::unordered_map<uint64_t, const Uop*> entries_;
  std::vector<std::unique_ptr<Unit>> units_;
  std::vector<std::unique_ptr<Block>> blocks_;
  std::vector<uint64_t> totals_;  ///< executions of each block
  std::deque<Stop> stops_;
  std::deque<Site> sites_;  ///< of instructions translated with events
  bool tells_accesses_ = false, tells_instructions_ = false;
  uint32_t interleave_ = 0;
  std::array<std::unique_ptr<Program>, 2> observed_;  ///< [whether it tells of instructions]
  std::vector<std::unique_ptr<MatrixPlan>> matrix_plans_;
  std::vector<uint64_t> constants_;  ///< reserved for all, so that waves may read while more are added
  std::atomic<uint32_t> constant_count_{0};
  std::unordered_map<uint64_t, int> constant_index_;

  /// Where indirect jumps went lately, found without the lock. A slot is overwritten, what it pointed to is
  /// kept.
  struct Jump {
    uint64_t pc;
    const Uop* uop;
  };
  static constexpr size_t kJumpSlots = 1024;
  static constexpr size_t jump_slot(uint64_t pc) { return (pc >> 2 ^ pc >> 12) % kJumpSlots; }
  [[nodiscard]] const Uop* find_jump(uint64_t pc) const;
  void remember_jump(uint64_t pc, const Uop* uop);
  std::array<std::atomic<const Jump*>, kJumpSlots> jumps_{};
  std::unordered_map<uint64_t, Jump> kept_jumps_;
  std::deque<std::unordered_map<uint64_t, Jump>> old_jumps_;  ///< waves may still look at them
  std::atomic<bool> mode_varies_{false};
  Translated translated_;
};

/// Where a wave goes on at `pc`: after the indirect jump `uop`, or, with no uop, where the wave begins.
/// nullptr after stopping the wave with a fault. Called by the engine and by the dispatch.
const Uop* resolve_jump(const Uop* uop, Wave* wave, uint64_t pc);

}  // namespace wavesmith::emulate
