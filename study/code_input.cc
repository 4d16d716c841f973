#include "study/code_input.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/file.h"
#include "base/scratch.h"
#include "gpus/chosen.h"
#include "isa/target.h"
#include "object/bundle.h"
#include "object/target_id.h"
#include "study/names.h"
#include "toolchain/device_code.h"

namespace wavesmith::study {
namespace {

using object::TargetId;
using toolchain::DeviceLanguage;

constexpr const char* kForms =
    "takes HIP source, LLVM IR (.ll, .bc), assembly (.s), code objects, bundles (also compressed), programs "
    "and libraries with GPU code";

/// Whether code for `target` can be for the GPU, whatever its memory's settings are.
bool suits(const std::string& target, const gpus::Gpu& gpu) {
  const Result<TargetId> code = TargetId::parse(target);
  return code && object::suitability(*code, TargetId{gpu.target}).has_value();
}

/// The default GPU if the code is for it, else the first one that the code is for; nullptr: none.
const gpus::Gpu* gpu_for(const std::vector<std::string>& targets) {
  const auto any_suits = [&](const gpus::Gpu& gpu) {
    return std::any_of(targets.begin(), targets.end(),
                       [&](const std::string& target) { return suits(target, gpu); });
  };
  if (const auto usual = gpus::chosen_gpu(); usual && any_suits(**usual)) return *usual;
  for (const gpus::Gpu* gpu : gpus::usual_first())
    if (isa::find_target(gpu->target) && any_suits(*gpu)) return gpu;
  return nullptr;
}

class Opener {
 public:
  explicit Opener(const CodeRequest& request) : request_(request) { code_.gpu = request.gpu; }

  Result<Code> open() {
    Result<void> done = request_.contents ? open_contents(*request_.contents) : open_file();
    if (done && code_.objects.empty()) done = fail(ErrorKind::NotFound, "no kernel in it");
    if (!done) {
      Error error = done.error();
      if (error.where.empty()) error.where = request_.path;
      return tl::unexpected(error);
    }
    return std::move(code_);
  }

 private:
  Result<void> open_file() {
    const auto file = read_file(request_.path);
    if (!file) return tl::unexpected(file.error());
    if (file->empty()) return fail(ErrorKind::BadInput, "an empty file", {}, kForms);
    code_.form = form_of(*file, request_.path);
    return take(code_.form, *file, request_.path);
  }

  Result<void> open_contents(std::span<const uint8_t> bytes) {
    if (bytes.empty()) return fail(ErrorKind::BadInput, "no bytes", {}, kForms);
    code_.form = form_of(bytes, request_.path);
    if (written_name(code_.form).empty()) return take(code_.form, bytes, request_.path);
    return take_written(code_.form, bytes, request_.path);
  }

  Result<void> take(CodeForm form, std::span<const uint8_t> bytes, const std::string& path) {
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    switch (form) {
      case CodeForm::HipSource:
        return choose_gpu({}) ? compile(DeviceLanguage::Hip, path) : no_gpu_;
      case CodeForm::IrText:
        return take_ir(text, path);
      case CodeForm::Bitcode: {
        const Result<std::string> ir = toolchain::ir_text(tools(), path);
        if (!ir) return tl::unexpected(ir.error());
        return take_ir(*ir, path);
      }
      case CodeForm::Assembly:
        return take_assembly(text, path);
      case CodeForm::Relocatable:
        return take_relocatable(bytes, path);
      case CodeForm::TextBundle:
        return take_text_bundle(text, path);
      case CodeForm::CodeObject:
      case CodeForm::Bundle:
      case CodeForm::CompressedBundle:
      case CodeForm::HostObject:
      case CodeForm::HostProgram:
      case CodeForm::SharedLibrary:
        return take_machine_code(bytes);
      case CodeForm::Archive:
        return fail(ErrorKind::Unsupported, "an archive: its members are not looked into", {},
                    "take them out with 'ar x', or give the program that is linked with it");
      case CodeForm::Unknown:
        break;
    }
    return fail(ErrorKind::BadInput, "no form of GPU code that is known", {}, kForms);
  }

