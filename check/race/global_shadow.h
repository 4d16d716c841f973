// Which workgroups of a launch touched which bytes of device memory.
//
// Workgroups run in any order and on several threads, so what is kept must not depend on it: of each cell and
// each kind of access the least and the greatest accessor, by workgroup and then by the order within it. Two
// workgroups have touched a cell if and only if these differ.
//
// Most memory is only read, by few in any piece of it: a page keeps a few sets of pieces that are read alike
// until these become too many, or it is written.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

#include "check/runs.h"

namespace wavesmith::check {

/// Kinds of accesses, in the order in which cells keep them.
enum class GlobalKind : uint8_t {
  Write,
  Read,
  Atomic,        ///< a coherent store too
  CoherentRead,  ///< as an atomic load is
};
inline constexpr int kGlobalKinds = 4;

/// Who accessed a cell in one way: two numbers of accessors, or none.
struct Accessors {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t last_and_1 = 0, not_first = 0;

  void add(uint32_t accessor) {
    if (accessor + 1 > last_and_1) last_and_1 = accessor + 1;
    if (~accessor > not_first) not_first = ~accessor;
  }
  [[nodiscard]] bool any() const { return last_and_1 != 0; }
  [[nodiscard]] uint32_t last() const { return last_and_1 - 1; }
  [[nodiscard]] uint32_t first() const { return ~not_first; }
  bool operator==(const Accessors&) const = default;
};

class GlobalShadow {
 public:
  GlobalShadow() = default;
  ~GlobalShadow();
  GlobalShadow(const GlobalShadow&) = delete;
  GlobalShadow& operator=(const GlobalShadow&) = delete;

  class Adder;

  /// A cell, of as many bytes as its accesses leave whole.
  struct CellView {
    uint64_t address;
    uint32_t bytes;
    std::array<Accessors, kGlobalKinds> kinds;
    bool equal_writes;  ///< all that was written there is the same
    /// Whether all accessors' numbers but for that many bits are the same.
    [[nodiscard]] bool of_one_workgroup(int bits) const {
      uint32_t last_and_1 = 0, not_first = 0;
      for (const Accessors& each : kinds) {
        last_and_1 = std::max(last_and_1, each.last_and_1);
        not_first = std::max(not_first, each.not_first);
      }
      return (last_and_1 - 1) >> bits == ~not_first >> bits;
    }
  };
  /// Calls with every cell that somebody wrote, by address, when all accesses have been added.
  template <class Told>
  void for_each_written(Told told) const;

 private:
  static constexpr uint64_t kPage = 4096;
  static constexpr uint32_t kCoarsest = 4;
  struct Cell {
    Accessors write, read;
  };
  struct AtomicCell {
    Accessors atomic, read;
  };
  /// Pieces of a page, of 16 bytes, that are read alike: a bit each.
  struct ReadAlike {
    std::array<uint64_t, (kPage >> kCoarsest) / 64> pieces{};
    Accessors read;
  };
  static constexpr size_t kAlike = 6;
  /// What was written, to tell whether it is the same all the time.
  struct Values {
    std::array<uint8_t, kPage> bytes;
    std::array<uint64_t, kPage / 64> differs;  ///< a bit by first byte of a cell
    [[nodiscard]] bool differ(uint64_t byte) const { return differs[byte / 64] >> byte % 64 & 1; }
    void set_differ(uint64_t byte) { differs[byte / 64] |= uint64_t{1} << byte % 64; }
  };
  struct Page {
    uint64_t address = 0;
    std::atomic_flag busy;
    uint32_t shift = kCoarsest;
    bool written = false;
    uint8_t alike_used = 0;
    std::array<ReadAlike, kAlike> alike;  ///< of a page without cells
    std::vector<Cell> cells;
    std::vector<AtomicCell> atomics;
    std::unique_ptr<Values> values;
  };
  static constexpr size_t kFanOut = 4096;
  template <class T>
  using Table = std::array<std::atomic<T*>, kFanOut>;
  using Leaf = Table<Page>;
  using Branch = Table<Leaf>;

