#include "check/memory/memory.h"

#include <gtest/gtest.h>

#include "check/host_call.h"
#include "check/testing.h"

namespace wavesmith::check {
namespace {

constexpr const char* kLoad =
    "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\nv_lshlrev_b32 v1, 2, v0\n"
    "global_load_dword v2, v1, s[4:5]";

uint64_t address(const void* pointer) { return reinterpret_cast<uint64_t>(pointer); }

/// The memory of the tests' kernels, where what is released is kept apart.
emulate::Memory& memory() {
  static emulate::WaveTest wave("gfx942");
  wave.memory().quarantine(true);
  return wave.memory();
}

/// Memory that came and went by calls of the host's.
uint64_t freed(Session& session, size_t bytes) {
  void* const at = memory().allocate(bytes).value();
  session.tell([&](Checker& checker) { checker.allocated(address(at), bytes); });
  const HostCallScope call("hipFree", nullptr);
  session.tell([&](Checker& checker) { checker.released(address(at), bytes); });
  EXPECT_TRUE(memory().release(at));
  return address(at);
}

TEST(MemoryChecker, TellsWhoFreedWhatAKernelReads) {
  CheckedKernel kernel("memory", "gfx942", kLoad);
  const uint64_t gone = freed(kernel.session(), 256);
  for (int i = 0; i < 100; ++i) freed(kernel.session(), 256);
  EXPECT_FALSE(kernel.launch(1, 64, {gone}));
  const auto found = kernel.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].rule, "use-after-free");
  EXPECT_EQ(found[0].what, "a load of 4 bytes of memory that was freed before");
  EXPECT_EQ(found[0].address, "freed allocation (256 bytes) + 0x0");
  ASSERT_EQ(found[0].parties.size(), 2u);
  EXPECT_EQ(found[0].parties[0].instruction, "global_load_dword v2, v1, s[4:5]");
  EXPECT_EQ(found[0].parties[0].lanes, ~uint64_t{0});
  EXPECT_EQ(found[0].parties[1].instruction, "hipFree");
}

TEST(MemoryChecker, MemoryThatAPoolKeepsIsFreed) {
  CheckedKernel kernel("memory", "gfx942", kLoad);
  void* const at = memory().allocate(512).value();
  memory().hand_on(at, 256);
  ASSERT_TRUE(kernel.launch(1, 64, {address(at)}));
  EXPECT_EQ(kernel.rules(), std::vector<std::string>{});
  memory().hand_on(at, 252);
  ASSERT_TRUE(kernel.launch(1, 64, {address(at)}));
  memory().hand_on(at, 0);
  ASSERT_TRUE(kernel.launch(1, 64, {address(at)}));
  ASSERT_EQ(kernel.findings().size(), 2u);
  EXPECT_EQ(kernel.findings()[0].rule, "out-of-bounds");
  EXPECT_EQ(kernel.findings()[0].parties[0].lanes, uint64_t{1} << 63);
  EXPECT_EQ(kernel.findings()[1].rule, "use-after-free");
  ASSERT_TRUE(memory().release(at));
}

TEST(MemoryChecker, NamesTheArgumentAndTheOffset) {
  CheckedKernel kernel("memory", "gfx942", kLoad);
  kernel.describe = [](object::Kernel& described) {
    described.arguments = {
        {.kind = object::Argument::Kind::GlobalBuffer, .offset = 0, .size = 8, .name = "in"}};
  };
  ASSERT_TRUE(kernel.launch(3, 64, {address(kernel.allocate(60))}));
  const auto found = kernel.findings();
  ASSERT_EQ(found.size(), 1u);
  EXPECT_EQ(found[0].what, "a load of 4 bytes begins just past the end of an allocation");
  EXPECT_EQ(found[0].address, "argument 'in' (240 bytes) + 0xf0");
  EXPECT_EQ(found[0].parties[0].lanes, uint64_t{0xf} << 60);
  EXPECT_EQ(found[0].parties[0].workgroup, (Extent3{0, 0, 0}));
  EXPECT_EQ(found[0].count, 3u);
}

void describe_two_pointers(object::Kernel& kernel) {
  const auto kind = object::Argument::Kind::GlobalBuffer;
  kernel.arguments = {{.kind = kind, .offset = 0, .size = 8, .name = "a"},
                      {.kind = kind, .offset = 8, .size = 8, .name = "b"},
                      {.kind = object::Argument::Kind::Value, .offset = 16, .size = 8, .name = "n"}};
}

