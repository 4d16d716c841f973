// Finding GPUs: by id, by file, with changed fields.
#include "gpus/gpu.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <deque>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <sstream>
#include <tuple>
#include <utility>

#include "base/split.h"
#include "gpus/builtin.h"
#include "gpus/parse.h"

namespace wavesmith::gpus {
namespace {

/// Every GPU asked for in this process, by what it was asked with.
struct Registry {
  std::mutex mutex;
  std::map<std::string, const Gpu*, std::less<>> found;
  std::deque<Gpu> storage;
};
Registry& registry() {
  static Registry* instance = new Registry;  // never destroyed: runtimes ask for it at exit
  return *instance;
}

std::string hint_of_ids() {
  return fmt::format("known are {}; or give a file of your own, ./my.toml", fmt::join(ids(), ", "));
}

Result<Gpu> load(std::string_view which) {
  if (which.find('/') != which.npos || which.ends_with(".toml")) {
    std::ifstream file{std::string(which)};
    if (!file)
      return fail(ErrorKind::NotFound, fmt::format("cannot read the GPU's file '{}'", which), {},
                  hint_of_ids());
    std::stringstream text;
    text << file.rdbuf();
    return parse_gpu(text.str(), which);
  }
  for (const BuiltIn& data : built_in())
    if (data.id == which) return parse_gpu(data.text, data.id);
  return fail(ErrorKind::NotFound, fmt::format("no GPU '{}'", which), {}, hint_of_ids());
}

Result<Gpu> load_changed(std::string_view which) {
  const size_t end = std::min(which.find('+'), which.size());
  Result<Gpu> gpu = load(which.substr(0, end));
  std::string_view rest = which.substr(end);
  while (gpu && !rest.empty()) {
    rest.remove_prefix(1);
    const size_t next = std::min(rest.find('+'), rest.size());
    if (Result<void> done = set(*gpu, rest.substr(0, next)); !done) return tl::unexpected(done.error());
    rest.remove_prefix(next);
  }
  if (gpu && end != which.size())
    if (Result<void> sane = check(*gpu); !sane) return tl::unexpected(sane.error());
  return gpu;
}

}  // namespace

std::span<const std::string_view> ids() {
  static const auto& all = *new std::vector<std::string_view>([] {
    std::vector<std::string_view> names;
    for (const BuiltIn& data : built_in()) names.push_back(data.id);
    return names;
  }());
  return all;
}

Result<const Gpu*> find_gpu(std::string_view which) {
  Registry& known = registry();
  const std::scoped_lock lock(known.mutex);
  if (auto entry = known.found.find(which); entry != known.found.end()) return entry->second;
  Result<Gpu> gpu = load_changed(which);
  if (!gpu) return tl::unexpected(gpu.error());
  const Gpu* stored = &known.storage.emplace_back(std::move(*gpu));
  known.found.emplace(which, stored);
  return stored;
}

Result<std::vector<const Gpu*>> find_machine(std::string_view devices) {
  constexpr unsigned kMost = 64;
  std::vector<const Gpu*> machine;
  for (std::string_view one : split(devices, ',')) {
    unsigned count = 1;
    if (const size_t colon = one.rfind(':'); colon != one.npos) {
      const std::string_view number = one.substr(colon + 1);
      const auto [end, code] = std::from_chars(number.data(), number.data() + number.size(), count);
      if (code != std::errc() || end != number.data() + number.size() || count == 0 || count > kMost)
        return fail(ErrorKind::BadInput, fmt::format("'{}' is not a number of GPUs", number), {},
                    fmt::format("write mi300x:8, with 1 to {}", kMost));
      one = one.substr(0, colon);
    }
    Result<const Gpu*> gpu = find_gpu(one);
    if (!gpu) return tl::unexpected(gpu.error());
    if ((*gpu)->predict_only) {
      std::vector<std::string_view> others;
      for (const Gpu* other : gpus())
        if (!other->predict_only) others.push_back(other->id);
      return fail(ErrorKind::Unsupported,
                  fmt::format("{} ({}) is described for predictions only: nothing here runs its code",
                              (*gpu)->name, (*gpu)->target),
                  {}, fmt::format("'wavesmith predict' takes it; code runs on {}", fmt::join(others, ", ")));
    }
    machine.insert(machine.end(), count, *gpu);
    if (machine.size() > kMost)
      return fail(ErrorKind::BadInput, fmt::format("{} GPUs are more than {}", machine.size(), kMost));
  }
  return machine;
}

std::string describe(std::span<const Gpu* const> machine) {
  std::string text;
  for (size_t i = 0; i < machine.size();) {
    size_t same = i;
    while (same < machine.size() && machine[same] == machine[i]) ++same;
    if (i) text += ", ";
    if (same - i > 1) text += fmt::format("{} x ", same - i);
    text += fmt::format("{} ({})", machine[i]->name, machine[i]->target);
    i = same;
  }
  return text;
}

std::vector<const Gpu*> gpus() {
  std::vector<const Gpu*> all;
  for (std::string_view id : ids())
    if (Result<const Gpu*> gpu = find_gpu(id)) all.push_back(*gpu);
  return all;
}

std::vector<const Gpu*> usual_first() {
  std::vector<const Gpu*> all = gpus();
  std::ranges::sort(all, {}, [](const Gpu* gpu) {
    return std::tuple(gpu->is_apu, gpu->steps_from_reference, std::string_view(gpu->id));
  });
  return all;
}

}  // namespace wavesmith::gpus
