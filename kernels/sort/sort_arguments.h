// What the kernels of sorting and selecting are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/sort/key_order.h"
#include "kernels/sort/rows_arguments.h"

namespace wavesmith::kernels {

/// Rows that a workgroup sorts in shared memory.
inline constexpr int kSortThreads = 256, kSortedAtOnce = 2048;

struct SortArguments {
  Rows rows;
  KeyOrder order;
  unsigned log_slots;  ///< of the slots that a row takes, at least as many as it has elements
  unsigned log_rows;   ///< of the rows of a workgroup
  unsigned most;
};

/// Rows that many workgroups sort, a digit of the keys after the other (radix sort from the last digit on).
inline constexpr int kRadixThreads = 256, kRadixItems = 8, kRadixChunk = kRadixThreads * kRadixItems;
inline constexpr int kDigits = 256, kOffsetThreads = 1024;

/// Keys in some order, with the places where they were; of each row one behind the other. Null: x itself.
struct RadixKeys {
  void* keys;
  unsigned* places;
};

struct RadixArguments {
  Rows rows;
  KeyOrder order;
  RadixKeys from, to;  ///< to null: the results
  unsigned* counts;    ///< of each row, chunk and digit; then the place of the first of them
  unsigned first_row, chunks, most;
  int shift;  ///< the digit's
};

/// Rows of which some elements are found, by a workgroup each.
inline constexpr int kSelectThreads = 1024, kSelectedAtOnce = 1024;

struct SelectArguments {
  Rows rows;
  KeyOrder order;
  int operation;  ///< wavesmith_select_operation
  unsigned rank;
  unsigned most;  ///< the first elements of the order, instead of one
};

}  // namespace wavesmith::kernels