  Page* page(uint64_t address);
  static void refine(Page& page, uint32_t shift);
  /// Pieces of one word of a page without cells. False: the page needs cells for it.
  static bool add_pieces(Page& page, uint32_t word, uint64_t pieces, uint32_t accessor);
  /// The same of a run, and of runs that lie in the page.
  static bool add_alike(Page& page, uint32_t from, uint32_t to, uint32_t accessor);
  static bool add_alike(Page& page, const Runs& runs, uint32_t accessor);
  /// The same of pieces of one word that are in no set.
  static bool put_alike(Page& page, uint32_t word, uint64_t pieces, const Accessors& read);
  static void make_cells(Page& page, uint32_t shift);
  static void add_to(Page& page, uint32_t from, uint32_t to, GlobalKind kind, uint32_t accessor,
                     const uint8_t* data);
  /// To cells of so many bytes.
  template <uint32_t kBytes>
  static void add_writes(Page& page, uint32_t begin, uint32_t end, uint32_t accessor, const uint8_t* data);
  template <class Told>
  static void visit(const Page& page, Told& told);

  std::atomic<Table<Branch>*> root_{nullptr};
  // Pages lie side by side, many to an allocation.
  static constexpr size_t kSlab = 1024;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Page[]>> slabs_;
  size_t used_ = kSlab;  ///< of the last slab
};

/// Adds accesses; it holds the page of the last one, since the next is often there too.
class GlobalShadow::Adder {
 public:
  explicit Adder(GlobalShadow& shadow) : shadow_(shadow) {}
  ~Adder() { let_go(); }
  Adder(const Adder&) = delete;
  Adder& operator=(const Adder&) = delete;

  /// `bytes` from `address` on. `data`: what is written there; nullptr: not known.
  void add(uint64_t address, uint64_t bytes, GlobalKind kind, uint32_t accessor, const uint8_t* data);
  void add_reads(Runs runs, uint32_t accessor);
  /// Calls with the last write so far, and the address, of each cell in the page of `address` that one
  /// workgroup alone has written. `bits`: of an accessor's number that count within its workgroup.
  template <class Told>
  void for_each_writer(uint64_t address, uint64_t bytes, int bits, Told told) {
    hold(address);
    if (!page_->written || page_->cells.empty()) return;
    const uint64_t end = std::min(kPage, address % kPage + bytes);
    for (uint64_t i = address % kPage >> page_->shift; i << page_->shift < end; ++i) {
      const Accessors& write = page_->cells[i].write;
      if (write.any() && write.first() >> bits == write.last() >> bits)
        told(write.last(), page_->address + (i << page_->shift));
    }
  }

 private:
  void hold(uint64_t address);
  void let_go() {
    if (page_) page_->busy.clear(std::memory_order_release);
    page_ = nullptr;
  }

  GlobalShadow& shadow_;
  Page* page_ = nullptr;
};

template <class Told>
void GlobalShadow::visit(const Page& page, Told& told) {
  if (!page.written) return;
  for (size_t i = 0; i < page.cells.size(); ++i) {
    CellView view{.address = page.address + (i << page.shift),
                  .bytes = 1u << page.shift,
                  .kinds = {page.cells[i].write, page.cells[i].read},
                  .equal_writes = page.values && !page.values->differ(i << page.shift)};
    if (!page.atomics.empty()) {
      view.kinds[2] = page.atomics[i].atomic;
      view.kinds[3] = page.atomics[i].read;
    }
    if (view.kinds[0].any() || view.kinds[2].any()) told(view);
  }
}

template <class Told>
void GlobalShadow::for_each_written(Told told) const {
  const Table<Branch>* const root = root_.load();
  if (!root) return;
  for (const auto& branch : *root)
    if (branch.load())
      for (const auto& leaf : *branch.load())
        if (leaf.load())
          for (const auto& page : *leaf.load())
            if (page.load()) visit(*page.load(), told);
}

}  // namespace wavesmith::check
