#include "validate/families/published.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <charconv>
#include <cmath>
#include <set>

#include "base/split.h"
#include "model/constants.h"

namespace wavesmith::validate {
namespace {

// Column "gpu": how it begins, our GPU.
// clang-format off
constexpr std::pair<std::string_view, std::string_view> kChips[] = {
    {"MI100", "mi100"},          {"MI210", "mi210"},          {"MI250", "mi250x"},
    {"MI300A", "mi300a"},        {"MI300X", "mi300x"},        {"8x MI300X CPX", ""},
    {"8x MI300X", "mi300x"},     {"4x MI300X", "mi300x"},     {"MI308X", "mi308x"},
    {"gfx942", "mi308x"},        {"(GPU per PR; gfx942 80CU", "mi308x"},
    {"MI325X", "mi325x"},        {"MI350X/MI355X", "mi355x"}, {"MI350X", "mi350x"},
    {"8x MI350X", "mi350x"},     {"MI355X", "mi355x"},        {"8x MI355X", "mi355x"},
    {"MI35x", "mi355x"},         {"gfx950", "mi355x"},        {"RX6900XT", "rx6900xt"},
    {"RX 6900 XT", "rx6900xt"},  {"RX 7900 XTX", "rx7900xtx"}, {"RX 9070 XT", "rx9070xt"},
    {"gfx1201", "rx9070xt"},     {"H100", "h100"},            {"H200", "h200"},
};

constexpr std::string_view kProfiler = "half A: the shortest rows of the source; its profiler's floor";
constexpr Method kMethods[] = {
    {"NeuSight", "MI100", "softmax", 17.1e-6, kProfiler},
    {"NeuSight", "MI100", "ln",      20.5e-6, kProfiler},
    {"NeuSight", "MI100", "",        12.6e-6, kProfiler},
    {"NeuSight", "MI210", "softmax", 15.1e-6, kProfiler},
    {"NeuSight", "MI210", "ln",      18.5e-6, kProfiler},
    {"NeuSight", "MI210", "",        10.4e-6, kProfiler},
    {"rccl-xgmi", "8x MI300X", "all_reduce", 7e-6, "half A: RCCL's launch without a graph"},
    {"FlyDSL#1019", "", "softmax", 5.6e-6, "half A: launches of a kernel from Python, FlyDSL's and PyTorch's",
     "", true},
    {"HipKittens", "MI355X", "", 40e-6, "half A: a call of a compiled function, layer norm", "torch.compile"},
    {"aiter#3453", "", "fused_moe", 5e-6, "the tokens' sorting, which AITER's test_moe_blockscale.py times too"},
    {"LLMCompass", "", "",           48e-6,   "half A: PyTorch called from Python and waited for"},
};
// clang-format on

std::string_view chip_of(std::string_view name) {
  std::string_view best, id;
  for (const auto& [begins, chip] : kChips)
    if (name.starts_with(begins) && begins.size() > best.size()) best = begins, id = chip;
  return id;
}

const Method* known_method(const PublishedRow& row, bool least) {
  if (row.library.find("graph") != row.library.npos) return nullptr;
  for (const Method& method : kMethods)
    if (method.least == least && row.source.find(method.source) != row.source.npos &&
        row.gpu.starts_with(method.gpu) && row.op.starts_with(method.op) &&
        row.library.find(method.library) != row.library.npos)
      return &method;
  return nullptr;
}

std::string text_of(const Method& method) {
  return fmt::format("{}{}{}{}{}{}{}: {} {:.3g} us ({})", method.source, method.gpu.empty() ? "" : " ",
                     method.gpu, method.op.empty() ? "" : " ", method.op, method.library.empty() ? "" : " ",
                     method.library, method.least ? "at least" : "adds", method.seconds * 1e6, method.known);
}

std::string text_of(const model::Constant& constant) {
  std::string text = fmt::format("{} = {:g} {} ({}: {})", constant.name, constant.value, constant.unit,
                                 gpus::name_of(constant.kind), constant.source);
  for (const model::ConstantSet& set : model::constant_sets())
    if (const std::string doubt = model::doubt_of(set); set.name == constant.set && !doubt.empty())
      text += "; LOW CONFIDENCE: " + doubt;
  return text;
}

/// Whether the column names a type, or says that it does not know. Families read as much of it as they need.
bool type_known(std::string_view dtype) {
  constexpr std::string_view kTypes[] = {"fp4",  "fp6",  "fp8",    "fp16",  "fp32",  "fp64", "bf16",
                                         "f4",   "f6",   "f8",     "f16",   "f32",   "f64",  "i4",
                                         "i8",   "i16",  "i32",    "u8",    "int",   "char", "long",
                                         "bool", "half", "double", "float", "short", "="};
  std::string lower(dtype);
  std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return std::tolower(c); });
  return lower.empty() || lower.starts_with('(') ||
         std::ranges::any_of(kTypes, [&](std::string_view type) { return lower.find(type) != lower.npos; });
}

