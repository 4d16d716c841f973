// The faces of `wavesmith explain`: text, JSON and a page.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "report/page.h"
#include "study/analysed.h"

namespace wavesmith::cli {

/// What the command line said, for heads of reports.
struct ExplainedFile {
  std::string path;
  study::Analysed analysed;
};

/// A summary of under 25 lines; with `verbose` everything behind it.
void print_explained(const ExplainedFile& file, bool verbose);

nlohmann::ordered_json json_of(const ExplainedFile& file);
/// Everything that the analysis says of one kernel.
nlohmann::ordered_json json_of(const analysis::KernelAnalysis& kernel);
nlohmann::ordered_json json_of(const analysis::Figure& figure);

/// The page for report::html.
report::Page page_of(const ExplainedFile& file);
/// One kernel's part of it.
report::Section section_of(const analysis::KernelAnalysis& kernel, const gpus::Gpu& gpu, bool listing);
report::Listing listing_of(const analysis::KernelAnalysis& kernel);

/// "84 VGPRs, 32 AGPRs, 38 SGPRs".
std::string registers_text(const analysis::Registers& registers);
/// "up to 18 % of the loop" or "" when it is not known.
std::string gain_text(const analysis::Finding& finding);

}  // namespace wavesmith::cli
