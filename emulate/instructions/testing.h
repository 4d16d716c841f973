// For tests: one wave that runs assembly text.
#pragma once

#include <bit>
#include <cstdint>
#include <memory>
#include <ostream>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "emulate/memory/memory.h"
#include "emulate/run/dispatch.h"
#include "emulate/run/wave.h"

namespace wavesmith::emulate {

/// A wave of a target, its registers open to the test.
///
///   WaveTest test("gfx942");
///   test.v(1, lane) = 7;
///   ASSERT_TRUE(test.run("v_add_u32 v0, v1, v1"));
///   EXPECT_EQ(test.v(0, lane), 14u);
class WaveTest {
 public:
  /// All lanes active, registers 0, 64 KiB of LDS. The target must be one of isa::kTargets.
  explicit WaveTest(std::string_view target, int lanes = 64);
  ~WaveTest();
  WaveTest(const WaveTest&) = delete;
  WaveTest& operator=(const WaveTest&) = delete;

  /// Assembles the text with s_endpgm after it and runs it to its end. Error: the assembler's, or the wave's
  /// fault.
  Result<void> run(std::string_view assembly);

  [[nodiscard]] int lanes() const { return lanes_; }
  [[nodiscard]] Wave& wave() { return *wave_; }
  [[nodiscard]] uint32_t& s(int index) { return wave_->s[index]; }
  [[nodiscard]] uint64_t& s64(int index) { return wave_->scalar64(index); }
  [[nodiscard]] uint32_t& v(int index, int lane) { return wave_->vgpr(index)[lane]; }
  [[nodiscard]] uint32_t& a(int index, int lane) { return wave_->agpr(index)[lane]; }
  [[nodiscard]] float f(int index, int lane) { return std::bit_cast<float>(v(index, lane)); }
  void set_f(int index, int lane, float value) { v(index, lane) = std::bit_cast<uint32_t>(value); }
  [[nodiscard]] uint64_t v64(int index, int lane) {
    return v(index, lane) | uint64_t{v(index + 1, lane)} << 32;
  }
  void set_v64(int index, int lane, uint64_t value) {
    v(index, lane) = static_cast<uint32_t>(value);
    v(index + 1, lane) = static_cast<uint32_t>(value >> 32);
  }
  [[nodiscard]] uint64_t& exec() { return wave_->exec(); }
  [[nodiscard]] uint64_t& vcc() { return wave_->scalar64(scalar_index::kVcc); }
  [[nodiscard]] uint32_t& scc() { return wave_->s[scalar_index::kScc]; }
  [[nodiscard]] uint8_t* lds();
  [[nodiscard]] Memory& memory();

  /// Instructions that a run may execute before it counts as endless.
  int64_t most_instructions = 1'000'000;
  /// Whether SRAM-ECC is on; from the beginning where the target has it.
  bool sram_ecc;

 private:
  struct State;
  std::unique_ptr<State> state_;
  Wave* wave_;
  int lanes_;
};

/// A kernel in assembly text, launched as a grid. It finds the address of its arguments (64 bits each) in
/// s[0:1] and its workgroup's number in s2 (in ttmp9 on gfx1201).
class KernelTest {
 public:
  /// `lds` bytes of LDS a workgroup. Aborts when the text can't be assembled.
  KernelTest(std::string_view target, std::string_view assembly, int lanes = 64, uint32_t lds = 0);
  ~KernelTest();
  KernelTest(const KernelTest&) = delete;
  KernelTest& operator=(const KernelTest&) = delete;

  Result<Statistics> launch(uint32_t workgroups, uint32_t workgroup_size,
                            const std::vector<uint64_t>& arguments, const Limits& limits = {});
  /// A grid of these many work-items.
  Result<Statistics> launch(const Extent3& grid, const Extent3& workgroup,
                            const std::vector<uint64_t>& arguments, const Limits& limits = {});
  /// Zeroed device memory of `count` dwords; lives as long as the test.
  uint32_t* allocate(size_t count);
  uint64_t most_resident = 2048;
  std::vector<Listener*> listeners = {};
  /// Called with each dispatch before it runs.
  std::function<void(Dispatch&, const Memory&)> prepare = {};
  std::function<void(uint64_t begun, uint64_t workgroups, uint64_t instructions)> progress = {};

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Every (target, lanes) pair: for tests that loop over all of them.
struct TargetLanes {
  std::string_view target;
  int lanes;
};
std::vector<TargetLanes> all_targets();
/// For GoogleTest.
inline void PrintTo(const TargetLanes& each, std::ostream* out) {
  *out << each.target << ", wave" << each.lanes;
}

}  // namespace wavesmith::emulate
