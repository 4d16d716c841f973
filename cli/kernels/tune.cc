// `wavesmith kernels tune`: its options, and what it prints.
#include "cli/kernels/tune.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>
#include <thread>

#include "base/file.h"
#include "base/progress.h"
#include "cli/file.h"
#include "cli/kernels/product_options.h"
#include "cli/terminal.h"
#include "gpus/chosen.h"
#include "study/gpu_option.h"
#include "study/tune/shapes.h"
#include "study/tune/tune.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;

struct TuneOptions {
  std::string operation, gpu, shapes, output;
  study::Product product;
  int jobs = 0;
  bool json = false;
};

ordered_json seconds_json(double seconds) {
  return {{"value", seconds}, {"unit", "s"}, {"kind", "modelled"}};
}

ordered_json json_of(const study::TunedProduct& one) {
  ordered_json tiles = ordered_json::array();
  for (size_t i = 0; i < one.tiles.size(); ++i) {
    const study::TileTime& tile = one.tiles[i];
    tiles.push_back({{"tile", tile.tile}, {"dispatched", i == one.dispatched}, {"best", i == one.best}});
    if (tile.refused.empty())
      tiles.back()["seconds"] = seconds_json(tile.seconds);
    else
      tiles.back()["refused"] = tile.refused;
  }
  ordered_json json{{"operation", "gemm"},
                    {"gpu", one.device.name},
                    {"target", one.device.gpu->target},
                    {"multiprocessors", one.device.gpu->multiprocessors()},
                    {"types", one.problem.types},
                    {"layout", one.problem.layout},
                    {"m", one.problem.m},
                    {"n", one.problem.n},
                    {"k", one.problem.k},
                    {"tiles", tiles},
                    {"dispatched", one.tiles[one.dispatched].tile}};
  if (one.best) json["best"] = one.tiles[*one.best].tile;
  if (const auto gain = one.gain()) json["gain"] = {{"value", *gain}, {"unit", "x"}, {"kind", "modelled"}};
  return json;
}

void print(const std::vector<study::TunedProduct>& products) {
  Table table({"GPU", "M", "N", "K", "types", "layout", "tile", "time", "", "gain"});
  for (size_t column : {1, 2, 3, 7, 9}) table.align_right(column);
  for (const study::TunedProduct& one : products)
    for (size_t i = 0; i < one.tiles.size(); ++i) {
      const study::TileTime& tile = one.tiles[i];
      const bool dispatched = i == one.dispatched, best = i == one.best;
      const auto gain = best ? one.gain() : std::nullopt;
      table.add({one.device.name, fmt::to_string(one.problem.m), fmt::to_string(one.problem.n),
                 fmt::to_string(one.problem.k), one.problem.types, one.problem.layout, tile.tile,
                 tile.refused.empty() ? time_text(tile.seconds) : "none",
                 dispatched && best ? "dispatched, best"
                 : dispatched       ? "dispatched"
                 : best             ? "best"
                                    : "",
                 gain ? fmt::format("{:.2f}x", *gain) : ""});
    }
  table.print();
  fmt::print("times are modelled: the mean of two launches under the cycle model\n");
  for (const study::TunedProduct& one : products)
    for (const study::TileTime& tile : one.tiles)
      if (!tile.refused.empty())
        fmt::print("no time for {} on {}: {}\n", tile.tile, one.device.name, tile.refused);
}