  /// Keeps the GPU asked for when code for one of `targets` (none: any) can be for it; without one, finds
  /// one. False: `no_gpu_` says why not.
  bool choose_gpu(const std::vector<std::string>& targets) {
    if (!code_.gpu && targets.empty()) {
      const auto usual = gpus::chosen_gpu();
      if (!usual) return no_gpu_ = tl::unexpected(usual.error()), false;
      code_.gpu = *usual;
    }
    if (!code_.gpu) code_.gpu = gpu_for(targets);
    if (code_.gpu && !isa::find_target(code_.gpu->target)) {
      no_gpu_ =
          fail(ErrorKind::Unsupported,
               fmt::format("{} is described for predictions only: its code is not decoded", code_.gpu->id));
      return false;
    }
    if (!code_.gpu) {
      no_gpu_ = fail(ErrorKind::Unsupported,
                     fmt::format("code for {}, which is no GPU that is described", fmt::join(targets, ", ")),
                     {}, fmt::format("described are {}", fmt::join(gpus::ids(), ", ")));
      return false;
    }
    if (targets.empty()) return true;
    if (std::none_of(targets.begin(), targets.end(),
                     [&](const std::string& target) { return suits(target, *code_.gpu); })) {
      no_gpu_ =
          fail(ErrorKind::WrongTarget, fmt::format("no code for {} ({})", code_.gpu->target, code_.gpu->id),
               {}, fmt::format("there is code for {}", fmt::join(targets, ", ")));
      return false;
    }
    return true;
  }

  const toolchain::Toolchain& tools() {
    if (!tools_) tools_ = toolchain::discover();
    return *tools_;
  }

  Result<void> compile(DeviceLanguage language, const std::string& path, std::string target = {}) {
    if (target.empty()) target = code_.gpu->target;
    auto made = toolchain::compile_device(tools(), {path, language, target, request_.flags});
    if (!made) return tl::unexpected(made.error());
    code_.command = std::move(made->command);
    code_.compile_seconds += made->seconds;
    return take_machine_code(made->file);
  }

  Result<void> take_ir(std::string_view text, const std::string& path) {
    const IrFacts facts = facts_of_ir(text);
    if (!facts.triple.empty() && !facts.triple.starts_with("amdgcn"))
      return fail(ErrorKind::WrongTarget, fmt::format("LLVM IR for {}, not for a GPU of AMD's", facts.triple),
                  {}, "a compiler writes the GPU's with --offload-device-only -S -emit-llvm");
    if (!facts.has_kernel) return fail(ErrorKind::NotFound, "no kernel in it (no function 'amdgpu_kernel')");
    if (!choose_gpu(facts.targets)) return no_gpu_;
    return compile(DeviceLanguage::Ir, path);
  }

  Result<void> take_assembly(std::string_view text, const std::string& path) {
    const auto target = target_of_assembly(text);
    if (text.find(".amdhsa_kernel") == text.npos)
      return fail(ErrorKind::NotFound, "no kernel in it (no '.amdhsa_kernel')", {},
                  "a compiler writes whole kernels with --offload-device-only -S");
    if (!choose_gpu(target ? std::vector{*target} : std::vector<std::string>{})) return no_gpu_;
    return compile(DeviceLanguage::Assembly, path, target.value_or(""));
  }

  Result<void> take_relocatable(std::span<const uint8_t> bytes, const std::string& path) {
    const auto bundle = object::Bundle::parse(bytes);
    if (!bundle) return tl::unexpected(bundle.error());
    if (!choose_gpu({bundle->entries().front().target.text()})) return no_gpu_;
    return compile(DeviceLanguage::Relocatable, path, bundle->entries().front().target.text());
  }

  Result<void> take_text_bundle(std::string_view text, const std::string& path) {
    const std::vector<TextEntry> entries = split_text_bundle(text);
    std::vector<std::string> targets;
    for (const TextEntry& entry : entries)
      if (!entry.target.empty()) targets.push_back(entry.target);
    if (targets.empty()) return fail(ErrorKind::NotFound, "a text bundle with no GPU code in it");
    if (!choose_gpu(targets)) return no_gpu_;
    for (const TextEntry& entry : entries)
      if (!entry.target.empty() && suits(entry.target, *code_.gpu)) {
        const std::span<const uint8_t> bytes(reinterpret_cast<const uint8_t*>(entry.text.data()),
                                             entry.text.size());
        return take_written(form_of(bytes, {}), bytes, path);
      }
    return no_gpu_;
  }

