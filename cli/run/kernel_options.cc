// What the commands share that look at a run of one kernel of a code object.
#include <fmt/format.h>

#include "cli/command.h"
#include "cli/run/run.h"

namespace wavesmith::cli {

void add_kernel_options(CLI::App& command, study::RunOptions& options, const std::string& group) {
  command.add_option("file", options.file, "code object, bundle or host program with a fat binary")
      ->group(group);
  command.add_option("--kernel", options.kernel, "its name; not needed when there is only one")->group(group);
  command.add_option("--grid", options.grid, "workgroups: 16 or 16,4,1")->capture_default_str()->group(group);
  command.add_option("--block", options.block, "work-items per workgroup: 256 or 16,16")
      ->capture_default_str()
      ->group(group);
  command.add_option("--shared", options.shared, "bytes of dynamic LDS")->group(group);
  command
      .add_option("--arg", options.arguments,
                  "an argument, in order: f32[1024]=zeros|ones|iota|random[:SEED]|NUMBER|in.npy, in.npy, "
                  "i32=7, null, hex=00ff")
      ->allow_extra_args(false)
      ->group(group);
  command
      .add_option(
          "--launches", options.launches,
          "launch it so often; profile shows the last, which finds the caches as the others left them")
      ->check(CLI::Range(1u, 1000u))
      ->capture_default_str()
      ->group(group);
}

std::vector<std::string> run_of_kernel(const study::RunOptions& options) {
  std::vector<std::string> words = {"run",         options.file, "--grid",          options.grid, "--block",
                                    options.block, "--gpu",      options.devices(), "--quiet"};
  const auto add = [&](const char* name, const std::string& value) {
    words.insert(words.end(), {name, value});
  };
  if (!options.kernel.empty()) add("--kernel", options.kernel);
  if (options.threads) add("--threads", fmt::to_string(options.threads));
  if (options.shared) add("--shared", fmt::to_string(options.shared));
  if (options.launches != 1) add("--launches", fmt::to_string(options.launches));
  if (options.timeout > 0) add("--timeout", fmt::to_string(options.timeout));
  if (options.max_instructions) add("--max-instructions", fmt::to_string(options.max_instructions));
  for (const std::string& value : options.arguments) add("--arg", value);
  return words;
}

}  // namespace wavesmith::cli
