// amd-smi's data about a GPU, by AMD's names (amdsmi_cli of ROCm 7).
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rocm/commands/card.h"

namespace wavesmith::rocm {

using nlohmann::ordered_json;

/// Values with units differ: "32 GT/s" for people, {"value": 32, "unit": "GT/s"} in JSON, 32 in CSV.
enum class Form : unsigned char { Human, Json, Csv };

/// The parts of `amd-smi static`, in its order.
inline constexpr const char* kStaticParts[] = {"asic",
                                               "bus",
                                               "ifwi",
                                               "limit",
                                               "driver",
                                               "board",
                                               "ras",
                                               "partition",
                                               "soc_pstate",
                                               "xgmi_plpd",
                                               "process_isolation",
                                               "numa",
                                               "vram",
                                               "cache_info"};

/// The parts of `amd-smi monitor` that are shown without an option.
inline constexpr const char* kMonitorParts[] = {"power",   "temperature", "gfx", "mem",
                                                "encoder", "decoder",     "vram"};

/// `card` counts from 0. Each is an object that begins with "gpu".
ordered_json list_of(const Card& card, size_t number, Form form, bool enumeration);
ordered_json static_of(const Machine& machine, size_t number, Form form,
                       const std::vector<std::string>& parts);
ordered_json monitor_of(const Card& card, size_t number, Form form, const std::vector<std::string>& parts);

/// A table of `amd-smi topology`.
struct Relation {
  const char* title;   ///< for people
  const char* matrix;  ///< in CSV
  const char* link;    ///< in JSON
  ordered_json (*of)(const Link& link, bool self);
};
const std::vector<Relation>& relations();

}  // namespace wavesmith::rocm
