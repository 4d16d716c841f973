// The source beside the instructions: two panes that scroll by themselves and point at each other.
#include <fmt/format.h>

#include <algorithm>

#include "report/write.h"

namespace wavesmith::report {
namespace {

/// How strongly a line is tinted: 0 to 9, the square root of its share so that small shares can be told
/// apart.
int heat_class(double share, double most) {
  if (share <= 0 || most <= 0) return 0;
  double low = 0;
  int level = 0;
  while (level < 9 && (low = (level + 1) / 10.0, share / most > low * low)) ++level;
  return std::max(level, 1);
}

std::string percent(double share) {
  return share >= 0.0005 ? fmt::format("{:.{}f} %", 100 * share, share >= 0.0995 ? 0 : 1) : std::string();
}

std::string anchor_of_line(const std::string& id, uint32_t file, uint32_t line) {
  return fmt::format("{}-f{}-l{}", id, file, line);
}

std::string source_pane(const Listing& listing, const std::string& id) {
  double most = 0;
  for (const auto& file : listing.files)
    for (const auto& line : file.lines) most = std::max(most, line.heat);
  std::string out = "<div class=\"pane source\" tabindex=\"0\" role=\"region\" aria-label=\"Source\">\n";
  // The file where most of the work is comes first.
  std::vector<size_t> order(listing.files.size());
  std::vector<double> heat(order.size(), 0);
  for (size_t f = 0; f < order.size(); ++f) {
    order[f] = f;
    for (const auto& line : listing.files[f].lines) heat[f] += line.heat;
  }
  std::sort(order.begin(), order.end(),
            [&](size_t a, size_t b) { return heat[a] != heat[b] ? heat[a] > heat[b] : a < b; });
  for (const size_t f : order) {
    const auto& file = listing.files[f];
    if (file.lines.empty()) continue;
    out += fmt::format(
        "<table class=\"code\"><caption>{}</caption>\n<thead><tr><th scope=\"col\">line</th><th "
        "scope=\"col\">{}</th>"
        "<th scope=\"col\">source</th></tr></thead>\n<tbody>\n",
        escape(file.name), "share");
    uint32_t expected = file.lines.empty() ? 0 : file.lines.front().number;
    for (const auto& line : file.lines) {
      if (line.number != expected) out += "<tr class=\"gap\"><td>⋮</td><td></td><td></td></tr>\n";
      expected = line.number + 1;
      const std::string number = std::to_string(line.number);
      out += fmt::format(
          "<tr id=\"{}\" class=\"h{}\"><td class=\"n\">{}</td><td "
          "class=\"n\"{}>{}</td><td><code>{}</code></td></tr>\n",
          anchor_of_line(id, static_cast<uint32_t>(f), line.number), heat_class(line.heat, most),
          line.code == kNowhere ? number : fmt::format("<a href=\"#{}-i{}\">{}</a>", id, line.code, number),
          line.cost.empty() ? "" : fmt::format(" title=\"{}\"", escape(line.cost)), percent(line.heat),
          escape(line.text));
    }
    out += "</tbody></table>\n";
  }
  return out + "</div>\n";
}

std::string strip(const Listing& listing, const Listing::Code& code) {
  const double whole = std::max(1u, listing.most_vgprs);
  const auto width = [&](uint32_t registers) { return coordinate(std::min(100.0, 100 * registers / whole)); };
  return fmt::format(
      "<td class=\"n live\" title=\"live: {0} VGPRs, {1} AGPRs, {2} SGPRs\"><span><i "
      "style=\"width:{3}%\"></i>"
      "{4}</span>{5}</td>",
      code.vgprs, code.agprs, code.sgprs, width(code.vgprs),
      code.agprs ? fmt::format("<i class=\"a\" style=\"width:{}%\"></i>", width(code.agprs)) : "",
      code.vgprs + code.agprs);
}

/// Whether anybody has counted live registers.
bool has_live(const Listing& listing) {
  return std::any_of(listing.code.begin(), listing.code.end(),
                     [](const Listing::Code& code) { return code.vgprs + code.agprs + code.sgprs > 0; });
}

std::string code_pane(const Listing& listing, const std::string& id) {
  const bool live = has_live(listing);
  double most = 0;
  for (const auto& code : listing.code) most = std::max(most, code.heat);
  std::string out =
      "<div class=\"pane isa\" tabindex=\"0\" role=\"region\" aria-label=\"Instructions\">\n<table "
      "class=\"code\">"
      "<caption>Instructions</caption>\n<thead><tr>";
  for (const std::string& head : {std::string("address"), std::string("share"), escape(listing.cost_head),
                                  std::string(live ? "live registers" : ""), std::string("line"),
                                  std::string("instruction"), std::string("pipe"), std::string("notes")})
    if (!head.empty()) out += fmt::format("<th scope=\"col\">{}</th>", head);
  out += "</tr></thead>\n<tbody>\n";
  for (size_t i = 0; i < listing.code.size(); ++i) {
    const auto& code = listing.code[i];
    if (code.starts_block && !code.block.empty())
      out += fmt::format("<tr class=\"block\"><td colspan=\"{}\">{}</td></tr>\n", live ? 8 : 7,
                         escape(code.block));
    std::string line;
    if (code.file != kNowhere && code.file < listing.files.size()) {
      const auto& lines = listing.files[code.file].lines;
      const auto at =
          std::lower_bound(lines.begin(), lines.end(), code.line,
                           [](const Listing::Line& a, uint32_t number) { return a.number < number; });
      line =
          at != lines.end() && at->number == code.line
              ? fmt::format("<a href=\"#{}\" title=\"{}\">{}</a>", anchor_of_line(id, code.file, code.line),
                            escape(listing.files[code.file].name), code.line)
              : std::to_string(code.line);
    }
    std::string notes = escape(code.note);
    for (uint32_t finding : code.findings)
      notes += fmt::format("{}<a class=\"ref\" href=\"#{}-finding{}\">finding {}</a>",
                           notes.empty() ? "" : " ", id, finding + 1, finding + 1);
    out += fmt::format(
        "<tr id=\"{}-i{}\" class=\"h{} d{}\"><td class=\"n pc\">{:x}</td><td class=\"n\">{}</td><td "
        "class=\"n\">{}</td>{}"
        "<td class=\"n\">{}</td><td><code>{}</code></td><td class=\"pipe\">{}</td><td>{}</td></tr>\n",
        id, i, heat_class(code.heat, most), std::min(code.depth, 4u), code.pc, percent(code.heat),
        escape(code.cost), live ? strip(listing, code) : "", line, escape(code.text), escape(code.pipe),
        notes);
  }
  return out + "</tbody></table>\n</div>\n";
}

}  // namespace

std::string listing(const Listing& listing, const std::string& id) {
  if (listing.code.empty()) return {};
  std::string out =
      fmt::format("<section class=\"part\">\n<h3>{}{}</h3>\n",
                  listing.files.empty() ? "Instructions" : "Source and instructions", tag(listing.heat_tag));
  out += fmt::format("<p class=\"note\">{}{}{}Numbers of lines lead from one side to the other.</p>\n",
                     escape(listing.heat_note), listing.heat_note.empty() ? "" : " ",
                     has_live(listing)
                         ? fmt::format("A bar is as wide as the registers that are live of {}: VGPRs, then "
                                       "accumulation VGPRs. ",
                                       listing.most_vgprs)
                         : "");
  out += fmt::format("<div class=\"panes{}\">\n", listing.files.empty() ? " alone" : "");
  if (!listing.files.empty()) out += source_pane(listing, id);
  out += code_pane(listing, id);
  return out + "</div>\n</section>\n";
}

}  // namespace wavesmith::report
