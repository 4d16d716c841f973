// `wavesmith disasm`: what is in a file of GPU code: its code objects, kernels, their resources, instructions
// and lines.
#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include <algorithm>

#include "base/file.h"
#include "cli/command.h"
#include "cli/file.h"
#include "cli/terminal.h"
#include "gpus/gpu.h"
#include "gpus/occupancy.h"
#include "isa/control/row.h"
#include "isa/llvm/decoder.h"
#include "isa/llvm/source_lines.h"
#include "isa/target.h"
#include "object/bundle.h"
#include "object/code_object.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

using nlohmann::ordered_json;
using object::CodeObject;
using object::Kernel;

struct DisasmOptions {
  std::string file, kernel, target;
  bool json = false, list = false;
};

/// The GPU with which occupancy is computed: the first one of that processor.
const gpus::Gpu* gpu_of(std::string_view processor) {
  for (const gpus::Gpu* gpu : gpus::gpus())
    if (gpu->target == processor) return gpu;
  return nullptr;
}

std::optional<gpus::Occupancy> occupancy_of(const Kernel& kernel, const gpus::Gpu* gpu) {
  if (!gpu) return std::nullopt;
  // Where the file is unified the accumulation VGPRs begin at a multiple of 4 behind the others; .vgpr_count
  // has both.
  return gpus::occupancy(*gpu, {kernel.vgpr_count, kernel.sgpr_count, kernel.fields.group_segment_fixed_size,
                                std::max(1u, kernel.max_flat_workgroup_size), kernel.wavefront_size});
}

class Disassembly {
 public:
  Disassembly(const DisasmOptions& options, const object::BundleEntry& entry, CodeObject object)
      : options_(options), entry_(entry), object_(std::move(object)), lines_(object_.file()) {}

  Exit print(ordered_json* json) {
    const isa::Target* target = isa::find_target(object_.target().processor);
    if (json) {
      *json = {{"target", object_.target().text()},
               {"version", object_.version()},
               {"bytes", entry_.bytes.size()},
               {"kernels", ordered_json::array()}};
    } else {
      fmt::print("{}\n", styled(fmt::format("{}: code object version {}, {}, {} kernels",
                                            object_.target().text(), object_.version(),
                                            bytes_text(entry_.bytes.size()), object_.kernels().size()),
                                Style::Strong));
    }
    for (const Kernel& kernel : object_.kernels()) {
      if (!options_.kernel.empty() && !study::means(options_.kernel, kernel.name)) continue;
      ordered_json described = describe(kernel);
      if (!json) print_head(kernel, described);
      if (!options_.list && target)
        if (const Exit code = print_code(kernel, *target, json ? &described : nullptr); code != Exit::Ok)
          return code;
      if (json) (*json)["kernels"].push_back(described);
      found_ = true;
    }
    if (!target && !options_.list && !json)
      fmt::print("  {} is not decoded here\n", object_.target().processor);
    return Exit::Ok;
  }
  [[nodiscard]] bool found() const { return found_; }

 private:
  ordered_json describe(const Kernel& kernel) const {
    ordered_json json{{"name", kernel.name},
                      {"vgprs", kernel.vgpr_count},
                      {"agprs", kernel.agpr_count},
                      {"sgprs", kernel.sgpr_count},
                      {"vgpr_spills", kernel.vgpr_spill_count},
                      {"sgpr_spills", kernel.sgpr_spill_count},
                      {"lds_bytes", kernel.fields.group_segment_fixed_size},
                      {"scratch_bytes", kernel.fields.private_segment_fixed_size},
                      {"kernarg_bytes", kernel.kernarg_size},
                      {"wave_size", kernel.wavefront_size},
                      {"max_workgroup", kernel.max_flat_workgroup_size}};
    const gpus::Gpu* gpu = gpu_of(object_.target().processor);
    if (const auto occupancy = occupancy_of(kernel, gpu))
      json["occupancy"] = {{"waves_per_simd", occupancy->waves_per_simd},
                           {"limited_by", gpus::name_of(occupancy->limiter)},
                           {"of", gpu->waves_per_simd},
                           {"gpu", gpu->id}};
    for (const object::Argument& argument : kernel.arguments)
      json["arguments"].push_back({{"kind", argument.value_kind},
                                   {"offset", argument.offset},
                                   {"size", argument.size},
                                   {"name", argument.name},
                                   {"type", argument.type_name}});
    return json;
  }

