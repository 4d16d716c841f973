#include "emulate/run/events.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "emulate/instructions/testing.h"
#include "emulate/run/listeners.h"

namespace wavesmith::emulate {
namespace {

/// What one workgroup did, as text and as accesses.
struct Record {
  uint32_t id = 0;
  std::vector<std::string> events;  ///< "w0 begins", "w0 v_add_u32 ...", "w0 load lds", "barrier", ...
  std::vector<MemoryAccess> accesses;
  std::vector<WaitCounters> waits;
  uint64_t instructions = 0;
};

const char* name_of(AddressSpace space) {
  return space == AddressSpace::Global ? "global" : space == AddressSpace::Lds ? "lds" : "private";
}
const char* name_of(isa::Direction direction) {
  return direction == isa::Direction::Load ? "load" : direction == isa::Direction::Store ? "store" : "atomic";
}

class Recorder : public Listener {
 public:
  /// Listens to every `stride`-th workgroup, to all that it does or to its accesses alone.
  explicit Recorder(uint32_t stride = 1, bool instructions = true)
      : stride_(stride), instructions_(instructions) {}
  [[nodiscard]] bool hears_instructions() const override { return instructions_; }
  std::map<uint32_t, Record> records;

  std::unique_ptr<WorkgroupListener> workgroup(const WorkgroupView& view) override {
    if (view.id[0] % stride_) return nullptr;
    const std::scoped_lock lock(mutex_);
    Record& record = records[view.id[0]];
    record.id = view.id[0];
    return std::make_unique<One>(record);
  }

