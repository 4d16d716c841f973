#include "kernels/bins/bins.h"

using namespace wavesmith::kernels;

#define KERNEL(name) TILE_KERNEL TILE_THREADS(kBinsThreads) void name
KERNEL(bins_f32)(BinsArguments arguments) { add_to_bins<float>(argument_in_place(arguments)); }
KERNEL(bins_f64)(BinsArguments arguments) { add_to_bins<double>(argument_in_place(arguments)); }
KERNEL(bin_edges_f32)(BinEdgesArguments arguments) { write_edges<float>(argument_in_place(arguments)); }
KERNEL(bin_edges_f64)(BinEdgesArguments arguments) { write_edges<double>(argument_in_place(arguments)); }
