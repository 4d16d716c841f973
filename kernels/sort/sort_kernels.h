// The kernels for keys of so many bits.
#pragma once

#include "kernels/sort/radix.h"
#include "kernels/sort/select.h"
#include "kernels/sort/sort.h"

#define SORT_KERNELS(bits, Key)                                                                    \
  TILE_KERNEL TILE_THREADS(kSortThreads) void sort_rows_##bits(SortArguments arguments) {          \
    TILE_SHARED static RowsShared<Key> shared;                                                     \
    sort_rows<Key>(argument_in_place(arguments), (TILE_IN_SHARED RowsShared<Key>&)shared);         \
  }                                                                                                \
  TILE_KERNEL TILE_THREADS(kRadixThreads) void radix_count_##bits(RadixArguments arguments) {      \
    TILE_SHARED static CountShared shared;                                                         \
    count_digits<Key>(argument_in_place(arguments), (TILE_IN_SHARED CountShared&)shared);          \
  }                                                                                                \
  TILE_KERNEL TILE_THREADS(kRadixThreads) void radix_move_##bits(RadixArguments arguments) {       \
    TILE_SHARED static MoveShared shared;                                                          \
    move_keys<Key>(argument_in_place(arguments), (TILE_IN_SHARED MoveShared&)shared);              \
  }                                                                                                \
  TILE_KERNEL TILE_THREADS(kSelectThreads) void select_element_##bits(SelectArguments arguments) { \
    TILE_SHARED static SelectShared<Key> shared;                                                   \
    select_element<Key>(argument_in_place(arguments), (TILE_IN_SHARED SelectShared<Key>&)shared);  \
  }                                                                                                \
  TILE_KERNEL TILE_THREADS(kSelectThreads) void select_first_##bits(SelectArguments arguments) {   \
    TILE_SHARED static SelectShared<Key> shared;                                                   \
    select_first<Key>(argument_in_place(arguments), (TILE_IN_SHARED SelectShared<Key>&)shared);    \
  }
