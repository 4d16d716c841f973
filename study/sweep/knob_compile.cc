#include "study/sweep/knob_compile.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/file.h"
#include "object/bundle.h"
#include "object/code_object.h"
#include "study/code_form.h"

namespace wavesmith::study {
namespace {

/// Flags that say something to the passes: what the front end was told is in the IR.
std::vector<std::string> flags_for_passes(const std::vector<std::string>& flags) {
  std::vector<std::string> out;
  for (size_t i = 0; i < flags.size(); ++i) {
    if (flags[i] == "-mllvm" && i + 1 < flags.size())
      out.push_back(flags[i]), out.push_back(flags[++i]);
    else if (flags[i].starts_with("-O") || flags[i].starts_with("-m") ||
             (flags[i].starts_with("-f") && !flags[i].starts_with("-foffload")))
      out.push_back(flags[i]);
  }
  return out;
}

}  // namespace

bool for_front_end(const std::vector<std::string>& flags) {
  return std::any_of(flags.begin(), flags.end(), [](const std::string& flag) {
    return flag.starts_with("-D") || flag.starts_with("-U") || flag.starts_with("-I") ||
           flag.starts_with("-include") || flag.starts_with("-std") || flag.starts_with("-ff") ||
           flag.starts_with("-fno-f");
  });
}

KnobCompiler::KnobCompiler(std::string path, std::string target, std::vector<std::string> flags)
    : path_(std::move(path)),
      target_(std::move(target)),
      flags_(std::move(flags)),
      tools_(toolchain::discover()) {}

Result<void> KnobCompiler::read() {
  Result<std::string> ir = ir_with(flags_);
  if (!ir) return tl::unexpected(ir.error());
  ir_ = std::move(*ir);
  return {};
}

/// LLVM IR of the file, before any pass where it is source.
Result<std::string> KnobCompiler::ir_with(const std::vector<std::string>& flags) const {
  const auto file = read_file(path_);
  if (!file) return tl::unexpected(file.error());
  const CodeForm form = form_of(*file, path_);
  if (form == CodeForm::HipSource)
    return toolchain::device_ir(tools_, {path_, toolchain::DeviceLanguage::Hip, target_, flags});
  if (form != CodeForm::IrText && form != CodeForm::Bitcode)
    return fail(ErrorKind::Unsupported,
                form == CodeForm::Unknown ? "no form of GPU code that is known"
                                          : fmt::format("this is {}, compiled already", name_of(form)),
                path_, "give the HIP source or LLVM IR");
  Result<std::string> text =
      form == CodeForm::Bitcode ? toolchain::ir_text(tools_, path_) : std::string(file->begin(), file->end());
  if (!text) return text;
  const IrFacts facts = facts_of_ir(*text);
  if (std::any_of(facts.targets.begin(), facts.targets.end(),
                  [this](const std::string& target) { return target != target_; }))
    return fail(ErrorKind::WrongTarget,
                fmt::format("LLVM IR for {}, not for {}", fmt::join(facts.targets, ", "), target_), path_);
  return text;
}

Result<double> KnobCompiler::compile(const Knob& knob, const std::filesystem::path& code) const {
  const bool anew = for_front_end(knob.flags);
  std::string own;
  if (anew) {
    std::vector<std::string> flags = flags_;
    flags.insert(flags.end(), knob.flags.begin(), knob.flags.end());
    auto made = ir_with(flags);
    if (!made) return tl::unexpected(made.error());
    own = std::move(*made);
  }
  for (const auto& [attribute, value] : knob.attributes)
    own = with_attribute(own.empty() ? ir_ : own, attribute, value);
  std::filesystem::path path = code;
  path.replace_extension(".ll");
  if (!write_file(path, own.empty() ? ir_ : own))
    return fail(ErrorKind::NotFound, fmt::format("cannot write '{}'", path.string()));
  toolchain::DeviceJob job{path.string(), toolchain::DeviceLanguage::Ir, target_, flags_for_passes(flags_)};
  const std::vector<std::string> more = anew ? flags_for_passes(knob.flags) : knob.flags;
  job.flags.insert(job.flags.end(), more.begin(), more.end());
  const auto made = toolchain::compile_device(tools_, job);
  std::error_code ignored;
  std::filesystem::remove(path, ignored);
  if (!made) return tl::unexpected(made.error());
  // The code object alone, whatever it came in.
  const auto bundle = object::Bundle::parse(made->file);
  if (!bundle) return tl::unexpected(bundle.error());
  const auto& entries = bundle->entries();
  const auto found = std::find_if(entries.begin(), entries.end(), [](const object::BundleEntry& entry) {
    return object::CodeObject::parse(entry.bytes).has_value();
  });
  if (found == entries.end()) return fail(ErrorKind::BadInput, "no code object in it", path_);
  if (!write_file(code, std::vector<uint8_t>(found->bytes.begin(), found->bytes.end())))
    return fail(ErrorKind::NotFound, fmt::format("cannot write '{}'", code.string()));
  return made->seconds;
}

}  // namespace wavesmith::study
