// The options that name a matrix product.
#pragma once

#include <CLI/CLI.hpp>

#include "study/tune/product.h"

namespace wavesmith::cli {

/// Those that were added to a command.
struct ProductOptions {
  CLI::Option *m, *n, *k, *dtype, *layout;
};

/// Adds --m, --n, --k, --dtype and --layout. Of the sizes all are given or none.
ProductOptions add_product_options(CLI::App& command, study::Product& product);

/// Those that say how many products there are.
struct CountOptions {
  CLI::Option *batch, *groups;
};

/// Adds --batch and --groups, of which one may be given.
CountOptions add_count_options(CLI::App& command, study::Product& product);

}  // namespace wavesmith::cli
