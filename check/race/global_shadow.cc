#include "check/race/global_shadow.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "check/made_at.h"

namespace wavesmith::check {
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
    for (uint64_t i = 0; i < kPage; ++i)
      if (page.values->differ(i >> page.shift << page.shift)) page.values->set_differ(i);
  }
  page.shift = shift;
}

bool GlobalShadow::add_pieces(Page& page, uint32_t word, uint64_t pieces, uint32_t accessor) {
  // Pieces that others read go to the set that has these and the accessor.
  for (size_t i = 0; i < page.alike_used && pieces; ++i) {
    const uint64_t common = page.alike[i].pieces[word] & pieces;
    if (!common) continue;
    pieces &= ~common;
    Accessors both = page.alike[i].read;
    both.add(accessor);
    if (both == page.alike[i].read) continue;
    page.alike[i].pieces[word] &= ~common;
    if (!put_alike(page, word, common, both)) {
      page.alike[i].pieces[word] |= common;
      return false;
    }
  }
  Accessors alone;
  alone.add(accessor);
  return !pieces || put_alike(page, word, pieces, alone);
}

bool GlobalShadow::add_alike(Page& page, uint32_t from, uint32_t to, uint32_t accessor) {
  if ((from | to) % (1u << kCoarsest) != 0) return false;
  const uint32_t begin = from >> kCoarsest, end = to >> kCoarsest;
  for (uint32_t word = begin / 64; word * 64 < end; ++word) {
    const uint32_t low = std::max(begin, word * 64) % 64, high = std::min(end, word * 64 + 64) - word * 64;
    const uint64_t pieces = (high == 64 ? ~uint64_t{0} : (uint64_t{1} << high) - 1) & ~uint64_t{0} << low;
    if (!add_pieces(page, word, pieces, accessor)) return false;
  }
  return true;
}

bool GlobalShadow::add_alike(Page& page, const Runs& runs, uint32_t accessor) {
  constexpr uint32_t kPiece = 1u << kCoarsest;
  if (runs.bytes != kPiece || (runs.begin | runs.stride) % kPiece != 0) return false;
  std::array<uint64_t, (kPage >> kCoarsest) / 64> pieces{};
  auto piece = static_cast<uint32_t>(runs.begin % kPage) >> kCoarsest;
  for (uint32_t i = 0; i < runs.count; ++i, piece += runs.stride >> kCoarsest)
    pieces[piece / 64] |= uint64_t{1} << piece % 64;
  for (uint32_t word = 0; word < pieces.size(); ++word)
    if (pieces[word] && !add_pieces(page, word, pieces[word], accessor)) return false;
  return true;
}

bool GlobalShadow::put_alike(Page& page, uint32_t word, uint64_t pieces, const Accessors& read) {
  ReadAlike* empty = nullptr;
  for (size_t i = 0; i < page.alike_used; ++i) {
    ReadAlike& set = page.alike[i];
    if (set.read == read) {
      set.pieces[word] |= pieces;
      return true;
    }
    if (!empty && std::ranges::all_of(set.pieces, [](uint64_t each) { return each == 0; })) empty = &set;
  }
  if (!empty && page.alike_used == kAlike) return false;
  if (!empty) empty = &page.alike[page.alike_used++];
  empty->read = read;
  empty->pieces = {};
  empty->pieces[word] = pieces;
  return true;
}

void GlobalShadow::make_cells(Page& page, uint32_t shift) {
  refine(page, shift);
  const uint32_t each = 1u << (kCoarsest - shift);
  for (size_t i = 0; i < page.alike_used; ++i)
    for (uint32_t piece = 0; piece < kPage >> kCoarsest; ++piece)
      if (page.alike[i].pieces[piece / 64] >> piece % 64 & 1)
        for (uint32_t cell = piece * each; cell < (piece + 1) * each; ++cell)
          page.cells[cell].read = page.alike[i].read;
  page.alike_used = 0;
}

template <uint32_t kBytes>
void GlobalShadow::add_writes(Page& page, uint32_t begin, uint32_t end, uint32_t accessor,
                              const uint8_t* data) {
  uint8_t* known = page.values->bytes.data() + size_t{begin} * kBytes;
  for (uint32_t i = begin; i < end; ++i, known += kBytes) {
    Accessors& write = page.cells[i].write;
    if (data && !write.any())
      std::memcpy(known, data, kBytes);
    else if (!data || std::memcmp(known, data, kBytes) != 0)
      page.values->set_differ(size_t{i} * kBytes);
    write.add(accessor);
    if (data) data += kBytes;
  }
}

void GlobalShadow::add_to(Page& page, uint32_t from, uint32_t to, GlobalKind kind, uint32_t accessor,
                          const uint8_t* data) {
  const bool empty = page.cells.empty();
  if (kind == GlobalKind::Read && empty && add_alike(page, from, to, accessor)) return;
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
      switch (page.shift) {
        case 0:
          return add_writes<1>(page, begin, end, accessor, data);
        case 1:
          return add_writes<2>(page, begin, end, accessor, data);
        case 2:
          return add_writes<4>(page, begin, end, accessor, data);
        case 3:
          return add_writes<8>(page, begin, end, accessor, data);
        default:
          return add_writes<1u << kCoarsest>(page, begin, end, accessor, data);
      }
    case GlobalKind::Atomic:
    case GlobalKind::CoherentRead:
      page.written |= kind == GlobalKind::Atomic;
      if (page.atomics.empty()) page.atomics.resize(page.cells.size());
      for (uint32_t i = begin; i < end; ++i)
        (kind == GlobalKind::Atomic ? page.atomics[i].atomic : page.atomics[i].read).add(accessor);
      return;
  }
}

void GlobalShadow::Adder::hold(uint64_t address) {
  if (page_ && page_->address == address / kPage * kPage) return;
  let_go();
  Page* const page = shadow_.page(address);
  while (page->busy.test_and_set(std::memory_order_acquire))
    while (page->busy.test(std::memory_order_relaxed)) {
    }
  page_ = page;
}

void GlobalShadow::Adder::add(uint64_t address, uint64_t bytes, GlobalKind kind, uint32_t accessor,
                              const uint8_t* data) {
  const uint64_t end = address + bytes;
  while (address < end) {
    hold(address);
    const auto from = static_cast<uint32_t>(address % kPage);
    const auto to = static_cast<uint32_t>(std::min<uint64_t>(kPage, from + (end - address)));
    add_to(*page_, from, to, kind, accessor, data);
    address += to - from;
    if (data) data += to - from;
  }
}

void GlobalShadow::Adder::add_reads(Runs runs, uint32_t accessor) {
  while (runs.count > 1) {
    hold(runs.begin);
    const uint64_t left = kPage - runs.begin % kPage;
    const uint32_t fit =
        left < runs.bytes
            ? 0
            : static_cast<uint32_t>(std::min<uint64_t>(runs.count, (left - runs.bytes) / runs.stride + 1));
    Runs here = runs;
    here.count = fit;
    if (fit < 2 || !page_->cells.empty() || !add_alike(*page_, here, accessor)) {
      here.count = std::max(fit, 1u);
      for (uint32_t i = 0; i < here.count; ++i)
        add(here.begin + uint64_t{i} * here.stride, here.bytes, GlobalKind::Read, accessor, nullptr);
    }
    runs.begin += uint64_t{here.count} * runs.stride;
    runs.count -= here.count;
  }
  if (runs.count) add(runs.begin, runs.bytes, GlobalKind::Read, accessor, nullptr);
}

}  // namespace wavesmith::check
