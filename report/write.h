// HTML helpers that the parts of a report share.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "report/page.h"

namespace wavesmith::report {

/// Escapes text for HTML, attributes included. Characters that XML does not allow (control characters,
/// invalid UTF-8) become U+FFFD.
std::string escape(std::string_view text);

/// Formats a number with three significant digits or more: "1234", "12.3", "0.0123".
std::string number(double value);
/// Formats a coordinate with at most two decimals, identically on every machine.
std::string coordinate(double value);

/// The tag beside a figure: <span class="tag modelled">modelled</span>.
std::string tag(std::optional<Tag> tag);
/// The targets of links within a section.
struct Links {
  std::string id;   ///< begins all ids of the section: "k0"
  size_t code = 0;  ///< instructions of its listing
};
/// A figure with its tag and link.
std::string value(const Value& value, const Links& links);

/// One of the colours of charts, by index: "c0" to "c9", classes of the style sheet.
constexpr int kColours = 10;

std::string roofline(const Roofline& roofline);
std::string bars(const BarChart& chart, const Links& links);
std::string timeline(const Timeline& timeline);
std::string table(const Table& table, const Links& links);
std::string listing(const Listing& listing, const std::string& id);

/// The style sheet.
std::string_view style();

}  // namespace wavesmith::report
