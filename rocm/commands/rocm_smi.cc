// Titles, names and layout are those of rocm_smi.py (ROCm 7.2), whose own output over the files that
// `wavesmith run` shows is the model: what a GPU has no sensor for is told as it tells that.
#include "rocm/commands/rocm_smi.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/rocm_release.h"

namespace wavesmith::rocm {
namespace {

using nlohmann::ordered_json;

constexpr size_t kWidth = 90;
constexpr const char* kTitle = "ROCm System Management Interface";
constexpr const char* kEnd = "End of ROCm SMI Log";
constexpr const char* kVendor = "Advanced Micro Devices, Inc. [AMD/ATI]";
constexpr const char* kNoSensor = "Not supported on the given system";

/// A line of "=", or a title within one.
std::string spacer(const std::string& title = {}, size_t width = kWidth) {
  width += width % 2;
  if (title.empty()) return std::string(width, '=') + "\n";
  return fmt::format("{:=^{}}\n", " " + title + " ", width);
}

/// The requested output, as text and as values by card and for the system.
struct Log {
  std::string text;
  ordered_json values = ordered_json::object();

  void value(size_t card, const std::string& name, const std::string& value, const char* tabs = "") {
    text += fmt::format("GPU[{}]\t\t: {}: {}{}\n", card, name, tabs, value);
    values[fmt::format("card{}", card)][name] = value;
  }
  void note(size_t card, const std::string& what) { text += fmt::format("GPU[{}]\t\t: {}\n", card, what); }
  void system(const std::string& name, const std::string& value) {
    text += fmt::format("{}: {}\n", name, value);
    values["system"][name] = value;
  }
};

struct Request {
  const Machine& machine;
  std::vector<size_t> cards;
  std::vector<std::string> memory;

