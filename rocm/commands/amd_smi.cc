#include "rocm/commands/amd_smi.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fstream>
#include <optional>
#include <span>

#include "base/rocm_release.h"
#include "rocm/commands/amd_smi_data.h"

namespace wavesmith::rocm {
namespace {

// As ROCm 7.1's: of its tool and of its library.
constexpr const char* kTool = "26.1.0";

std::string upper(std::string text) {
  std::transform(text.begin(), text.end(), text.begin(), [](char c) { return std::toupper(c); });
  return text;
}

std::string plain(const ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

/// Names in capitals, four more spaces a level.
void add_lines(std::string& text, const ordered_json& object, size_t level) {
  for (const auto& [name, value] : object.items()) {
    text += fmt::format("{:{}}{}:", "", level * 4, upper(name));
    if (value.is_object()) {
      text += "\n";
      add_lines(text, value, level + 1);
    } else {
      text += fmt::format(" {}\n", plain(value));
    }
  }
}

std::string for_people(const std::vector<ordered_json>& entries) {
  std::string text;
  for (ordered_json entry : entries) {
    text += fmt::format("GPU: {}\n", plain(entry["gpu"]));
    entry.erase("gpu");
    add_lines(text, entry, 1);
    text += "\n";
  }
  return text + (entries.size() > 1 ? "\n" : "");
}

/// The values of nested objects side by side, under their own names.
void flatten(ordered_json& flat, const ordered_json& object, const std::string& name) {
  if (object.is_object())
    for (const auto& [inner, value] : object.items()) flatten(flat, value, inner);
  else
    flat[name] = object;
}

std::string csv_cell(std::string text) {
  if (text.find_first_of(",\"\n") == text.npos) return text;
  std::string quoted = "\"";
  for (const char c : text) quoted += c == '"' ? std::string("\"\"") : std::string(1, c);
  return quoted + "\"";
}

std::string csv(const std::vector<ordered_json>& entries) {
  std::string text;
  for (const ordered_json& entry : entries) {
    ordered_json flat;
    flatten(flat, entry, "");
    std::string names, values;
    for (const auto& [name, value] : flat.items()) {
      names += (names.empty() ? "" : ",") + name;
      values += (values.empty() ? "" : ",") + csv_cell(plain(value));
    }
    text += (text.empty() ? names + "\n" : "") + values + "\n";
  }
  return text;
}

/// A column of `amd-smi monitor`.
struct Column {
  const char* name;
  const char* heading;
  size_t width;
};
constexpr Column kColumns[] = {
    {"gpu", "GPU", 3},
    {"xcp", "XCP", 5},
    {"power_usage", "POWER", 7},
    {"max_power", "PWR_CAP", 9},
    {"hotspot_temperature", "GPU_T", 8},
    {"memory_temperature", "MEM_T", 8},
    {"gfx_clk", "GFX_CLK", 10},
    {"gfx", "GFX%", 7},
    {"mem", "MEM%", 7},
    {"encoder", "ENC%", 7},
    {"decoder", "DEC%", 7},
    {"vram_usage", "VRAM_USAGE", 16},
    {"vram_used", "VRAM_USED", 11},
    {"vram_free", "VRAM_FREE", 12},
    {"vram_total", "VRAM_TOTAL", 12},
    {"vram_percent", "VRAM%", 9},
};

std::string monitor_table(const std::vector<ordered_json>& entries) {
  std::string text;
  for (const Column& column : kColumns)
    if (entries.front().contains(column.name)) text += fmt::format("{:>{}}", column.heading, column.width);
  text += "\n";
  for (const ordered_json& entry : entries) {
    for (const Column& column : kColumns)
      if (entry.contains(column.name)) text += fmt::format("{:>{}}", plain(entry[column.name]), column.width);
    text += "\n";
  }
  return text;
}

struct Options {
  std::vector<std::string> gpus;
  std::vector<std::string> parts;
  bool json = false, csv = false, enumeration = false;
  std::string file, level;

  [[nodiscard]] Form form() const { return json ? Form::Json : csv ? Form::Csv : Form::Human; }
};

std::string shown(const std::vector<ordered_json>& entries, Form form) {
  if (form == Form::Human) return for_people(entries);
  if (form == Form::Csv) return csv(entries);
  return ordered_json(entries).dump(4) + "\n";
}

std::string topology(const Machine& machine, const std::vector<size_t>& cards, const Options& options) {
  std::vector<const Relation*> wanted;
  for (const Relation& relation : relations())
    if (options.parts.empty() ||
        std::find(options.parts.begin(), options.parts.end(), relation.link) != options.parts.end())
      wanted.push_back(&relation);
  const auto value = [&](const Relation& relation, size_t from, size_t to) {
    return relation.of(machine.links[from][to], from == to);
  };
  if (options.form() == Form::Human) {
    std::string text;
    for (const Relation* relation : wanted) {
      text += fmt::format("{}:\n{:12}", relation->title, "");
      for (const size_t to : cards) text += fmt::format("{:>13}", machine.cards[to].slot.text());
      text += "\n";
      for (const size_t from : cards) {
        std::string line = fmt::format("{} ", machine.cards[from].slot.text());
        for (const size_t to : cards) line += fmt::format("{:<13}", plain(value(*relation, from, to)));
        text += line.substr(0, line.find_last_not_of(' ') + 1) + "\n";
      }
      text += "\n";
    }
    return text +
           "\nLegend:\n  SELF = Current GPU\n  ENABLED / DISABLED = Link is enabled or disabled\n"
           "  N/A = Not supported\n  T/F = True / False\n  C/NC = Coherent / Non-Coherent io links\n"
           "  64,32 = 64 bit and 32 bit atomic support\n  <BW from>-<BW to>\n";
  }
  std::vector<ordered_json> entries;
  for (const size_t from : cards) {
    ordered_json entry{{"gpu", from}, {"bdf", machine.cards[from].slot.text()}};
    if (options.form() == Form::Json) {
      for (const size_t to : cards) {
        ordered_json link{{"gpu", to}, {"bdf", machine.cards[to].slot.text()}};
        for (const Relation* relation : wanted) link[relation->link] = value(*relation, from, to);
        entry["links"].push_back(link);
      }
    } else {
      for (const Relation* relation : wanted)
        for (const size_t to : cards)
          entry[fmt::format("{}_gpu_{}", relation->matrix, to)] = value(*relation, from, to);
    }
    entries.push_back(entry);
  }
  return shown(entries, options.form());
}

std::string version(const Machine& machine, Form form) {
  const RocmRelease release = rocm_release();
  const std::string rocm = fmt::format("{}.{}.{}", release.major, release.minor, release.patch);
  const ordered_json all{{"tool", "AMDSMI Tool"},
                         {"version", fmt::format("{}+wavesmith", kTool)},
                         {"amdsmi_library_version", kTool},
                         {"rocm_version", rocm},
                         {"amdgpu_version", machine.driver.value_or("N/A")},
                         {"amd_hsmp_driver_version", "N/A"}};
  if (form != Form::Human) return shown({all}, form);
  return fmt::format(
      "AMDSMI Tool: {} | AMDSMI Library version: {} | ROCm version: {} | amdgpu version: {} | hsmp version: "
      "N/A\n",
      plain(all["version"]), kTool, rocm, plain(all["amdgpu_version"]));
}

/// The cards of numbers, addresses and UUIDs; all where none is named. The word that is none of them: an
/// error.
std::optional<std::string> choose(const Machine& machine, const std::vector<std::string>& words,
                                  std::vector<size_t>& cards) {
  for (size_t i = 0; i < machine.cards.size(); ++i)
    if (words.empty() || words[0] == "all") cards.push_back(i);
  if (!cards.empty()) return {};
  for (const std::string& word : words) {
    const auto found = std::find_if(machine.cards.begin(), machine.cards.end(), [&](const Card& card) {
      return word == fmt::to_string(&card - machine.cards.data()) || word == card.slot.text() ||
             word == card.uuid();
    });
    if (found == machine.cards.end()) return word;
    cards.push_back(static_cast<size_t>(found - machine.cards.begin()));
  }
  return {};
}

struct Part {
  const char* option;
  const char* part;
};
constexpr Part kStaticOptions[] = {
    {"-a,--asic", "asic"},
    {"-b,--bus", "bus"},
    {"-I,--ifwi,-V,--vbios", "ifwi"},
    {"-l,--limit", "limit"},
    {"-d,--driver", "driver"},
    {"-B,--board", "board"},
    {"-r,--ras", "ras"},
    {"-p,--partition", "partition"},
    {"-P,--soc-pstate", "soc_pstate"},
    {"-x,--xgmi-plpd", "xgmi_plpd"},
    {"-R,--process-isolation", "process_isolation"},
    {"-u,--numa", "numa"},
    {"-v,--vram", "vram"},
    {"-c,--cache", "cache_info"},
};
constexpr Part kMonitorOptions[] = {
    {"-p,--power-usage", "power"}, {"-t,--temperature", "temperature"}, {"-u,--gfx", "gfx"},
    {"-m,--mem", "mem"},           {"-n,--encoder", "encoder"},         {"-d,--decoder", "decoder"},
    {"-v,--vram-usage", "vram"},
};
constexpr Part kTopologyOptions[] = {
    {"-a,--access", "link_status"},  {"-w,--weight", "weight"},     {"-o,--hops", "num_hops"},
    {"-t,--link-type", "link_type"}, {"-b,--numa-bw", "bandwidth"}, {"-c,--coherent", "coherent"},
    {"-n,--atomics", "atomics"},     {"-d,--dma", "dma"},           {"-z,--bi-dir", "bi_dir"},
};

CLI::App* command(CLI::App& app, Options& options, const char* name, const char* what,
                  std::span<const Part> parts = {}) {
  CLI::App* const added = app.add_subcommand(name, what);
  for (const Part& part : parts)
    added->add_flag_callback(part.option, [&options, &part] { options.parts.emplace_back(part.part); });
  if (std::string_view(name) != "version")
    added->add_option("-g,--gpu", options.gpus, "only these: ID, BDF or UUID");
  CLI::Option* const json = added->add_flag("--json", options.json, "as JSON");
  added->add_flag("--csv", options.csv, "as CSV")->excludes(json);
  added->add_option("--file", options.file, "write there instead of to stdout");
  added->add_option("--loglevel", options.level, "ignored");
  return added;
}

}  // namespace

CommandOutput amd_smi(const Machine& machine, const std::vector<std::string>& arguments) {
  const RocmRelease release = rocm_release();
  CLI::App app(
      fmt::format("AMD System Management Interface | Version: {} | ROCm version: {}.{}.{} | Platform: "
                  "emulated",
                  kTool, release.major, release.minor, release.patch),
      "amd-smi");
  Options options;
  command(app, options, "version", "Display version information");
  CLI::App* const list = command(app, options, "list", "List GPU information");
  list->add_flag("-e,--enumeration", options.enumeration, "numbers of the GPUs in other interfaces");
  command(app, options, "static", "Gets static information about the specified GPU", kStaticOptions);
  command(app, options, "monitor", "Monitor metrics for target devices", kMonitorOptions);
  command(app, options, "topology", "Displays topology information of the devices", kTopologyOptions);
  app.require_subcommand(0, 1);
  try {
    std::vector<std::string> words(arguments.rbegin(), arguments.rend());
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    const auto chosen = app.get_subcommands();
    return {chosen.empty() ? app.help() : chosen[0]->help()};
  } catch (const CLI::ParseError& error) {
    return {{}, fmt::format("amd-smi: {}; --help lists what emulated GPUs support\n", error.what()), 2};
  }
  if (app.get_subcommands().empty()) return {app.help()};

  const std::string name = app.get_subcommands()[0]->get_name();
  const Form form = options.form();
  std::vector<size_t> cards;
  if (const auto wrong = choose(machine, options.gpus, cards))
    return {{},
            fmt::format("amd-smi: there is no GPU '{}'; amd-smi list shows those that there are\n", *wrong),
            2};
  std::string text;
  if (name == "version") {
    text = version(machine, form);
  } else if (name == "topology") {
    text = topology(machine, cards, options);
  } else {
    std::vector<ordered_json> entries;
    for (const size_t i : cards)
      entries.push_back(name == "list"     ? list_of(machine.cards[i], i, form, options.enumeration)
                        : name == "static" ? static_of(machine, i, form, options.parts)
                                           : monitor_of(machine.cards[i], i, form, options.parts));
    if (name == "static" && form == Form::Json)
      text = ordered_json{{"gpu_data", entries}}.dump(4) + "\n";
    else
      text = name == "monitor" && form == Form::Human ? monitor_table(entries) : shown(entries, form);
  }
  if (options.file.empty()) return {text};
  std::ofstream file(options.file);
  file << text;
  file.close();
  if (!file) return {{}, fmt::format("amd-smi: cannot write to '{}'\n", options.file), 1};
  return {};
}

}  // namespace wavesmith::rocm
