#include "cli/kernels/product_options.h"

#include "kernels/library/element_type.h"

namespace wavesmith::cli {

ProductOptions add_product_options(CLI::App& command, study::Product& product) {
  std::vector<std::string> types;
  for (const kernels::ElementType& type : kernels::kElementTypes) types.emplace_back(type.word);
  ProductOptions options{};
  options.m = command.add_option("--m", product.m, "rows of A and D");
  options.n = command.add_option("--n", product.n, "columns of B and D");
  options.k = command.add_option("--k", product.k, "columns of A, rows of B");
  const CLI::Range sizes(1, INT32_MAX);
  for (CLI::Option* size : {options.m, options.n, options.k}) size->check(sizes);
  options.m->needs(options.n)->needs(options.k);
  options.n->needs(options.m);
  options.k->needs(options.m);
  options.dtype = command
                      .add_option("--dtype", product.dtype,
                                  "type of A and B: f32, f16, bf16, i8, e4m3, e5m2, e4m3fnuz, ...")
                      ->check(CLI::IsMember(types))
                      ->capture_default_str();
  options.layout = command
                       .add_option("--layout", product.layout,
                                   "BLAS letters of A and B: t has K contiguous in A, n has it in B")
                       ->check(CLI::IsMember({"tn", "nn", "nt", "tt"}))
                       ->capture_default_str();
  return options;
}

}  // namespace wavesmith::cli
