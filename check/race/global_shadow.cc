#include "check/race/global_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace wavesmith::check {
namespace {

/// What the place points to, made when there is nothing yet.
template <class T>
T* made_at(std::atomic<T*>& place) {
  if (T* const known = place.load(std::memory_order_acquire)) return known;
  auto made = std::make_unique<T>();
  T* expected = nullptr;
  if (place.compare_exchange_strong(expected, made.get())) return made.release();
  return expected;
}

}  // namespace

GlobalShadow::~GlobalShadow() {
  const Table<Branch>* const root = root_.load();
  if (!root) return;
  for (const auto& branch : *root) {
    if (!branch.load()) continue;
    for (const auto& leaf : *branch.load()) {
      if (!leaf.load()) continue;
      delete leaf.load();
    }
    delete branch.load();
  }
  delete root;
}

GlobalShadow::Page* GlobalShadow::page(uint64_t address) {
  const uint64_t number = address / kPage;
  Branch* const branch = made_at((*made_at(root_))[number / kFanOut / kFanOut % kFanOut]);
  Leaf* const leaf = made_at((*branch)[number / kFanOut % kFanOut]);
  std::atomic<Page*>& place = (*leaf)[number % kFanOut];
  if (Page* const known = place.load(std::memory_order_acquire)) return known;
  const std::scoped_lock lock(mutex_);
  if (Page* const known = place.load(std::memory_order_acquire)) return known;
  if (used_ == kSlab) {
    slabs_.push_back(std::make_unique<Page[]>(kSlab));
    used_ = 0;
  }
  Page* const made = &slabs_.back()[used_++];
  made->address = number * kPage;
  place.store(made, std::memory_order_release);
  return made;
}

void GlobalShadow::refine(Page& page, uint32_t shift) {
  const uint32_t by = page.shift - shift;
  const auto spread = [&](auto& all) {
    std::remove_reference_t<decltype(all)> finer(kPage >> shift);
    for (size_t i = 0; i < finer.size() && !all.empty(); ++i) finer[i] = all[i >> by];
    all = std::move(finer);
  };
  spread(page.cells);
  if (!page.atomics.empty()) spread(page.atomics);
  if (page.values) {
    auto& differs = page.values->differs;
    for (uint64_t i = 0; i < kPage; ++i) differs[i] = differs[i >> page.shift << page.shift];
  }
  page.shift = shift;
}

bool GlobalShadow::add_run(Page& page, uint16_t from, uint16_t to, uint32_t accessor) {
  bool meets = false;
  for (size_t i = 0; i < page.runs_used; ++i) {
    ReadRun& run = page.runs[i];
    if (run.from == from && run.to == to) {
      run.read.add(accessor);
      return true;
    }
    meets |= from < run.to && run.from < to;
  }
  if (meets) return false;
  for (size_t i = 0; i < page.runs_used; ++i) {
    ReadRun& run = page.runs[i];
    if ((run.to != from && run.from != to) || run.read.first() != accessor || run.read.last() != accessor)
      continue;
    (run.to == from ? run.to : run.from) = run.to == from ? to : from;
    return true;
  }
  if (page.runs_used == kRuns) return false;
  ReadRun& run = page.runs[page.runs_used++];
  run = {from, to, {}};
  run.read.add(accessor);
  return true;
}

void GlobalShadow::make_cells(Page& page, uint32_t shift) {
  for (size_t i = 0; i < page.runs_used; ++i)
    shift = std::min(shift,
                     static_cast<uint32_t>(std::countr_zero(page.runs[i].from | uint32_t{page.runs[i].to})));
  refine(page, shift);
  for (size_t i = 0; i < page.runs_used; ++i)
    for (uint32_t cell = page.runs[i].from >> shift; cell < uint32_t{page.runs[i].to} >> shift; ++cell)
      page.cells[cell].read = page.runs[i].read;
  page.runs_used = 0;
}

void GlobalShadow::note_value(Page& page, uint32_t first, uint32_t bytes, bool is_first,
                              const uint8_t* data) {
  uint8_t& differs = page.values->differs[first];
  uint8_t* const known = page.values->bytes.data() + first;
  if (!data)
    differs = 1;
  else if (is_first)
    std::memcpy(known, data, bytes);
  else if (!differs && std::memcmp(known, data, bytes) != 0)
    differs = 1;
}

void GlobalShadow::add_to(Page& page, uint32_t from, uint32_t to, GlobalKind kind, uint32_t accessor,
                          const uint8_t* data) {
  const bool empty = page.cells.empty();
  if (kind == GlobalKind::Read && empty &&
      add_run(page, static_cast<uint16_t>(from), static_cast<uint16_t>(to), accessor))
    return;
  const uint32_t shift = std::min(page.shift, static_cast<uint32_t>(std::countr_zero(from | to)));
  if (empty)
    make_cells(page, shift);
  else if (shift < page.shift)
    refine(page, shift);
  const uint32_t begin = from >> page.shift, end = to >> page.shift;
  switch (kind) {
    case GlobalKind::Read:
      for (uint32_t i = begin; i < end; ++i) page.cells[i].read.add(accessor);
      return;
    case GlobalKind::Write:
      page.written = true;
      if (!page.values) page.values = std::make_unique<Values>();
      for (uint32_t i = begin; i < end; ++i) {
        note_value(page, i << page.shift, 1u << page.shift, !page.cells[i].write.any(),
                   data ? data + ((i - begin) << page.shift) : nullptr);
        page.cells[i].write.add(accessor);
      }
      return;
    case GlobalKind::Atomic:
    case GlobalKind::CoherentRead:
      page.written |= kind == GlobalKind::Atomic;
      if (page.atomics.empty()) page.atomics.resize(page.cells.size());
      for (uint32_t i = begin; i < end; ++i)
        (kind == GlobalKind::Atomic ? page.atomics[i].atomic : page.atomics[i].read).add(accessor);
      return;
  }
}

void GlobalShadow::add(uint64_t address, uint64_t bytes, GlobalKind kind, uint32_t accessor,
                       const uint8_t* data) {
  const uint64_t end = address + bytes;
  while (address < end) {
    Page& at = *page(address);
    const auto from = static_cast<uint32_t>(address % kPage);
    const auto to = static_cast<uint32_t>(std::min<uint64_t>(kPage, from + (end - address)));
    while (at.busy.test_and_set(std::memory_order_acquire))
      while (at.busy.test(std::memory_order_relaxed)) {
      }
    add_to(at, from, to, kind, accessor, data);
    at.busy.clear(std::memory_order_release);
    address += to - from;
    if (data) data += to - from;
  }
}

}  // namespace wavesmith::check
