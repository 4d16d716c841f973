#include "cli/gpu_option.h"

namespace wavesmith::cli {

void add_gpu_option(CLI::App& command, study::GpuOption& option) {
  command
      .add_option("--gpu", option.gpus,
                  "GPUs, separated by commas: ids ('wavesmith gpus' lists them) or TOML files of your own")
      ->capture_default_str();
  add_set_option(command, option.set);
}

void add_set_option(CLI::App& command, std::vector<std::string>& set) {
  command
      .add_option("--set", set,
                  "what if: a GPU's number changed, l2.size=8MiB, memory.bandwidth=10TB/s, cus=64, "
                  "clocks.engine_mhz=2.5GHz; 'wavesmith gpus mi300x' lists all names")
      ->allow_extra_args(false);
}

}  // namespace wavesmith::cli
