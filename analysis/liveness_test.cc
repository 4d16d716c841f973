// Liveness by hand for small pieces, and by experiment for random ones: the emulator runs a program twice,
// once with rubbish put into every register that is said to be dead before some instruction. Nothing may
// change.
#include "analysis/liveness.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstring>
#include <random>

#include "analysis/testing.h"
#include "emulate/instructions/testing.h"

namespace wavesmith::analysis {
namespace {

RegisterSet everything() { return RegisterSet::all(); }

struct Analysed {
  Code code;
  Graph graph;
  ExecSets exec;
  Liveness live;
  Analysed(std::string_view target, std::string_view text, const RegisterSet& entry, int lanes = 0)
      : code(code_of(target, text, lanes)),
        graph(make_graph(code)),
        exec(follow_exec(code, graph)),
        live(find_live(code, graph, exec, entry)) {}
  /// The registers that are live before the instruction that starts with `text`.
  [[nodiscard]] RegisterSet before(std::string_view text, const RegisterSet& entry) const {
    for (uint32_t i = 0; i < code.size(); ++i)
      if (code.instructions[i].text.starts_with(text)) {
        const uint32_t block = graph.block_of[i];
        return live_in_block(code, graph, exec, entry, block)[i - graph.blocks[block].begin];
      }
    ADD_FAILURE() << "no instruction " << text;
    return {};
  }
};

TEST(Liveness, OfStraightCode) {
  RegisterSet entry;
  for (const uint16_t r : {0, 1, 2}) entry.add(r);
  const Analysed a("gfx942", R"(
    v_add_f32 v3, v1, v2
    v_mul_f32 v3, v3, v3
    global_store_dword v0, v3, s[0:1]
    s_endpgm)",
                   entry);
  EXPECT_EQ(a.live.occupied[0].vgprs, 3u);  // v0, v1, v2 before it
  EXPECT_EQ(a.live.occupied[1].vgprs, 2u);
  EXPECT_EQ(a.live.occupied[2].vgprs, 2u);
  EXPECT_EQ(a.live.occupied[2].sgprs, 0u) << "nobody wrote s[0:1]";
  EXPECT_EQ(a.live.occupied[3].vgprs, 0u);
}

TEST(Liveness, AWriteUnderAMaskKeepsTheOtherLanes) {
  const std::string_view text = R"(
    v_mov_b32 v1, 1
    v_cmp_gt_u32 vcc, v0, v2
    s_and_saveexec_b64 s[0:1], vcc
    v_mov_b32 v1, 2
    s_or_b64 exec, exec, s[0:1]
    global_store_dword v0, v1, s[2:3]
    s_endpgm)";
  const Analysed a("gfx942", text, everything());
  EXPECT_TRUE(a.before("v_cmp_gt_u32", everything()).has(1));
  // Without a reader outside, the value from before the mask is dead.
  const Analysed b("gfx942", R"(
    v_mov_b32 v1, 1
    v_cmp_gt_u32 vcc, v0, v2
    s_and_saveexec_b64 s[0:1], vcc
    v_mov_b32 v1, 2
    global_store_dword v0, v1, s[2:3]
    s_or_b64 exec, exec, s[0:1]
    s_endpgm)",
                   everything());
  EXPECT_FALSE(b.before("v_cmp_gt_u32", everything()).has(1));
}

TEST(Liveness, BothSidesOfAnElseTogetherEndAValue) {
  const Analysed a("gfx942", R"(
    v_mov_b32 v1, 1
    v_cmp_gt_u32 vcc, v0, v2
    s_and_saveexec_b64 s[0:1], vcc
    s_xor_b64 s[0:1], exec, s[0:1]
    v_mov_b32 v3, 2
    s_andn2_saveexec_b64 s[0:1], s[0:1]
    v_mov_b32 v3, 3
    s_or_b64 exec, exec, s[0:1]
    v_mov_b32 v4, 4
    global_store_dword v0, v4, s[2:3]
    s_endpgm)",
                   everything());
  // EXEC is what it was again, so v4 was not live before it was written.
  EXPECT_FALSE(a.before("v_mov_b32_e32 v3, 3", everything()).has(4));
}

