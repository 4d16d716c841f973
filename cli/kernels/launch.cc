// `wavesmith kernels launch`: a product of the kernel library as a program, for `wavesmith run` and
// `profile`.
#include <fmt/format.h>

#include <memory>

#include "cli/kernels/product_options.h"
#include "cli/kernels/tune.h"
#include "cli/terminal.h"
#include "study/tune/launch.h"

namespace wavesmith::cli {

void add_launch(CLI::App& kernels, Action& action) {
  struct Options {
    std::string operation;
    study::Product product;
    int times = 1;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command = add_command(
      kernels, "launch", "Launches a product on the current GPU: a program for wavesmith profile and run");
  command->add_option("operation", options->operation, "what is computed: gemm")
      ->required()
      ->check(CLI::IsMember({"gemm"}));
  add_product_options(*command, options->product).m->required();
  add_count_options(*command, options->product);
  command->add_option("--tile", options->product.tile, "this tile rather than the one that dispatch takes");
  command->add_option("--times", options->times, "launches, one after the other")
      ->check(CLI::PositiveNumber)
      ->capture_default_str();
  teach(
      *command,
      "  wavesmith profile --gpu mi300x --sampled -- wavesmith kernels launch gemm --m 4096 --n 4096 --k 4096\n"
      "  wavesmith run --gpu mi210 --time -- wavesmith kernels launch gemm --m 512 --n 512 --k 512 --times 2\n"
      "  wavesmith kernels launch gemm --m 4096 --n 4096 --k 4096 --dtype bf16xi4x2\n"
      "  wavesmith kernels launch gemm --m 4096 --n 4096 --k 4096 --dtype e4m3fnuzb128 --groups 8\n"
      "\nThe matrices hold whatever the memory does. Weights of 4 bits have scales of 128 along K, no zero points.\n");
  command->callback([options, &action] {
    action = [options] {
      const auto launched = study::launch_product(options->product, options->times);
      if (!launched) return report(launched.error());
      fmt::print("{}\n", *launched);
      return Exit::Ok;
    };
  });
}

}  // namespace wavesmith::cli
