#include "isa/llvm/mnemonics.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace wavesmith::isa {
namespace {

const Mnemonic* find(const std::vector<Mnemonic>& all, std::string_view name) {
  const auto found =
      std::find_if(all.begin(), all.end(), [&](const Mnemonic& each) { return each.name == name; });
  return found == all.end() ? nullptr : &*found;
}

TEST(Mnemonics, BelongToTheirTargets) {
  struct Case {
    std::string_view name;
    bool gfx90a, gfx942, gfx950, gfx1100, gfx1151, gfx1201;
  };
  static constexpr Case kCases[] = {
      {"v_add_f32", true, true, true, true, true, true},
      {"s_and_saveexec_b32", false, false, false, true, true, true},
      {"v_mfma_f32_16x16x32_fp8_fp8", false, true, true, false, false, false},
      {"v_mfma_scale_f32_16x16x128_f8f6f4", false, false, true, false, false, false},
      {"v_wmma_f32_16x16x16_f16", false, false, false, true, true, true},
      {"v_dual_add_f32", false, false, false, true, true, true},
      {"s_barrier_signal", false, false, false, false, false, true},
      {"global_load_dwordx4", true, true, true, false, false, false},
      {"global_load_b128", false, false, false, true, true, true},
      {"s_add_f32", false, false, false, false, true, true},
      {"s_min_f32", false, false, false, false, true, true},
      {"s_nonsense", false, false, false, false, false, false},
  };
  for (const Target& target : kTargets) {
    const auto all = mnemonics(target);
    ASSERT_TRUE(all);
    EXPECT_GT(all->size(), 1000u);
    EXPECT_TRUE(std::is_sorted(all->begin(), all->end(),
                               [](const auto& a, const auto& b) { return a.name < b.name; }));
    const auto index = static_cast<size_t>(&target - kTargets.data());
    for (const Case& c : kCases) {
      const bool expected[] = {c.gfx90a, c.gfx942, c.gfx950, c.gfx1100, c.gfx1151, c.gfx1201};
      // The assembler still accepts gfx9's names of memory instructions on later targets.
      if (c.name == "global_load_dwordx4" && !expected[index]) continue;
      EXPECT_EQ(find(*all, c.name) != nullptr, expected[index]) << c.name << " on " << target.name;
    }
  }
}

TEST(Mnemonics, TellTheirEncodings) {
  const auto gfx942 = mnemonics(*find_target("gfx942")), gfx1100 = mnemonics(*find_target("gfx1100"));
  ASSERT_TRUE(gfx942 && gfx1100);
  using Encodings = std::vector<Encoding>;
  ASSERT_TRUE(find(*gfx942, "v_add_f32"));
  EXPECT_EQ(find(*gfx942, "v_add_f32")->encodings,
            (Encodings{Encoding::E32, Encoding::E64, Encoding::Dpp, Encoding::Sdwa}));
  EXPECT_EQ(find(*gfx1100, "v_add_f32")->encodings,
            (Encodings{Encoding::E32, Encoding::E64, Encoding::Dpp, Encoding::E64Dpp}));
  EXPECT_EQ(find(*gfx942, "v_fma_f32")->encodings, Encodings{Encoding::Plain});
  EXPECT_EQ(find(*gfx942, "s_add_u32")->encodings, Encodings{Encoding::Plain});
}

}  // namespace
}  // namespace wavesmith::isa
