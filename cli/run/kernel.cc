// Launching one kernel of a file, through the public HIP API as everybody does.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "base/extent3.h"
#include "base/stopwatch.h"
#include "cli/run/run.h"
#include "cli/terminal.h"
#include "gpus/gpu.h"
#include "object/bundle.h"
#include "object/code_object.h"
#include "study/hip_library.h"
#include "study/kernel_arguments.h"
#include "study/names.h"
#include "study/npy.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;

tl::unexpected<Error> bad(std::string what, std::string hint = {}) {
  return fail(ErrorKind::BadInput, std::move(what), {}, std::move(hint));
}

/// "16", "16,4", "16,4,1".
Result<Extent3> parse_extent(const std::string& option, std::string_view text) {
  Extent3 extents;
  const std::string_view whole = text;
  for (size_t i = 0;; ++i) {
    const auto [stop, code] = i < 3 ? std::from_chars(text.data(), text.data() + text.size(), extents[i])
                                    : std::from_chars_result{text.data(), std::errc::invalid_argument};
    if (code != std::errc())
      return bad(fmt::format("{} '{}' is no list of up to three numbers", option, whole),
                 "write 16 or 16,4,1");
    if (extents[i] == 0) return bad(fmt::format("{} '{}' is empty", option, whole));
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    if (text.empty()) return extents;
    if (text.front() != ',' && text.front() != 'x')
      return bad(fmt::format("{} '{}' is no list of up to three numbers", option, whole),
                 "write 16 or 16,4,1");
    text.remove_prefix(1);
  }
}

/// A buffer's number and what follows: "1=out.npy", "1:16", "1".
struct Selection {
  size_t index = 0;
  std::string rest;
};
Result<Selection> parse_selection(const std::string& option, const std::string& text, char separator,
                                  const std::vector<study::KernelArgument>& arguments) {
  Selection selection;
  const size_t at = std::min(text.find(separator), text.size());
  const auto [stop, code] = std::from_chars(text.data(), text.data() + at, selection.index);
  if (code != std::errc() || stop != text.data() + at)
    return bad(fmt::format("{} '{}' does not begin with an argument's number", option, text),
               "arguments are numbered from 0");
  if (selection.index >= arguments.size() || !arguments[selection.index].buffer)
    return bad(fmt::format("{} '{}': argument {} is no buffer", option, text, selection.index),
               "arguments are numbered from 0");
  if (at < text.size()) selection.rest = text.substr(at + 1);
  return selection;
}

struct Comparison {
  uint64_t different = 0, count = 0, first = 0;
  long double worst = 0;
  std::string got, wanted;  ///< at `first`
};

class KernelRun {
 public:
  explicit KernelRun(const study::RunOptions& options) : options_(options) {}

  Exit run() {
    const auto steps = {&KernelRun::read, &KernelRun::read_arguments, &KernelRun::launch,
                        &KernelRun::take_results};
    for (auto step : steps)
      if (Result<void> done = (this->*step)(); !done) return report(done.error());
    return finish();
  }

 private:
  Result<void> read() {
    std::ifstream file(options_.file, std::ios::binary);
    std::stringstream text;
    text << file.rdbuf();
    if (!file) return fail(ErrorKind::NotFound, fmt::format("cannot read '{}'", options_.file));
    image_ = text.str();
    const std::span bytes(reinterpret_cast<const uint8_t*>(image_.data()), image_.size());
    Result<object::Bundle> bundle = object::Bundle::parse(bytes);
    if (!bundle) return named(bundle.error());
    const gpus::Gpu& gpu = *options_.machine()->front();
    Result<object::TargetId> target = object::TargetId::parse(gpu.arch_name);
    if (!target) return named(target.error());
    if (options_.xnack && target->xnack != object::Setting::Any) target->xnack = object::Setting::On;
    Result<object::BundleEntry> entry = bundle->choose(*target);
    if (!entry) return named(entry.error());
    code_.assign(entry->bytes.begin(), entry->bytes.end());
    Result<object::CodeObject> parsed = object::CodeObject::parse(code_);
    if (!parsed) return named(parsed.error());
    object_ = std::move(*parsed);
    return choose_kernel();
  }

  tl::unexpected<Error> named(Error error) const {
    if (error.where.empty()) error.where = options_.file;
    return tl::unexpected(std::move(error));
  }

