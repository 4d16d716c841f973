// A cache's tags: the least recently used line goes, whatever its address. (The vector L1 of CDNA3 behaves
// so: 32 KiB of lines at any stride stay in it, one line more and none does; atax and kmeans of
// validate/data/mi300a.) A line knows when its data arrive, so that a second access while the first is under
// way waits for it.
#pragma once

#include <cstdint>
#include <vector>

namespace wavesmith::timing {

class Cache {
 public:
  Cache(uint64_t bytes, uint32_t line);

  /// When the line's data are there, for the caller to change; the line is the most recent one from then on.
  /// nullptr: a miss.
  double* find(uint64_t line);
  /// Takes a line in.
  void insert(uint64_t line, double ready);
  /// One that is not there.
  void insert_new(uint64_t line, double ready);
  void evict(uint64_t line);

  [[nodiscard]] uint64_t lines() const { return most_; }

 private:
  static constexpr uint32_t kEnd = ~0u;
  struct Entry {
    uint64_t line;
    double ready;
    uint32_t newer, older;
    uint32_t next;  ///< of the same bucket
  };
  [[nodiscard]] uint32_t& bucket(uint64_t line);
  [[nodiscard]] uint32_t entry_of(uint64_t line);
  void unlink(uint32_t entry);
  void put_first(uint32_t entry);
  void make_newest(uint32_t entry);
  void leave_bucket(uint32_t entry);
  uint64_t most_;
  std::vector<Entry> entries_;
  std::vector<uint32_t> free_, buckets_;
  uint32_t newest_ = kEnd, oldest_ = kEnd;
};

}  // namespace wavesmith::timing
