#include "kernels/certificates/notes_testing.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/certificates/code_key.h"
#include "kernels/library/device.h"

namespace wavesmith::kernels {
namespace {

using Kernels = std::vector<std::pair<std::string_view, std::string>>;

/// What this process saw of a kernel.
struct Seen {
  int results = 0;
  double largest = 0;
};

/// Written when the process ends, to a file of its first test.
class Notes {
 public:
  Notes() = default;
  Notes(const Notes&) = delete;
  Notes& operator=(const Notes&) = delete;
  ~Notes() {
    if (seen_.empty()) return;
    std::filesystem::create_directories(WAVESMITH_KERNELS_NOTES);
    const bool interleaved = std::getenv("WAVESMITH_INTERLEAVE") != nullptr;
    std::ofstream file(WAVESMITH_KERNELS_NOTES "/" + test_ + (interleaved ? ".interleaved" : "") + ".tsv");
    std::map<std::string_view, uint64_t> keys;
    for (const auto& [kernel, one] : seen_) {
      const auto& [target, name] = kernel;
      const auto [key, is_new] = keys.try_emplace(target);
      if (is_new) key->second = key_of(target);
      file << target << '\t' << key->second << '\t' << name << '\t' << one.results << '\t' << one.largest
           << '\t' << interleaved << '\n';
    }
  }
  void begin() { launched_.clear(), take_launched(); }
  void add(double largest) {
    if (test_.empty()) {
      const auto* const test = testing::UnitTest::GetInstance()->current_test_info();
      test_ = std::string(test->test_suite_name()) + "." + test->name();
      std::ranges::replace(test_, '/', '.');
    }
    // A kernel may have several results, which are compared one after the other.
    if (Kernels launched = take_launched(); !launched.empty()) launched_ = std::move(launched);
    for (const auto& kernel : launched_) {
      Seen& one = seen_[kernel];
      ++one.results;
      one.largest = std::max(one.largest, largest);
    }
  }

 private:
  static uint64_t key_of(std::string_view target) {
    std::ifstream file(WAVESMITH_KERNEL_CODE "/" + std::string(target) + ".co", std::ios::binary);
    return code_key(std::string((std::istreambuf_iterator<char>(file)), std::istreambuf_iterator<char>()));
  }

  std::string test_;
  Kernels launched_;
  std::map<Kernels::value_type, Seen> seen_;
};

Notes& notes() {
  static Notes all;
  return all;
}

}  // namespace

ErrorNote::~ErrorNote() { notes().add(largest_); }

void begin_notes() { notes().begin(); }

}  // namespace wavesmith::kernels
