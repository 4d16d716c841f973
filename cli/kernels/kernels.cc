// `wavesmith kernels`: what the kernel library has, what its kernels need, and which one a problem gets.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <ranges>
#include <set>

#include "cli/command.h"
#include "cli/gpu_option.h"
#include "cli/kernels/choice.h"
#include "cli/kernels/library.h"
#include "cli/kernels/product_options.h"
#include "cli/kernels/tune.h"
#include "cli/terminal.h"
#include "kernels/attention/configuration.h"
#include "kernels/decode/configuration.h"
#include "study/gpu_option.h"

namespace wavesmith::cli {
namespace {

using kernels::GemmConfiguration;
using nlohmann::ordered_json;

struct Options {
  std::string operation;
  study::GpuOption gpu{.gpus = ""};
  study::Product product;
  bool sizes = false, each = false, json = false;
};

/// The tiles that a target has, in the table's order.
std::vector<const GemmConfiguration*> tiles_of(std::string_view target) {
  std::vector<const GemmConfiguration*> tiles;
  for (const GemmConfiguration& row : kernels::gemm_configurations())
    if (row.target == target) tiles.push_back(&row);
  return tiles;
}

const std::vector<std::string_view> kNoTiles;

/// Their names, each once.
std::vector<std::string_view> tile_names(std::string_view target) {
  std::vector<std::string_view> names;
  for (const GemmConfiguration* tile : tiles_of(target))
    if (std::ranges::find(names, tile->name) == names.end()) names.push_back(tile->name);
  return names;
}

/// The attention kernels that a target has, by the size of heads.
std::vector<const kernels::AttentionConfiguration*> attention_of(std::string_view target) {
  std::vector<const kernels::AttentionConfiguration*> rows;
  for (const kernels::AttentionConfiguration& row : kernels::attention_configurations())
    if (row.target == target) rows.push_back(&row);
  std::ranges::sort(rows, {}, [](auto* row) { return row->head_size; });
  return rows;
}

/// The decode kernels that a target has, by the size of heads, or those of latents, by their rows.
std::vector<const kernels::DecodeConfiguration*> decode_of(std::string_view target, bool latent) {
  std::vector<const kernels::DecodeConfiguration*> rows;
  for (const kernels::DecodeConfiguration& row : kernels::decode_configurations())
    if (row.target == target && row.has_latents() == latent) rows.push_back(&row);
  return rows;
}

/// "7", or "7-9" where kernels differ.
template <class Of>
std::string range_text(const std::vector<const LibraryKernel*>& all, Of of) {
  const auto [least, most] = std::ranges::minmax(all, {}, of);
  return of(least) == of(most) ? fmt::to_string(of(most)) : fmt::format("{}-{}", of(least), of(most));
}

uint64_t code_bytes(const std::vector<const LibraryKernel*>& all) {
  uint64_t sum = 0;
  for (const LibraryKernel* one : all) sum += one->code_bytes;
  return sum;
}

/// What stands in one row of the overview.
struct Operation {
  std::vector<const LibraryKernel*> kernels;
  std::set<std::string> types;
};

std::map<std::string, Operation> operations_of(const Library& library) {
  std::map<std::string, Operation> all;
  for (const LibraryKernel& one : library.kernels) {
    Operation& operation = all[std::string(one.operation())];
    operation.kernels.push_back(&one);
    if (one.is_of_types())
      operation.types.emplace(one.types());
    else
      operation.types = {"bf16", "f16", "f32"};
  }
  return all;
}

std::vector<std::string> gpus_of(std::string_view target) {
  std::vector<std::string> ids;
  for (const gpus::Gpu* gpu : gpus::gpus())
    if (gpu->target == target && !gpu->predict_only) ids.push_back(gpu->id);
  return ids;
}

ordered_json overview_json(const Library& library) {
  ordered_json operations = ordered_json::array();
  for (const auto& [name, operation] : operations_of(library)) {
    const std::vector<std::string_view> tiles = name == "gemm" ? tile_names(library.gpu->target) : kNoTiles;
    operations.push_back({{"operation", name},
                          {"types", operation.types},
                          {"tiles", tiles},
                          {"kernels", operation.kernels.size()},
                          {"code_bytes", code_bytes(operation.kernels)}});
  }
  return {{"target", library.gpu->target},
          {"gpus", gpus_of(library.gpu->target)},
          {"file", library.file},
          {"bytes", library.bytes},
          {"operations", operations}};
}

void print_overview(const std::vector<Library>& libraries) {
  Table table({"operation", "target", "GPUs", "types", "tiles", "kernels", "code"});
  for (size_t column : {5, 6}) table.align_right(column);
  for (const Library& library : libraries)
    for (const auto& [name, operation] : operations_of(library)) {
      const std::vector<std::string_view> tiles = name == "gemm" ? tile_names(library.gpu->target) : kNoTiles;
      table.add({name, library.gpu->target, fmt::format("{}", fmt::join(gpus_of(library.gpu->target), " ")),
                 fmt::format("{}", fmt::join(operation.types, " ")), fmt::format("{}", fmt::join(tiles, " ")),
                 fmt::to_string(operation.kernels.size()), bytes_text(code_bytes(operation.kernels))});
    }
  table.print();
}

ordered_json kernel_json(const LibraryKernel& one) {
  const object::Kernel& kernel = one.kernel;
  return {{"name", kernel.name},
          {"vgprs", kernel.vgpr_count},
          {"agprs", kernel.agpr_count},
          {"sgprs", kernel.sgpr_count},
          {"lds_bytes", kernel.fields.group_segment_fixed_size},
          {"scratch_bytes", kernel.fields.private_segment_fixed_size},
          {"waves_per_simd", one.occupancy.waves_per_simd},
          {"limited_by", gpus::name_of(one.occupancy.limiter)},
          {"workgroups_per_compute_unit", one.occupancy.workgroups},
          {"code_bytes", one.code_bytes}};
}

ordered_json gemm_json(const Library& library) {
  const auto modelled = [](int cycles) {
    return ordered_json{{"value", cycles}, {"unit", "cycles"}, {"kind", "modelled"}};
  };
  ordered_json tiles = ordered_json::array();
  for (const GemmConfiguration* tile : tiles_of(library.gpu->target)) {
    ordered_json each = ordered_json::array();
    for (const LibraryKernel* one : kernels_of(library, *tile)) each.push_back(kernel_json(*one));
    tiles.push_back({{"tile", tile->name},
                     {"types", tile->types},
                     {"rows", tile->rows},
                     {"columns", tile->columns},
                     {"depth", tile->depth},
                     {"threads", tile->threads},
                     {"step_cycles", modelled(tile->step_cycles)},
                     {"fixed_cycles", modelled(tile->fixed_cycles)},
                     {"layouts", tile->layouts},
                     {"unaligned", tile->elements},
                     {"whole_pieces", tile->pieces},
                     {"why", tile->why},
                     {"kernels", each}});
  }
  return {{"operation", "gemm"},
          {"gpu", library.gpu->id},
          {"target", library.gpu->target},
          {"waves_per_simd", library.gpu->waves_per_simd},
          {"tiles", tiles}};
}

void print_kernels(const std::vector<const LibraryKernel*>& all) {
  Table kernels({"kernel", "VGPRs", "of them AGPRs", "SGPRs", "LDS", "waves/SIMD", "code"});
  for (size_t column : {1, 2, 3, 4, 5, 6}) kernels.align_right(column);
  for (const LibraryKernel* one : all)
    kernels.add({one->kernel.name, fmt::to_string(one->kernel.vgpr_count),
                 fmt::to_string(one->kernel.agpr_count), fmt::to_string(one->kernel.sgpr_count),
                 bytes_text(one->kernel.fields.group_segment_fixed_size),
                 fmt::to_string(one->occupancy.waves_per_simd), bytes_text(one->code_bytes)});
  kernels.print();
}

void print_gemm(const Library& library, bool each) {
  const gpus::Gpu& gpu = *library.gpu;
  fmt::print("{}\n", styled(fmt::format("gemm for {} ({}, {} of code)", gpu.target, gpu.name,
                                        bytes_text(code_bytes(operations_of(library)["gemm"].kernels))),
                            Style::Strong));
  Table table({"tile", "types", "work-items", "VGPRs", "SGPRs", "LDS", "waves/SIMD", "limited by",
               "workgroups/CU", "cycles/step", "besides", "kernels", "code"});
  for (size_t column : {2, 3, 4, 5, 6, 8, 9, 10, 11, 12}) table.align_right(column);
  for (const GemmConfiguration* tile : tiles_of(gpu.target)) {
    const auto all = kernels_of(library, *tile);
    if (all.empty()) continue;
    std::set<std::string> types;
    for (const LibraryKernel* one : all) types.emplace(one->types());
    const LibraryKernel& worst =
        **std::ranges::min_element(all, {}, [](auto* one) { return one->occupancy.waves_per_simd; });
    table.add({std::string(tile->name), fmt::format("{}", fmt::join(types, " ")),
               fmt::to_string(tile->threads),
               range_text(all, [](auto* one) { return one->kernel.vgpr_count; }),
               range_text(all, [](auto* one) { return one->kernel.sgpr_count; }),
               bytes_text(worst.kernel.fields.group_segment_fixed_size),
               range_text(all, [](auto* one) { return one->occupancy.waves_per_simd; }) +
                   fmt::format(" of {}", gpu.waves_per_simd),
               std::string(gpus::name_of(worst.occupancy.limiter)),
               range_text(all, [](auto* one) { return one->occupancy.workgroups; }),
               fmt::to_string(tile->step_cycles), fmt::to_string(tile->fixed_cycles),
               fmt::to_string(all.size()), bytes_text(code_bytes(all))});
  }
  table.print();
  fmt::print("cycles of a workgroup alone on its compute unit (modelled): per step along K, and besides\n");
  for (const GemmConfiguration* tile : tiles_of(gpu.target))
    fmt::print("  {}\n",
               styled(fmt::format("{} of {}: {}", tile->name, tile->types, tile->why), Style::Faint));
  if (!each) return;
  fmt::print("\n");
  std::vector<const LibraryKernel*> all;
  for (const GemmConfiguration* tile : tiles_of(gpu.target))
    std::ranges::copy(kernels_of(library, *tile), std::back_inserter(all));
  print_kernels(all);
}

/// An operation without tiles to choose from: its kernels.
ordered_json operation_json(const Library& library, const std::string& name) {
  ordered_json kernels = ordered_json::array();
  const auto all = operations_of(library)[name].kernels;
  for (const LibraryKernel* one : all) kernels.push_back(kernel_json(*one));
  ordered_json json{{"operation", name},
                    {"gpu", library.gpu->id},
                    {"target", library.gpu->target},
                    {"waves_per_simd", library.gpu->waves_per_simd},
                    {"kernels", kernels}};
  if (name == "attention")
    for (const kernels::AttentionConfiguration* row : attention_of(library.gpu->target))
      json["heads"].push_back({{"up_to", row->head_size},
                               {"values_up_to", row->head_size_v},
                               {"rows", row->rows},
                               {"keys", row->keys},
                               {"threads", row->threads},
                               {"why", row->why}});
  if (name == "decode" || name == "mla")
    for (const kernels::DecodeConfiguration* row : decode_of(library.gpu->target, name == "mla"))
      json["heads"].push_back({{"of", row->head_size},
                               {"of_values", row->head_size_v},
                               {"rows", row->rows},
                               {"caches", row->caches},
                               {"keys", row->keys},
                               {"threads", row->threads},
                               {"why", row->why}});
  return json;
}

void print_operation(const Library& library, const std::string& name) {
  const gpus::Gpu& gpu = *library.gpu;
  const auto all = operations_of(library)[name].kernels;
  fmt::print("{}\n", styled(fmt::format("{} for {} ({}, {} of code)", name, gpu.target, gpu.name,
                                        bytes_text(code_bytes(all))),
                            Style::Strong));
  print_kernels(all);
  if (name == "attention")
    for (const kernels::AttentionConfiguration* row : attention_of(gpu.target))
      fmt::print("  {}\n", styled(fmt::format("heads of up to {}{}, {} rows by {} keys: {}", row->head_size,
                                              row->head_size_v == row->head_size
                                                  ? ""
                                                  : fmt::format(" and {} of V", row->head_size_v),
                                              row->rows, row->keys, row->why),
                                  Style::Faint));
}

/// The GPUs that are asked about; without --gpu, one of each target, or for a problem the usual one.
Result<std::vector<const gpus::Gpu*>> chosen_gpus(const Options& options) {
  if (options.gpu.gpus.empty() && options.gpu.set.empty() && !options.sizes) return gpus_with_kernels();
  study::GpuOption named = options.gpu;
  if (named.gpus.empty()) named.gpus = gpus::kDefaultGpu;
  return study::find_gpus(named);
}

Exit run(const Options& options) {
  if (options.sizes && options.operation != "gemm")
    return report({ErrorKind::BadInput,
                   fmt::format("--m, --n and --k are sizes of gemm, not of {}", options.operation)});
  const auto gpus = chosen_gpus(options);
  if (!gpus) return report(gpus.error());
  ordered_json all = ordered_json::array();
  std::vector<Library> libraries;
  for (const gpus::Gpu* gpu : *gpus) {
    Result<Library> library = read_library(*gpu);
    if (!library) return report(library.error());
    const auto operations = operations_of(*library);
    if (!options.operation.empty() && !operations.contains(options.operation))
      return report({ErrorKind::NotFound,
                     fmt::format("no operation '{}'", options.operation),
                     {},
                     fmt::format("there are {}; 'wavesmith predict' knows models of more",
                                 fmt::join(std::views::keys(operations), ", "))});
    libraries.push_back(std::move(*library));
  }
  bool first = true;
  for (const Library& library : libraries) {
    if (!options.json && !options.operation.empty() && !std::exchange(first, false)) fmt::print("\n");
    if (options.sizes) {
      const Result<ordered_json> choice = choice_json(options.product, *library.gpu);
      if (!choice) return report(choice.error());
      if (!options.json) print_choice(*choice, *library.gpu);
      all.push_back(*choice);
    } else if (options.operation == "gemm") {
      if (!options.json) print_gemm(library, options.each);
      all.push_back(gemm_json(library));
    } else if (!options.operation.empty()) {
      if (!options.json) print_operation(library, options.operation);
      all.push_back(operation_json(library, options.operation));
    } else {
      all.push_back(overview_json(library));
    }
  }
  if (options.json)
    fmt::print("{}\n", all.dump(2));
  else if (options.operation.empty())
    print_overview(libraries);
  return Exit::Ok;
}

}  // namespace

void add_kernels(CLI::App& app, Action& action) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "kernels",
                  "Lists the kernel library: resources and modelled cycles, and which kernel a problem gets");
  command->add_option("operation", options->operation,
                      "what is computed: gemm, attention, decode, norm, ...");
  command->add_option(
      "--gpu", options->gpu.gpus,
      "GPUs, separated by commas: ids ('wavesmith gpus' lists them) or TOML files; without it "
      "all targets");
  add_set_option(*command, options->gpu.set);
  const ProductOptions product = add_product_options(*command, options->product);
  product.m->group("Which kernel a product gets");
  for (CLI::Option* each : {product.n, product.k}) each->group(product.m->get_group());
  for (CLI::Option* each : {product.dtype, product.layout})
    each->needs(product.m)->group(product.m->get_group());
  const CountOptions counts = add_count_options(*command, options->product);
  for (CLI::Option* each : {counts.batch, counts.groups})
    each->needs(product.m)->group(product.m->get_group());
  command->add_option("--tile", options->product.tile, "this tile rather than the one that dispatch takes")
      ->needs(product.m)
      ->group(product.m->get_group());
  command->add_flag("--each", options->each, "each kernel, not the tiles alone");
  command->add_flag("--json", options->json, "as JSON, with each kernel");
  teach(
      *command,
      "  wavesmith kernels                          operations, targets, types, tiles, size of the code\n"
      "  wavesmith kernels gemm --gpu mi300x        registers, LDS, occupancy and cycles of its tiles, and why\n"
      "  wavesmith kernels gemm --gpu rx9070xt --each    those of every layout and type\n"
      "  wavesmith kernels attention --gpu mi300x   the same of another operation's kernels\n"
      "  wavesmith kernels gemm --m 4096 --n 4096 --k 4096 --dtype bf16 --gpu mi300x    what this one gets\n"
      "  wavesmith kernels gemm --m 300 --n 300 --k 4096 --gpu mi300x,mi355x --set cus=64    and with 64 CUs\n"
      "  wavesmith kernels gemm --m 512 --n 512 --k 513 --json | jq '.[].kernel'    not aligned: another kernel\n"
      "  wavesmith kernels tune gemm --m 4096 --n 4096 --k 4096    what each tile takes under the cycle model\n"
      "\nCycles are modelled ('wavesmith profile'), at the least those of moving the matrices once; 'wavesmith\n"
      "predict gemm' models memory and clocks in more detail. How to call the library:\n"
      "kernels/wavesmith_kernels.h, or from Python wavesmith.kernels.gemm.\n");
  command->require_subcommand(0, 1);
  add_tune(*command, action);
  add_launch(*command, action);
  command->callback([options, command, m = product.m, &action] {
    if (!command->get_subcommands().empty()) return;  // they have set the action
    options->sizes = m->count() > 0;
    if (options->sizes && options->operation.empty()) options->operation = "gemm";
    action = [options] { return run(*options); };
  });
}

}  // namespace wavesmith::cli