  /// The file that a compiler reads code of that form from; empty: none does.
  static std::string_view written_name(CodeForm form) {
    switch (form) {
      case CodeForm::HipSource:
        return "part.hip";
      case CodeForm::Assembly:
        return "part.s";
      case CodeForm::IrText:
      case CodeForm::Bitcode:
        return "part.ll";
      case CodeForm::Relocatable:
        return "part.o";
      default:
        return {};
    }
  }

  /// What lies in no file of its own: a part of one, or bytes.
  Result<void> take_written(CodeForm form, std::span<const uint8_t> bytes, const std::string& path) {
    const Scratch scratch("part");
    const std::string_view text(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    const std::string_view name = written_name(form);
    if (name.empty()) return fail(ErrorKind::BadInput, fmt::format("a bundle of {}", name_of(form)), path);
    const std::filesystem::path part = scratch / name;
    if (!scratch.made() || !write_file(part, text))
      return fail(ErrorKind::NotFound, "no folder for temporary files can be made");
    return take(form, bytes, part.string());
  }

  Result<void> take_machine_code(std::span<const uint8_t> bytes) {
    auto bundle = object::Bundle::parse(bytes);
    if (!bundle) return tl::unexpected(bundle.error());
    std::vector<std::string> targets;
    for (const object::BundleEntry& entry : bundle->entries()) {
      const std::string target = entry.target.text();
      if (std::find(targets.begin(), targets.end(), target) == targets.end()) targets.push_back(target);
    }
    if (targets.empty()) return fail(ErrorKind::NotFound, "no GPU code in it");
    if (!choose_gpu(targets)) return no_gpu_;
    // The GPU's usual settings (XNACK) if there is code for them, else any.
    auto best = bundle->choose(TargetId::parse(code_.gpu->arch_name).value_or(TargetId{code_.gpu->target}));
    if (!best) best = bundle->choose(TargetId{code_.gpu->target});
    if (!best) return tl::unexpected(best.error());
    code_.target = best->target.text();
    // A program of several sources has several bundles.
    for (const object::BundleEntry& entry : bundle->entries()) {
      if (entry.target != best->target) continue;
      const CodeForm form = form_of(entry.bytes, {});
      if (form == CodeForm::Bitcode || form == CodeForm::Relocatable) {
        if (auto done = take_written(form, entry.bytes, request_.path); !done) return done;
        continue;
      }
      auto object = object::CodeObject::parse(entry.bytes);
      if (!object) return tl::unexpected(object.error());
      if (!object->kernels().empty()) code_.objects.push_back(std::move(*object));
    }
    return {};
  }

  const CodeRequest& request_;
  Code code_;
  std::optional<toolchain::Toolchain> tools_;
  Result<void> no_gpu_;
};

}  // namespace

Result<Code> open_code(const CodeRequest& request) { return Opener(request).open(); }

Result<std::vector<FoundKernel>> find_kernels(const Code& code, const std::string& name) {
  std::vector<FoundKernel> all, exact, similar;
  for (const object::CodeObject& object : code.objects)
    for (const object::Kernel& kernel : object.kernels()) {
      const FoundKernel found{&object, &kernel};
      all.push_back(found);
      if (name.empty()) continue;
      if (means(name, kernel.name))
        exact.push_back(found);
      else if (readable(kernel.name).find(name) != std::string::npos)
        similar.push_back(found);
    }
  if (name.empty()) return all;
  if (!exact.empty()) return exact;
  if (!similar.empty()) return similar;
  std::vector<std::string> some;
  for (const FoundKernel& found : all)
    if (some.size() < 8) some.push_back("'" + readable(found.kernel->name) + "'");
  return fail(
      ErrorKind::NotFound, fmt::format("no kernel '{}'", name), {},
      fmt::format("there {} {}{}", all.size() == 1 ? "is" : "are", fmt::join(some, ", "),
                  all.size() > some.size() ? fmt::format(" and {} more", all.size() - some.size()) : ""));
}

}  // namespace wavesmith::study