TEST(MemoryChecker, PointersAmongTheArgumentsAreLookedAt) {
  CheckedKernel kernel("memory", "gfx942", "s_load_dwordx4 s[4:7], s[0:1], 0x0");
  kernel.describe = describe_two_pointers;
  const auto rules = [&](uint64_t a, uint64_t b, uint64_t n) {
    const size_t before = kernel.findings().size();
    EXPECT_TRUE(kernel.launch(1, 64, {a, b, n}));
    return kernel.findings().size() - before;
  };
  const uint64_t good = address(kernel.allocate(64)), gone = freed(kernel.session(), 64);
  EXPECT_EQ(rules(good, 0, gone), 0u);
  EXPECT_EQ(rules(good + 256, good + 4, 0), 0u) << "a range may end there";
  EXPECT_EQ(rules(good, gone, 0), 1u);
  EXPECT_EQ(rules(address(&kernel), good, 0), 1u);
  const auto found = kernel.findings();
  EXPECT_EQ(found[0].what, "argument 'a' points to the host's memory, which the kernel cannot access");
  EXPECT_EQ(found[1].what, "argument 'b' points to memory that was freed");
  EXPECT_EQ(found[1].severity, Severity::Warning);
}

TEST(MemoryChecker, PointersThatNoWaveReadsAreHints) {
  const auto of_b = [](const char* text, uint16_t preload = 0) {
    CheckedKernel kernel("memory", "gfx942", text);
    kernel.describe = [&](object::Kernel& described) {
      describe_two_pointers(described);
      described.fields.kernarg_preload = preload;
    };
    const uint64_t gone = freed(kernel.session(), 64);
    for (int i = 0; i < 2; ++i) EXPECT_TRUE(kernel.launch(3, 128, {address(kernel.allocate(64)), gone, 0}));
    const auto found = kernel.findings();
    return found.size() == 1 && found[0].count == 2 ? std::pair(found[0].rule, found[0].severity)
                                                    : std::pair(std::string("not once"), Severity::Error);
  };
  const auto harmless = std::pair(std::string("unread-argument"), Severity::Hint);
  const auto stray = std::pair(std::string("stray-argument"), Severity::Warning);
  EXPECT_EQ(of_b("s_nop 0"), harmless);
  EXPECT_EQ(of_b("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_load_dwordx2 s[6:7], s[0:1], 0x10"), harmless);
  EXPECT_EQ(of_b("s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_load_dword s6, s[0:1], 0xc"), stray);
  EXPECT_EQ(of_b("s_cmp_lg_u32 s2, 2\ns_cbranch_scc1 1f\ns_load_dwordx4 s[4:7], s[0:1], 0x0\n1:"), stray)
      << "read by the last workgroup";
  EXPECT_EQ(of_b("s_nop 0", 4), stray) << "it is in SGPRs from the beginning";
}

TEST(MemoryChecker, FindingsDoNotDependOnThreads) {
  const std::string text =
      "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\ns_lshl_b32 s3, s2, 6\n"
      "v_add_u32 v1, s3, v0\nv_lshlrev_b32 v1, 2, v1\nglobal_load_dword v2, v1, s[4:5]";
  std::vector<std::vector<Finding>> found;
  for (const int threads : {1, 4}) {
    CheckedKernel kernel("memory", "gfx942", text);
    ASSERT_TRUE(kernel.launch(16, 64, {address(kernel.allocate(64 * 10 + 1))}, threads));
    found.push_back(kernel.findings());
  }
  ASSERT_EQ(found[0].size(), 1u);
  EXPECT_EQ(found[0][0].parties[0].workgroup, (Extent3{10, 0, 0}));
  EXPECT_EQ(found[0][0].count, 6u);
  EXPECT_EQ(found[0], found[1]);
}

TEST(MemoryChecker, FreesThatAreRefusedAreFoundAndLeaksAreHints) {
  Session session({Topic::Memory});
  const uint64_t gone = freed(session, 100);
  const auto refuse = [&](uint64_t pointer) {
    session.tell([&](Checker& checker) {
      checker.release_refused("hipFree", pointer,
                              Error{ErrorKind::BadInput, "a pointer is freed that is none"});
    });
  };
  refuse(gone);
  refuse(gone + 4096);
  {
    const HostCallScope call("hipMalloc", nullptr);
    for (uint64_t i = 0; i < 3; ++i)
      session.tell([&](Checker& checker) { checker.allocated(0x10000 * (i + 1), 1000); });
  }
  session.tell([](Checker& checker) { checker.ends(); });
  const auto found = session.findings().all();
  ASSERT_EQ(found.size(), 3u);
  EXPECT_EQ(found[0].rule, "double-free");
  EXPECT_EQ(found[0].what, "100 bytes are freed twice");
  EXPECT_EQ(found[1].rule, "invalid-free");
  EXPECT_EQ(found[2].rule, "leak");
  EXPECT_EQ(found[2].what, "1000 bytes are never freed");
  EXPECT_EQ(found[2].severity, Severity::Hint);
  EXPECT_EQ(found[2].count, 3u);
}

TEST(MemoryChecker, ScalarLoadsMayRoundUpWithinTheirAlignment) {
  CheckedKernel kernel("memory", "gfx942",
                       "s_load_dwordx2 s[4:5], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                       "s_load_dword s8, s[4:5], 0x0\ns_load_dwordx4 s[8:11], s[4:5], 0x0");
  void* const at = memory().allocate(13).value();
  ASSERT_TRUE(kernel.launch(1, 64, {address(at)}));
  EXPECT_EQ(kernel.rules(), std::vector<std::string>{});
}

}  // namespace
}  // namespace wavesmith::check