TEST(Liveness, MatrixInstructionsWriteAllLanes) {
  const Analysed a("gfx942", R"(
    s_and_saveexec_b64 s[0:1], vcc
    v_mfma_f32_4x4x4_16b_f16 a[0:3], v[0:1], v[2:3], 0
    s_mov_b64 exec, s[0:1]
    v_accvgpr_read_b32 v4, a0
    global_store_dword v5, v4, s[2:3]
    s_endpgm)",
                   everything());
  EXPECT_FALSE(a.before("v_mfma", everything()).has(reg::kAgpr));
  EXPECT_TRUE(a.before("s_mov_b64", everything()).has(reg::kAgpr));
}

TEST(Liveness, ACallKeepsWhatItsCallerReadsLater) {
  const Analysed a("gfx942", R"(
    v_mov_b32 v7, 1
    s_getpc_b64 s[4:5]
    s_add_u32 s4, s4, 32
    s_addc_u32 s5, s5, 0
    s_swappc_b64 s[30:31], s[4:5]
    global_store_dword v0, v7, s[2:3]
    s_endpgm
    s_nop 0
    s_nop 0
    v_mov_b32 v1, v2
    s_setpc_b64 s[30:31])",
                   everything());
  ASSERT_EQ(a.code.functions.size(), 1u);
  EXPECT_TRUE(a.before("v_mov_b32_e32 v1, v2", everything()).has(7)) << "within the callee";
  EXPECT_TRUE(a.before("s_swappc", everything()).has(2)) << "the callee reads it";
}

/// A random program in a few registers: v0 is the lane's address in LDS, v1 to v6 and s8, s9 hold values,
/// s[0:7] masks, one pair a depth; v7, v8 and s10 on count passes of loops.
class Generator {
 public:
  Generator(uint32_t seed, bool wave32) : random_(seed), wave32_(wave32) {}

  std::vector<std::string> program() {
    body(0, 3);
    for (int i = 1; i <= 6; ++i)
      if (random_() % 2) add(fmt::format("ds_write_b32 v0, v{} offset:{}", i, 256 * i));
    add("v_mov_b32 v1, s9");
    add("ds_write_b32 v0, v1");
    return lines_;
  }

 private:
  void add(std::string line) { lines_.push_back(std::move(line)); }
  uint32_t pick(uint32_t from, uint32_t to) {
    return from + static_cast<uint32_t>(random_() % (to - from + 1));
  }
  std::string value() { return fmt::format("v{}", pick(1, 6)); }
  [[nodiscard]] std::string mask(int depth) const {
    return wave32_ ? fmt::format("s{}", 2 * depth) : fmt::format("s[{}:{}]", 2 * depth, 2 * depth + 1);
  }
  [[nodiscard]] std::string wide(std::string_view name) const {
    return fmt::format("{}_b{}", name, wave32_ ? 32 : 64);
  }
  [[nodiscard]] std::string_view exec() const { return wave32_ ? "exec_lo" : "exec"; }
  [[nodiscard]] std::string_view vcc() const { return wave32_ ? "vcc_lo" : "vcc"; }

  void body(int depth, int most) {
    for (uint32_t n = pick(1, static_cast<uint32_t>(most)); n > 0; --n) statement(depth);
  }