  static void print_head(const Kernel& kernel, const ordered_json& json) {
    const std::string name = study::readable(kernel.name);
    fmt::print("\n{}\n", styled(name, Style::Strong));
    if (name != kernel.name) fmt::print("  {}\n", kernel.name);
    fmt::print(
        "  {} VGPRs ({} accumulation), {} SGPRs, {} LDS, {} scratch per work-item, wave{}, up to {} work-items "
        "per workgroup\n",
        kernel.vgpr_count, kernel.agpr_count, kernel.sgpr_count,
        bytes_text(kernel.fields.group_segment_fixed_size),
        bytes_text(kernel.fields.private_segment_fixed_size), kernel.wavefront_size,
        kernel.max_flat_workgroup_size);
    if (kernel.vgpr_spill_count || kernel.sgpr_spill_count)
      fmt::print("  spilled: {} VGPRs, {} SGPRs\n", kernel.vgpr_spill_count, kernel.sgpr_spill_count);
    if (json.contains("occupancy"))
      fmt::print("  occupancy {} of {} waves per SIMD, limited by {}\n",
                 json["occupancy"]["waves_per_simd"].get<uint32_t>(), json["occupancy"]["of"].get<uint32_t>(),
                 json["occupancy"]["limited_by"].get<std::string>());
    for (const object::Argument& argument : kernel.arguments)
      if (!argument.value_kind.starts_with("hidden_"))
        fmt::print("  argument at {:>3}: {:>3} B {}{}{}\n", argument.offset, argument.size,
                   argument.value_kind, argument.type_name.empty() ? "" : " " + argument.type_name,
                   argument.name.empty() ? "" : " " + argument.name);
  }

  /// From the kernel's entry to the next kernel's, without the padding behind it.
  [[nodiscard]] std::span<const uint8_t> code_of(const Kernel& kernel) const {
    uint64_t end = 0;
    for (const object::Segment& segment : object_.segments())
      if (segment.executable && kernel.entry() >= segment.address &&
          kernel.entry() < segment.address + segment.file_size)
        end = segment.address + segment.file_size;
    for (const Kernel& other : object_.kernels())
      if (other.entry() > kernel.entry() && other.entry() < end) end = other.entry();
    return end > kernel.entry() ? object_.at(kernel.entry(), end - kernel.entry())
                                : std::span<const uint8_t>();
  }

  Exit print_code(const Kernel& kernel, const isa::Target& target, ordered_json* json) {
    Result<isa::Decoder> decoder = isa::Decoder::create(target, static_cast<int>(kernel.wavefront_size));
    if (!decoder) return report(decoder.error());
    const std::span<const uint8_t> code = code_of(kernel);
    std::string shown;
    std::vector<std::pair<uint64_t, uint32_t>> padding;  // held back until something else follows
    for (uint64_t at = 0; at + 4 <= code.size();) {
      const uint64_t pc = kernel.entry() + at;
      Result<isa::Instruction> instruction = decoder->decode(code.subspan(at), pc);
      const uint32_t size = instruction ? instruction->size : 4;
      uint32_t word = 0;
      for (uint32_t i = 0; i < 4; ++i) word |= static_cast<uint32_t>(code[at + i]) << 8 * i;
      if (word == 0 || (instruction && isa::is_padding(instruction->mnemonic))) {
        padding.emplace_back(at, size);
        at += size;
        continue;
      }
      for (const auto& [where, length] : padding)
        print_line(*decoder, code.subspan(where, length), kernel.entry() + where, shown, json);
      padding.clear();
      print_line(*decoder, code.subspan(at, std::min<size_t>(size, code.size() - at)), pc, shown, json);
      at += size;
    }
    return Exit::Ok;
  }