/// What the options ask for. Errors: no such GPU, a list of shapes that cannot be read.
Result<study::TuneRequest> request_of(const TuneOptions& options) {
  study::TuneRequest request;
  if (options.operation != "gemm")
    return fail(ErrorKind::NotFound, fmt::format("no tiles of an operation '{}'", options.operation), {},
                "gemm has some");
  for (const std::string& name : study::split_list(options.gpu)) {
    const auto gpu = gpus::find_gpu(name);
    if (!gpu) return tl::unexpected(gpu.error());
    request.devices.push_back({*gpu, name});
  }
  if (options.product.m) request.products.push_back(options.product);
  if (!options.shapes.empty()) {
    const auto file = read_file(options.shapes);
    if (!file) return tl::unexpected(file.error());
    const std::string_view text(reinterpret_cast<const char*>(file->data()), file->size());
    const auto listed = study::read_shapes(text, options.shapes, options.product);
    if (!listed) return tl::unexpected(listed.error());
    request.products.insert(request.products.end(), listed->begin(), listed->end());
  }
  if (request.products.empty())
    return fail(ErrorKind::BadInput, "no product to tune", {},
                "give --m, --n and --k, or --shapes with a list");
  const auto tuned = study::tuned_in_force();
  if (!tuned) return tl::unexpected(tuned.error());
  request.tuned = *tuned;
  request.jobs =
      options.jobs > 0 ? options.jobs : static_cast<int>(std::max(1u, std::thread::hardware_concurrency()));
  return request;
}

Exit run(const TuneOptions& options) {
  const auto request = request_of(options);
  if (!request) return report(request.error());
  Progress progress("wavesmith kernels tune");
  const auto tuned = study::tune(*request, [&](const std::string& what) { progress.step(what); });
  progress.clear();
  if (!tuned) return report(tuned.error());
  if (!options.output.empty())
    if (const auto written = write_text(options.output, study::table_text(*tuned)); !written)
      return report(written.error());
  if (options.json) {
    ordered_json all = ordered_json::array();
    for (const study::TunedProduct& one : *tuned) all.push_back(json_of(one));
    fmt::print("{}\n", all.dump(2, ' ', false, ordered_json::error_handler_t::replace));
  } else {
    print(*tuned);
    if (!options.output.empty())
      fmt::print("dispatch takes them with WAVESMITH_KERNELS_TUNED={}\n", options.output);
  }
  const bool all_timed = std::ranges::all_of(*tuned, [](const auto& one) { return one.best.has_value(); });
  return all_timed ? Exit::Ok : Exit::Unsupported;
}

}  // namespace

void add_tune(CLI::App& kernels, Action& action) {
  auto options = std::make_shared<TuneOptions>();
  options->gpu = gpus::kDefaultGpu;
  CLI::App* command = add_command(
      kernels, "tune",
      "Times each tile that a product may get under the cycle model, and writes a table for dispatch");
  command->add_option("operation", options->operation, "what is computed: gemm")->required();
  command
      ->add_option("--gpu", options->gpu,
                   "GPUs, separated by commas: mi300x,mi210 or mi300x+compute.units=64")
      ->capture_default_str();
  add_product_options(*command, options->product);
  command->add_option(
      "--shapes", options->shapes,
      "more products: CSV whose first line names the columns, m,n,k and if wanted dtype,layout");
  command->add_option("--output", options->output, "write the best tiles as a table that dispatch reads");
  command->add_option("-j,--jobs", options->jobs, "processes at a time; default: one per CPU")
      ->check(CLI::NonNegativeNumber);
  command->add_flag("--json", options->json, "each tile's time, as JSON");
  teach(
      *command,
      "  wavesmith kernels tune gemm --m 4096 --n 4096 --k 4096 --gpu mi300x        what each tile takes\n"
      "  wavesmith kernels tune gemm --shapes shapes.csv --gpu mi300x,mi355x --output table.tsv\n"
      "  WAVESMITH_KERNELS_TUNED=table.tsv ./app          products in the table get the tiles that it names\n"
      "  WAVESMITH_KERNELS_TUNED=table.tsv wavesmith kernels gemm --m 4096 --n 4096 --k 4096    is it so?\n"
      "\nshapes.csv:\n"
      "  m,n,k,dtype\n"
      "  256,4096,14336,bf16\n"
      "  256,14336,4096,bf16\n"
      "\nTimes are those of 'wavesmith profile --sampled' on 'wavesmith kernels launch'. A table that is named\n"
      "tuned.tsv and lies beside the code objects serves every program. It holds for just these sizes, types and\n"
      "layouts, on GPUs of that target with as many compute units; other products, groups of rows among them, get\n"
      "what dispatch chooses.\n");
  command->callback([options, &action] { action = [options] { return run(*options); }; });
}

}  // namespace wavesmith::cli