  Result<void> choose_kernel() {
    std::string names;
    std::vector<const object::Kernel*> chosen;
    for (const object::Kernel& kernel : object_->kernels()) {
      names += (names.empty() ? "" : "; ") + study::readable(kernel.name);
      if (options_.kernel.empty() || study::means(options_.kernel, kernel.name)) chosen.push_back(&kernel);
    }
    if (object_->kernels().empty()) return fail(ErrorKind::NotFound, "no kernels", options_.file);
    if (chosen.empty())
      return fail(ErrorKind::NotFound, fmt::format("no kernel '{}'", options_.kernel), options_.file,
                  "there are " + names);
    if (chosen.size() > 1)
      return bad(options_.kernel.empty() ? fmt::format("'{}' has several kernels", options_.file)
                                         : fmt::format("'{}' means several kernels", options_.kernel),
                 "choose one with --kernel: " + names);
    kernel_ = chosen.front();
    return {};
  }

  Result<void> read_arguments() {
    for (const std::string& text : options_.arguments) {
      Result<study::KernelArgument> argument = study::parse_argument(text);
      if (!argument) return tl::unexpected(argument.error());
      arguments_.push_back(std::move(*argument));
    }
    if (Result<void> fits = study::match_arguments(*kernel_, arguments_); !fits) return fits;
    // Mistakes in what shall happen afterwards are found before, too.
    for (const std::string& text : options_.dump)
      if (auto chosen = parse_selection("--dump", text, '=', arguments_); !chosen)
        return tl::unexpected(chosen.error());
    for (const std::string& text : options_.print)
      if (auto chosen = parse_selection("--print", text, ':', arguments_); !chosen)
        return tl::unexpected(chosen.error());
    for (const std::string& text : options_.expect)
      if (auto chosen = parse_selection("--expect", text, '=', arguments_); !chosen)
        return tl::unexpected(chosen.error());
    return {};
  }

  Result<void> launch() {
    const auto grid = parse_extent("--grid", options_.grid), block = parse_extent("--block", options_.block);
    if (!grid) return tl::unexpected(grid.error());
    if (!block) return tl::unexpected(block.error());
    setenv("WAVESMITH_GPU", options_.devices().c_str(), 1);
    if (const char* const silent = std::getenv("WAVESMITH_QUIET"); !options_.quiet && !(silent && *silent))
      setenv("WAVESMITH_PROGRESS", "1", 1);
    if (options_.threads) setenv("WAVESMITH_THREADS", fmt::to_string(options_.threads).c_str(), 1);
    if (options_.max_instructions)
      setenv("WAVESMITH_MAX_INSTRUCTIONS", fmt::to_string(options_.max_instructions).c_str(), 1);
    if (options_.timeout > 0) setenv("WAVESMITH_TIMEOUT", fmt::to_string(options_.timeout).c_str(), 1);
    if (options_.xnack) setenv("HSA_XNACK", "1", 1);
    if (options_.no_guard) setenv("WAVESMITH_GUARD", "0", 1);
    if (options_.interleave) setenv("WAVESMITH_INTERLEAVE", fmt::to_string(options_.interleave).c_str(), 1);
    Result<study::HipLibrary> library = study::HipLibrary::load();
    if (!library) return tl::unexpected(library.error());
    hip_ = *library;

    void *module = nullptr, *function = nullptr;
    if (int code = hip_.hipInit(0)) return tl::unexpected(hip_.error(code, "no GPU"));
    if (int code = hip_.hipModuleLoadData(&module, code_.data()))
      return tl::unexpected(hip_.error(code, fmt::format("cannot load '{}'", options_.file)));
    if (int code = hip_.hipModuleGetFunction(&function, module, kernel_->name.c_str()))
      return tl::unexpected(hip_.error(code, fmt::format("cannot find kernel '{}'", kernel_->name)));
    std::vector<void*> parameters;
    for (study::KernelArgument& argument : arguments_) {
      if (argument.buffer) {
        if (int code = hip_.hipMalloc(&argument.device, std::max<size_t>(1, argument.bytes.size())))
          return tl::unexpected(hip_.error(
              code,
              fmt::format("cannot allocate {} for '{}'", bytes_text(argument.bytes.size()), argument.text)));
        if (int code = argument.bytes.empty()
                           ? 0
                           : hip_.hipMemcpy(argument.device, argument.bytes.data(), argument.bytes.size(), 1))
          return tl::unexpected(hip_.error(code, fmt::format("cannot copy '{}'", argument.text)));
        parameters.push_back(&argument.device);
      } else {
        parameters.push_back(argument.bytes.data());
      }
    }
    const Stopwatch watch;
    for (uint32_t i = 0; i < options_.launches; ++i)
      if (int code = hip_.hipModuleLaunchKernel(function, (*grid)[0], (*grid)[1], (*grid)[2], (*block)[0],
                                                (*block)[1], (*block)[2], options_.shared, nullptr,
                                                parameters.data(), nullptr))
        return tl::unexpected(hip_.error(code, fmt::format("cannot launch kernel '{}'", kernel_->name)));
    const int code = hip_.hipDeviceSynchronize();
    seconds_ = watch.seconds();
    if (code) return tl::unexpected(hip_.error(code, fmt::format("kernel '{}' failed", kernel_->name)));
    return {};
  }