/// Seconds that the row's value means; nothing: no time and no rate.
std::optional<double> measured_seconds(const PublishedRow& row, const PredictedRow& predicted) {
  if (!(row.value > 0) || !std::isfinite(row.value)) return std::nullopt;
  if (row.unit == "us") return row.value * 1e-6;
  if (row.unit == "ms") return row.value * 1e-3;
  if (row.unit == "TFLOP/s" && predicted.flops > 0) return predicted.flops / (row.value * 1e12);
  if (row.unit == "GB/s" && predicted.bytes > 0) return predicted.bytes / (row.value * 1e9);
  if (row.unit == "TB/s" && predicted.bytes > 0) return predicted.bytes / (row.value * 1e12);
  if (row.unit.starts_with("Gelem/s") && predicted.elements > 0)
    return predicted.elements / (row.value * 1e9);
  return std::nullopt;
}

}  // namespace

Result<std::vector<PublishedRow>> published_rows(const Csv& csv) {
  auto columns = csv.require({"gpu", "library", "op", "dtype", "shape", "value", "unit"});
  if (!columns) return tl::unexpected(columns.error());
  std::map<std::string_view, size_t>& at = *columns;
  for (const std::string_view name : {"layout", "metric", "source"})
    if (const std::optional<size_t> column = csv.column(name)) at[name] = *column;
  std::vector<PublishedRow> rows;
  rows.reserve(csv.rows());
  for (size_t i = 0; i < csv.rows(); ++i) {
    const auto text = [&](std::string_view name) {
      const auto found = at.find(name);
      return found == at.end() ? std::string_view() : csv.cell(i, found->second);
    };
    PublishedRow row{text("gpu"),    text("library"), text("op"),   text("dtype"), text("shape"),
                     text("layout"), text("metric"),  text("unit"), text("source")};
    const Result<double> value = number<double>(csv, i, at["value"]);
    if (!value) return tl::unexpected(value.error());
    row.value = *value;
    row.line = csv.line(i);
    row.half = half_of(row.gpu, row.op, row.dtype, row.shape);
    rows.push_back(row);
  }
  return rows;
}

const gpus::Gpu* published_gpu(std::string_view name) {
  const std::string_view id = chip_of(name);
  if (id.empty()) return nullptr;
  const Result<const gpus::Gpu*> gpu = gpus::find_gpu(id);
  return gpu ? *gpu : nullptr;
}

double method_of(const PublishedRow& row) {
  const Method* const method = known_method(row, false);
  return method ? method->seconds : 0;
}

double least_of(const PublishedRow& row) {
  const Method* const method = known_method(row, true);
  return method ? method->seconds : 0;
}

std::optional<double> number_in(std::string_view shape, std::string_view name) {
  for (size_t at = shape.find(name); at != shape.npos; at = shape.find(name, at + 1)) {
    const bool begins =
        at == 0 || (!std::isalnum(static_cast<unsigned char>(shape[at - 1])) && shape[at - 1] != '_');
    size_t behind = at + name.size();
    while (behind < shape.size() && (shape[behind] == '=' || shape[behind] == ':' || shape[behind] == '\''))
      ++behind;
    if (!begins || behind == at + name.size()) continue;
    double value = 0;
    const auto [end, code] = std::from_chars(shape.data() + behind, shape.data() + shape.size(), value);
    if (code == std::errc()) return value;
  }
  return std::nullopt;
}

