#include "check/race/global_shadow.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace wavesmith::check {
namespace {

/// Accesses of each byte, kept plainly.
class Plain {
 public:
  void add(uint64_t address, uint64_t bytes, GlobalKind kind, uint32_t accessor) {
    for (uint64_t i = address; i < address + bytes; ++i) bytes_[i][static_cast<size_t>(kind)].add(accessor);
  }
  [[nodiscard]] const std::map<uint64_t, std::array<Accessors, kGlobalKinds>>& bytes() const {
    return bytes_;
  }

 private:
  std::map<uint64_t, std::array<Accessors, kGlobalKinds>> bytes_;
};

bool is_written(const std::array<Accessors, kGlobalKinds>& kinds) {
  return kinds[static_cast<size_t>(GlobalKind::Write)].any() ||
         kinds[static_cast<size_t>(GlobalKind::Atomic)].any();
}

void expect_equal(const GlobalShadow& shadow, const Plain& plain) {
  std::map<uint64_t, std::array<Accessors, kGlobalKinds>> seen;
  shadow.for_each_written([&](const GlobalShadow::CellView& cell) {
    for (uint32_t i = 0; i < cell.bytes; ++i) seen[cell.address + i] = cell.kinds;
  });
  for (const auto& [address, kinds] : plain.bytes()) {
    const auto found = seen.find(address);
    ASSERT_EQ(found != seen.end(), is_written(kinds)) << std::hex << address;
    if (found != seen.end()) EXPECT_EQ(found->second, kinds) << std::hex << address;
  }
  for (const auto& [address, kinds] : seen)
    ASSERT_TRUE(plain.bytes().contains(address)) << std::hex << address;
}

/// Lanes read every other 16 bytes, or rows that overlap; then a few places are written.
TEST(GlobalShadow, KeepsWhoAccessedEachByte) {
  const unsigned seed = std::random_device()();
  std::mt19937 random(seed);
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  const auto below = [&](uint32_t limit) { return static_cast<uint32_t>(random() % limit); };
  for (int round = 0; round < 200; ++round) {
    GlobalShadow shadow;
    Plain plain;
    const uint64_t base = 0x7f0000000000 + below(4) * uint64_t{64};
    const uint32_t unit = round % 4 == 3 ? 4 : 16;  // now and then smaller than a piece
    const auto add = [&](uint64_t address, uint64_t bytes, GlobalKind kind, uint32_t accessor) {
      GlobalShadow::Adder(shadow).add(address, bytes, kind, accessor, nullptr);
      plain.add(address, bytes, kind, accessor);
    };
    for (uint32_t access = 0, count = 1 + below(12); access < count; ++access) {
      const uint32_t accessor = below(6), width = unit * (1 + below(4)), stride = width * (1 + below(3));
      const uint64_t begin = base + unit * below(400);
      if (below(2) && stride > width) {
        GlobalShadow::Adder(shadow).add_reads({.begin = begin, .bytes = width, .stride = stride, .count = 64},
                                              accessor);
        for (uint32_t lane = 0; lane < 64; ++lane)
          plain.add(begin + lane * uint64_t{stride}, width, GlobalKind::Read, accessor);
        continue;
      }
      for (uint32_t lane = 0; lane < 64; ++lane)
        add(begin + lane * uint64_t{stride}, width, GlobalKind::Read, accessor);
    }
    for (uint32_t write = 0, count = below(5); write < count; ++write)
      add(base + below(9000), 1 + below(40), below(2) ? GlobalKind::Write : GlobalKind::Atomic, below(6));
    for (uint32_t read = 0; read < 3; ++read)
      add(base + unit * below(400), unit * (1 + below(64)),
          below(2) ? GlobalKind::Read : GlobalKind::CoherentRead, below(6));
    ASSERT_NO_FATAL_FAILURE(expect_equal(shadow, plain));
  }
}

}  // namespace
}  // namespace wavesmith::check
