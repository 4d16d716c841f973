#include "kernels/sort/nonzero.h"
#include "kernels/sort/search.h"

using namespace wavesmith::kernels;

TILE_KERNEL TILE_THREADS(kSearchThreads) void search_f64(SearchArguments arguments) {
  search<double>(argument_in_place(arguments));
}
TILE_KERNEL TILE_THREADS(kSearchThreads) void search_i64(SearchArguments arguments) {
  search<tile::i64>(argument_in_place(arguments));
}

TILE_KERNEL TILE_THREADS(kNonzeroThreads) void nonzero_count(NonzeroArguments arguments) {
  TILE_SHARED static NonzeroShared shared;
  count_nonzero(argument_in_place(arguments), (TILE_IN_SHARED NonzeroShared&)shared);
}
TILE_KERNEL TILE_THREADS(kNonzeroPlaceThreads) void nonzero_place(NonzeroArguments arguments) {
  TILE_SHARED static PlacesShared<kNonzeroPlaceThreads> shared;
  place_nonzero(argument_in_place(arguments), (TILE_IN_SHARED PlacesShared<kNonzeroPlaceThreads>&)shared);
}
TILE_KERNEL TILE_THREADS(kNonzeroThreads) void nonzero_write(NonzeroArguments arguments) {
  TILE_SHARED static NonzeroShared shared;
  write_nonzero(argument_in_place(arguments), (TILE_IN_SHARED NonzeroShared&)shared);
}
