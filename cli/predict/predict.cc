// `wavesmith predict`: how long an operation takes on which GPU and why, in closed form, without running
// anything.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <nlohmann/json.hpp>

#include "cli/command.h"
#include "cli/gpu_option.h"
#include "cli/plot.h"
#include "cli/terminal.h"
#include "model/operation.h"
#include "study/prediction.h"

namespace wavesmith::cli {
namespace {

using model::Operation;
using model::Parameter;
using nlohmann::ordered_json;

struct PredictOptions {
  study::PredictionQuery query;
  std::string csv, plot;
  bool json = false, verbose = false;
};

using Row = study::PredictedPoint;

std::string rate_text(double per_second, const char* unit) {
  if (per_second >= 1e12) return fmt::format("{:.4g} T{}/s", per_second / 1e12, unit);
  return fmt::format("{:.4g} G{}/s", per_second / 1e9, unit);
}
std::string confidence_text(const model::Prediction& prediction) {
  std::string text(model::name_of(prediction.confidence));
  if (const model::Judged* const judged = prediction.judged)
    text += fmt::format(", median error {:.0f} % ({} rows)", judged->median * 100, judged->rows);
  return text;
}

/// One point: what is asked in rows, the GPUs in columns.
void print_point(const std::vector<Row>& rows, bool verbose) {
  std::vector<std::string> head{""};
  for (const Row& row : rows) head.push_back(row.gpu->id);
  head.emplace_back("how known");
  Table table(head);
  const auto line = [&](const std::string& name, const std::string& known, const auto& cell) {
    std::vector<std::string> cells{name};
    bool any = false;
    for (const Row& row : rows) {
      cells.push_back(row.predicted ? cell(row, row.predicted->prediction) : std::string("-"));
      any = any || (!cells.back().empty() && cells.back() != "-");
    }
    cells.push_back(known);
    if (any) table.add(cells);
  };
  line("time", "modelled", [](const Row&, const model::Prediction& p) { return time_text(p.seconds); });
  line("rate", "modelled", [](const Row&, const model::Prediction& p) {
    return p.flops > 0 && p.flops / p.bytes >= 4 ? rate_text(p.flops_per_second(), "FLOP")
                                                 : rate_text(p.bytes_per_second(), "B");
  });
  line("bound by", "modelled", [](const Row&, const model::Prediction& p) { return p.bound; });
  line("clock", "", [](const Row&, const model::Prediction& p) {
    return fmt::format("{:.0f} MHz, {}", p.clock_mhz, name_of(p.clock_kind));
  });
  for (const char* const level : {"LDS", "L1", "L2", "Infinity Cache", "HBM", "memory", "link"})
    line(level, "modelled", [&](const Row&, const model::Prediction& p) {
      for (const model::Level& each : p.levels)
        if (each.name == level)
          return fmt::format("{:.0f} % of {}, {:.3g} FLOP/B", 100 * each.utilisation,
                             rate_text(each.bytes_per_second, "B"),
                             each.bytes > 0 ? p.flops / each.bytes : 0);
      return std::string();
    });
  std::vector<std::string> names;
  for (const Row& row : rows)
    if (row.predicted)
      for (const model::Fact& fact : row.predicted->facts)
        if (std::find(names.begin(), names.end(), fact.name) == names.end()) names.push_back(fact.name);
  for (const std::string& name : names)
    line(name, "modelled", [&](const Row& row, const model::Prediction&) {
      for (const model::Fact& fact : row.predicted->facts)
        if (fact.name == name) return fact.value;
      return std::string();
    });
  if (verbose) {
    std::vector<std::string> parts;
    for (const Row& row : rows)
      if (row.predicted)
        for (const model::Part& part : row.predicted->prediction.parts)
          if (std::find(parts.begin(), parts.end(), part.name) == parts.end()) parts.push_back(part.name);
    for (const std::string& name : parts)
      line("  " + name, "modelled", [&](const Row&, const model::Prediction& p) {
        for (const model::Part& part : p.parts)
          if (part.name == name)
            return fmt::format("{}, {} exposed", time_text(part.seconds), time_text(part.exposed));
        return std::string();
      });
  }
  line("confidence", "derived", [](const Row&, const model::Prediction& p) { return confidence_text(p); });
  table.print();
  for (const Row& row : rows) {
    if (!row.predicted) continue;
    size_t left = verbose || rows.size() == 1 ? 100 : 2;
    for (const std::string& note : row.predicted->prediction.notes)
      if (left-- > 0) fmt::print("{}: {}\n", row.gpu->id, note);
  }
}

void print_sweep(const std::vector<Row>& rows, const std::vector<std::string>& swept) {
  std::vector<std::string> head = swept;
  for (const char* name : {"gpu", "time", "rate", "bound by", "clock"}) head.emplace_back(name);
  Table table(head);
  for (size_t i = 0; i < swept.size(); ++i) table.align_right(i);
  for (size_t i : {1, 2, 4}) table.align_right(swept.size() + i);
  constexpr size_t kMost = 200;
  size_t shown = 0;
  for (const Row& row : rows) {
    if (shown++ == kMost) break;
    std::vector<std::string> cells;
    for (const std::string& name : swept) cells.push_back(row.point.find(name)->second);
    cells.push_back(row.gpu->id);
    if (row.predicted) {
      const model::Prediction& p = row.predicted->prediction;
      cells.push_back(time_text(p.seconds));
      cells.push_back(p.flops > 0 && p.flops / p.bytes >= 4 ? rate_text(p.flops_per_second(), "FLOP")
                                                            : rate_text(p.bytes_per_second(), "B"));
      cells.push_back(p.bound);
      cells.push_back(fmt::format("{:.0f} MHz", p.clock_mhz));
    } else {
      for (const char* text : {"-", "-", "", "-"}) cells.emplace_back(text);
    }
    table.add(cells);
  }
  table.print();
  if (rows.size() > kMost) fmt::print("{} more points: --csv FILE has all\n", rows.size() - kMost);
  fmt::print("{}\n", styled("times and rates are modelled", Style::Faint));
}

std::string csv_of(const std::vector<Row>& rows, const Operation& operation,
                   const std::vector<std::string>& names) {
  std::string text = "operation,gpu";
  for (const std::string& name : names) text += "," + name;
  text += ",seconds,flops,bytes,flops_per_second,bytes_per_second,bound,clock_mhz,confidence,error\n";
  for (const Row& row : rows) {
    text += fmt::format("{},{}", operation.name, row.gpu->id);
    for (const std::string& name : names) {
      const auto found = row.point.find(name);
      text += "," + (found == row.point.end() ? std::string() : found->second);
    }
    if (row.predicted) {
      const model::Prediction& p = row.predicted->prediction;
      text += fmt::format(",{:.6g},{:.6g},{:.6g},{:.6g},{:.6g},{},{:.0f},{},\n", p.seconds, p.flops, p.bytes,
                          p.flops_per_second(), p.bytes_per_second(), p.bound, p.clock_mhz,
                          model::name_of(p.confidence));
    } else {
      std::string why = row.predicted.error().what;
      std::replace(why.begin(), why.end(), '"', '\'');
      text += fmt::format(",,,,,,,,,\"{}\"\n", why);
    }
  }
  return text;
}

Plot plot_of(const std::vector<Row>& rows, const Operation& operation,
             const std::vector<std::string>& swept) {
  const std::string& x = swept.front();
  bool compute = true;
  for (const Row& row : rows)
    if (row.predicted)
      compute =
          compute && row.predicted->prediction.flops / std::max(1.0, row.predicted->prediction.bytes) >= 1;
  Plot plot{fmt::format("{}: {}", operation.name, compute ? "TFLOP/s" : "GB/s"),
            x,
            compute ? "TFLOP/s" : "GB/s",
            {}};
  std::map<std::string, size_t> lines;
  for (const Row& row : rows) {
    if (!row.predicted) continue;
    std::string name = row.gpu->id;
    for (size_t i = 1; i < swept.size(); ++i)
      name += fmt::format(" {}={}", swept[i], row.point.find(swept[i])->second);
    if (!lines.contains(name)) {
      lines[name] = plot.lines.size();
      plot.lines.push_back({name, {}});
    }
    const double at = std::strtod(row.point.find(x)->second.c_str(), nullptr);
    const model::Prediction& p = row.predicted->prediction;
    const double value = compute ? p.flops_per_second() / 1e12 : p.bytes_per_second() / 1e9;
    if (at > 0 && value > 0) plot.lines[lines[name]].points.emplace_back(at, value);
  }
  return plot;
}

Exit write(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  if (!file) return report(Error{ErrorKind::BadInput, fmt::format("cannot write '{}'", path), {}, {}});
  return Exit::Ok;
}

Exit predict(const Operation& operation, const PredictOptions& options) {
  const Result<study::Predictions> found = study::predictions(operation, options.query);
  if (!found) return report(found.error());
  const auto& [rows, names, swept] = *found;
  const Error* first = nullptr;
  size_t good = 0;
  for (const Row& row : rows) {
    if (row.predicted)
      ++good;
    else if (!first)
      first = &row.predicted.error();
  }
  if (good == 0 && first) return report(*first);

  if (!options.csv.empty())
    if (const Exit code = write(options.csv, csv_of(rows, operation, names)); code != Exit::Ok) return code;
  if (!options.plot.empty()) {
    if (swept.empty())
      return report(Error{ErrorKind::BadInput,
                          "there is nothing to plot along",
                          {},
                          "give a range, as in --m 1024:16384:1024"});
    if (const Exit code = write(options.plot, svg_of(plot_of(rows, operation, swept))); code != Exit::Ok)
      return code;
  }
  if (options.json) {
    ordered_json json = ordered_json::array();
    for (const Row& row : rows) json.push_back(json_of(row, operation));
    fmt::print("{}\n", json.dump(2));
  } else if (!swept.empty()) {
    if (options.csv.empty() && options.plot.empty())
      print_sweep(rows, swept);
    else
      fmt::print("{} points{}{}\n", rows.size(), options.csv.empty() ? "" : ", " + options.csv,
                 options.plot.empty() ? "" : ", " + options.plot);
  } else {
    print_point(rows, options.verbose);
  }
  // Those that could not be predicted, by reason.
  std::map<std::string, std::string> failed;
  for (const Row& row : rows)
    if (!row.predicted && failed[row.predicted.error().text()].find(row.gpu->id) == std::string::npos)
      failed[row.predicted.error().text()] +=
          (failed[row.predicted.error().text()].empty() ? "" : ", ") + row.gpu->id;
  if (!options.json)
    for (const auto& [why, where] : failed) fmt::print(stderr, "wavesmith: {}: {}\n", where, why);
  return Exit::Ok;
}

std::string help_of(const Parameter& parameter) {
  std::string text(parameter.about);
  if (!parameter.choices.empty()) text += fmt::format(": {}", parameter.choices);
  if (parameter.kind == Parameter::Kind::Type) text += fmt::format(": {}", model::known_types());
  if (!parameter.standard.empty() && parameter.standard != "0")
    text += fmt::format(" [{}]", parameter.standard);
  return text;
}

void add_operation(CLI::App& predict_command, Action& action, const Operation& operation) {
  CLI::App* command = add_command(predict_command, std::string(operation.name), std::string(operation.about));
  command->allow_extras(false);
  auto options = std::make_shared<PredictOptions>();
  for (const Parameter& parameter : operation.parameters) {
    const std::string flag =
        fmt::format("--{}{}{}", parameter.name, parameter.also.empty() ? "" : ",--", parameter.also);
    if (parameter.kind == Parameter::Kind::Switch)
      command->add_flag(flag, options->query.switches[std::string(parameter.name)], help_of(parameter));
    else
      command->add_option(flag, options->query.values[std::string(parameter.name)], help_of(parameter))
          ->type_name(parameter.kind == Parameter::Kind::Size ? "N|RANGE" : "");
  }
  add_gpu_option(*command, options->query.gpu);
  command->add_flag("--warm", options->query.warm,
                    "operands were touched just before: they stand in the caches that hold them");
  command
      ->add_option("--clock", options->query.clock,
                   "engine clock held there, MHz; otherwise what the power limit leaves")
      ->check(CLI::PositiveNumber);
  command->add_option("--timing", options->query.timing, "how the time would be taken")
      ->check(CLI::IsMember({"profiler", "events", "back-to-back"}))
      ->capture_default_str();
  command->add_flag("--json", options->json, "all of it as JSON");
  command->add_option("--csv", options->csv, "write every point of the sweep to this file");
  command->add_option("--plot", options->plot, "draw the sweep's rates into this SVG");
  command->add_flag("-v,--verbose", options->verbose, "also the parts of the time, and all notes");
  std::string examples;
  std::string_view rest = operation.examples;
  while (!rest.empty()) {
    const size_t end = std::min(rest.find('\n'), rest.size());
    if (end > 0) examples += fmt::format("  wavesmith predict {} {}\n", operation.name, rest.substr(0, end));
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  teach(*command, examples +
                      "\nSizes are numbers, lists (1,2,4) or ranges (1024:16384:1024, 1:65536:*4), with "
                      "units (64KiB, 1GiB) "
                      "where that helps.\n");
  command->callback([options, &operation, &action] {
    action = [options, &operation] { return predict(operation, *options); };
  });
}

}  // namespace

void add_predict(CLI::App& app, Action& action) {
  CLI::App* command = add_command(
      app, "predict",
      "Predicts how long an operation takes on which GPU, and what bounds it, without running it");
  command->require_subcommand(0, 1);
  command->allow_extras();  // an unknown operation may have options
  auto unknown = std::make_shared<std::string>();
  command->add_option("operation", *unknown, "one of those below")->type_name("");
  command->callback([command, unknown, &action] {
    if (!command->get_subcommands().empty()) return;
    action = [unknown] {
      const Result<const Operation*> found = model::find_operation(*unknown);
      if (found) return Exit::Usage;
      Error error = found.error();
      if (unknown->empty()) error.what = "what shall be predicted?";
      report(error);
      return Exit::Usage;
    };
  });
  for (const Operation& operation : model::operations()) add_operation(*command, action, operation);
  teach(*command,
        "  wavesmith predict gemm --m 4096 --n 4096 --k 4096 --dtype bf16 --gpu mi300x,mi355x,rx9070xt\n"
        "  wavesmith predict norm --rows 16384 --columns 8192 --gpu mi300x          what bounds a kernel, "
        "and why\n"
        "  wavesmith predict copy --bytes 4KiB:1GiB:*4 --gpu mi300x --plot copy.svg a sweep, drawn\n"
        "  wavesmith predict gemm --m 16 --n 8192 --k 8192 --gpu mi300x --set memory.bandwidth=8TB/s    what "
        "if\n"
        "  wavesmith predict OPERATION --help                                        its options and "
        "examples\n");
}

}  // namespace wavesmith::cli