std::vector<std::vector<double>> tuples_in(std::string_view shape) {
  std::vector<std::vector<double>> found;
  size_t open = shape.npos;
  for (size_t i = 0; i < shape.size(); ++i) {
    if (shape[i] == '(') open = i;
    if (shape[i] != ')' || open == shape.npos) continue;
    std::vector<double> sizes;
    const char* at = shape.data() + open + 1;
    const char* const last = shape.data() + i;
    bool numbers = true;
    while (at < last) {
      double value = 0;
      const auto [end, code] = std::from_chars(at, last, value);
      if (code != std::errc()) {
        numbers = false;
        break;
      }
      sizes.push_back(value);
      at = end;
      while (at < last && (*at == ',' || *at == ' ')) ++at;
    }
    if (numbers && !sizes.empty()) found.push_back(std::move(sizes));
    open = shape.npos;
  }
  return found;
}

std::vector<double> tuple_behind(std::string_view shape, std::string_view name) {
  const size_t at = shape.find(name);
  if (at == shape.npos) return {};
  const size_t open = shape.find('(', at), close = shape.find(')', at);
  if (open == shape.npos || close == shape.npos || open > at + name.size() + 4) return {};
  const auto tuples = tuples_in(shape.substr(open, close - open + 1));
  return tuples.empty() ? std::vector<double>{} : tuples.front();
}

double product(const std::vector<double>& sizes) {
  double all = 1;
  for (const double size : sizes) all *= size;
  return all;
}

std::vector<double> type_bytes(std::string_view dtype) {
  std::vector<double> found;
  for (const std::string_view type : split(dtype, ',')) {
    const auto has = [&](std::string_view part) { return type.find(part) != type.npos; };
    if (has("Float8") || has("float8") || has("fp8") || has("bool") || has("char"))
      found.push_back(1);
    else if (has("BFloat16") || has("Half") || has("bf16") || has("fp16") || has("bfloat16") ||
             has("float16"))
      found.push_back(2);
    else if (has("double") || has("long") || has("fp64"))
      found.push_back(8);
    else if (!type.empty())
      found.push_back(4);
  }
  return found;
}

namespace {

/// The roofline of a row: useful FLOP at the matrix peak or bytes at the memory's, whichever takes longer.
double roofline(const model::Prediction& prediction, const gpus::Gpu& gpu) {
  const double rate = std::max<double>(gpu.matrix_bf16, 256.0) * gpu.compute_units * gpu.engine_mhz * 1e6;
  return std::max(prediction.flops / rate, prediction.bytes / (gpu.memory_gigabytes_per_second * 1e9));
}

/// What it has to be multiplied with, by GPU, operation and type, on half A of our own rows: the calibrated
/// roofline.
class Calibration {
 public:
  static Result<Calibration> of(Data& data, const PublishedFamily& family) {
    Calibration made;
    const Result<std::vector<const Csv*>> tables = data.own(TableKind::Published);
    if (!tables) return made;  // a user's table alone: no baseline
    std::map<std::string, std::vector<double>> ratios;
    for (const Csv* csv : *tables) {
      const Result<std::vector<PublishedRow>> rows = published_rows(*csv);
      if (!rows) return tl::unexpected(rows.error());
      for (const PublishedRow& row : *rows) {
        if (row.half != Half::A || !family.takes(row)) continue;
        std::string why;
        const gpus::Gpu* const gpu = published_gpu(row.gpu);
        const std::optional<PredictedRow> predicted = gpu ? family.ask(row, *gpu, why) : std::nullopt;
        if (!predicted || !predicted->prediction) continue;
        const std::optional<double> measured = measured_seconds(row, *predicted);
        const double base = roofline(*predicted->prediction, *gpu);
        if (!measured || base <= 0) continue;
        for (const std::string& key : keys(row)) ratios[key].push_back(*measured / base);
      }
    }
    for (auto& [key, values] : ratios)
      if (values.size() > 1) made.factors_[key] = median(std::move(values));
    return made;
  }
  [[nodiscard]] double seconds(const PublishedRow& row, const model::Prediction& prediction,
                               const gpus::Gpu& gpu) const {
    const double base = roofline(prediction, gpu);
    for (const std::string& key : keys(row))
      if (const auto found = factors_.find(key); found != factors_.end() && base > 0)
        return base * found->second;
    return kNone;
  }

 private:
  static std::vector<std::string> keys(const PublishedRow& row) {
    return {fmt::format("{}|{}|{}", row.gpu, row.op, row.dtype), fmt::format("{}|{}", row.gpu, row.op),
            std::string(row.op)};
  }
  std::map<std::string, double> factors_;
};

}  // namespace

