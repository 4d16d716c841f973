#include "emulate/memory/memory.h"

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstring>
#include <random>

#include "base/test_effort.h"

namespace wavesmith::emulate {
namespace {

class MemoryTest : public testing::Test {
 protected:
  void SetUp() override {
    auto made = Memory::create(uint64_t{16} << 30);  // half of the least range of addresses
    ASSERT_TRUE(made);
    memory.reset(*made);
  }
  std::byte* allocate(size_t bytes) {
    const auto at = memory->allocate(bytes);
    return at ? static_cast<std::byte*>(*at) : nullptr;
  }
  std::unique_ptr<Memory> memory;
};

TEST_F(MemoryTest, AllocationsAreAlignedWritableAndApart) {
  std::vector<std::pair<std::byte*, size_t>> all;
  for (const size_t bytes : {size_t{1}, size_t{255}, size_t{4096}, size_t{4097}, size_t{3} << 20}) {
    std::byte* const at = allocate(bytes);
    ASSERT_NE(at, nullptr);
    EXPECT_EQ(reinterpret_cast<uint64_t>(at) % 256, 0u);
    std::memset(at, static_cast<int>(bytes), bytes);
    all.emplace_back(at, bytes);
  }
  for (const auto& [at, bytes] : all) {
    const auto found = memory->find(at + bytes - 1);
    ASSERT_TRUE(found);
    EXPECT_EQ(found->address, reinterpret_cast<uint64_t>(at));
    EXPECT_FALSE(memory->find(at + bytes));
    EXPECT_EQ(at[bytes - 1], static_cast<std::byte>(bytes));
  }
}

TEST_F(MemoryTest, WithoutGuardsWhatLiesBehindAnAllocationIsNobodys) {
  memory->guard_allocations(false);
  std::vector<std::byte*> all;
  for (const size_t bytes : {size_t{5000}, size_t{100}, size_t{3} << 20, size_t{4096}}) {
    std::byte* const at = allocate(bytes);
    ASSERT_NE(at, nullptr);
    std::memset(at, 1, bytes);
    all.push_back(at);
  }
  std::memset(all[0] + 5000, 2, 60'000);
  std::memset(all[2] + (size_t{3} << 20), 2, size_t{1} << 20);
  EXPECT_EQ(all[1][0], std::byte{1});
  EXPECT_EQ(all[3][4095], std::byte{1});
  EXPECT_FALSE(memory->find(all[0] + 5000));
  for (std::byte* const at : all) EXPECT_TRUE(memory->release(at));
}

TEST_F(MemoryTest, CapacityIsEnforcedAndComesBack) {
  std::byte* const most = allocate(uint64_t{12} << 30);  // nothing is committed
  ASSERT_NE(most, nullptr);
  const auto more = memory->allocate(uint64_t{5} << 30);
  ASSERT_FALSE(more);
  EXPECT_EQ(more.error().kind, ErrorKind::OutOfMemory);
  EXPECT_EQ(memory->used(), uint64_t{12} << 30);
  ASSERT_TRUE(memory->release(most));
  EXPECT_EQ(memory->used(), 0u);
  EXPECT_NE(allocate(uint64_t{5} << 30), nullptr);
}

TEST_F(MemoryTest, ManySmallAllocationsFitTheHostsLimits) {
  std::mt19937 random(3);
  std::vector<std::byte*> all;
  for (int i = 0; i < 100'000; ++i) {
    std::byte* const at = allocate(1 + random() % 3000);
    ASSERT_NE(at, nullptr) << i;
    *at = static_cast<std::byte>(i);
    all.push_back(at);
  }
  std::vector<std::byte*> sorted = all;
  std::sort(sorted.begin(), sorted.end());
  EXPECT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end());
  for (size_t i = 0; i < all.size(); ++i) {
    EXPECT_EQ(*all[i], static_cast<std::byte>(i));
    ASSERT_TRUE(memory->release(all[i]));
  }
  EXPECT_EQ(memory->used(), 0u);
}

TEST_F(MemoryTest, AddressesAreUsedAgain) {
  for (int i = 0; i < effort(2000); ++i) {  // 16 TiB in all
    std::byte* const at = allocate(uint64_t{8} << 30);
    ASSERT_NE(at, nullptr) << i;
    ASSERT_TRUE(memory->release(at));
  }
}

TEST_F(MemoryTest, InQuarantineAddressesAreNotSoonUsedAgain) {
  memory->quarantine(true);
  std::byte* const first = allocate(5000);
  ASSERT_TRUE(memory->release(first));
  EXPECT_EQ(memory->used(), 0u);
  for (int i = 0; i < 1000; ++i) {
    std::byte* const at = allocate(5000);
    ASSERT_NE(at, first);
    ASSERT_TRUE(memory->release(at));
  }
  EXPECT_EQ(memory->place_of(reinterpret_cast<uint64_t>(first) + 4999).kind, Place::Kind::Freed);
  for (int i = 0; i < effort(2000); ++i) {  // 16 TiB in all
    std::byte* const at = allocate(uint64_t{8} << 30);
    ASSERT_NE(at, nullptr) << i;
    ASSERT_TRUE(memory->release(at));
  }
}

TEST_F(MemoryTest, AnOwnerMayHandOnAPart) {
  std::byte* const at = allocate(512);
  const auto where = reinterpret_cast<uint64_t>(at);
  memory->hand_on(at, 300);
  EXPECT_EQ(memory->find(at)->bytes, 300u);
  EXPECT_EQ(memory->place_of(where + 301).kind, Place::Kind::Past);
  memory->hand_on(at, 0);
  EXPECT_FALSE(memory->find(at));
  EXPECT_EQ(memory->place_of(where + 100).kind, Place::Kind::Freed);
  memory->hand_on(at, 400);
  EXPECT_EQ(memory->place_of(where + 100).kind, Place::Kind::Held);
  EXPECT_EQ(memory->used(), 512u);
  ASSERT_TRUE(memory->release(at));
  EXPECT_EQ(memory->used(), 0u);
}

TEST_F(MemoryTest, ForeignAndDoubleFreesAreErrors) {
  int local = 0;
  EXPECT_EQ(memory->release(&local).error().kind, ErrorKind::BadInput);
  std::byte* const at = allocate(100);
  EXPECT_EQ(memory->release(at + 16).error().kind, ErrorKind::BadInput);
  EXPECT_TRUE(memory->release(at));
  EXPECT_EQ(memory->release(at).error().kind, ErrorKind::BadInput);
  EXPECT_EQ(memory->release(nullptr).error().kind, ErrorKind::BadInput);
}

TEST_F(MemoryTest, DescribesAddresses) {
  std::byte* const at = allocate(4096);
  const auto where = reinterpret_cast<uint64_t>(at);
  EXPECT_NE(memory->describe(where + 4112).find("16 bytes past the end of the 4096-byte allocation"),
            std::string::npos);
  EXPECT_NE(memory->describe(where - 8).find("8 bytes before"), std::string::npos);
  EXPECT_EQ(memory->describe(0), "a null pointer");
  ASSERT_TRUE(memory->release(at));
  EXPECT_NE(memory->describe(where + 5).find("which was freed"), std::string::npos);
}

TEST_F(MemoryTest, WhatLivesInFreedMemoryNowIsTheNearest) {
  std::byte* const large = allocate(8 << 20);
  ASSERT_TRUE(memory->release(large));
  std::byte* const small = allocate(100);
  ASSERT_TRUE(small >= large && small < large + (8 << 20)) << "addresses are not used again";
  const std::string said = memory->describe(reinterpret_cast<uint64_t>(small) + 104);
  EXPECT_NE(said.find("4 bytes past the end of the 100-byte allocation"), std::string::npos) << said;
}

TEST_F(MemoryTest, RegisteredHostMemoryIsVisible) {
  std::vector<std::byte> host(10000);
  const auto at = reinterpret_cast<uint64_t>(host.data());
  EXPECT_FALSE(memory->visible(at, 4));
  ASSERT_TRUE(memory->register_host(host.data(), host.size()));
  EXPECT_TRUE(memory->visible(at + 9996, 4));
  EXPECT_FALSE(memory->visible(at + 9997, 4));
  EXPECT_FALSE(memory->register_host(host.data() + 5000, 10));
  ASSERT_TRUE(memory->unregister_host(host.data()));
  EXPECT_FALSE(memory->visible(at, 4));
  memory->show_host(true);
  EXPECT_TRUE(memory->visible(at, 4));
}

TEST_F(MemoryTest, ReservedRangesShowMappedPages) {
  auto range = memory->reserve(64 << 10, 2 << 20);
  ASSERT_TRUE(range);
  auto* const at = static_cast<std::byte*>(*range);
  EXPECT_EQ(reinterpret_cast<uint64_t>(at) % (2 << 20), 0u);
  const auto pages = SharedPages::create(8192);
  ASSERT_TRUE(pages);
  ASSERT_TRUE(memory->map(at, 8192, *pages, 0));
  ASSERT_TRUE(memory->map(at + 16384, 4096, *pages, 4096));  // the second page, once more
  ASSERT_TRUE(memory->protect(at, 20480, Protection::ReadWrite));
  at[4096] = std::byte{7};
  EXPECT_EQ(at[16384], std::byte{7});
  EXPECT_FALSE(memory->map(at + (60 << 10), 8192, *pages, 0));
  EXPECT_FALSE(memory->map(at, 16384, *pages, 0));
  ASSERT_TRUE(memory->unmap(at, 8192));
  EXPECT_FALSE(memory->release(at));
  ASSERT_TRUE(memory->unreserve(at));
}

TEST_F(MemoryTest, AnAllocationCanBeSharedAndAttached) {
  std::byte* const at = allocate(5000);
  at[4999] = std::byte{42};
  const auto pages = memory->share(at);
  ASSERT_TRUE(pages);
  const auto opened = SharedPages::open(getpid(), (*pages)->file(), (*pages)->serial(), 8192);
  ASSERT_TRUE(opened) << opened.error().text();
  const auto elsewhere = memory->attach(*opened);
  ASSERT_TRUE(elsewhere);
  auto* const other = static_cast<std::byte*>(*elsewhere);
  EXPECT_EQ(other[4999], std::byte{42});
  other[0] = std::byte{1};
  EXPECT_EQ(at[0], std::byte{1});
  EXPECT_TRUE(memory->release(other));
  EXPECT_TRUE(memory->release(at));
  EXPECT_FALSE(SharedPages::open(getpid(), 9999, (*pages)->serial(), 4096));
}

TEST_F(MemoryTest, OfASharedAllocationOnlyWhatWasWrittenTakesMemory) {
  constexpr size_t kBytes = 64 << 20;
  std::byte* const at = allocate(kBytes);
  at[kBytes - 1] = std::byte{42};
  const auto pages = memory->share(at);
  ASSERT_TRUE(pages);
  EXPECT_EQ(at[0], std::byte{0});
  EXPECT_EQ(at[kBytes - 1], std::byte{42});
  struct stat file{};
  ASSERT_EQ(fstat((*pages)->file(), &file), 0);
  EXPECT_LT(file.st_blocks * 512, 8 << 20);
  EXPECT_TRUE(memory->release(at));
}

TEST_F(MemoryTest, SharedPagesThatAreGoneAreNotMistakenForThoseThatTookTheirPlace) {
  auto first = SharedPages::create(4096);
  ASSERT_TRUE(first);
  const int file = (*first)->file();
  const uint64_t serial = (*first)->serial();
  first->reset();
  const auto second = SharedPages::create(4096);
  ASSERT_TRUE(second);
  ASSERT_EQ((*second)->file(), file);  // the system gives the lowest number that is free
  const auto opened = SharedPages::open(getpid(), file, serial, 4096);
  ASSERT_FALSE(opened);
  EXPECT_EQ(opened.error().kind, ErrorKind::NotFound);
  EXPECT_TRUE(SharedPages::open(getpid(), file, (*second)->serial(), 4096));
  EXPECT_FALSE(SharedPages::open(getpid(), file, (*second)->serial(), 8192));
}

}  // namespace
}  // namespace wavesmith::emulate