 private:
  struct One : WorkgroupListener {
    explicit One(Record& record) : record(record) {}
    void tell(const WaveView& wave, const std::string& what) {
      record.events.push_back(fmt::format("w{} {}", wave.index(), what));
    }
    void wave_begins(const WaveView& wave) override { tell(wave, "begins"); }
    void wave_ends(const WaveView& wave) override { tell(wave, "ends"); }
    void instruction(const WaveView& wave, const Site& site) override {
      ++record.instructions;
      tell(wave, site.instruction.mnemonic);
      if (site.wait.waits()) record.waits.push_back(site.wait);
    }
    void access(const WaveView& wave, const Site&, const MemoryAccess& access) override {
      tell(wave, fmt::format("{} {}", name_of(access.direction), name_of(access.space)));
      record.accesses.push_back(access);
    }
    void refused(const WaveView& wave, const Site&, const MemoryAccess& access) override {
      tell(wave, fmt::format("refused {}", name_of(access.space)));
      record.accesses.push_back(access);
    }
    void barrier_completes() override { record.events.emplace_back("barrier"); }
    void ends() override { record.events.emplace_back("ends"); }
    Record& record;
  };
  uint32_t stride_;
  bool instructions_;
  std::mutex mutex_;
};

/// The record of one workgroup of 64 that runs `assembly`, with pointers in s[4:5] and s[6:7].
Record record_of(std::string_view assembly, uint32_t lds = 0, uint64_t first = 0, uint64_t second = 0,
                 std::string_view target = "gfx942") {
  const std::string load = target.starts_with("gfx9")
                               ? "s_load_dwordx4 s[4:7], s[0:1], 0x0\ns_waitcnt lgkmcnt(0)\n"
                               : "s_load_b128 s[4:7], s[0:1], 0x0\ns_wait_kmcnt 0x0\n";
  KernelTest test(target, load + std::string(assembly), 64, lds);
  Recorder recorder;
  test.listeners = {&recorder};
  const auto done = test.launch(1, 64, {first, second});
  EXPECT_TRUE(done) << done.error().text();
  return recorder.records.at(0);
}

TEST(Events, TellEveryInstructionInOrder) {
  const Record record = record_of(
      "v_mov_b32 v1, 1\ns_movk_i32 s8, 2\nloop:\nv_add_u32 v1, v1, v1\n"
      "s_sub_u32 s8, s8, 1\ns_cmp_lg_u32 s8, 0\ns_cbranch_scc1 loop");
  EXPECT_EQ(record.events, (std::vector<std::string>{
                               "w0 begins", "w0 s_load_dwordx4", "w0 load global", "w0 s_waitcnt",
                               "w0 v_mov_b32", "w0 s_movk_i32", "w0 v_add_u32", "w0 s_sub_u32",
                               "w0 s_cmp_lg_u32", "w0 s_cbranch_scc1", "w0 v_add_u32", "w0 s_sub_u32",
                               "w0 s_cmp_lg_u32", "w0 s_cbranch_scc1", "w0 s_endpgm", "w0 ends", "ends"}));
  ASSERT_EQ(record.waits.size(), 1u);
  EXPECT_EQ(record.waits[0], (WaitCounters{.lgkm = 0}));
  ASSERT_EQ(record.accesses.size(), 1u);
  EXPECT_TRUE(record.accesses[0].scalar);
  EXPECT_EQ(record.accesses[0].bytes, 16u);
}

TEST(Events, GlobalAccessesHaveTheirLanesAddresses) {
  KernelTest memory("gfx942", "s_nop 0");
  const auto buffer = reinterpret_cast<uint64_t>(memory.allocate(64 * 64));
  struct Case {
    const char* assembly;
    isa::Direction direction;
    uint32_t bytes;
    uint64_t lanes, start, step;
  };
  const uint64_t all = ~uint64_t{0};
  const Case cases[] = {
      {"v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[4:5] offset:8", isa::Direction::Load, 4, all,
       buffer + 8, 4},
      {"v_lshlrev_b32 v1, 6, v0\nglobal_load_dwordx4 v[4:7], v1, s[4:5]", isa::Direction::Load, 16, all,
       buffer, 64},
      {"v_mov_b32 v1, 0\nglobal_store_short v1, v2, s[4:5]", isa::Direction::Store, 2, all, buffer, 0},
      {"v_lshlrev_b32 v1, 3, v0\ns_mov_b64 exec, 0xff00\nglobal_atomic_add v1, v2, s[4:5]",
       isa::Direction::Atomic, 4, 0xff00, buffer, 8},
      {"v_mov_b32 v1, s5\nv_lshl_add_u32 v0, v0, 5, s4\nflat_load_dwordx2 v[2:3], v[0:1]",
       isa::Direction::Load, 8, all, buffer, 32},
      {"s_mov_b32 s10, 256\ns_mov_b32 s11, 0x20000\ns_mov_b64 s[8:9], s[4:5]\nv_lshlrev_b32 v1, 3, v0\n"
       "buffer_load_dword v2, v1, s[8:11], 0 offen",
       isa::Direction::Load, 4, 0xffffffff, buffer, 8},
  };
  for (const Case& each : cases) {
    const Record record = record_of(each.assembly, 0, buffer);
    ASSERT_EQ(record.accesses.size(), 2u) << each.assembly;
    const MemoryAccess& access = record.accesses[1];
    EXPECT_EQ(access.space, AddressSpace::Global) << each.assembly;
    EXPECT_EQ(access.direction, each.direction) << each.assembly;
    EXPECT_EQ(access.bytes, each.bytes) << each.assembly;
    EXPECT_EQ(access.lanes, each.lanes) << each.assembly;
    EXPECT_FALSE(access.scalar);
    for (uint64_t lane = 0; lane < 64; ++lane)
      if (each.lanes >> lane & 1)
        ASSERT_EQ(access.address[lane], each.start + lane * each.step) << each.assembly << " lane " << lane;
  }
  // The buffer has 256 bytes: the upper half of the lanes is out of its range.
  EXPECT_EQ(record_of(cases[5].assembly, 0, buffer).accesses[1].dropped, 0xffffffff'00000000u);
}

TEST(Events, LdsAccessesAreOffsets) {
  const Record record = record_of(
      "v_lshlrev_b32 v1, 2, v0\nds_write_b32 v1, v0 offset:16\n"
      "ds_read2_b32 v[2:3], v1 offset0:2 offset1:9\n"
      "s_mov_b32 m0, 8\nds_append v4 offset:4\nds_add_u32 v1, v0",
      1024);
  ASSERT_EQ(record.accesses.size(), 6u);
  const auto expect = [&](size_t i, isa::Direction direction, uint64_t start, uint64_t step) {
    const MemoryAccess& access = record.accesses[i];
    EXPECT_EQ(access.space, AddressSpace::Lds) << i;
    EXPECT_EQ(access.direction, direction) << i;
    EXPECT_EQ(access.bytes, 4u) << i;
    for (uint64_t lane = 0; lane < (access.scalar ? 1 : 64); ++lane)
      ASSERT_EQ(access.address[lane], start + step * lane) << i;
  };
  expect(1, isa::Direction::Store, 16, 4);
  expect(2, isa::Direction::Load, 8, 4);
  expect(3, isa::Direction::Load, 36, 4);
  expect(4, isa::Direction::Atomic, 12, 0);
  EXPECT_TRUE(record.accesses[4].scalar);
  expect(5, isa::Direction::Atomic, 0, 4);
}

TEST(Events, LoadsToLdsAreALoadAndAStore) {
  KernelTest memory("gfx942", "s_nop 0");
  const auto buffer = reinterpret_cast<uint64_t>(memory.allocate(64));
  const Record record = record_of(
      "s_mov_b32 m0, 32\nv_lshlrev_b32 v1, 2, v0\n"
      "global_load_lds_dword v1, s[4:5]",
      1024, buffer);
  ASSERT_EQ(record.accesses.size(), 3u);
  EXPECT_EQ(record.accesses[1].space, AddressSpace::Global);
  EXPECT_EQ(record.accesses[1].direction, isa::Direction::Load);
  EXPECT_EQ(record.accesses[1].address[3], buffer + 12);
  EXPECT_EQ(record.accesses[2].space, AddressSpace::Lds);
  EXPECT_EQ(record.accesses[2].direction, isa::Direction::Store);
  EXPECT_EQ(record.accesses[2].address[3], 32u + 12);
}

TEST(Events, TransposedReadsAreLoadsOfLds) {
  const Record record =
      record_of("v_lshlrev_b32 v1, 3, v0\nds_read_b64_tr_b16 v[2:3], v1 offset:64", 1024, 0, 0, "gfx950");
  ASSERT_EQ(record.accesses.size(), 2u);
  EXPECT_EQ(record.accesses[1].space, AddressSpace::Lds);
  EXPECT_EQ(record.accesses[1].bytes, 8u);
  EXPECT_EQ(record.accesses[1].address[5], 64u + 40);
}

TEST(Events, FlatAddressesAreToldBySpace) {
  KernelTest memory("gfx942", "s_nop 0");
  const auto buffer = reinterpret_cast<uint64_t>(memory.allocate(64));
  // Even lanes address memory, odd ones LDS.
  const Record record = record_of(
      "s_mov_b64 s[8:9], src_shared_base\nv_lshl_add_u32 v2, v0, 2, s4\nv_mov_b32 v3, s5\n"
      "s_mov_b32 exec_lo, 0xaaaaaaaa\ns_mov_b32 exec_hi, 0xaaaaaaaa\n"
      "v_lshlrev_b32 v2, 2, v0\nv_mov_b32 v3, s9\ns_mov_b64 exec, -1\nflat_load_dword v4, v[2:3]",
      1024, buffer);
  ASSERT_EQ(record.accesses.size(), 3u);
  const uint64_t odd = 0xaaaaaaaa'aaaaaaaau;
  EXPECT_EQ(record.accesses[1].space, AddressSpace::Lds);
  EXPECT_EQ(record.accesses[1].lanes, odd);
  EXPECT_EQ(record.accesses[1].address[7], 28u);
  EXPECT_EQ(record.accesses[2].space, AddressSpace::Global);
  EXPECT_EQ(record.accesses[2].lanes, ~odd);
  EXPECT_EQ(record.accesses[2].address[8], buffer + 32);
}

TEST(Events, BarriersCompleteWhenAllHaveArrived) {
  struct Case {
    const char* target;
    const char* assembly;
  };
  for (const Case& each : {Case{"gfx942", "s_barrier\nv_mov_b32 v1, 0"},
                           Case{"gfx1201", "s_barrier_signal -1\ns_barrier_wait 0xffff\nv_mov_b32 v1, 0"}}) {
    KernelTest test(each.target, each.assembly);
    Recorder recorder;
    test.listeners = {&recorder};
    ASSERT_TRUE(test.launch(1, 192, {}));
    const std::vector<std::string>& events = recorder.records.at(0).events;
    const auto barrier = std::find(events.begin(), events.end(), "barrier");
    ASSERT_NE(barrier, events.end()) << each.target;
    EXPECT_EQ(std::count(events.begin(), events.end(), "barrier"), 1) << each.target;
    const bool split = each.target == std::string_view("gfx1201");
    const std::string arrival = split ? "s_barrier_signal" : "s_barrier";
    for (int wave = 0; wave < 3; ++wave) {
      EXPECT_EQ(std::count(events.begin(), barrier, fmt::format("w{} {}", wave, arrival)), 1);
      EXPECT_EQ(std::count(barrier, events.end(), fmt::format("w{} v_mov_b32", wave)), 1);
    }
  }
}

// Work-items add up what they load; every second workgroup is heard.
constexpr std::string_view kSum = R"(
  s_load_dwordx4 s[4:7], s[0:1], 0x0
  s_lshl_b32 s3, s2, 7
  v_add_u32 v1, s3, v0
  v_lshlrev_b32 v2, 2, v1
  s_waitcnt lgkmcnt(0)
  global_load_dword v3, v2, s[4:5]
  v_lshlrev_b32 v4, 2, v0
  s_waitcnt vmcnt(0)
  ds_write_b32 v4, v3
  s_barrier
  v_xor_b32 v4, 4, v4
  ds_read_b32 v5, v4
  s_waitcnt lgkmcnt(0)
  v_add_u32 v5, v5, v3
  global_store_dword v2, v5, s[6:7]
)";

TEST(Events, ListeningChangesNoResultAndNoCount) {
  constexpr uint32_t kGroups = 100, kItems = kGroups * 128;
  for (const uint32_t stride : {0u, 1u, 2u}) {
    KernelTest test("gfx942", kSum, 64, 1024);
    uint32_t* const in = test.allocate(kItems);
    uint32_t* const out = test.allocate(kItems);
    for (uint32_t i = 0; i < kItems; ++i) in[i] = i * 2654435761u;
    Recorder recorder(stride);
    if (stride) test.listeners = {&recorder};
    Limits limits;
    limits.threads = 3;
    const auto done =
        test.launch(kGroups, 128, {reinterpret_cast<uint64_t>(in), reinterpret_cast<uint64_t>(out)}, limits);
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->instructions, kGroups * 2u * 16);
    for (uint32_t i = 0; i < kItems; ++i) ASSERT_EQ(out[i], in[i] + in[i ^ 1]) << i;
    EXPECT_EQ(recorder.records.size(), stride ? kGroups / stride : 0u);
    for (const auto& [id, record] : recorder.records) {
      EXPECT_EQ(record.id, id);
      EXPECT_EQ(record.instructions, 2u * 16);
      EXPECT_EQ(record.accesses.size(), 2u * 5);
      EXPECT_EQ(record.events.back(), "ends");
    }
  }
}

TEST(Events, SeveralListenersHearTheSameDispatch) {
  constexpr uint32_t kGroups = 6;
  KernelTest test("gfx942", kSum, 64, 1024);
  const auto in = reinterpret_cast<uint64_t>(test.allocate(kGroups * 128));
  const auto out = reinterpret_cast<uint64_t>(test.allocate(kGroups * 128));
  Limits limits;
  limits.threads = 1;  // so that waves take the same turns in each run
  const auto launch = [&](std::vector<Listener*> listeners) {
    test.listeners = std::move(listeners);
    const auto done = test.launch(kGroups, 128, {in, out}, limits);
    ASSERT_TRUE(done) << done.error().text();
  };
  Recorder alone, first, second, every_third(3);
  launch({&alone});
  launch({&first, &every_third, &second});
  ASSERT_EQ(alone.records.size(), kGroups);
  EXPECT_EQ(every_third.records.size(), kGroups / 3);
  for (const Recorder* const recorder : {&first, &every_third, &second})
    for (const auto& [id, record] : recorder->records) {
      EXPECT_EQ(record.events, alone.records.at(id).events) << id;
      EXPECT_EQ(record.accesses.size(), alone.records.at(id).accesses.size()) << id;
    }
  EXPECT_EQ(first.records.size(), kGroups);
  EXPECT_EQ(second.records.size(), kGroups);
}

/// A clock that stands, where it is known at all.
struct Clock final : WorkgroupListener {
  explicit Clock(std::optional<uint64_t> now) : now(now) {}
  std::optional<uint64_t> cycles(const WaveView&) override { return now; }
  std::optional<uint64_t> now;
};

TEST(Events, OfSeveralListenersTheFirstThatKnowsTheCycleTellsIt) {
  const auto wave = std::make_unique<Wave>();
  const auto cycles = [&](std::vector<std::optional<uint64_t>> clocks) -> std::optional<uint64_t> {
    std::vector<std::unique_ptr<WorkgroupListener>> listeners(1);  // one that does not listen
    for (const auto& now : clocks) listeners.push_back(std::make_unique<Clock>(now));
    const auto all = together(std::move(listeners));
    return all ? all->cycles(WaveView(*wave)) : std::nullopt;
  };
  EXPECT_EQ(cycles({}), std::nullopt);
  EXPECT_EQ(cycles({7}), 7u);
  EXPECT_EQ(cycles({std::nullopt, 5, 9}), 5u);
  EXPECT_EQ(cycles({std::nullopt, std::nullopt}), std::nullopt);
}

TEST(Events, AFaultIsFoundWhereItIs) {
  KernelTest test("gfx942", "v_mov_b32 v2, 0\nv_mov_b32 v3, 0\nglobal_load_dword v4, v[2:3], off");
  Recorder recorder;
  test.listeners = {&recorder};
  const auto done = test.launch(1, 64, {});
  ASSERT_FALSE(done);
  EXPECT_NE(done.error().where.find("global_load_dword"), std::string::npos) << done.error().text();
  const Record& record = recorder.records.at(0);
  EXPECT_EQ(record.events.back(), "w0 refused global");
  EXPECT_EQ(record.events[record.events.size() - 2], "w0 global_load_dword");
  EXPECT_EQ(record.accesses.back().lanes, ~uint64_t{0});
}

TEST(Events, WhoHearsNoInstructionsHearsTheSameAccesses) {
  constexpr uint32_t kGroups = 10;
  KernelTest test("gfx942", kSum, 64, 1024);
  const auto in = reinterpret_cast<uint64_t>(test.allocate(kGroups * 128));
  const auto out = reinterpret_cast<uint64_t>(test.allocate(kGroups * 128));
  const auto launch = [&](std::vector<Listener*> listeners) {
    test.listeners = std::move(listeners);
    const auto done = test.launch(kGroups, 128, {in, out}, Limits{.threads = 1});
    ASSERT_TRUE(done) << done.error().text();
    EXPECT_EQ(done->instructions, kGroups * 2u * 16);
  };
  Recorder all, accesses(1, false), beside(1, false);
  launch({&all});
  launch({&accesses});
  launch({&beside, &all});
  for (const auto& [id, record] : accesses.records) {
    EXPECT_EQ(record.instructions, 0u);
    EXPECT_EQ(record.accesses.size(), 2u * 5);
    EXPECT_EQ(std::ranges::count(record.events, "barrier"), 1);
    EXPECT_EQ(beside.records.at(id).instructions, 2u * 16) << "who listens beside it wants them";
  }
}

TEST(Events, AccessesSaySideBySideAndWhatTheHardwareIgnores) {
  KernelTest memory("gfx942", "s_nop 0");
  const auto buffer = reinterpret_cast<uint64_t>(memory.allocate(128));
  const Record record = record_of(
      "v_lshlrev_b32 v1, 2, v0\nglobal_load_dword v2, v1, s[4:5]\nv_lshlrev_b32 v1, 3, v0\n"
      "global_load_dword v2, v1, s[4:5]\ns_load_dword s8, s[4:5], 0x7",
      0, buffer);
  ASSERT_EQ(record.accesses.size(), 4u);
  EXPECT_TRUE(record.accesses[1].side_by_side);
  EXPECT_FALSE(record.accesses[2].side_by_side);
  EXPECT_EQ(record.accesses[3].address[0], buffer + 4);
  EXPECT_EQ(record.accesses[3].ignored, 3u);
}

TEST(Events, OfLdsDroppedLanesHaveTheirAddresses) {
  const Record record = record_of(
      "v_lshlrev_b32 v1, 3, v0\nds_read_b32 v2, v1\ns_mov_b64 s[8:9], src_shared_base\n"
      "v_mov_b32 v2, 0x104\nv_mov_b32 v3, s9\nflat_load_dword v4, v[2:3]",
      256);
  ASSERT_EQ(record.accesses.size(), 3u);
  EXPECT_EQ(record.accesses[1].dropped, ~uint64_t{0} << 32);
  EXPECT_EQ(record.accesses[1].address[33], 264u);
  EXPECT_EQ(record.accesses[2].space, AddressSpace::Lds);
  EXPECT_EQ(record.accesses[2].dropped, ~uint64_t{0});
  EXPECT_EQ(record.accesses[2].address[5], 0x104u);
}

}  // namespace
}  // namespace wavesmith::emulate
