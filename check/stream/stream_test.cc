// Kernels of two streams that nothing orders, on every generation, each beside the same put right.
#include "check/stream/stream.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>
#include <vector>

#include "check/init/init_testing.h"
#include "check/testing.h"

namespace wavesmith::check {
namespace {

constexpr std::string_view kCopy =
    "global_load_dword v2, v1, s[4:5]\nWAIT\nglobal_store_dword v1, v2, s[6:7]\n";

/// A kernel that finds two addresses in s[4:5] and s[6:7], and which of two buffers these are for the work of
/// the one stream and of the other.
struct Pair {
  const char* name;
  std::string_view text;
  const char* rule;
  std::pair<size_t, size_t> first, faulty, right;
};

const Pair kPairs[] = {
    {"Reads", kCopy, "stream-read-write", {0, 1}, {1, 2}, {0, 2}},
    {"Writes", kCopy, "stream-write-write", {0, 2}, {1, 2}, {1, 3}},
    {"WritesWhatIsRead", kCopy, "stream-read-write", {0, 1}, {2, 0}, {2, 3}},
    {"Scalar",
     "s_load_dword s8, s[4:5], 0x10\nWAIT\nv_mov_b32 v2, s8\nglobal_store_dword v1, v2, s[6:7]\n",
     "stream-read-write",
     {0, 1},
     {1, 2},
     {0, 2}},
    {"Bytes",
     "v_mov_b32 v1, 0\nglobal_load_ubyte v2, v1, s[4:5]\nWAIT\nglobal_store_byte v1, v2, s[6:7] offset:1\n",
     "stream-write-write",
     {0, 1},
     {0, 1},
     {1, 2}},
    {"Atomics",
     "v_mov_b32 v2, 1\nglobal_load_dword v3, v1, s[4:5]\nWAIT\nglobal_atomic_add v1, v2, s[6:7]\n",
     "stream-atomic-plain",
     {0, 1},
     {1, 2},
     {0, 1}},
};

std::vector<std::string> found(const WaveOf& wave, const Pair& pair, bool faulty,
                               std::vector<StreamPoint> after) {
  std::string text = text_for(pair.text, wave);
  const std::string load = "s_load_dwordx2 s[4:5]";
  text.replace(text.find(load), load.size(), "s_load_dwordx4 s[4:7]");
  CheckedKernel kernel("race", wave.target, text, wave.lanes);
  std::vector<uint64_t> buffers;
  for (int i = 0; i < 4; ++i) buffers.push_back(reinterpret_cast<uint64_t>(kernel.allocate(64)));
  const auto launch = [&](uint64_t stream, std::pair<size_t, size_t> which, std::vector<StreamPoint> before) {
    const StreamPoint at{.stream = stream, .number = 1};
    kernel.session().tell([&](Checker& checker) { checker.asked({.at = at, .after = before}); });
    const StreamPointScope scope(at);
    EXPECT_TRUE(
        kernel.launch(1, static_cast<uint32_t>(wave.lanes), {buffers[which.first], buffers[which.second]}));
    kernel.session().tell([&](Checker& checker) { checker.ran(at); });
  };
  launch(1, pair.first, {});
  launch(2, faulty ? pair.faulty : pair.right, std::move(after));
  std::vector<std::string> rules;
  for (const Finding& finding : kernel.findings())
    if (finding.rule.starts_with("stream-")) rules.push_back(finding.rule);
  return rules;
}

TEST(Streams, PairsThatNothingOrders) {
  std::vector<WaveOf> waves(std::begin(kCdna), std::end(kCdna));
  waves.insert(waves.end(), std::begin(kRdna), std::end(kRdna));
  for (const Pair& pair : kPairs)
    for (const WaveOf& wave : waves) {
      SCOPED_TRACE(std::string(pair.name) + " on " + std::string(wave.target) + ", wave" +
                   std::to_string(wave.lanes));
      EXPECT_EQ(found(wave, pair, true, {}), std::vector<std::string>{pair.rule});
      EXPECT_EQ(found(wave, pair, false, {}), std::vector<std::string>{});
      EXPECT_EQ(found(wave, pair, true, {{.stream = 1, .number = 1}}), std::vector<std::string>{});
    }
}

TEST(Streams, ALaunchOutsideOfStreamsIsOfNoInterest) {
  CheckedKernel kernel("race", "gfx942", text_for("global_store_dword v1, v1, s[4:5]\n", kCdna[1]));
  const auto buffer = reinterpret_cast<uint64_t>(kernel.allocate(64));
  for (int i = 0; i < 2; ++i) EXPECT_TRUE(kernel.launch(1, 64, {buffer}));
  EXPECT_EQ(kernel.rules(), std::vector<std::string>{});
}

}  // namespace
}  // namespace wavesmith::check
