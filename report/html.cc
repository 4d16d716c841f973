#include "report/html.h"

#include <fmt/format.h>

#include <algorithm>

#include "report/write.h"

namespace wavesmith::report {
namespace {

std::string tiles(const std::vector<Tile>& tiles, const Links& links) {
  if (tiles.empty()) return {};
  std::string out = "<dl class=\"tiles\">\n";
  for (const Tile& tile : tiles) {
    out +=
        fmt::format("<div><dt>{}</dt><dd><strong>{}</strong>", escape(tile.label), value(tile.value, links));
    if (tile.share)
      out += fmt::format("<span class=\"meter\"><i style=\"width:{}%\"></i></span>",
                         coordinate(100 * std::min(1.0, std::max(0.0, *tile.share))));
    if (!tile.detail.empty()) out += fmt::format("<small>{}</small>", escape(tile.detail));
    out += "</dd></div>\n";
  }
  return out + "</dl>\n";
}

std::string_view name_of(Level level) {
  return level == Level::Warning ? "warning" : level == Level::Hint ? "hint" : "note";
}

std::string findings(const Section& section, const Links& links) {
  if (section.findings.empty() && section.findings_note.empty()) return {};
  std::string out = "<section class=\"part\">\n<h3>Findings</h3>\n";
  if (!section.findings_note.empty())
    out += fmt::format("<p class=\"note\">{}</p>\n", escape(section.findings_note));
  if (!section.findings.empty()) out += "<ol class=\"findings\">\n";
  for (size_t i = 0; i < section.findings.size(); ++i) {
    const Finding& finding = section.findings[i];
    out += fmt::format("<li id=\"{}-finding{}\" class=\"level-{}\"><h4>{}</h4>\n", links.id, i + 1,
                       name_of(finding.level), escape(finding.title));
    out += fmt::format("<p><span class=\"level\">{}</span>", name_of(finding.level));
    if (!finding.gain.text.empty())
      out += fmt::format("<span class=\"gain\">{}</span>", value(finding.gain, links));
    for (const Value& where : finding.where)
      out += fmt::format(" <span class=\"where\">{}</span>", value(where, links));
    out += "</p>\n";
    for (const std::string& evidence : finding.evidence)
      out += fmt::format("<p class=\"evidence\">{}</p>\n", escape(evidence));
    if (!finding.experiment.empty())
      out += fmt::format("<p class=\"experiment\"><b>To confirm:</b> {}</p>\n", escape(finding.experiment));
    if (!finding.unknown.empty())
      out += fmt::format("<p class=\"unknown\"><b>Unknown:</b> {}</p>\n", escape(finding.unknown));
    out += "</li>\n";
  }
  if (!section.findings.empty()) out += "</ol>\n";
  return out + "</section>\n";
}

std::string section(const Section& section, size_t index) {
  const std::string id = fmt::format("k{}", index);
  const Links links{id, section.listing ? section.listing->code.size() : 0};
  std::string out = fmt::format("<article id=\"{}\">\n<h2>{}</h2>\n", id, escape(section.title));
  if (!section.subtitle.empty())
    out += fmt::format("<p class=\"subtitle\">{}</p>\n", escape(section.subtitle));
  out += tiles(section.tiles, links);
  out += findings(section, links);
  if (section.roofline) out += roofline(*section.roofline);
  for (const BarChart& chart : section.charts) out += bars(chart, links);
  for (const Timeline& chart : section.timelines) out += timeline(chart);
  if (section.listing) out += listing(*section.listing, id);
  for (const Table& one : section.tables) out += table(one, links);
  return out + "</article>\n";
}

}  // namespace

std::string html(const Page& page) {
  std::string out =
      "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\"/>\n"
      "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'\"/>\n"
      "<meta name=\"color-scheme\" content=\"light dark\"/>\n<meta name=\"generator\" "
      "content=\"wavesmith\"/>\n";
  out +=
      fmt::format("<title>{}</title>\n<style>\n{}</style>\n</head>\n<body>\n", escape(page.title), style());
  out += "<a class=\"skip\" href=\"#main\">To the contents</a>\n";
  out += fmt::format("<header>\n<h1>{}</h1>\n", escape(page.title));
  if (!page.subtitle.empty()) out += fmt::format("<p class=\"subtitle\">{}</p>\n", escape(page.subtitle));
  if (page.sections.size() > 1) {
    out += "<nav aria-label=\"Kernels\"><ol>\n";
    for (size_t i = 0; i < page.sections.size(); ++i)
      out += fmt::format("<li><a href=\"#k{}\">{}</a></li>\n", i, escape(page.sections[i].title));
    out += "</ol></nav>\n";
  }
  out += "</header>\n<main id=\"main\" tabindex=\"-1\">\n";
  for (size_t i = 0; i < page.sections.size(); ++i) out += section(page.sections[i], i);
  out += "</main>\n<footer>\n";
  for (const std::string& note : page.notes) out += fmt::format("<p>{}</p>\n", escape(note));
  out +=
      "<p>Figures are <span class=\"tag read\">read</span> in the file or a document, "
      "<span class=\"tag derived\">derived</span> from what is read, "
      "<span class=\"tag modelled\">modelled</span>, or <span class=\"tag measured\">measured</span>.</p>\n";
  return out + "</footer>\n</body>\n</html>\n";
}

}  // namespace wavesmith::report
