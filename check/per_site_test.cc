#include "check/per_site.h"

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

namespace wavesmith::check {
namespace {

TEST(PerSite, EachSiteHasItsOwnUntilTheEnd) {
  const auto counted = std::make_shared<int>();
  {
    PerSite<std::shared_ptr<int>> all;
    std::vector<const std::shared_ptr<int>*> places;
    emulate::Site site;
    for (uint32_t number : {0u, 1u, 511u, 512u, 100000u}) {
      site.number = number;
      places.push_back(&all.of(site, [&] { return counted; }));
      EXPECT_EQ(&all.of(site, [&]() -> std::shared_ptr<int> { return nullptr; }), places.back());
    }
    EXPECT_EQ(counted.use_count(), 6);
    for (size_t i = 1; i < places.size(); ++i) EXPECT_NE(places[i], places[i - 1]);
  }
  EXPECT_EQ(counted.use_count(), 1);
}

TEST(PerSite, ThreadsSeeWhatOneOfThemHasMade) {
  PerSite<std::vector<uint32_t>> all;
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i)
    threads.emplace_back([&] {
      emulate::Site site;
      for (uint32_t number = 0; number < 2000; ++number) {
        site.number = number;
        const auto& made = all.of(site, [&] { return std::vector<uint32_t>(3, number); });
        wrong += made != std::vector<uint32_t>(3, number) || &made != &all.of(site, [&] { return made; });
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace wavesmith::check
