// The C API of sorting: checks a call, chooses between shared memory, selecting and digits, and launches it.
#include <algorithm>
#include <bit>
#include <string>

#include "kernels/sort/rows_of.h"
#include "kernels/sort/sort_arguments.h"

namespace wavesmith::kernels {
namespace {

using Description = wavesmith_sort_description;

constexpr const char* kName = "sort";

RowsGiven given(const Description& one) {
  return rows_given(kName, one, one.values, "values", one.places, "places");
}

int64_t length_of(const Description& one) { return one.dimensions == 0 ? 1 : one.sizes[one.along]; }
int64_t most_of(const Description& one) { return one.most == 0 ? length_of(one) : one.most; }

wavesmith_kernels_status check(const Description& one) {
  if (const auto status = check_along(kName, one.dimensions, one.along, one.sizes)) return status;
  const RowsGiven rows = given(one);
  if (is_empty(rows.sizes)) return succeed();
  if (one.most < 0 || one.most > length_of(one))
    return invalid(kName, "most is " + std::to_string(one.most) + ", and a row has " +
                              std::to_string(length_of(one)) + " elements");
  if (const auto status = check_rows(rows, most_of(one))) return status;
  if (one.values.data && one.values.type != one.x.type)
    return invalid(kName, "values are of " + std::string(word_of(one.values.type)) + ", and x of " +
                              std::string(word_of(one.x.type)));
  return succeed();
}

/// How rows are sorted.
enum class Way { Shared, Select, Radix };

Way way_of(const Description& one, const Rows& rows) {
  // Few rows that are this long are sooner sorted by all workgroups than searched by one each.
  constexpr unsigned kLong = 1U << 18, kFew = 8;
  if (rows.length <= kSortedAtOnce) return Way::Shared;
  const bool is_short = most_of(one) <= kSelectedAtOnce && most_of(one) <= rows.length / 2;
  return is_short && (rows.length < kLong || rows.count >= kFew) ? Way::Select : Way::Radix;
}

/// Rows that are sorted at once by digits, and the memory that they take.
struct Batch {
  unsigned rows, chunks, key_bytes;
  size_t elements;  ///< of all rows, to a multiple of four

