// Which bytes of device memory a piece of work touches, and how.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace wavesmith::check {

enum class Touch : uint8_t {
  Read,
  Write,
  Atomic,        ///< a store that others may see at once, too
  Exchange,      ///< an atomic that gives back what was there
  CoherentRead,  ///< as an atomic load is
};
inline constexpr size_t kTouches = 5;

/// The bytes that are touched in one way, in order.
class TouchedBytes {
 public:
  static constexpr uint64_t kPage = 4096, kBlock = 64;
  /// A bit for each byte of a block.
  using Blocks = std::array<uint64_t, kPage / kBlock>;
  /// From the instruction of each block.
  using Sites = std::array<uint32_t, kPage / kBlock>;

  /// Bytes that lie behind those before; `site`: the instruction's number.
  void add(uint64_t begin, uint64_t end, uint32_t site);
  /// The same of a page, of which `bytes` says which.
  void add_page(uint64_t page, const Blocks& bytes, const Sites& sites);
  [[nodiscard]] bool empty() const { return pieces_.empty(); }
  [[nodiscard]] uint64_t begin() const { return pieces_.front().begin; }
  [[nodiscard]] uint64_t end() const { return pieces_.back().end; }
  /// Bytes of host memory that it takes.
  [[nodiscard]] size_t size() const { return pieces_.size() * sizeof(Piece) + pages_.size() * sizeof(Page); }
  /// The instruction that touches that byte.
  [[nodiscard]] uint32_t site_at(uint64_t address) const;

  /// Calls `next(begin, end)` with ranges that both have, in order; it gives where to go on. Ranges that have
  /// other instructions come apart.
  void common(const TouchedBytes& other, const std::function<uint64_t(uint64_t, uint64_t)>& next) const;
  [[nodiscard]] bool meets(const TouchedBytes& other) const;

 private:
  struct Piece {
    uint64_t begin, end;
    uint32_t page = 0;  ///< which of pages_, + 1; 0: all of its bytes
    uint32_t site = 0;
  };
  struct Page {
    Blocks bytes;
    Sites sites;
  };
  /// The bytes of the block at that address that the piece has.
  [[nodiscard]] uint64_t block(const Piece& piece, uint64_t address) const;
  [[nodiscard]] const Piece* piece_at(uint64_t address) const;

  std::vector<Piece> pieces_;
  std::vector<Page> pages_;
};

/// What a piece of work touches.
struct Touched {
  std::array<TouchedBytes, kTouches> by_kind;
  [[nodiscard]] const TouchedBytes& of(Touch kind) const { return by_kind[static_cast<size_t>(kind)]; }
  [[nodiscard]] TouchedBytes& of(Touch kind) { return by_kind[static_cast<size_t>(kind)]; }
  [[nodiscard]] bool empty() const;
  [[nodiscard]] size_t size() const;
};

/// The same of a kernel that runs: filled by many threads.
class TouchedPages {
 public:
  /// A page's dwords, and its bytes where an access is smaller.
  struct Marks {
    std::array<std::atomic<uint64_t>, 16> dwords{};
    std::array<std::atomic<uint32_t>, 64> sites{};       ///< the least one of each 64 bytes
    std::atomic<std::atomic<uint64_t>*> bytes{nullptr};  ///< 64 of them
    ~Marks() { delete[] bytes.load(); }
    void add(uint32_t from, uint32_t to, uint32_t site);
  };
  struct Page {
    std::array<std::atomic<Marks*>, kTouches> marks{};
    Page() = default;
    Page(const Page&) = delete;
    Page& operator=(const Page&) = delete;
    ~Page() {
      for (auto& each : marks) delete each.load();
    }
    Marks& of(Touch kind);
  };

  Page& page(uint64_t number);
  /// What was touched of memory that `part_of(address)` says to be of interest: it gives how far from
  /// `address` on that is so, or, as a negative number, how far it is not.
  [[nodiscard]] Touched take(const std::function<int64_t(uint64_t)>& part_of) const;

 private:
  static constexpr size_t kShards = 64;
  struct Shard {
    std::mutex mutex;
    std::unordered_map<uint64_t, std::unique_ptr<Page>> pages;
  };
  std::array<Shard, kShards> shards_;
};

}  // namespace wavesmith::check