  void statement(int depth) {
    static constexpr const char* kVector[] = {"v_xor_b32", "v_max_u32", "v_and_b32", "v_mul_u32_u24"};
    static constexpr const char* kScalar[] = {"s_add_u32", "s_xor_b32", "s_sub_u32"};
    switch (depth < 3 ? random_() % 9 : random_() % 5) {
      case 0:
        return add(fmt::format("v_mov_b32 {}, {}", value(), pick(0, 60)));
      case 1:
        return add(
            fmt::format("{} s{}, s{}, {}", kScalar[random_() % 3], pick(8, 9), pick(8, 9), pick(0, 60)));
      case 2:
        return add(fmt::format("v_mov_b32 {}, s{}", value(), pick(8, 9)));
      case 5:
        return branch(depth, false);
      case 6:
        return branch(depth, true);
      case 7:
        return divergent_loop(depth);
      case 8:
        return uniform_loop(depth);
      default:
        return add(fmt::format("{} {}, {}, {}", kVector[random_() % 4], value(), value(), value()));
    }
  }

  void branch(int depth, bool has_else) {
    const int number = labels_++;
    const bool skips = random_() % 2;
    const std::string m = mask(depth);
    add(fmt::format("v_cmp_gt_u32 {}, {}, {}", vcc(), value(), value()));
    add(fmt::format("{} {}, {}", wide("s_and_saveexec"), m, vcc()));
    if (!has_else) {
      if (skips) add(fmt::format("s_cbranch_execz l{}", number));
      body(depth + 1, 3);
    } else {
      add(fmt::format("{} {}, {}, {}", wide("s_xor"), m, exec(), m));
      if (skips) add(fmt::format("s_cbranch_execz else{}", number));
      body(depth + 1, 3);
      add(fmt::format("else{}:", number));
      if (random_() % 2) {
        add(fmt::format("{} {}, {}", wide(wave32_ ? "s_and_not1_saveexec" : "s_andn2_saveexec"), m, m));
      } else {
        add(fmt::format("{} {}, {}", wide("s_or_saveexec"), m, m));
        add(fmt::format("{} {}, {}, {}", wide("s_xor"), exec(), exec(), m));
      }
      if (skips) add(fmt::format("s_cbranch_execz l{}", number));
      body(depth + 1, 3);
    }
    add(fmt::format("l{}:", number));
    add(fmt::format("{} {}, {}, {}", wide("s_or"), exec(), exec(), m));
  }

  void divergent_loop(int depth) {
    if (in_loop_) return uniform_loop(depth);
    in_loop_ = true;
    const int number = labels_++;
    const std::string m = mask(depth);
    add(fmt::format("{} {}, 0", wide("s_mov"), m));
    add("v_mov_b32 v7, 0");
    add(fmt::format("v_and_b32 v8, 3, {}", value()));
    add(fmt::format("l{}:", number));
    body(depth + 1, 3);
    add(fmt::format("v_cmp_eq_u32 {}, v7, v8", vcc()));
    add("v_mad_u32_u24 v7, v7, 1, 1");
    add(fmt::format("{} {}, {}, {}", wide("s_or"), m, vcc(), m));
    add(fmt::format("{} {}, {}, {}", wide(wave32_ ? "s_and_not1" : "s_andn2"), exec(), exec(), m));
    add(fmt::format("s_cbranch_execnz l{}", number));
    add(fmt::format("{} {}, {}, {}", wide("s_or"), exec(), exec(), m));
    in_loop_ = false;
  }

  void uniform_loop(int depth) {
    const int number = labels_++;
    add(fmt::format("s_mov_b32 s{}, 0", 10 + depth));
    add(fmt::format("l{}:", number));
    body(depth + 1, 3);
    add(fmt::format("s_add_u32 s{0}, s{0}, 1", 10 + depth));
    add(fmt::format("s_cmp_lt_u32 s{}, {}", 10 + depth, pick(1, 3)));
    add(fmt::format("s_cbranch_scc1 l{}", number));
  }

  std::mt19937 random_;
  bool wave32_;
  int labels_ = 0;
  bool in_loop_ = false;
  std::vector<std::string> lines_;
};

std::string joined(const std::vector<std::string>& lines) {
  std::string text;
  for (const std::string& line : lines) text += line + "\n";
  return text;
}

constexpr int kScratch = 40;  // an SGPR pair that programs don't use

