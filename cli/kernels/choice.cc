#include "cli/kernels/choice.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/terminal.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;

ordered_json modelled(double value, const char* unit) {
  return {{"value", value}, {"unit", unit}, {"kind", "modelled"}};
}

}  // namespace

Result<ordered_json> choice_json(const study::Product& product, const gpus::Gpu& gpu) {
  const auto tuned = study::tuned_in_force();
  if (!tuned) return tl::unexpected(tuned.error());
  const auto chosen_kernel = study::choose(product, gpu, *tuned);
  if (!chosen_kernel) return tl::unexpected(chosen_kernel.error());
  const kernels::GemmChoice& choice = *chosen_kernel;
  const double flops = 2.0 * static_cast<double>(product.m) * static_cast<double>(product.n) *
                       static_cast<double>(product.k) * static_cast<double>(product.batch);
  const auto seconds = [&](double cycles) { return cycles / (gpu.engine_mhz * 1e6); };
  ordered_json candidates = ordered_json::array(), chosen;
  for (const auto& one : choice.candidates) {
    const bool is_chosen = one.configuration == choice.configuration && one.splits == choice.splits;
    candidates.push_back({{"tile", one.name()},
                          {"splits", std::max(1, one.splits)},
                          {"workgroups", one.workgroups},
                          {"threads", one.configuration->threads},
                          {"rounds", one.rounds},
                          {"cycles", modelled(one.cycles, "cycles")},
                          {"seconds", modelled(seconds(one.cycles), "s")},
                          {"flops_per_second", modelled(flops / seconds(one.cycles), "FLOP/s")},
                          {"chosen", is_chosen},
                          {"why", one.configuration->why}});
    if (is_chosen) chosen = candidates.back();
  }
  ordered_json json{{"operation", "gemm"},
                    {"gpu", gpu.id},
                    {"target", gpu.target},
                    {"m", product.m},
                    {"n", product.n},
                    {"k", product.k},
                    {"batch", product.batch},
                    {"groups", product.groups},
                    {"dtype", product.dtype},
                    {"layout", product.layout},
                    {"kernel", choice.kernel},
                    {"tile", chosen["tile"]},
                    {"tuned", choice.is_tuned},
                    {"splits", std::max(1, choice.splits)},
                    {"workspace_bytes", choice.workspace_bytes}};
  json["streamed"] = choice.splits == kernels::kStreamed;
  for (const char* name : {"workgroups", "threads", "rounds", "cycles", "seconds", "flops_per_second"})
    json[name] = chosen[name];
  json["compute_units"] = gpu.compute_units;
  json["multiprocessors"] = gpu.multiprocessors();
  json["clock_mhz"] = gpu.engine_mhz;
  json["candidates"] = candidates;
  return json;
}

void print_choice(const ordered_json& choice, const gpus::Gpu& gpu) {
  const auto number = [](const ordered_json& of, const char* name) {
    return of[name]["value"].get<double>();
  };
  const auto batch = choice["batch"].get<int64_t>(), groups = choice["groups"].get<int64_t>();
  fmt::print("{}\n",
             styled(fmt::format("{} ({}): {}{} x {} by {} x {} of {}{}", gpu.name, gpu.target,
                                batch == 1 ? "" : fmt::format("{} times ", batch), choice["m"].get<int64_t>(),
                                choice["k"].get<int64_t>(), choice["k"].get<int64_t>(),
                                choice["n"].get<int64_t>(), choice["dtype"].get<std::string>(),
                                groups == 0 ? "" : fmt::format(", in {} groups", groups)),
                    Style::Strong));
  fmt::print("  kernel  {}{}\n", choice["kernel"].get<std::string>(),
             choice["tuned"].get<bool>() ? " (by the tuned table)" : "");
  fmt::print("  grid    {} workgroups of {} work-items on {} {}: {} round{}\n",
             choice["workgroups"].get<int64_t>(), choice["threads"].get<int>(), gpu.multiprocessors(),
             gpu.multiprocessors() == gpu.compute_units ? "compute units" : "workgroup processors",
             choice["rounds"].get<int64_t>(), choice["rounds"] == 1 ? "" : "s");
  if (const auto splits = choice["splits"].get<int>(); splits > 1)
    fmt::print("  parts   {} of k, with a workspace of {}; a second kernel adds them up\n", splits,
               bytes_text(choice["workspace_bytes"].get<uint64_t>()));
  else if (choice["streamed"].get<bool>())
    fmt::print(
        "  shared  tiles of the last round, along k, with a workspace of {}; a second kernel adds up\n",
        bytes_text(choice["workspace_bytes"].get<uint64_t>()));
  fmt::print("  time    {} at {} MHz, {:.4g} TFLOP/s (modelled: {:.0f} cycles)\n",
             time_text(number(choice, "seconds")), gpu.engine_mhz, number(choice, "flops_per_second") / 1e12,
             number(choice, "cycles"));
  Table table({"tile", "workgroups", "rounds", "cycles", "time", ""});
  for (size_t column : {1, 2, 3, 4}) table.align_right(column);
  for (const ordered_json& one : choice["candidates"])
    table.add({one["tile"].get<std::string>(), fmt::to_string(one["workgroups"].get<int64_t>()),
               fmt::to_string(one["rounds"].get<int64_t>()), fmt::format("{:.0f}", number(one, "cycles")),
               time_text(number(one, "seconds")), one["chosen"].get<bool>() ? "chosen" : ""});
  table.print();
}

}  // namespace wavesmith::cli