  Result<void> take_results() {
    for (study::KernelArgument& argument : arguments_)
      if (argument.buffer && !argument.bytes.empty())
        if (int code = hip_.hipMemcpy(argument.bytes.data(), argument.device, argument.bytes.size(), 2))
          return tl::unexpected(hip_.error(code, fmt::format("cannot copy '{}' back", argument.text)));
    for (const std::string& text : options_.dump) {
      const Selection chosen = *parse_selection("--dump", text, '=', arguments_);
      const study::KernelArgument& argument = arguments_[chosen.index];
      const std::string path = chosen.rest.empty() ? fmt::format("arg{}.npy", chosen.index) : chosen.rest;
      if (Result<void> written =
              study::write_npy(path, {std::string(argument.element->npy), argument.shape, argument.bytes});
          !written)
        return written;
      json_["dumped"].push_back({{"argument", chosen.index}, {"file", path}});
    }
    for (const std::string& text : options_.print)
      if (Result<void> done = print(*parse_selection("--print", text, ':', arguments_)); !done) return done;
    for (const std::string& text : options_.expect)
      if (Result<void> done = expect(*parse_selection("--expect", text, '=', arguments_)); !done) return done;
    return {};
  }

  Result<void> print(const Selection& chosen) {
    const study::KernelArgument& argument = arguments_[chosen.index];
    uint64_t count = argument.count();
    if (!chosen.rest.empty()) {
      uint64_t most = 0;
      const auto [stop, code] =
          std::from_chars(chosen.rest.data(), chosen.rest.data() + chosen.rest.size(), most);
      if (code != std::errc() || *stop)
        return bad(fmt::format("--print {}:{}: '{}' is no number", chosen.index, chosen.rest, chosen.rest));
      count = std::min(count, most);
    }
    std::string line;
    ordered_json values = ordered_json::array();
    for (uint64_t i = 0; i < count; ++i) {
      const std::string value =
          study::to_text(*argument.element, argument.bytes.data() + i * argument.element->size);
      line += (line.empty() ? "" : " ") + value;
      values.push_back(ordered_json::parse(value, nullptr, false).is_discarded()
                           ? ordered_json(value)
                           : ordered_json::parse(value));
    }
    if (!options_.json) fmt::print("{}: {}{}\n", chosen.index, line, count < argument.count() ? " ..." : "");
    json_["printed"].push_back({{"argument", chosen.index}, {"values", values}});
    return {};
  }

