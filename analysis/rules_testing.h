// For tests of rules: a kernel of assembly text with its findings.
#pragma once

#include <fmt/format.h>

#include <set>
#include <string>
#include <string_view>

#include "analysis/kernel.h"
#include "analysis/testing.h"
#include "object/testing.h"

namespace wavesmith::analysis {

inline Resources usual() {
  Resources resources;
  resources.allocated = resources.used = {32, 0, 32};
  resources.vgprs_total = 32;
  resources.workgroup = resources.max_workgroup = 256;
  return resources;
}

template <class Change>
Resources with(Change change) {
  Resources resources = usual();
  change(resources);
  return resources;
}

inline KernelAnalysis kernel_of(std::string_view target, std::string_view text, Resources resources,
                                const gpus::Gpu& gpu, const Options& options = {}) {
  const Code code = code_of(target, text);
  const Graph graph = make_graph(code);
  KernelAnalysis kernel;
  kernel.target = target;
  resources.wave_size = static_cast<uint32_t>(code.wave_lanes);
  kernel.resources = resources;
  describe_code(code, graph, kernel);
  complete(code, graph, gpu, options, RegisterSet::all(), {}, kernel);
  return kernel;
}

inline KernelAnalysis kernel_of(std::string_view target, std::string_view text, const Resources& resources) {
  return kernel_of(target, text, resources, *usual_gpu(target));
}
inline KernelAnalysis kernel_of(std::string_view target, std::string_view text) {
  return kernel_of(target, text, usual());
}

inline std::string loop(std::string_view body) {
  return "l:\n" + std::string(body) + "\ns_cbranch_scc1 l\ns_endpgm";
}
inline std::string repeated(std::string_view line, int times) {
  std::string text;
  for (int i = 0; i < times; ++i) text += fmt::format(fmt::runtime(line), i, i + 8, i + 9, i + 10) + "\n";
  return text;
}
/// Text that lives as long as the tests.
inline std::string_view keep(std::string text) {
  static std::set<std::string> kept;
  return *kept.insert(std::move(text)).first;
}

inline const Finding* finding_of(const KernelAnalysis& kernel, std::string_view rule) {
  for (const Finding& finding : kernel.findings)
    if (finding.rule == rule) return &finding;
  return nullptr;
}

}  // namespace wavesmith::analysis
