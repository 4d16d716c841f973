#include "timing/profile_json.h"

#include <fmt/format.h>

#include <concepts>
#include <limits>
#include <nlohmann/json.hpp>
#include <type_traits>

namespace wavesmith::timing {
namespace {

using nlohmann::ordered_json;

template <class T, class Plain>
concept Is = std::same_as<std::remove_const_t<T>, Plain>;

// The members of each structure and their names, which the writer and the reader share.

template <Is<KernelProfile::Replay> T>
void members(T& x, const auto& each) {
  each("cycles", x.cycles);
  each("waves", x.waves);
  each("workgroups", x.workgroups);
  each("instructions", x.instructions);
  each("host_seconds", x.host_seconds);
}

template <Is<KernelProfile::PipeUse> T>
void members(T& x, const auto& each) {
  each("pipe", x.pipe);
  each("issued", x.issued);
  each("utilisation", x.utilisation);
}

template <Is<KernelProfile::Stall> T>
void members(T& x, const auto& each) {
  each("cause", x.cause);
  each("wave_cycles", x.wave_cycles);
  each("exposed", x.exposed);
  each("hidden", x.hidden);
  each("exposed_share", x.exposed_share);
}

template <Is<KernelProfile::LdsUse> T>
void members(T& x, const auto& each) {
  each("cycles", x.cycles);
  each("conflict_cycles", x.conflict_cycles);
  each("conflict_share", x.conflict_share);
}

template <Is<KernelProfile::MemoryUse> T>
void members(T& x, const auto& each) {
  each("l1_hit_rate", x.l1_hit_rate);
  each("l2_hit_rate", x.l2_hit_rate);
  each("infinity_cache_lines", x.infinity_cache_lines);
  each("memory_lines", x.memory_lines);
  each("l1_requests", x.l1_requests);
  each("l2_requests", x.l2_requests);
  each("line_bytes", x.line_bytes);
  each("grid_bytes", x.grid_bytes);
  each("grid_bytes_per_second", x.grid_bytes_per_second);
  each("peak_bytes_per_second", x.peak_bytes_per_second);
}

template <Is<KernelProfile::Instruction> T>
void members(T& x, const auto& each) {
  each("offset", x.offset);
  each("text", x.text);
  each("pipe", x.pipe);
  each("hits", x.hits);
  each("latency", x.latency);
  each("stall", x.stall);
  each("idle", x.idle);
  each("causes", x.causes);
  each("source", x.source);
}

template <Is<KernelProfile::Timeline::Event> T>
void members(T& x, const auto& each) {
  each("wave", x.wave);
  each("simd", x.simd);
  each("reached", x.reached);
  each("issued", x.issued);
  each("instruction", x.instruction);
  each("cause", x.cause);
}

template <Is<KernelProfile::Timeline> T>
void members(T& x, const auto& each) {
  each("causes", x.causes);
  each("events", x.events);
}

template <Is<KernelProfile> T>
void members(T& x, const auto& each) {
  each("name", x.name);
  each("grid", x.grid);
  each("block", x.block);
  each("waves_per_workgroup", x.waves_per_workgroup);
  each("workgroups_per_unit", x.workgroups_per_unit);
  each("sample", x.sample);
  each("refused", x.refused);
  each("want_whole", x.want_whole);
  each("notes", x.notes);
  if (x.has_time()) {
    each("cycles", x.cycles);
    each("clock_mhz", x.clock_mhz);
    each("clock_limited_by_power", x.clock_limited_by_power);
    each("clock_why", x.clock_why);
    each("clock_tag", x.clock_tag);
    each("seconds", x.seconds);
    each("units", x.units);
    each("cycles_per_workgroup", x.cycles_per_workgroup);
    each("wave_instructions", x.wave_instructions);
    each("matrix_flops", x.matrix_flops);
    each("matrix_tflops", x.matrix_tflops);
    each("replay", x.replay);
    each("instructions_per_cycle", x.instructions_per_cycle);
    each("pipes", x.pipes);
    each("stalls", x.stalls);
    each("exposed_share", x.exposed_share);
    each("bound", x.bound);
    each("bound_why", x.bound_why);
    each("lds", x.lds);
    each("memory", x.memory);
    each("instructions", x.instructions);
    each("timeline", x.timeline);
  }
  each("launches", x.launches);
}

template <Is<ProgramProfile> T>
void members(T& x, const auto& each) {
  each("gpu", x.gpu);
  each("sampled", x.sampled);
  each("replaced", x.replaced);
  each("kernels", x.kernels);
}

/// A structure that is written as the list of its members.
template <class T>
inline constexpr bool kAsList = Is<T, KernelProfile::Timeline::Event>;

template <class T>
concept Structure = requires(T& value) { members(value, [](const char*, auto&) {}); };

template <class T>
concept Scalar = std::is_arithmetic_v<T> || std::same_as<T, std::string>;

ordered_json json_of(const Scalar auto& value) { return value; }
ordered_json json_of(isa::Pipe pipe) { return std::string(isa::name_of(pipe)); }
ordered_json json_of(const Extent3& extent) { return {extent[0], extent[1], extent[2]}; }

ordered_json json_of(const std::vector<std::pair<std::string, uint64_t>>& by_name) {
  ordered_json out = ordered_json::object();
  for (const auto& [name, number] : by_name) out[name] = number;
  return out;
}

template <class T>
ordered_json json_of(const std::vector<T>& list);

template <Structure T>
ordered_json json_of(const T& structure) {
  ordered_json out = kAsList<T> ? ordered_json::array() : ordered_json::object();
  const auto add = [&out](const char* name, const auto& member) {
    if constexpr (kAsList<T>)
      out.push_back(json_of(member));
    else if constexpr (requires { member.has_value(); })
      member ? void(out[name] = json_of(*member)) : void();
    else
      out[name] = json_of(member);
  };
  members(structure, add);
  return out;
}

template <class T>
ordered_json json_of(const std::vector<T>& list) {
  ordered_json out = ordered_json::array();
  for (const T& one : list) out.push_back(json_of(one));
  return out;
}

/// Fills structures from JSON as far as their members are there. Where it fails, it knows where.
class Reader {
 public:
  bool read(const ordered_json& json, bool& value) {
    if (!json.is_boolean()) return false;
    value = json.get<bool>();
    return true;
  }
  bool read(const ordered_json& json, std::string& value) {
    if (!json.is_string()) return false;
    value = json.get<std::string>();
    return true;
  }
  bool read(const ordered_json& json, double& value) {
    if (!json.is_number()) return false;
    value = json.get<double>();
    return true;
  }
  template <std::unsigned_integral T>
  bool read(const ordered_json& json, T& value) {
    if (!json.is_number_unsigned() || json.get<uint64_t>() > std::numeric_limits<T>::max()) return false;
    value = json.get<T>();
    return true;
  }
  bool read(const ordered_json& json, isa::Pipe& pipe) {
    if (!json.is_string()) return false;
    for (int i = 0; i < isa::kPipes; ++i) {
      pipe = static_cast<isa::Pipe>(i);
      if (json.get_ref<const std::string&>() == isa::name_of(pipe)) return true;
    }
    return false;
  }
  bool read(const ordered_json& json, Extent3& extent) {
    if (!json.is_array() || json.size() != 3) return false;
    for (size_t axis = 0; axis < 3; ++axis)
      if (!read(json[axis], extent[axis])) return false;
    return true;
  }
  bool read(const ordered_json& json, std::vector<std::pair<std::string, uint64_t>>& by_name) {
    if (!json.is_object()) return false;
    for (const auto& [name, number] : json.items())
      if (!read(number, by_name.emplace_back(name, 0).second)) return false;
    return true;
  }
  template <class T>
  bool read(const ordered_json& json, std::optional<T>& value) {
    return read(json, value.emplace());
  }
  template <class T>
  bool read(const ordered_json& json, std::vector<T>& list) {
    if (!json.is_array()) return false;
    for (const ordered_json& one : json)
      if (!at(fmt::format("[{}]", list.size()), one, list.emplace_back())) return false;
    return true;
  }
  template <Structure T>
  bool read(const ordered_json& json, T& structure) {
    if (kAsList<T> ? !json.is_array() : !json.is_object()) return false;
    bool good = true;
    size_t index = 0;
    members(structure, [&](const char* name, auto& member) {
      if (!good) return;
      if constexpr (kAsList<T>) {
        good = index < json.size() && read(json[index], member);
        ++index;
      } else if (const auto found = json.find(name); found != json.end()) {
        good = at(fmt::format(".{}", name), *found, member);
      }
    });
    return good;
  }
  [[nodiscard]] std::string where() const { return where_.empty() ? where_ : where_.substr(1); }

 private:
  template <class T>
  bool at(const std::string& step, const ordered_json& json, T& value) {
    if (read(json, value)) return true;
    where_ = step + where_;
    return false;
  }
  std::string where_;
};

}  // namespace

std::string to_json(const ProgramProfile& profile) {
  return json_of(profile).dump(1, ' ', false, ordered_json::error_handler_t::replace);
}

Result<ProgramProfile> program_profile(std::string_view json) {
  const ordered_json parsed = ordered_json::parse(json, nullptr, false);
  ProgramProfile profile;
  Reader reader;
  if (parsed.is_discarded() || !reader.read(parsed, profile))
    return fail(ErrorKind::BadInput, "this is no profile", reader.where(),
                "profile with the command and the runtime of one version");
  return profile;
}

}  // namespace wavesmith::timing