  Result<void> expect(const Selection& chosen) {
    const study::KernelArgument& argument = arguments_[chosen.index];
    const study::Element* element = argument.element;
    std::vector<uint8_t> wanted;
    bool one = true;
    if (chosen.rest.ends_with(".npy")) {
      Result<study::Npy> array = study::read_npy(chosen.rest);
      if (!array) return tl::unexpected(array.error());
      if (array->count() != argument.count())
        return bad(fmt::format("'{}' has {} numbers, argument {} has {}", chosen.rest, array->count(),
                               chosen.index, argument.count()));
      if (array->type != argument.element->npy) element = study::element_of_npy(array->type);
      if (!element) return bad(fmt::format("'{}' holds no plain numbers", chosen.rest));
      wanted = std::move(array->bytes);
      one = false;
    } else {
      wanted.resize(element->size);
      if (!study::from_text(*element, chosen.rest, wanted.data()))
        return bad(
            fmt::format("--expect {}={}: no .npy file and no {}", chosen.index, chosen.rest, element->name));
    }
    const bool integers = argument.element->integer && element->integer;
    const double atol = options_.atol.value_or(integers ? 0 : 1e-8);
    const double rtol = options_.rtol.value_or(integers ? 0 : 1e-5);
    Comparison result{.count = argument.count()};
    for (uint64_t i = 0; i < result.count; ++i) {
      const uint8_t* at = argument.bytes.data() + i * argument.element->size;
      const uint8_t* at_wanted = wanted.data() + (one ? 0 : i * element->size);
      const long double got = study::value_of(*argument.element, at);
      const long double want = study::value_of(*element, at_wanted);
      const long double off = std::abs(got - want);
      const bool same =
          got == want || (std::isnan(got) && std::isnan(want)) || off <= atol + rtol * std::abs(want);
      if (!(off <= result.worst)) result.worst = same && std::isnan(off) ? result.worst : off;
      if (same || result.different++) continue;
      result.first = i;
      result.got = study::to_text(*argument.element, at);
      result.wanted = study::to_text(*element, at_wanted);
    }
    json_["compared"].push_back({{"argument", chosen.index},
                                 {"different", result.different},
                                 {"count", result.count},
                                 {"max_abs_error", static_cast<double>(result.worst)}});
    if (result.different) {
      differs_ = true;
      if (!options_.json)
        fmt::print("{}: {} of {} numbers differ; the first at {}: {}, expected {}; largest error {:.3g}\n",
                   chosen.index, result.different, result.count, result.first, result.got, result.wanted,
                   result.worst);
    } else if (!options_.json) {
      fmt::print("{}: {} numbers as expected, largest error {:.3g}\n", chosen.index, result.count,
                 result.worst);
    }
    return {};
  }

  Exit finish() {
    const Exit code = differs_ ? Exit::Different : Exit::Ok;
    if (options_.json) {
      ordered_json out{
          {"kernel", kernel_->name}, {"gpu", options_.devices()}, {"seconds", seconds_}, {"same", !differs_}};
      for (const auto& [key, value] : json_.items()) out[key] = value;
      fmt::print("{}\n", out.dump(2, ' ', false, ordered_json::error_handler_t::replace));
    } else if (options_.dump.empty() && options_.print.empty() && options_.expect.empty()) {
      fmt::print("{} ran in {:.3g} s on {}; --print, --dump and --expect show its results\n", kernel_->name,
                 seconds_, options_.devices());
    }
    return code;
  }

  const study::RunOptions& options_;
  std::string image_;
  std::vector<uint8_t> code_;
  std::optional<object::CodeObject> object_;
  const object::Kernel* kernel_ = nullptr;
  std::vector<study::KernelArgument> arguments_;
  study::HipLibrary hip_;
  ordered_json json_ = ordered_json::object();
  double seconds_ = 0;
  bool differs_ = false;
};

}  // namespace

Exit run_kernel(const study::RunOptions& options) {
  if (options.report || options.fidelity) {
    // The report is written when a process ends: let another one run the kernel.
    study::RunOptions outer = options;
    outer.program = {"/proc/self/exe", "run",         options.file, "--grid",         options.grid,
                     "--block",        options.block, "--gpu",      options.devices()};
    auto add = [&](const char* name, const std::string& value) {
      outer.program.insert(outer.program.end(), {name, value});
    };
    if (!options.kernel.empty()) add("--kernel", options.kernel);
    if (options.shared) add("--shared", fmt::to_string(options.shared));
    if (options.rtol) add("--rtol", fmt::to_string(*options.rtol));
    if (options.atol) add("--atol", fmt::to_string(*options.atol));
    for (const auto& [name, values] : {std::pair{"--arg", &options.arguments},
                                       {"--dump", &options.dump},
                                       {"--print", &options.print},
                                       {"--expect", &options.expect}})
      for (const std::string& value : *values) add(name, value);
    return static_cast<Exit>(run_program(outer));
  }
  return KernelRun(options).run();
}

}  // namespace wavesmith::cli
