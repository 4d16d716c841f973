// Which bytes of device memory nobody wrote, of the whole process.
//
// A bit for each byte, in pages of 4096 bytes that are made when a part of one differs from the rest. Kernels
// on several threads change it at once; that they write different bytes is the race checker's business.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>

#include "base/pages.h"

namespace wavesmith::check::init {

class GlobalShadow {
 public:
  GlobalShadow();
  GlobalShadow(const GlobalShadow&) = delete;
  GlobalShadow& operator=(const GlobalShadow&) = delete;

  void undefine(uint64_t address, uint64_t bytes) {
    used_.store(true, std::memory_order_relaxed);
    fill(address, bytes, true);
  }
  void define(uint64_t address, uint64_t bytes) {
    if (used()) fill(address, bytes, false);
  }
  /// Whether there ever was an undefined byte.
  [[nodiscard]] bool used() const { return used_.load(std::memory_order_relaxed); }
  /// Makes `to` as defined as `from`.
  void copy(uint64_t to, uint64_t from, uint64_t bytes);
  /// Whether any byte is undefined.
  [[nodiscard]] bool any(uint64_t address, uint64_t bytes) const;
  /// The undefined ones among at most 64 bytes, the first in bit 0.
  [[nodiscard]] uint64_t at(uint64_t address, uint32_t bytes) const;
  /// Sets them.
  void set(uint64_t address, uint32_t bytes, uint64_t undefined);

 private:
  static constexpr int kPageBits = 12, kTableBits = 18, kAddressBits = 48;
  static constexpr uint64_t kPage = uint64_t{1} << kPageBits;
  using Page = std::array<std::atomic<uint64_t>, kPage / 64>;
  using Entry = std::atomic<Page*>;

  /// nullptr: all of it is defined. Also for addresses that no memory has.
  [[nodiscard]] const Page* page(uint64_t address) const;
  /// A page of its own for the address, made if need be; nullptr: no memory has it.
  Page* own_page(uint64_t address);
  Entry* entry(uint64_t address, bool make);
  void fill(uint64_t address, uint64_t bytes, bool undefined);

  static constexpr uint64_t kTables = uint64_t{1} << (kAddressBits - kPageBits - kTableBits);
  Pages<std::atomic<Entry*>> tables_{kTables};  ///< made where a part of theirs is undefined
  std::mutex mutex_;
  std::deque<Pages<Entry>> made_tables_;
  std::deque<std::unique_ptr<Page>> made_pages_;
  std::atomic<bool> used_ = false;
  Page undefined_;  ///< stands for every page of which nothing is defined
};

}  // namespace wavesmith::check::init
