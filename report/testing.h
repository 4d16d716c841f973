// Helpers for tests: check a page as XML, and its links within itself.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "report/page.h"

namespace wavesmith::report {

/// Lists all faults: mismatched tags, unquoted attributes, duplicate ids, dangling links, resources from the
/// network, scripts.
inline std::vector<std::string> faults(std::string_view text) {
  std::vector<std::string> found, open;
  std::map<std::string, int> ids;
  std::set<std::string> links;
  const auto wrong = [&](std::string what) { found.push_back(std::move(what)); };
  const auto check_text = [&](std::string_view part) {
    for (size_t i = part.find('&'); i != part.npos; i = part.find('&', i + 1)) {
      bool known = false;
      for (std::string_view entity : {"&amp;", "&lt;", "&gt;", "&quot;"})
        known |= part.substr(i).starts_with(entity);
      if (!known) wrong(fmt::format("a bare & in '{}'", part.substr(i, 20)));
    }
    if (part.find('>') != part.npos) wrong(fmt::format("a bare > in '{}'", part.substr(0, 40)));
  };
  size_t at = text.find("<html");
  if (!text.starts_with("<!DOCTYPE html>") || at == text.npos) return {"no HTML"};
  while (at < text.size()) {
    if (text[at] != '<') {
      const size_t next = std::min(text.find('<', at), text.size());
      if (open.empty() || open.back() != "style") check_text(text.substr(at, next - at));
      at = next;
      continue;
    }
    const size_t end = text.find('>', at);
    if (end == text.npos) return wrong("a tag without an end"), found;
    std::string_view tag = text.substr(at + 1, end - at - 1);
    at = end + 1;
    if (tag.starts_with('/')) {
      if (open.empty() || open.back() != tag.substr(1))
        return wrong(fmt::format("</{}> closes <{}>", tag.substr(1), open.empty() ? "nothing" : open.back())),
               found;
      open.pop_back();
      continue;
    }
    const bool empty = tag.ends_with('/');
    if (empty) tag.remove_suffix(1);
    const std::string name(tag.substr(0, tag.find_first_of(" \n")));
    if (name == "script" || name == "link" || name == "iframe" || name == "img") wrong("<" + name + ">");
    std::set<std::string> attributes;
    for (std::string_view rest = tag.substr(name.size()); rest.find_first_not_of(" \n") != rest.npos;) {
      rest.remove_prefix(rest.find_first_not_of(" \n"));
      const size_t equals = rest.find("=\"");
      const size_t close = equals == rest.npos ? rest.npos : rest.find('"', equals + 2);
      if (close == rest.npos) {
        wrong(fmt::format("an attribute without a value in <{}>", tag));
        break;
      }
      const std::string key(rest.substr(0, equals)), value(rest.substr(equals + 2, close - equals - 2));
      if (!attributes.insert(key).second) wrong(fmt::format("attribute {} twice in <{}>", key, tag));
      check_text(value);
      if (key == "id" && ++ids[value] == 2) wrong("id twice: " + value);
      if (key == "href" && value.starts_with('#')) links.insert(value.substr(1));
      if ((key == "href" && !value.starts_with('#')) || key == "src" || key.starts_with("on"))
        wrong(key + "=" + value);
      if (key == "style" && value.find("url(") != value.npos) wrong("style=" + value);
      rest.remove_prefix(close + 1);
    }
    if (!empty) open.push_back(name);
  }
  if (!open.empty()) wrong("<" + open.back() + "> is not closed");
  for (const std::string& link : links)
    if (!ids.contains(link)) wrong("a link to nowhere: #" + link);
  return found;
}

/// A page with one of each part, including names that need escaping.
inline Page sample_page() {
  Page page{"a<b> & \"c\"", "a subtitle", {"a note"}, {}};
  Section section{"scale<float>(float*)", "gfx942", {}, {}, "", {}, {}, {}, {}, {}};
  section.tiles = {{"Occupancy",
                    {"5 of 8 waves", Tag::Derived},
                    "limited by VGPRs: 12 VGPRs fewer would be one more wave",
                    5 / 8.0},
                   {"VGPRs", {"96", Tag::Read}, "", 96 / 512.0},
                   {"LDS", {"16 KiB", Tag::Read}, "of 64 KiB", 0.25},
                   {"Hot loop", {"1234 cycles", Tag::Modelled, 1}, "bound by the matrix pipe", {}}};
  section.findings = {{Level::Warning,
                       "LDS bank conflicts in the loop",
                       {"up to 18 % of the loop", Tag::Modelled},
                       {"a stride of 128 bytes: 4 cycles become 32"},
                       "pad a row by 4 bytes",
                       "",
                       {{"attention.hip:3", {}, 0}, {"0x1004", {}, 1}}},
                      {Level::Note,
                       "the trip count is unknown",
                       {},
                       {"s4 is an argument"},
                       "",
                       "the loop's end is loaded",
                       {}}};
  section.roofline = Roofline{{{"HBM", 5.3e12}, {"Infinity Cache", 17.2e12}, {"L2", 30e12}},
                              {{"matrix f16", 1307e12}, {"VALU f32", 163e12}},
                              {{"scale", 25, 90e12}, {"scale, 2", 100, 1e12}},
                              Tag::Modelled,
                              ""};
  section.charts = {
      {"Cycles a pass",
       "by pipe",
       "cycles",
       Tag::Modelled,
       {{{"loop at line 3", {}, 0}, {{"matrix", 1000}, {"VALU", 400}, {"LDS", 200, true}}, "1600"},
        {{"loop at line 9"}, {{"VALU", 300}}, "300"}}}};
  section.timelines = {{"Waves of a compute unit",
                        "clocks",
                        "",
                        Tag::Modelled,
                        {{"wave 0", {{0, 100, "VALU"}, {100, 260, "wait for loads", "vmcnt(0)", true}}},
                         {"wave 1, with a long name that is cut", {{40, 180, "VALU"}}}}}};
  section.tables = {{"What if",
                     "one change each",
                     {"change", "time", "gain"},
                     {1, 2},
                     {{{"l2.size=8MiB"}, {"1.2 ms", Tag::Modelled}, {"3 %"}}},
                     false},
                    {"Blocks", "", {"block"}, {}, {{{"0", {}, 0}}}, true}};
  Listing listing;
  listing.files = {{"/src/scale.hip",
                    {{1, "#include <x>", 0, "", kNowhere},
                     {3, "  out[i] = in[i] * f & 1;", 0.9, "12 cycles", 0},
                     {4, "}", 0.1, "", 2}}}};
  listing.code = {{0x1000,
                   "s_load_dwordx2 s[0:1], s[4:5], 0x0",
                   "SMEM",
                   "4",
                   "",
                   0.1,
                   4,
                   0,
                   8,
                   0,
                   3,
                   0,
                   true,
                   "entry",
                   {}},
                  {0x1008,
                   "v_mfma_f32_16x16x16_f16 a[0:3], v[0:1], v[2:3], a[0:3]",
                   "matrix",
                   "32",
                   "waits for 0x1000",
                   0.8,
                   30,
                   16,
                   8,
                   0,
                   3,
                   1,
                   true,
                   "loop",
                   {0}},
                  {0x1010, "s_endpgm", "", "", "", 0, 0, 0, 0, kNowhere, 0, 0, false, "", {}}};
  listing.most_vgprs = 64;
  listing.heat_note = "Heat is the share of cycles.";
  listing.heat_tag = Tag::Modelled;
  section.listing = listing;
  page.sections = {section, {"another", "", {}, {}, "nothing was found", {}, {}, {}, {}, {}}};
  return page;
}

}  // namespace wavesmith::report
