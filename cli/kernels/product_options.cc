#include "cli/kernels/product_options.h"

#include <string>

namespace wavesmith::cli {

ProductOptions add_product_options(CLI::App& command, study::Product& product) {
  const auto is_type = [](const std::string& word) {
    return study::ProductTypes::read(word) ? "" : "there is no type '" + word + "'";
  };
  ProductOptions options{};
  options.m = command.add_option("--m", product.m, "rows of A and D");
  options.n = command.add_option("--n", product.n, "columns of B and D");
  options.k = command.add_option("--k", product.k, "columns of A, rows of B");
  const CLI::Range sizes(1, INT32_MAX);
  for (CLI::Option* size : {options.m, options.n, options.k}) size->check(sizes);
  options.m->needs(options.n)->needs(options.k);
  options.n->needs(options.m);
  options.k->needs(options.m);
  options.dtype =
      command
          .add_option("--dtype", product.dtype,
                      "type of A and B: f32, f16, bf16, i8, e4m3, e5m2, e4m3fnuz, ...; e4m3xe5m2; "
                      "bf16xi4x2: weights of 4 bits; e4m3b1: a scale per 128 along K, e4m3b128: "
                      "B's per square of 128")
          ->check(CLI::Validator(is_type, "TYPES"))
          ->capture_default_str();
  options.layout = command
                       .add_option("--layout", product.layout,
                                   "BLAS letters of A and B: t has K contiguous in A, n has it in B")
                       ->check(CLI::IsMember({"tn", "nn", "nt", "tt"}))
                       ->capture_default_str();
  return options;
}

CountOptions add_count_options(CLI::App& command, study::Product& product) {
  CountOptions options{};
  options.batch = command.add_option("--batch", product.batch, "independent products of that size")
                      ->check(CLI::Range(1, INT32_MAX))
                      ->capture_default_str();
  options.groups =
      command
          .add_option("--groups", product.groups,
                      "groups that the rows of A are in, as near to one size as can be: a B each")
          ->check(CLI::Range(1, INT32_MAX))
          ->excludes(options.batch);
  return options;
}

}  // namespace wavesmith::cli