std::vector<uint8_t> run(std::string_view target, int lanes, const std::string& text, uint32_t seed) {
  emulate::WaveTest test(target, lanes);
  std::mt19937 random(seed);
  for (int lane = 0; lane < lanes; ++lane) {
    test.v(0, lane) = static_cast<uint32_t>(4 * lane);
    for (int r = 1; r <= 8; ++r) test.v(r, lane) = random() % 64;
  }
  for (int r = 0; r < 16; ++r) test.s(r) = random() % 64;
  const auto done = test.run(text);
  EXPECT_TRUE(done) << (done ? "" : done.error().text());
  return {test.lds(), test.lds() + 2048};
}

class DeadRegisters : public testing::TestWithParam<std::pair<const char*, int>> {};

TEST_P(DeadRegisters, MayHoldRubbish) {
  const auto [target, lanes] = GetParam();
  const uint32_t first = std::random_device{}();
  size_t dead = 0, live = 0;
  for (uint32_t seed = first; seed < first + 30; ++seed) {
    SCOPED_TRACE(fmt::format("seed {}", seed));
    const std::vector<std::string> lines = Generator(seed, lanes == 32).program();
    const Analysed a(target, joined(lines) + "s_endpgm", everything(), lanes);
    ASSERT_TRUE(a.exec.followed);
    ASSERT_TRUE(a.code.unknown.empty());
    const std::vector<uint8_t> expected = run(target, lanes, joined(lines), seed);
    std::vector<RegisterSet> before;
    for (uint32_t b = 0; b < a.graph.blocks.size(); ++b)
      for (const RegisterSet& set : live_in_block(a.code, a.graph, a.exec, everything(), b))
        before.push_back(set);
    std::mt19937 random(seed);
    for (int round = 0; round < 6; ++round) {
      // Lines that are no labels are the instructions, in order; labels stay before the rubbish.
      const auto at = static_cast<uint32_t>(random() % (a.code.size() - 1));
      std::vector<std::string> changed;
      uint32_t number = 0;
      for (const std::string& line : lines) {
        if (!line.ends_with(':') && number++ == at) {
          const RegisterSet& set = before[at];
          for (uint16_t r = 8; r < 14; ++r)
            if (!set.has(reg::kSgpr + r)) changed.push_back(fmt::format("s_mov_b32 s{}, 0x1234567", r));
          if (!set.has(reg::kVcc)) changed.push_back("s_mov_b32 vcc_lo, 0x1234567");
          const bool narrow = lanes == 32;
          changed.push_back(narrow ? fmt::format("s_mov_b32 s{}, exec_lo", kScratch)
                                   : fmt::format("s_mov_b64 s[{}:{}], exec", kScratch, kScratch + 1));
          changed.push_back(narrow ? "s_mov_b32 exec_lo, -1" : "s_mov_b64 exec, -1");
          for (uint16_t r = 1; r <= 8; ++r) {
            ++(set.has(r) ? live : dead);
            if (!set.has(r)) changed.push_back(fmt::format("v_mov_b32 v{}, 0x1234567", r));
          }
          changed.push_back(narrow ? fmt::format("s_mov_b32 exec_lo, s{}", kScratch)
                                   : fmt::format("s_mov_b64 exec, s[{}:{}]", kScratch, kScratch + 1));
        }
        changed.push_back(line);
      }
      ASSERT_EQ(run(target, lanes, joined(changed), seed), expected)
          << "rubbish before instruction " << at << " of\n"
          << joined(lines);
    }
  }
  EXPECT_GT(dead, live / 4) << "what is dead is found";
}

INSTANTIATE_TEST_SUITE_P(Targets, DeadRegisters,
                         testing::Values(std::pair{"gfx942", 64}, std::pair{"gfx1100", 32}),
                         [](const auto& info) { return std::string(info.param.first); });

}  // namespace
}  // namespace wavesmith::analysis
