// Rows of rocBLAS's and hipBLASLt's tuned matrix multiplications. Names of types as Tensile writes them:
// operands, result, arithmetic ("HSS_BH": f16 operands, f32 result; "_B" batched, "H" high-precision
// accumulation); a layout's "N" and "T" are of column-major BLAS.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "model/gemm/time.h"
#include "validate/gemm/chips.h"
#include "validate/gemm/row.h"

namespace wavesmith::validate {
namespace {

using model::NumberType;

struct TypeRow {
  std::string_view begins;
  NumberType a, b, c;
  std::optional<NumberType> compute = std::nullopt;
  bool quads = false;  ///< bytes in fours along K
};
// Longest first where one begins another.
// clang-format off
constexpr TypeRow kTypes[] = {
    {"SB_MX",      NumberType::F32,  NumberType::F32,  NumberType::F32, NumberType::XF32},
    {"SB",         NumberType::F32,  NumberType::F32,  NumberType::F32},
    {"DB",         NumberType::F64,  NumberType::F64,  NumberType::F64},
    {"CB",         NumberType::C32,  NumberType::C32,  NumberType::C32},
    {"ZB",         NumberType::C64,  NumberType::C64,  NumberType::C64},
    {"HB",         NumberType::F16,  NumberType::F16,  NumberType::F16},
    {"HHS_",       NumberType::F16,  NumberType::F16,  NumberType::F16},
    {"HSS_",       NumberType::F16,  NumberType::F16,  NumberType::F32},
    {"BBS_",       NumberType::BF16, NumberType::BF16, NumberType::BF16},
    {"BSS_",       NumberType::BF16, NumberType::BF16, NumberType::F32},
    {"4xi8II_",    NumberType::I8,   NumberType::I8,   NumberType::I32, std::nullopt, true},
    {"I8II_",      NumberType::I8,   NumberType::I8,   NumberType::I32},
    {"I8BH",       NumberType::I8,   NumberType::I8,   NumberType::I8},
    {"F8H_",       NumberType::F8,   NumberType::F16,  NumberType::F16},
    {"HF8_",       NumberType::F16,  NumberType::F8,   NumberType::F16},
    {"HH_",        NumberType::F16,  NumberType::F16,  NumberType::F16, NumberType::F8},
    {"B8B8S_",     NumberType::F8,   NumberType::F8,   NumberType::F32},
    {"B8F8B8S_",   NumberType::F8,   NumberType::F8,   NumberType::F8},
    {"B8F8F8S_",   NumberType::F8,   NumberType::F8,   NumberType::F8},
    {"F8B8B8S_",   NumberType::F8,   NumberType::F8,   NumberType::F8},
    {"F8B8F8S_",   NumberType::F8,   NumberType::F8,   NumberType::F8},
    {"B8F8BS_",    NumberType::F8,   NumberType::F8,   NumberType::BF16},
    {"B8F8S_",     NumberType::F8,   NumberType::F8,   NumberType::F8},
    {"F8B8S_",     NumberType::F8,   NumberType::F8,   NumberType::F8},
    {"F8F8S_",     NumberType::F8,   NumberType::F8,   NumberType::F8},
    {"B8BS_",      NumberType::F8,   NumberType::F8,   NumberType::BF16},
    {"B8HS_",      NumberType::F8,   NumberType::F8,   NumberType::F16},
    {"B8SS_",      NumberType::F8,   NumberType::F8,   NumberType::F32},
};
// clang-format on

const TypeRow* type_row(std::string_view name) {
  for (const TypeRow& row : kTypes)
    if (name.starts_with(row.begins)) return &row;
  return nullptr;
}

/// The numbers of "16x16x4x1"; missing ones are 0.
std::array<uint32_t, 4> sizes(std::string_view text) {
  std::array<uint32_t, 4> found{};
  for (size_t i = 0; i < found.size() && !text.empty(); ++i) {
    const size_t end = std::min(text.find('x'), text.size());
    found[i] = number<uint32_t>(text.substr(0, end)).value_or(0);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return found;
}

/// The number that a text begins with, if it is at least 1.
std::optional<double> leading_number(std::string_view text) {
  const size_t end = std::min(text.find_first_not_of("0123456789"), text.size());
  const std::optional<uint32_t> found = number<uint32_t>(text.substr(0, end));
  return found && *found > 0 ? std::optional<double>(*found) : std::nullopt;
}

/// One row of the table, read cell by cell.
class TensileRow {
 public:
  TensileRow(const Csv& csv, size_t row, const std::map<std::string_view, size_t>& columns)
      : csv_(csv), row_(row), columns_(columns) {}

  [[nodiscard]] std::string_view text(std::string_view name) const { return csv_.cell(row_, column(name)); }
  [[nodiscard]] Result<double> value() const { return number<double>(csv_, row_, column("value")); }
  [[nodiscard]] bool is_rate() const { return text("unit") == "GFLOP/s"; }
  /// 0 where it is no number.
  [[nodiscard]] double loose(std::string_view name) const { return number<double>(text(name)).value_or(0); }
  /// The first cell that is no number where one has to be is the row's error.
  int64_t integer(std::string_view name) {
    const Result<int64_t> value = number<int64_t>(csv_, row_, column(name));
    if (!value && !error_) error_ = value.error();
    return value.value_or(0);
  }
  uint32_t size(std::string_view name) { return static_cast<uint32_t>(integer(name)); }
  [[nodiscard]] const std::optional<Error>& error() const { return error_; }

 private:
  [[nodiscard]] size_t column(std::string_view name) const { return columns_.find(name)->second; }

  const Csv& csv_;
  size_t row_;
  const std::map<std::string_view, size_t>& columns_;
  std::optional<Error> error_;
};

/// What tells the chip: the tuned kernel, its workgroups and the share of the peak.
TunedKernel tuned_kernel(const TensileRow& row, std::optional<int64_t> solution) {
  TunedKernel tuned{.types = row.text("typestr"),
                    .layout = row.text("layout"),
                    .solution = solution,
                    .split = row.loose("GSU") > 1,
                    .share = row.is_rate() ? 0 : row.loose("value") / 100};
  if (row.loose("MT0") > 0 && row.loose("MT1") > 0)
    tuned.workgroups = std::ceil(row.loose("M") / row.loose("MT0")) *
                       std::ceil(row.loose("N") / row.loose("MT1")) * row.loose("B") *
                       std::max(1.0, row.loose("GSU"));
  return tuned;
}

model::GemmProblem problem_of(TensileRow& row, const TypeRow& types) {
  model::GemmProblem problem;
  problem.a = types.a;
  problem.b = types.b;
  problem.c = types.c;
  problem.compute = types.compute;
  problem.quads = types.quads;
  problem.m = static_cast<uint64_t>(row.integer("M"));
  problem.n = static_cast<uint64_t>(row.integer("N"));
  problem.k = static_cast<uint64_t>(row.integer("K"));
  problem.batch = static_cast<uint64_t>(row.integer("B"));
  const std::string_view layout = row.text("layout");
  problem.a_transposed = !layout.empty() && layout[0] != 'N';
  problem.b_transposed = layout.size() > 1 && layout[1] != 'N';
  problem.outputs = row.text("typestr").find("_Aux") != std::string_view::npos ? 2 : 1;
  return problem;
}

/// Bytes of one lane's load from memory (global read vector width): "_GRVW8_", or each operand's own.
uint32_t load_bytes(const model::GemmKernel& kernel, NumberType type) {
  const auto width_after = [&](std::string_view key) {
    const size_t at = kernel.name.find(key);
    return at == kernel.name.npos ? std::nullopt
                                  : leading_number(std::string_view(kernel.name).substr(at + key.size()));
  };
  const std::optional<double> both = width_after("_GRVW"), own_a = width_after("_GLVWA"),
                              own_b = width_after("_GLVWB");
  const double a_width = own_a ? *own_a : both.value_or(own_b.value_or(1)),
               b_width = own_b ? *own_b : both.value_or(own_a.value_or(1));
  const double loads = kernel.tile_m / a_width + kernel.tile_n / b_width;
  const double width = loads > 0 ? (kernel.tile_m + kernel.tile_n) / loads : 1;
  return static_cast<uint32_t>(std::lround(width * model::bytes_of(type)));
}

model::GemmKernel kernel_of(TensileRow& row, const TypeRow& types) {
  model::GemmKernel kernel;
  kernel.tile_m = row.size("MT0");
  kernel.tile_n = row.size("MT1");
  kernel.tile_k = row.size("DepthU");
  kernel.threads = row.size("NumThreads");
  kernel.split_k = static_cast<uint32_t>(std::max<int64_t>(1, row.integer("GSU")));
  kernel.waves_along_k = static_cast<uint32_t>(std::max<int64_t>(1, row.integer("LSU")));
  kernel.group_m = static_cast<int32_t>(row.integer("WGM"));
  const std::array<uint32_t, 4> matrix = sizes(row.text("MI")), waves = sizes(row.text("MIWaveGroup"));
  kernel.vector = row.text("MI").empty();
  kernel.matrix_m = matrix[0];
  kernel.matrix_n = matrix[1];
  kernel.matrix_k = matrix[2];
  kernel.matrix_blocks = std::max(1u, matrix[3]);
  kernel.wave_m = waves[0];
  kernel.wave_n = waves[1];
  const std::string_view prefetch = row.text("PGR");
  kernel.prefetch = prefetch == "True" ? 1 : prefetch == "False" ? 0 : number<uint32_t>(prefetch).value_or(1);
  kernel.double_buffered_lds = !row.text("1LDS").starts_with('1');
  kernel.direct_to_lds = row.text("DTL") == "True";
  kernel.name = row.text("solname");
  kernel.vector_bytes = load_bytes(kernel, types.a);
  return kernel;
}

/// What the factors of a set are chosen by.
std::string schedule_of(const TensileRow& row, const GemmRow& out) {
  const bool wide = out.problem.c != out.problem.a;
  std::string schedule = out.library;
  if (row.is_rate()) schedule += "|in GFLOP/s";
  if (row.is_rate() && wide) schedule += "|wide result";
  if (out.problem.a == NumberType::I8) schedule += "|i8";
  if (out.family == "MI100") schedule += wide ? "|mi100, f32 result" : "|mi100";
  return schedule;
}

double flops_of(const GemmRow& out) {
  const model::GemmProblem& problem = out.problem;
  return 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
         static_cast<double>(problem.k) * static_cast<double>(problem.batch) *
         model::real_products(problem.a);
}

/// Why a row whose rate is given in GFLOP/s is not judged; empty: it is.
std::string_view doubt_of_rate(const TensileRow& row, const GemmRow& out) {
  if (out.family == "MI300X" && row.text("typestr").find('8') != std::string_view::npos &&
      flops_of(out) < 1e8)
    return "f8 of hipBLASLt's grids on MI300X below 0.1 GFLOP: equal sizes took 17 and 215 us";
  if (out.family == "MI210" && row.text("typestr") == "HSS_BH")
    return "'HSS_BH' of MI210 in GFLOP/s: 326 at most, where the other rows of the chip reach 130000";
  return {};
}

double seconds_of(const TensileRow& row, const GemmRow& out, const gpus::Gpu& gpu, double value) {
  if (row.is_rate()) return flops_of(out) / (value * 1e9);
  // The share is of the peak of the kernel's own instructions: no row is above 100 % then, and with any other
  // rate some are far above.
  const double peak = model::gemm_rate(gpu, out.problem.compute.value_or(out.problem.a), *out.kernel);
  return flops_of(out) / (value / 100 * peak * gpu.compute_units * gpu.engine_mhz * 1e6);
}

/// A row that is judged; or why it is left out.
struct Read {
  std::optional<GemmRow> row;
  std::string left_out;
};

Result<Read> read_row(TensileRow& row, std::optional<int64_t> solution) {
  const TunedKernel tuned = tuned_kernel(row, solution);
  const std::string gpu_text(row.text("gpu"));
  const GemmChip* const chip = gemm_chip(gpu_text, tuned);
  if (!chip) return Read{{}, "GPU '" + gpu_text + "' is not described"};
  const TypeRow* const types = type_row(row.text("typestr"));
  if (!types) return Read{{}, "type '" + std::string(row.text("typestr")) + "' is not known"};
  GemmRow out;
  out.gpu = gpu_text;
  out.chip = chip->id;
  out.family = chip->family;
  out.library = row.text("repo") == "ROCm+hipBLASLt" ? "hipBLASLt" : "rocBLAS";
  out.problem = problem_of(row, *types);
  out.problem.library = out.library;
  out.kernel = kernel_of(row, *types);
  if (row.error()) return tl::unexpected(*row.error());
  const model::GemmProblem& problem = out.problem;
  if (problem.m == 0 || problem.n == 0 || problem.k == 0 || problem.batch == 0)
    return Read{{}, "a dimension is 0"};

  const Result<double> value = row.value();
  if (!value) return tl::unexpected(value.error());
  const Result<const gpus::Gpu*> gpu = gpus::find_gpu(out.chip);
  if (!gpu) return tl::unexpected(gpu.error());
  if (tuned.share > most_share(tuned.workgroups, (*gpu)->multiprocessors()))
    return Read{
        {}, "faster than so many workgroups can be on the chip's units: entered by hand, or of another chip"};
  if (!(*value > 0) || !std::isfinite(*value)) return Read{{}, "the value is not positive"};
  if (row.is_rate())
    if (const std::string_view doubt = doubt_of_rate(row, out); !doubt.empty())
      return Read{{}, std::string(doubt)};
  // Tuning runs launch one kernel behind the other on the same operands.
  out.conditions = {.clock_mhz = (*gpu)->engine_mhz,
                    .cold = false,
                    .timing = model::Conditions::Timing::BackToBack,
                    .slow_start = slow_start(gpu_text, tuned)};
  out.kernel->schedule = schedule_of(row, out);
  out.seconds = seconds_of(row, out, **gpu, *value);
  // The types share a half: some rows were measured once and copied to several.
  out.half = half_of(gpu_text, "gemm", "",
                     fmt::format("M={};N={};K={};B={}", problem.m, problem.n, problem.k, problem.batch));
  return Read{std::move(out), {}};
}

}  // namespace

Result<GemmRows> tensile_rows(const Csv& csv) {
  const auto columns =
      csv.require({"gpu",   "unit", "layout", "typestr", "M",   "N",           "B",          "K",
                   "value", "MT0",  "MT1",    "DepthU",  "MI",  "MIWaveGroup", "NumThreads", "GSU",
                   "WGM",   "PGR",  "1LDS",   "DTL",     "LSU", "repo",        "solname"});
  if (!columns) return tl::unexpected(columns.error());
  const std::optional<size_t> solution = csv.column("solidx");
  GemmRows result;
  std::map<std::string, size_t> left_out;
  for (size_t i = 0; i < csv.rows(); ++i) {
    TensileRow row(csv, i, *columns);
    Result<Read> read = read_row(row, solution ? number<int64_t>(csv.cell(i, *solution)) : std::nullopt);
    if (!read) return tl::unexpected(read.error());
    if (!read->row) {
      ++left_out[read->left_out];
      continue;
    }
    read->row->line = csv.line(i);
    result.rows.push_back(*std::move(read->row));
  }
  for (const auto& [why, count] : left_out) result.left_out.push_back(fmt::format("{} rows: {}", count, why));
  return result;
}

}  // namespace wavesmith::validate
