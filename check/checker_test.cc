#include "check/checker.h"

#include <gtest/gtest.h>

#include "check/testing.h"

namespace wavesmith::check {
namespace {

TEST(Checkers, AreNamedByTopic) {
  EXPECT_EQ(topics_of("race,memory").value(), (std::vector{Topic::Memory, Topic::Race}));
  EXPECT_EQ(topics_of("all").value().size(), size_t{kTopics});
  const auto wrong = topics_of("race,rice");
  ASSERT_FALSE(wrong);
  EXPECT_NE(wrong.error().text().find("no checker 'rice'"), std::string::npos);
  EXPECT_NE(wrong.error().text().find("memory, race, wait"), std::string::npos);
  EXPECT_FALSE(topics_of(""));
}

TEST(Checkers, FindNothingInAKernelThatIsRight) {
  CheckedKernel kernel("all", "gfx942",
                       "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                       "v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[4:5]\ns_waitcnt vmcnt(0)\n"
                       "v_add_u32 v2, v2, v2\nglobal_store_dword v1, v2, s[4:5]");
  uint32_t* const data = kernel.allocate(64);
  data[63] = 21;
  const auto done = kernel.launch(1, 64, {reinterpret_cast<uint64_t>(data)});
  ASSERT_TRUE(done) << done.error().text();
  EXPECT_EQ(data[63], 42u);
  EXPECT_EQ(kernel.rules(), std::vector<std::string>{});
}

}  // namespace
}  // namespace wavesmith::check
