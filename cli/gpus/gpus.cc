// `wavesmith gpus`: which GPUs are described, and every number of one with its source.
#include "gpus/gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <nlohmann/json.hpp>

#include <memory>

#include "cli/command.h"
#include "cli/terminal.h"

namespace wavesmith::cli {
namespace {

using gpus::Field;
using gpus::Gpu;
using nlohmann::ordered_json;

ordered_json value_json(const Gpu& gpu, const Field& field) {
  return std::visit(
      [&](auto member) -> ordered_json {
        const auto& value = gpu.*member;
        if constexpr (requires { value.has_value(); })
          return value ? ordered_json(*value) : ordered_json(nullptr);
        else
          return value;
      },
      field.member);
}

/// {"id": ..., "compute": {"units": {"value": 304, "unit": "", "kind": "read", "source": "..."}}}
ordered_json gpu_json(const Gpu& gpu) {
  ordered_json json{{"id", gpu.id}};
  for (const Field& field : gpus::fields()) {
    const gpus::Source& source = gpu.sources.find(field.path)->second;
    ordered_json entry{
        {"value", value_json(gpu, field)}, {"kind", gpus::name_of(source.kind)}, {"source", source.text}};
    if (!field.unit.empty()) entry["unit"] = field.unit;
    const size_t dot = field.path.find('.');
    if (dot == field.path.npos)
      json[std::string(field.path)] = entry;
    else
      json[std::string(field.path.substr(0, dot))][std::string(field.path.substr(dot + 1))] = entry;
  }
  return json;
}

void print_list(const std::vector<const Gpu*>& all) {
  Table table({"id", "name", "target", "CUs", "waves", "LDS/CU", "memory", "GB/s", "MHz"});
  for (size_t column : {3, 5, 6, 7, 8}) table.align_right(column);
  for (const Gpu* gpu : all)
    table.add({gpu->id, gpu->predict_only ? gpu->name + " (predict only)" : gpu->name, gpu->target,
               fmt::to_string(gpu->compute_units), fmt::format("wave{}", fmt::join(gpu->wave_sizes, "/")),
               bytes_text(gpu->lds_bytes), bytes_text(gpu->memory_bytes),
               fmt::format("{:g}", gpu->memory_gigabytes_per_second), fmt::to_string(gpu->engine_mhz)});
  table.print();
}

void print_one(const Gpu& gpu) {
  fmt::print("{}\n", styled(gpu.name, Style::Strong));
  Table table({"number", "value", "", "how known", "source"});
  table.align_right(1);
  for (const Field& field : gpus::fields()) {
    const gpus::Source& source = gpu.sources.find(field.path)->second;
    table.add({std::string(field.path), gpus::value_text(gpu, field), std::string(field.unit),
               std::string(gpus::name_of(source.kind)), source.text});
  }
  table.print();
}

}  // namespace

void add_gpus(CLI::App& app, Action& action) {
  struct Options {
    std::string gpu;
    bool json = false;
  };
  auto options = std::make_shared<Options>();
  CLI::App* command =
      add_command(app, "gpus", "Lists the described GPUs, or every number of one with its source");
  command->add_option(
      "gpu", options->gpu,
      "id (mi300x), your own TOML file (./my.toml), or either with changes (mi300x+lds.bytes=131072)");
  command->add_flag("--json", options->json, "as JSON");
  teach(*command,
        "  wavesmith gpus                          what there is\n"
        "  wavesmith gpus mi300x                   all its numbers and their sources\n"
        "  wavesmith gpus mi355x+compute.units=8   a smaller one\n"
        "  wavesmith gpus --json | jq '.[].id'     for scripts\n");
  command->callback([options, &action] {
    action = [options] {
      if (options->gpu.empty()) {
        const std::vector<const Gpu*> all = gpus::gpus();
        if (!options->json) return print_list(all), Exit::Ok;
        ordered_json json = ordered_json::array();
        for (const Gpu* gpu : all) json.push_back(gpu_json(*gpu));
        fmt::print("{}\n", json.dump(2));
        return Exit::Ok;
      }
      const Result<const Gpu*> gpu = gpus::find_gpu(options->gpu);
      if (!gpu) return report(gpu.error());
      if (options->json)
        fmt::print("{}\n", gpu_json(**gpu).dump(2));
      else
        print_one(**gpu);
      return Exit::Ok;
    };
  });
}

}  // namespace wavesmith::cli