  explicit Batch(const Rows& given, Number type) {
    constexpr unsigned kMostElements = 1U << 25;
    rows = std::clamp(kMostElements / given.length, 1U, std::min(given.count, kMostAlongY));
    chunks = (given.length + kRadixChunk - 1) / kRadixChunk;
    key_bytes = size_of(type) == 8 ? 8 : 4;
    elements = (size_t{rows} * given.length + 3) & ~size_t{3};
  }
  [[nodiscard]] size_t counts_bytes() const { return size_t{rows} * chunks * kDigits * sizeof(unsigned); }
  [[nodiscard]] size_t keys_bytes() const { return elements * (key_bytes + sizeof(unsigned)); }
  [[nodiscard]] size_t bytes(int digits) const {
    return counts_bytes() + (digits == 1 ? 0 : digits == 2 ? 1 : 2) * keys_bytes();
  }
  [[nodiscard]] RadixKeys keys(void* workspace, int which) const {
    char* const at =
        static_cast<char*>(workspace) + counts_bytes() + static_cast<size_t>(which) * keys_bytes();
    return {.keys = at, .places = reinterpret_cast<unsigned*>(at + elements * key_bytes)};
  }
};

int digits_of(Number type) { return static_cast<int>(size_of(type)); }

std::string named(const char* kernel, Number type) {
  return std::string(kernel) + (size_of(type) == 8 ? "_64" : "_32");
}

wavesmith_kernels_status sort_shared(const Device& device, const Description& one, const Rows& rows,
                                     void* stream) {
  SortArguments made{};
  made.rows = rows;
  made.order = KeyOrder::of(one.x.type, digits_of(one.x.type), one.descending != 0);
  made.log_slots = static_cast<unsigned>(std::bit_width(rows.length - 1));
  made.log_rows = made.log_slots >= 9 ? 0 : 9 - made.log_slots;  // a pair of slots for each thread
  made.most = static_cast<unsigned>(most_of(one));
  const unsigned workgroups = (rows.count + (1U << made.log_rows) - 1) >> made.log_rows;
  return launch(device, named("sort_rows", one.x.type).c_str(),
                {.x = workgroups, .y = 1, .threads = kSortThreads}, &made, sizeof(made), stream);
}

wavesmith_kernels_status sort_selected(const Device& device, const Description& one, const Rows& rows,
                                       void* stream) {
  SelectArguments made{};
  made.rows = rows;
  made.order = KeyOrder::of(one.x.type, digits_of(one.x.type), one.descending != 0);
  made.most = static_cast<unsigned>(most_of(one));
  return launch(device, named("select_first", one.x.type).c_str(),
                {.x = rows.count, .y = 1, .threads = kSelectThreads}, &made, sizeof(made), stream);
}

wavesmith_kernels_status sort_digits(const Device& device, const Description& one, const Rows& rows,
                                     void* stream) {
  const Batch batch(rows, one.x.type);
  const int digits = digits_of(one.x.type);
  RadixArguments made{};
  made.rows = rows;
  made.order = KeyOrder::of(one.x.type, digits, one.descending != 0);
  made.counts = static_cast<unsigned*>(one.workspace);
  made.chunks = batch.chunks;
  made.most = static_cast<unsigned>(most_of(one));
  for (made.first_row = 0; made.first_row < rows.count; made.first_row += batch.rows) {
    const unsigned in_batch = std::min(batch.rows, rows.count - made.first_row);
    const Grid chunks{.x = batch.chunks, .y = in_batch, .threads = kRadixThreads};
    made.from = {};
    for (int digit = 0; digit < digits; ++digit) {
      made.shift = 8 * digit;
      made.to = digit + 1 < digits ? batch.keys(one.workspace, digit % 2) : RadixKeys{};
      if (const auto status =
              launch(device, named("radix_count", one.x.type).c_str(), chunks, &made, sizeof(made), stream))
        return status;
      if (const auto status =
              launch(device, "radix_place", {.x = in_batch, .y = 1, .threads = kOffsetThreads}, &made,
                     sizeof(made), stream))
        return status;
      if (const auto status =
              launch(device, named("radix_move", one.x.type).c_str(), chunks, &made, sizeof(made), stream))
        return status;
      made.from = made.to;
    }
  }
  return succeed();
}

size_t workspace_of(const Description& one, const Rows& rows) {
  return way_of(one, rows) == Way::Radix ? Batch(rows, one.x.type).bytes(digits_of(one.x.type)) : 0;
}

}  // namespace
}  // namespace wavesmith::kernels

using namespace wavesmith::kernels;

size_t wavesmith_kernels_sort_workspace(const wavesmith_sort_description* sort) {
  if (!sort || check(*sort) != WAVESMITH_KERNELS_SUCCESS || is_empty(given(*sort).sizes)) return 0;
  return workspace_of(*sort, rows_of(given(*sort)));
}

wavesmith_kernels_status wavesmith_kernels_sort(const wavesmith_sort_description* sort, void* stream) {
  if (!sort) return invalid(kName, "the description is null");
  const Description& one = *sort;
  if (const auto status = check(one)) return status;
  if (is_empty(given(one).sizes)) return succeed();
  const Rows rows = rows_of(given(one));
  if (const auto status = check_workspace(kName, one.workspace, one.workspace_bytes, workspace_of(one, rows)))
    return status;
  const Device* device = nullptr;
  if (const auto status = current_device(device)) return status;
  switch (way_of(one, rows)) {
    case Way::Shared:
      return sort_shared(*device, one, rows, stream);
    case Way::Select:
      return sort_selected(*device, one, rows, stream);
    default:
      return sort_digits(*device, one, rows, stream);
  }
}
