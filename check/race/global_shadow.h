// Which workgroups of a launch touched which bytes of device memory.
//
// Workgroups run in any order and on several threads, so what is kept must not depend on it: of each cell and
// each kind of access the least and the greatest accessor, by workgroup and then by the order within it. Two
// workgroups have touched a cell if and only if these differ.
//
// Most memory is only read, in long runs: a page keeps these until it has too many, or is written.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <vector>

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

  /// `bytes` from `address` on. `data`: what is written there; nullptr: not known.
  void add(uint64_t address, uint64_t bytes, GlobalKind kind, uint32_t accessor, const uint8_t* data);

  /// A cell, of as many bytes as its accesses leave whole.
  struct CellView {
    uint64_t address;
    uint32_t bytes;
    std::array<Accessors, kGlobalKinds> kinds;
    bool equal_writes;  ///< all that was written there is the same
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
  /// A run of bytes of a page that are read alike.
  struct ReadRun {
    uint16_t from, to;
    Accessors read;
  };
  static constexpr size_t kRuns = 8;
  /// What was written, to tell whether it is the same all the time.
  struct Values {
    std::array<uint8_t, kPage> bytes;
    std::array<uint8_t, kPage> differs;  ///< by first byte of a cell
  };
  struct Page {
    uint64_t address = 0;
    std::atomic_flag busy;
    uint32_t shift = kCoarsest;
    bool written = false;
    uint8_t runs_used = 0;
    std::array<ReadRun, kRuns> runs;  ///< of a page without cells
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
  /// False: the page needs cells for it.
  static bool add_run(Page& page, uint16_t from, uint16_t to, uint32_t accessor);
  static void make_cells(Page& page, uint32_t shift);
  static void add_to(Page& page, uint32_t from, uint32_t to, GlobalKind kind, uint32_t accessor,
                     const uint8_t* data);
  static void note_value(Page& page, uint32_t first, uint32_t bytes, bool is_first, const uint8_t* data);
  template <class Told>
  static void visit(const Page& page, Told& told);

  std::atomic<Table<Branch>*> root_{nullptr};
  // Pages lie side by side, many to an allocation.
  static constexpr size_t kSlab = 1024;
  std::mutex mutex_;
  std::vector<std::unique_ptr<Page[]>> slabs_;
  size_t used_ = kSlab;  ///< of the last slab
};

template <class Told>
void GlobalShadow::visit(const Page& page, Told& told) {
  if (!page.written) return;
  for (size_t i = 0; i < page.cells.size(); ++i) {
    CellView view{.address = page.address + (i << page.shift),
                  .bytes = 1u << page.shift,
                  .kinds = {page.cells[i].write, page.cells[i].read},
                  .equal_writes = page.values && !page.values->differs[i << page.shift]};
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