  void print_line(isa::Decoder& decoder, std::span<const uint8_t> bytes, uint64_t pc, std::string& shown,
                  ordered_json* json) const {
    const Result<isa::Instruction> instruction = decoder.decode(bytes, pc);
    std::string hex;
    for (size_t i = 0; i + 4 <= bytes.size(); i += 4)
      hex += fmt::format("{}{:02x}{:02x}{:02x}{:02x}", hex.empty() ? "" : " ", bytes[i + 3], bytes[i + 2],
                         bytes[i + 1], bytes[i]);
    const std::string text = instruction ? instruction->text : ".long 0x" + hex;
    const std::optional<isa::SourceLine> line = lines_.at(pc);
    if (json) {
      ordered_json entry{{"pc", pc}, {"bytes", hex}, {"text", text}};
      if (line) entry["line"] = line->text();
      (*json)["instructions"].push_back(entry);
      return;
    }
    if (line && line->text() != shown) {
      shown = line->text();
      fmt::print("  {}\n", styled("; " + shown, Style::Faint));
    }
    fmt::print("  {:08x}  {:<26}  {}\n", pc, hex, text);
  }

  const DisasmOptions& options_;
  const object::BundleEntry& entry_;
  CodeObject object_;
  isa::SourceLines lines_;
  bool found_ = false;
};

Exit disassemble(const DisasmOptions& options) {
  const auto image = read_file(options.file);
  if (!image) return report(image.error());
  const Result<object::Bundle> bundle = object::Bundle::parse(*image);
  auto named = [&](Error error) {
    if (error.where.empty()) error.where = options.file;
    return report(error);
  };
  if (!bundle) return named(bundle.error());
  ordered_json all = ordered_json::array();
  bool any = false, found = false;
  for (const object::BundleEntry& entry : bundle->entries()) {
    if (!options.target.empty() && entry.target.processor != options.target &&
        entry.target.text() != options.target)
      continue;
    Result<CodeObject> object = CodeObject::parse(entry.bytes);
    if (!object) return named(object.error());
    if (any && !options.json) fmt::print("\n");
    any = true;
    Disassembly disassembly(options, entry, std::move(*object));
    ordered_json json;
    if (const Exit code = disassembly.print(options.json ? &json : nullptr); code != Exit::Ok) return code;
    found |= disassembly.found();
    if (options.json) all.push_back(std::move(json));
  }
  if (!any)
    return named({ErrorKind::WrongTarget,
                  fmt::format("no code for '{}'", options.target),
                  {},
                  "there is code for " + bundle->targets()});
  if (!found && !options.kernel.empty())
    return named(
        {ErrorKind::NotFound, fmt::format("no kernel '{}'", options.kernel), {}, "--list shows them"});
  if (options.json) fmt::print("{}\n", all.dump(1, ' ', false, ordered_json::error_handler_t::replace));
  return Exit::Ok;
}

}  // namespace

void add_disasm(CLI::App& app, Action& action) {
  auto options = std::make_shared<DisasmOptions>();
  CLI::App* command = add_command(
      app, "disasm", "Prints kernels, resources and instructions of a code object, bundle or HIP program");
  command
      ->add_option("file", options->file,
                   "code object, bundle (compressed or not), or host program with a fat binary")
      ->required();
  command->add_option("--kernel", options->kernel, "only this kernel");
  command->add_option("--target", options->target, "only code for this target: gfx942");
  command->add_flag("--list", options->list, "kernels and their resources, no instructions");
  command->add_flag("--json", options->json, "as JSON");
  teach(*command,
        "  wavesmith disasm ./app                         every kernel of a HIP program, for every target in "
        "it\n"
        "  wavesmith disasm kernel.co --list              names, registers, LDS, occupancy, arguments\n"
        "  wavesmith disasm kernel.co --kernel axpy       one kernel; source lines when compiled with -g\n"
        "  wavesmith disasm librocrand.so --target gfx90a --json\n");
  command->callback([options, &action] { action = [options] { return disassemble(*options); }; });
}

}  // namespace wavesmith::cli