Result<FamilyReport> judge_published(Data& data, const PublishedFamily& family) {
  FamilyReport report;
  report.family = family.name;
  report.method = family.method;
  const Result<std::vector<const Csv*>> tables = data.judged(TableKind::Published);
  if (!tables) return tl::unexpected(tables.error());
  const Result<Calibration> calibration = Calibration::of(data, family);
  if (!calibration) return tl::unexpected(calibration.error());
  std::vector<Case> judged, fitted;
  std::map<std::string, size_t> left_out;
  std::set<std::string> methods;
  size_t taken = 0;
  for (const Csv* csv : *tables) {
    const Result<std::vector<PublishedRow>> rows = published_rows(*csv);
    if (!rows) return tl::unexpected(rows.error());
    for (const PublishedRow& row : *rows) {
      if (!family.takes(row)) continue;
      ++taken;
      std::string why;
      const gpus::Gpu* const gpu = published_gpu(row.gpu);
      if (!gpu) {
        ++left_out[fmt::format("GPU '{}' is not described", row.gpu)];
        continue;
      }
      if (!type_known(row.dtype)) {
        ++left_out[fmt::format("type '{}' is not known", row.dtype)];
        continue;
      }
      const std::optional<PredictedRow> predicted = family.ask(row, *gpu, why);
      if (!predicted) {
        ++left_out[why.empty() ? "the shape is not understood" : why];
        continue;
      }
      if (!predicted->prediction) {
        ++left_out["refused: " + predicted->prediction.error().what];
        continue;
      }
      const std::optional<double> measured = measured_seconds(row, *predicted);
      if (!measured) {
        ++left_out[row.value > 0 && std::isfinite(row.value)
                       ? fmt::format("'{}' in '{}' is no time", row.metric, row.unit)
                       : fmt::format("'{}' of {} is no time", row.metric, row.value)];
        continue;
      }
      Case one;
      one.gpu = row.gpu;
      one.label = fmt::format("{} {} {} {}", row.op, row.dtype.substr(0, 40), row.shape.substr(0, 90),
                              row.library.substr(0, 50));
      one.where = fmt::format("{}:{}", csv->name(), row.line);
      one.measured = *measured;
      one.predicted =
          std::max(predicted->prediction->seconds + predicted->method_seconds, predicted->least_seconds);
      for (const bool least : {false, true})
        if (const Method* const method = known_method(row, least)) methods.insert(text_of(*method));
      one.baseline = calibration->seconds(row, *predicted->prediction, *gpu);
      one.note = predicted->prediction->bound;
      one.model = predicted->model.empty() ? family.name : predicted->model;
      one.architecture = gpu->architecture;
      const bool fits = !data.foreign() && row.half == Half::A;
      const std::string half = fits ? "half A (fitted): " : "";
      one.strata = {half + "all", half + std::string(row.gpu)};
      if (!fits) one.strata.push_back(fmt::format("{} {}", row.gpu, row.op));
      (fits ? fitted : judged).push_back(std::move(one));
    }
  }
  report.strata = strata_of(judged);
  for (Stratum& stratum : strata_of(fitted)) report.strata.push_back(std::move(stratum));
  report.worst = worst_of(judged);
  report.judged = judged_of(judged);
  std::vector<double> errors;
  for (const Case& one : judged) errors.push_back(one.error());
  report.summary.push_back({family.summary, median(errors), errors.size()});
  for (const model::Constant& constant : model::constants())
    for (const std::string_view prefix : family.constants)
      if (constant.name.starts_with(prefix)) report.constants.push_back(text_of(constant));
  for (const std::string& method : methods) report.constants.push_back("way of timing, " + method);
  size_t out = 0;
  for (const auto& [why, count] : left_out) {
    out += count;
    report.notes.push_back(fmt::format("{} rows: {}", count, why));
  }
  if (!data.foreign())  // they speak of our tables
    for (const std::string_view doubt : family.doubts) report.notes.emplace_back(doubt);
  report.notes.insert(
      report.notes.begin(),
      fmt::format("{} rows are of this family, {} of both halves are not judged", taken, out));
  return report;
}

}  // namespace wavesmith::validate
