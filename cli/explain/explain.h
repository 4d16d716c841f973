// The faces of `wavesmith explain`: text and a page.
#pragma once

#include <string>

#include "report/page.h"
#include "study/analysed.h"

namespace wavesmith::cli {

/// An analysed file and its command line, for the heads of reports.
struct ExplainedFile {
  std::string path;
  study::Analysed analysed;
};

/// Prints a summary of under 25 lines; with `verbose` all details.
void print_explained(const ExplainedFile& file, bool verbose);

/// The page for report::html.
report::Page page_of(const ExplainedFile& file);
/// One kernel's section of the page.
report::Section section_of(const analysis::KernelAnalysis& kernel, const gpus::Gpu& gpu, bool listing);
report::Listing listing_of(const analysis::KernelAnalysis& kernel);

/// "84 VGPRs, 32 AGPRs, 38 SGPRs".
std::string registers_text(const analysis::Registers& registers);
/// "up to 18 % of the loop"; empty if it is not known.
std::string gain_text(const analysis::Finding& finding);

}  // namespace wavesmith::cli
