#include "check/stream/touched.h"

#include <algorithm>
#include <bit>
#include <memory>
#include <utility>

#include "check/made_at.h"

namespace wavesmith::check {
namespace {

constexpr uint64_t kPage = TouchedBytes::kPage, kBlock = TouchedBytes::kBlock;

/// Bits from `from` up to `to`, which is at most 64.
constexpr uint64_t bits(uint64_t from, uint64_t to) {
  return (to == 64 ? ~uint64_t{0} : (uint64_t{1} << to) - 1) & ~uint64_t{0} << from;
}

/// The first run of bits that are set, which it takes out; `left` is not 0.
std::pair<uint64_t, uint64_t> take_run(uint64_t& left) {
  const auto first = static_cast<uint32_t>(std::countr_zero(left));
  const auto end = first + static_cast<uint32_t>(std::countr_one(left >> first));
  left &= ~bits(first, end);
  return {first, end};
}

/// Sets what is not set yet: most often nothing.
void set(std::atomic<uint64_t>& word, uint64_t wanted) {
  if ((word.load(std::memory_order_relaxed) & wanted) != wanted)
    word.fetch_or(wanted, std::memory_order_relaxed);
}

void set_range(std::atomic<uint64_t>* words, uint32_t from, uint32_t to) {
  for (uint32_t at = from; at < to; at = at / 64 * 64 + 64)
    set(words[at / 64], bits(at % 64, std::min<uint64_t>(64, to - at / 64 * 64)));
}

/// A byte for each of 16 dwords.
uint64_t bytes_of(uint64_t dwords) {
  uint64_t all = 0;
  for (; dwords; dwords &= dwords - 1) all |= uint64_t{0xf} << 4 * std::countr_zero(dwords);
  return all;
}

}  // namespace

void TouchedBytes::add(uint64_t begin, uint64_t end, uint32_t site) {
  if (!pieces_.empty()) {
    Piece& last = pieces_.back();
    if (last.end == begin && last.page == 0 && last.site == site) {
      last.end = end;
      return;
    }
  }
  pieces_.push_back({.begin = begin, .end = end, .site = site});
}

void TouchedBytes::add_page(uint64_t page, const Blocks& bytes, const Sites& sites) {
  // What is a few ranges is kept as these.
  constexpr size_t kFew = 4;
  struct Range {
    uint64_t begin, end;
    uint32_t site;
  };
  std::array<Range, kFew> ranges{};
  size_t count = 0;
  bool few = true;
  for (size_t i = 0; i < bytes.size() && few; ++i) {
    uint64_t left = bytes[i];
    while (left && few) {
      const auto [first, last] = take_run(left);
      const uint64_t begin = page + i * kBlock + first, end = page + i * kBlock + last;
      if (count && ranges[count - 1].end == begin && ranges[count - 1].site == sites[i])
        ranges[count - 1].end = end;
      else if (count < kFew)
        ranges[count++] = {begin, end, sites[i]};
      else
        few = false;
    }
  }
  if (few) {
    for (size_t i = 0; i < count; ++i) add(ranges[i].begin, ranges[i].end, ranges[i].site);
    return;
  }
  pages_.push_back({bytes, sites});
  pieces_.push_back({.begin = page, .end = page + kPage, .page = static_cast<uint32_t>(pages_.size())});
}

uint64_t TouchedBytes::block(const Piece& piece, uint64_t address) const {
  if (piece.page) return pages_[piece.page - 1].bytes[(address - piece.begin) / kBlock];
  const uint64_t from = std::max(piece.begin, address), to = std::min(piece.end, address + kBlock);
  return from < to ? bits(from - address, to - address) : 0;
}

const TouchedBytes::Piece* TouchedBytes::piece_at(uint64_t address) const {
  const auto after = std::upper_bound(pieces_.begin(), pieces_.end(), address,
                                      [](uint64_t at, const Piece& piece) { return at < piece.begin; });
  if (after == pieces_.begin() || address >= std::prev(after)->end) return nullptr;
  return &*std::prev(after);
}

uint32_t TouchedBytes::site_at(uint64_t address) const {
  const Piece* const piece = piece_at(address);
  if (!piece) return 0;
  return piece->page ? pages_[piece->page - 1].sites[(address - piece->begin) / kBlock] : piece->site;
}

void TouchedBytes::common(const TouchedBytes& other,
                          const std::function<uint64_t(uint64_t, uint64_t)>& next) const {
  if (empty() || other.empty() || end() <= other.begin() || other.end() <= begin()) return;
  const auto behind = [](uint64_t at, const Piece& piece) { return at < piece.end; };
  const uint64_t start = std::max(begin(), other.begin());
  auto a = std::upper_bound(pieces_.begin(), pieces_.end(), start, behind);
  auto b = std::upper_bound(other.pieces_.begin(), other.pieces_.end(), start, behind);
  uint64_t skip = 0;
  while (a != pieces_.end() && b != other.pieces_.end()) {
    const uint64_t from = std::max({a->begin, b->begin, skip}), to = std::min(a->end, b->end);
    if (from < to && a->page == 0 && b->page == 0) {
      skip = std::max(next(from, to), to);
    } else if (from < to) {
      for (uint64_t at = from / kBlock * kBlock; at < to; at += kBlock) {
        uint64_t both = block(*a, at) & other.block(*b, at);
        if (from > at) both &= bits(from - at, kBlock);
        while (both) {
          const auto [first, last] = take_run(both);
          if (at + first >= skip) skip = next(at + first, at + last);
        }
      }
    }
    if (a->end <= b->end)
      ++a;
    else
      ++b;
  }
}

bool TouchedBytes::meets(const TouchedBytes& other) const {
  bool found = false;
  common(other, [&](uint64_t, uint64_t) {
    found = true;
    return UINT64_MAX;
  });
  return found;
}

bool Touched::empty() const {
  return std::ranges::all_of(by_kind, [](const TouchedBytes& bytes) { return bytes.empty(); });
}

size_t Touched::size() const {
  size_t all = 0;
  for (const TouchedBytes& bytes : by_kind) all += bytes.size();
  return all;
}

void TouchedPages::Marks::add(uint32_t from, uint32_t to, uint32_t site) {
  for (uint32_t block = from / kBlock; block <= (to - 1) / kBlock; ++block) {
    std::atomic<uint32_t>& least = sites[block];
    for (uint32_t known = least.load(std::memory_order_relaxed); known == 0 || site < known;)
      if (least.compare_exchange_weak(known, site, std::memory_order_relaxed)) break;
  }
  if ((from | to) % 4 == 0) return set_range(dwords.data(), from / 4, to / 4);
  set_range(
      made_at<std::atomic<uint64_t>[]>(bytes, [] { return std::make_unique<std::atomic<uint64_t>[]>(64); }),
      from, to);
}

TouchedPages::Marks& TouchedPages::Page::of(Touch kind) { return *made_at(marks[static_cast<size_t>(kind)]); }

TouchedPages::Page& TouchedPages::page(uint64_t number) {
  Shard& shard = shards_[number % kShards];
  const std::scoped_lock lock(shard.mutex);
  std::unique_ptr<Page>& place = shard.pages[number];
  if (!place) place = std::make_unique<Page>();
  return *place;
}

Touched TouchedPages::take(const std::function<int64_t(uint64_t)>& part_of) const {
  std::vector<std::pair<uint64_t, const Page*>> all;
  for (const Shard& shard : shards_)
    for (const auto& [number, page] : shard.pages) all.emplace_back(number * kPage, page.get());
  std::ranges::sort(all);
  Touched touched;
  uint64_t part_begin = 0, part_end = 0;  // of which it is known whether they count
  bool counts = false;
  for (const auto& [address, page] : all) {
    TouchedBytes::Blocks wanted{};
    for (uint64_t at = address; at < address + kPage;) {
      if (at < part_begin || at >= part_end) {
        const int64_t part = part_of(at);
        counts = part > 0;
        part_begin = at;
        part_end = at + static_cast<uint64_t>(part < 0 ? -part : part);
      }
      const uint64_t to = std::min(part_end, address + kPage);
      for (uint64_t i = at; counts && i < to; i = i / kBlock * kBlock + kBlock)
        wanted[i % kPage / kBlock] |= bits(i % kBlock, std::min(kBlock, to - i / kBlock * kBlock));
      at = to;
    }
    for (size_t kind = 0; kind < kTouches; ++kind) {
      const Marks* const marks = page->marks[kind].load();
      if (!marks) continue;
      TouchedBytes::Blocks bytes{};
      TouchedBytes::Sites sites{};
      const std::atomic<uint64_t>* const fine = marks->bytes.load();
      for (size_t i = 0; i < bytes.size(); ++i) {
        bytes[i] = bytes_of(marks->dwords[i / 4] >> 16 * (i % 4) & 0xffff);
        if (fine) bytes[i] |= fine[i];
        bytes[i] &= wanted[i];
        sites[i] = marks->sites[i];
      }
      touched.by_kind[kind].add_page(address, bytes, sites);
    }
  }
  return touched;
}

}  // namespace wavesmith::check