  [[nodiscard]] const Card& card(size_t i) const { return machine.cards[i]; }
};

/// A part of the log between its title and a line of "=".
using Body = std::function<void(const Request&, Log&)>;
/// For each card alone.
Body each(std::function<void(const Card&, size_t, Log&)> one) {
  return [one = std::move(one)](const Request& request, Log& log) {
    for (const size_t i : request.cards) one(request.card(i), i, log);
  };
}
Body without_sensor(const char* what) {
  return each([what](const Card&, size_t i, Log& log) { log.note(i, what); });
}

std::string hex(uint32_t number, int digits = 4) { return fmt::format("0x{:0{}x}", number, digits); }

uint64_t percent_used(const Card& card) {
  return card.gpu->memory_bytes
             ? (card.memory_used * 100 + card.gpu->memory_bytes / 2) / card.gpu->memory_bytes
             : 0;
}

void memory(const Request& request, Log& log) {
  for (const size_t i : request.cards)
    for (std::string kind : request.memory) {
      std::transform(kind.begin(), kind.end(), kind.begin(), [](char c) { return std::toupper(c); });
      const std::string total = kind + " Total Memory (B)", used = kind + " Total Used Memory (B)";
      if (kind == "VRAM") {
        log.value(i, total, fmt::to_string(request.card(i).gpu->memory_bytes));
        log.value(i, used, fmt::to_string(request.card(i).memory_used));
      } else {
        for (const char* question : {"usage", "total"})
          log.note(i, fmt::format("get_memory_{}_{}, {}", question, kind, kNoSensor));
        log.note(i, total), log.note(i, used);
      }
    }
}

void product(const Card& card, size_t i, Log& log) {
  log.value(i, "Card Series", card.gpu->name, "\t\t");
  log.value(i, "Card Model", hex(card.gpu->pci_device), "\t\t");
  log.value(i, "Card Vendor", kVendor, "\t\t");
  log.value(i, "Card SKU", "N/A", "\t\t");
  log.value(i, "Subsystem ID", hex(card.gpu->pci_device), "\t");
  log.value(i, "Device Rev", hex(card.gpu->pci_revision, 2), "\t\t");
  log.value(i, "Node ID", fmt::to_string(card.node), "\t\t");
  log.value(i, "GUID", fmt::to_string(card.kfd_id), "\t\t");
  log.value(i, "GFX Version", card.gpu->target, "\t\t");
}

void identity(const Card& card, size_t i, Log& log) {
  log.value(i, "Device Name", card.gpu->name, "\t\t");
  log.value(i, "Device ID", hex(card.gpu->pci_device), "\t\t");
  log.value(i, "Device Rev", hex(card.gpu->pci_revision, 2), "\t\t");
  log.value(i, "Subsystem ID", hex(card.gpu->pci_device), "\t");
  log.value(i, "GUID", fmt::to_string(card.kfd_id), "\t\t");
}

void processes(const Request&, Log& log) { log.text += "No KFD PIDs currently running\n"; }

struct Option {
  const char* names;
  const char* title;
  const char* help;
  bool in_all;  ///< a part of --showallinfo
  Body body;
};

/// In the order in which rocm-smi prints them.
const std::vector<Option>& options() {
  static const std::vector<Option> kOptions = {
      {"--showdriverversion", "Version of System Component", "version of the kernel driver", true,
       [](const Request& request, Log& log) {
         log.system("Driver version", request.machine.driver.value_or("N/A"));
       }},
      {"-i,--showid", "ID", "device ids", true, each(identity)},
      {"--showuniqueid", "Unique ID", "unique ids", true, each([](const Card& card, size_t i, Log& log) {
         log.value(i, "Unique ID", fmt::format("{:#x}", card.unique_id));
       })},
      {"-v,--showvbios", "VBIOS", "version of the VBIOS", true,
       each([](const Card&, size_t i, Log& log) { log.value(i, "VBIOS version", "N/A"); })},
      {"-t,--showtemp", "Temperature", "temperatures", true, each([](const Card&, size_t, Log&) {})},
      {"-c,--showclocks", "Current clock frequencies", "current clocks", true,
       each([](const Card&, size_t, Log&) {})},
      {"-f,--showfan", "Current Fan Metric", "fan speed", true, without_sensor("Not supported")},
      {"-p,--showperflevel", "Show Performance Level", "performance level", true,
       each([](const Card&, size_t i, Log& log) {
         for (int times = 0; times < 2; ++times) log.note(i, fmt::format("get_perf_level, {}", kNoSensor));
         log.value(i, "Performance Level", "n/a");
       })},
      {"-M,--showmaxpower", "Power Cap", "the most power", true, each([](const Card&, size_t i, Log& log) {
         log.note(i, fmt::format("get_power_cap, {}", kNoSensor));
         log.note(i, "Max Graphics Package Power Unsupported");
       })},
      {"-P,--showpower", "Power Consumption", "current power", true,
       [](const Request& request, Log& log) {
         for (size_t i = 0; i < request.cards.size(); ++i)
           log.text += fmt::format("energy_count_secondary_die_check, {}\n", kNoSensor);
       }},
      {"-u,--showuse", "% time GPU is busy", "use of the GPU", true,
       each([](const Card&, size_t i, Log& log) {
         log.note(i, fmt::format("GPU Utilization , {}", kNoSensor));
         log.note(i, "GPU use Unsupported");
       })},
      {"--showmemuse", "Current Memory Use", "memory in use, in percent", true,
       each([](const Card& card, size_t i, Log& log) {
         log.value(i, "GPU Memory Allocated (VRAM%)", fmt::to_string(percent_used(card)));
         log.value(i, "Memory Activity", "N/A");
         log.note(i, kNoSensor);
       })},
      {"--showserial", "Serial Number", "serial numbers", true, each([](const Card&, size_t i, Log& log) {
         log.note(i, fmt::format("get_serial_number, {}", kNoSensor));
         log.value(i, "Serial Number", "N/A");
       })},
      {"--showpids", "KFD Processes", "processes that use the GPUs", true, processes},
      {"--showbus", "PCI Bus ID", "PCI addresses", true, each([](const Card& card, size_t i, Log& log) {
         std::string address = card.slot.text();
         std::transform(address.begin(), address.end(), address.begin(),
                        [](char c) { return std::toupper(c); });
         log.value(i, "PCI Bus", address);
       })},
      {"--showproductname", "Product Info", "names of the products", true, each(product)},
  };
  return kOptions;
}

/// One question about each two GPUs.
struct Matrix {
  const char* option;
  const char* title;
  const char* json;
  std::string self;
  std::string (*of)(const Link&);
};
const Matrix kMatrices[] = {
    {"--showtopoaccess", "Link accessibility between two GPUs", "Link accessibility", "True",
     [](const Link&) -> std::string { return "True"; }},
    {"--showtopoweight", "Weight between two GPUs", "Weight", "0",
     [](const Link& link) { return fmt::to_string(link.weight); }},
    {"--showtopohops", "Hops between two GPUs", "Hops", "0",
     [](const Link& link) { return fmt::to_string(link.hops); }},
    {"--showtopotype", "Link Type between two GPUs", "Link type", "0",
     [](const Link& link) -> std::string { return link.xgmi ? "XGMI" : "PCIE"; }},
};

void add_matrix(const Matrix& matrix, const Request& request, Log& log) {
  log.text += spacer(matrix.title) + "       ";
  for (const size_t to : request.cards) log.text += fmt::format("GPU{:<9} ", to);
  log.text += "\n";
  for (const size_t from : request.cards) {
    log.text += fmt::format("GPU{:<3} ", from);
    for (const size_t to : request.cards) {
      const std::string value = from == to ? matrix.self : matrix.of(request.machine.links[from][to]);
      log.text += fmt::format("{:<12} ", value);
      if (from < to)
        log.values["system"]
                  [fmt::format("(Topology) {} between DRM devices {} and {}", matrix.json, from, to)] = value;
    }
    log.text += "\n";
  }
}

void add_numa(const Request& request, Log& log) {
  log.text += spacer("Numa Nodes");
  for (const size_t i : request.cards) {
    log.value(i, "(Topology) Numa Node", "0");
    log.value(i, "(Topology) Numa Affinity", "-1");
  }
}

using Rows = std::vector<std::vector<std::string>>;

/// A table between two titles; its second row is in italics where there are two of names.
std::string table(const char* title, const Rows& names, const Rows& rows) {
  std::vector<size_t> widths(names.front().size());
  for (const Rows* part : {&names, &rows})
    for (const std::vector<std::string>& row : *part)
      for (size_t i = 0; i < widths.size(); ++i) widths[i] = std::max(widths[i], row[i].size() + 2);
  size_t width = 0;
  for (const size_t each : widths) width += each;
  const auto line = [&](const std::vector<std::string>& row) {
    std::string text;
    for (size_t i = 0; i < row.size(); ++i) text += fmt::format("{:<{}}", row[i], widths[i]);
    return text;
  };
  std::string text = "\n\n" + spacer(kTitle, width) + spacer(title, width) + line(names.front()) + "\n";
  if (names.size() > 1) text += "\x1b[3m" + line(names[1]) + "\x1b[0m\n" + spacer({}, width);
  for (const std::vector<std::string>& row : rows) text += line(row) + "\n";
  return text + spacer({}, width) + spacer(kEnd, width);
}

std::string concise(const Request& request) {
  const Rows names = {
      {"Device", "Node", "IDs", "", "Temp", "Power", "Partitions", "SCLK", "MCLK", "Fan", "Perf", "PwrCap",
       "VRAM%", "GPU%"},
      {"", "", "(DID,", "GUID)", "(Edge)", "(Avg)", "(Mem, Compute, ID)", "", "", "", "", "", "", ""}};
  Rows rows;
  for (const size_t i : request.cards) {
    const Card& card = request.card(i);
    rows.push_back({fmt::to_string(i), fmt::to_string(card.node), hex(card.gpu->pci_device) + ", ",
                    fmt::to_string(card.kfd_id), "N/A", "N/A", "N/A, N/A, 0", "N/A", "N/A", "0%", "n/a",
                    "N/A", fmt::format("{}%", percent_used(card)), "N/A"});
  }
  return table("Concise Info", names, rows);
}

std::string concise_hardware(const Request& request) {
  Rows rows;
  for (const size_t i : request.cards) {
    const Card& card = request.card(i);
    rows.push_back({fmt::to_string(i), fmt::to_string(card.node), hex(card.gpu->pci_device),
                    fmt::to_string(card.kfd_id), card.gpu->target, "N/A", "N/A", "N/A", "N/A",
                    card.slot.text(), "0"});
  }
  return table("Concise Hardware Info",
               {{"GPU", "NODE", "DID", "GUID", "GFX VER", "GFX RAS", "SDMA RAS", "UMC RAS", "VBIOS", "BUS",
                 "PARTITION ID"}},
               rows);
}

/// A row for each card; the system's values one per row, before the cards or (`system`) instead of them.
std::string csv(const ordered_json& values, bool system) {
  std::string text;
  if (values.contains("system")) {
    text = "name, value\n";
    for (const auto& [name, value] : values["system"].items())
      text += fmt::format("\"{}\", {}\n", name, value.dump());
    text += "\n";
    if (system) return text;
  }
  const auto plain = [](std::string cell) {
    std::erase(cell, ',');
    return cell;
  };
  bool first = true;
  for (const auto& [card, entries] : values.items()) {
    if (card == "system") continue;
    std::string names = "device", row = card;
    for (const auto& [name, value] : entries.items()) {
      names += "," + plain(name);
      row += "," + plain(value.get<std::string>());
    }
    text += (std::exchange(first, false) ? names + "\n" : "") + row + "\n";
  }
  return text + "\n";
}

/// As Python's json.dumps writes it: scripts that search the text count on its spaces.
std::string json_line(const ordered_json& value) {
  if (!value.is_object()) return value.dump();
  std::string text = "{";
  for (const auto& [name, inner] : value.items())
    text += (text.size() > 1 ? ", " : "") + ordered_json(name).dump() + ": " + json_line(inner);
  return text + "}";
}

}  // namespace

CommandOutput rocm_smi(const Machine& machine, const std::vector<std::string>& arguments) {
  CLI::App app("ROCm System Management Interface, of emulated GPUs.", "rocm-smi");
  app.get_formatter()->column_width(34);
  std::vector<bool> wanted(options().size());
  for (size_t i = 0; i < options().size(); ++i)
    app.add_flag_callback(options()[i].names, [&wanted, i] { wanted[i] = true; }, options()[i].help);
  std::vector<bool> matrices(std::size(kMatrices));
  for (size_t i = 0; i < matrices.size(); ++i)
    app.add_flag_callback(kMatrices[i].option, [&matrices, i] { matrices[i] = true; }, kMatrices[i].title);
  bool version = false, hardware = false, all = false, topology = false, numa = false, json = false,
       comma = false, every = false;
  app.add_flag("-V,--version", version, "versions");
  app.add_flag("--showhw", hardware, "what the GPUs are, in a table");
  app.add_flag("-a,--showallinfo", all, "nearly everything");
  app.add_flag("--showtopo", topology, "how the GPUs are connected");
  app.add_flag("--showtoponuma", numa, "NUMA nodes");
  app.add_flag("--json", json, "as JSON");
  app.add_flag("--csv", comma, "as CSV");
  app.add_flag("--alldevices", every, "all GPUs");
  std::string level;
  app.add_option("--loglevel", level, "ignored");
  Request request{machine, {}, {}};
  app.add_option("--showmeminfo", request.memory, "memory of the kinds vram, vis_vram, gtt, all")
      ->check(CLI::IsMember({"vram", "vis_vram", "gtt", "all"}, CLI::ignore_case));
  app.add_option("-d,--device", request.cards, "only these GPUs");
  try {
    std::vector<std::string> words(arguments.rbegin(), arguments.rend());
    app.parse(words);
  } catch (const CLI::CallForHelp&) {
    return {app.help(), {}, 0};
  } catch (const CLI::ParseError& error) {
    return {{},
            fmt::format("rocm-smi: error: {}; --help lists what an emulated GPU supports\n", error.what()),
            2};
  }

  if (version) {
    const RocmRelease release = rocm_release();
    return {fmt::format("ROCM-SMI version: 4.0.0+wavesmith\nROCM-SMI-LIB version: {}.8.0\n", release.major)};
  }
  for (const size_t i : request.cards)
    if (i >= machine.cards.size()) return {{}, fmt::format("WARNING: No such device card{}\n", i)};
  if (request.cards.empty())
    for (size_t i = 0; i < machine.cards.size(); ++i) request.cards.push_back(i);
  std::sort(request.cards.begin(), request.cards.end());
  request.cards.erase(std::unique(request.cards.begin(), request.cards.end()), request.cards.end());
  if (std::find(request.memory.begin(), request.memory.end(), "all") != request.memory.end())
    request.memory = {"vram", "vis_vram", "gtt"};

  const bool data = json || comma;
  if (hardware)
    return data ? CommandOutput{"NOT_SUPPORTED: Cannot print JSON/CSV output for concise hardware output\n",
                                {},
                                1}
                : CommandOutput{concise_hardware(request)};
  Log log;
  bool any = false;
  for (size_t i = 0; i < options().size(); ++i) {
    const Option& option = options()[i];
    // What the files tell of memory comes between the bus and the product.
    if (std::string_view(option.names) == "--showproductname" && !request.memory.empty()) {
      any = true;
      log.text += spacer("Memory Usage (Bytes)");
      memory(request, log);
      log.text += spacer();
    }
    if (!wanted[i] && !(all && option.in_all)) continue;
    any = true;
    log.text += spacer(option.title);
    option.body(request, log);
    log.text += spacer();
  }
  if (topology) {
    any = true;
    for (size_t i = 1; i < std::size(kMatrices); ++i) {
      add_matrix(kMatrices[i], request, log);
      log.text += "\n";
    }
    add_numa(request, log);
  }
  for (size_t i = 0; i < matrices.size(); ++i)
    if (matrices[i]) any = true, add_matrix(kMatrices[i], request, log);
  if (numa) any = true, add_numa(request, log);
  if (!any)
    return data ? CommandOutput{"NOT_SUPPORTED: Cannot print JSON/CSV output for concise output\n", {}, 1}
                : CommandOutput{concise(request)};
  if (!data) return {"\n\n" + spacer(kTitle) + log.text + spacer(kEnd)};
  if (log.values.empty()) return {{}, "WARNING: No JSON data to report\n"};
  // Cards first, whatever was requested first.
  ordered_json ordered = ordered_json::object();
  for (const auto& [name, value] : log.values.items())
    if (name != "system") ordered[name] = value;
  if (log.values.contains("system")) ordered["system"] = log.values["system"];
  return {comma ? csv(ordered, wanted[0] && !all) : json_line(ordered) + "\n"};
}

}  // namespace wavesmith::rocm
