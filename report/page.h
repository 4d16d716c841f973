// The contents of a report as plain structures, filled by the commands and turned into a file by html.h.
// Empty parts are left out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "gpus/gpu.h"

namespace wavesmith::report {

/// How a figure came to be known.
using Tag = gpus::Kind;

/// No instruction, no file.
inline constexpr uint32_t kNowhere = UINT32_MAX;

/// A formatted figure, or without a tag a text.
struct Value {
  std::string text;
  std::optional<Tag> tag = std::nullopt;
  uint32_t code =
      kNowhere;  ///< the instruction of the section's listing that it is about, if there is a listing
  std::string title = {};  ///< more, on pointing
};

/// A figure in a kernel's head: "Occupancy", "5 of 8 waves", "limited by VGPRs", a meter of 5 out of 8.
struct Tile {
  std::string label;
  Value value;
  std::string detail = {};
  std::optional<double> share = std::nullopt;  ///< of the most there is, 0 to 1
};

/// A horizontal bar of parts; parts of one name have one colour in all bars of a chart.
struct Bar {
  struct Part {
    std::string name;
    double size = 0;
    bool faint = false;  ///< hidden behind something else: drawn hatched
  };
  Value label;
  std::vector<Part> parts;
  std::string total = {};  ///< at its end
};
struct BarChart {
  std::string title, note = {}, unit;
  std::optional<Tag> tag = std::nullopt;
  std::vector<Bar> bars;
};

struct Table {
  std::string title, note = {};
  std::vector<std::string> head;
  std::vector<size_t> right;  ///< columns of numbers
  std::vector<std::vector<Value>> rows;
  bool folded = false;  ///< closed until it is opened
};

enum class Level : uint8_t { Note, Hint, Warning };
struct Finding {
  Level level = Level::Hint;
  std::string title;
  Value gain;
  std::vector<std::string> evidence;
  std::string experiment, unknown = {};
  std::vector<Value> where;
};

/// FLOP (or operations) per second over FLOP per byte, both logarithmic.
struct Roofline {
  struct Roof {
    std::string name;
    double bytes_per_second = 0;  ///< of a memory level
  };
  struct Ceiling {
    std::string name;
    double flops = 0;
  };
  struct Point {
    std::string name;
    double intensity = 0, flops = 0;
  };
  std::vector<Roof> roofs;
  std::vector<Ceiling> ceilings;
  std::vector<Point> points;
  std::optional<Tag> tag = std::nullopt;
  std::string note = {};
};

/// Spans on rows over a time axis in clocks.
struct Timeline {
  struct Span {
    double begin = 0, end = 0;
    std::string name, title = {};
    bool waits = false;  ///< drawn low and pale
  };
  struct Row {
    std::string label;
    std::vector<Span> spans;
  };
  std::string title, unit = "clocks", note = {};
  std::optional<Tag> tag = std::nullopt;
  std::vector<Row> rows;
};

/// The source beside the instructions. Indices into `files` and `code`; kNowhere for none.
struct Listing {
  struct Line {
    uint32_t number = 0;
    std::string text;
    double heat = 0;  ///< share of the whole, 0 to 1
    std::string cost = {};
    uint32_t code = kNowhere;  ///< its first instruction
  };
  struct File {
    std::string name;
    std::vector<Line> lines;  ///< ascending; what is missing between them is left out
  };
  struct Code {
    uint64_t pc = 0;
    std::string text;
    std::string pipe, cost = {}, note = {};
    double heat = 0;
    uint32_t vgprs = 0, agprs = 0, sgprs = 0;  ///< live
    uint32_t file = kNowhere, line = 0;        ///< the line's number
    uint32_t depth = 0;                        ///< of the loop that it is in
    bool starts_block = false;
    std::string block = {};               ///< a label, where a block starts
    std::vector<uint32_t> findings = {};  ///< indices into Section::findings
  };
  std::vector<File> files;
  std::vector<Code> code;
  uint32_t most_vgprs = 0, most_sgprs = 0;  ///< what the strip's full width is
  std::string heat_note = {}, cost_head = "cycles";
  std::optional<Tag> heat_tag = std::nullopt;
};

/// A kernel, or a comparison of two.
struct Section {
  std::string title, subtitle = {};
  std::vector<Tile> tiles;
  std::vector<Finding> findings;
  std::string findings_note = {};
  std::optional<Roofline> roofline;
  std::vector<BarChart> charts;
  std::vector<Timeline> timelines;
  std::vector<Table> tables;
  std::optional<Listing> listing;
};

struct Page {
  std::string title, subtitle = {};
  std::vector<std::string> notes;
  std::vector<Section> sections;
};

}  // namespace wavesmith::report
