// `wavesmith isa --object`: the instructions in files, and whether all of them can be executed.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/file.h"
#include "cli/file.h"
#include "cli/isa/isa.h"
#include "cli/terminal.h"
#include "emulate/translate/fidelity.h"
#include "emulate/translate/survey.h"
#include "gpus/gpu.h"
#include "isa/target.h"
#include "object/bundle.h"
#include "object/code_object.h"
#include "study/names.h"

namespace wavesmith::cli {
namespace {

using emulate::Survey;
using isa::Fidelity;
using nlohmann::ordered_json;

/// How many refusals are shown to people; JSON has all that the survey keeps.
constexpr size_t kShown = 10;

/// All code objects of one processor.
struct ProcessorSurvey {
  uint64_t objects = 0, kernels = 0;
  Survey survey;
  std::vector<std::string> files;  ///< of each refusal
};

Result<void> add_file(const std::string& path, std::string_view processor,
                      std::map<std::string, ProcessorSurvey>& all) {
  const auto image = read_file(path);
  if (!image) return tl::unexpected(image.error());
  const auto bundle = object::Bundle::parse(*image);
  if (!bundle) return tl::unexpected(bundle.error());
  for (const object::BundleEntry& entry : bundle->entries()) {
    if (!processor.empty() && entry.target.processor != processor) continue;
    ProcessorSurvey& found = all[entry.target.processor];
    ++found.objects;
    if (!isa::find_target(entry.target.processor)) continue;
    const auto object = object::CodeObject::parse(entry.bytes);
    if (!object) return tl::unexpected(object.error());
    const auto survey = emulate::survey(*object);
    if (!survey) return tl::unexpected(survey.error());
    found.kernels += object->kernels().size();
    found.survey += *survey;
    found.files.resize(found.survey.refusals.size(), path);
  }
  return {};
}

/// The instructions of one processor, as the options want them.
ordered_json describe(const std::string& processor, const ProcessorSurvey& found, const IsaOptions& options) {
  const isa::Target* const target = isa::find_target(processor);
  ordered_json json{{"target", processor}, {"emulated", target != nullptr}, {"objects", found.objects}};
  if (!target) return json;
  uint64_t approximate = 0;
  ordered_json mnemonics = ordered_json::array();
  for (const auto& [mnemonic, count] : found.survey.mnemonics) {
    const emulate::InstructionFidelity one = emulate::fidelity_of_printed(mnemonic, *target);
    const bool partly = one.fidelity != Fidelity::Unsupported && count.refused != 0;
    if (one.fidelity == Fidelity::Approximate) approximate += count.all - count.refused;
    const std::string_view name =
        fidelity_name(count.refused == count.all ? Fidelity::Unsupported : one.fidelity);
    if (!mnemonic.starts_with(options.match)) continue;
    if (!options.only.empty() && options.only != name && !(options.only == "unsupported" && partly)) continue;
    mnemonics.push_back({{"mnemonic", mnemonic},
                         {"fidelity", name},
                         {"note", one.note},
                         {"count", count.all},
                         {"unsupported", count.refused}});
  }
  json["kernels"] = found.kernels;
  json["instructions"] = found.survey.instructions;
  json["exact"] = found.survey.instructions - approximate - found.survey.refused;
  json["approximate"] = approximate;
  json["unsupported"] = found.survey.refused;
  json["data_bytes"] = found.survey.data;
  json["mnemonics"] = std::move(mnemonics);
  json["unsupported_at"] = ordered_json::array();
  for (size_t i = 0; i < found.survey.refusals.size(); ++i) {
    const Survey::Refusal& refusal = found.survey.refusals[i];
    json["unsupported_at"].push_back({{"file", found.files[i]},
                                      {"kernel", refusal.routine},
                                      {"pc", refusal.pc},
                                      {"instruction", refusal.instruction},
                                      {"why", refusal.error.what}});
  }
  return json;
}

void print(const ordered_json& json) {
  const auto number = [&](const char* key) { return json[key].get<uint64_t>(); };
  const auto text = [](const ordered_json& of, const char* key) { return of[key].get<std::string>(); };
  if (!json["emulated"].get<bool>()) {
    fmt::print("{}: {} code objects, not emulated\n", text(json, "target"), number("objects"));
    return;
  }
  Table table({"instruction", "count", "unsupported", "fidelity", "note"});
  table.align_right(1);
  table.align_right(2);
  for (const ordered_json& one : json["mnemonics"])
    table.add({text(one, "mnemonic"), fmt::to_string(one["count"].get<uint64_t>()),
               fmt::to_string(one["unsupported"].get<uint64_t>()), text(one, "fidelity"), text(one, "note")});
  if (!json["mnemonics"].empty()) table.print();
  fmt::print(
      "{}\n",
      styled(fmt::format("{}: {} code objects, {} kernels, {} instructions: {} exact, {} approximate, "
                         "{} unsupported",
                         text(json, "target"), number("objects"), number("kernels"), number("instructions"),
                         number("exact"), number("approximate"), number("unsupported")),
             Style::Strong));
  size_t shown = 0;
  for (const ordered_json& one : json["unsupported_at"]) {
    if (shown++ == kShown) break;
    fmt::print("  {} in {}, pc {:#x}: {}: {}\n", text(one, "file"), study::readable(text(one, "kernel")),
               one["pc"].get<uint64_t>(), text(one, "instruction"), text(one, "why"));
  }
  if (number("unsupported") > kShown) fmt::print("  ... --json has more of them\n");
}

}  // namespace

Exit list_objects(const IsaOptions& options) {
  std::string_view processor;
  if (options.gpu_given) {
    const Result<const gpus::Gpu*> gpu = gpus::find_gpu(options.gpu);
    if (!gpu) return report(gpu.error());
    processor = (*gpu)->target;
  }
  std::map<std::string, ProcessorSurvey> all;
  for (const std::string& path : options.objects) {
    if (auto done = add_file(path, processor, all); !done) {
      if (done.error().where.empty()) done.error().where = path;
      return report(done.error());
    }
  }
  if (all.empty()) return report({ErrorKind::WrongTarget, fmt::format("no code for '{}'", processor)});
  bool refused = false;
  ordered_json json = ordered_json::array();
  for (const auto& [name, found] : all) {
    ordered_json one = describe(name, found, options);
    refused |= found.survey.refused != 0;
    if (options.json)
      json.push_back(std::move(one));
    else
      print(one);
  }
  if (options.json) fmt::print("{}\n", json.dump(1, ' ', false, ordered_json::error_handler_t::replace));
  return refused ? Exit::Unsupported : Exit::Ok;
}

}  // namespace wavesmith::cli
