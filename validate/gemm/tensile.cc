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
  bool vector = false;  ///< arithmetic in the operands' own precision
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
    {"4xi8II_",    NumberType::I8,   NumberType::I8,   NumberType::I32},
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
  for (size_t row = 0; row < csv.rows(); ++row) {
    const auto text = [&](std::string_view name) { return csv.cell(row, columns->at(name)); };
    std::optional<Error> error;
    const auto integer = [&](std::string_view name) -> int64_t {
      const Result<int64_t> value = number<int64_t>(csv, row, columns->at(name));
      if (!value && !error) error = value.error();
      return value.value_or(0);
    };
    GemmRow out;
    out.line = csv.line(row);
    out.gpu = text("gpu");
    const auto whole = [&](std::string_view name) { return number<double>(text(name)).value_or(0); };
    TunedKernel tuned{.types = text("typestr"),
                      .layout = text("layout"),
                      .solution = solution ? number<int64_t>(csv.cell(row, *solution)) : std::nullopt,
                      .split = whole("GSU") > 1,
                      .share = text("unit") == "GFLOP/s" ? 0 : whole("value") / 100};
    if (whole("MT0") > 0 && whole("MT1") > 0)
      tuned.workgroups = std::ceil(whole("M") / whole("MT0")) * std::ceil(whole("N") / whole("MT1")) *
                         whole("B") * std::max(1.0, whole("GSU"));
    const GemmChip* const chip = gemm_chip(text("gpu"), tuned);
    if (!chip) {
      ++left_out["GPU '" + out.gpu + "' is not described"];
      continue;
    }
    out.chip = chip->id;
    out.family = chip->family;
    out.library = text("repo") == "ROCm+hipBLASLt" ? "hipBLASLt" : "rocBLAS";
    const TypeRow* const types = type_row(text("typestr"));
    if (!types) {
      ++left_out["type '" + std::string(text("typestr")) + "' is not known"];
      continue;
    }
    model::GemmProblem& problem = out.problem;
    problem.a = types->a;
    problem.b = types->b;
    problem.c = types->c;
    problem.compute = types->compute;
    problem.m = static_cast<uint64_t>(integer("M"));
    problem.n = static_cast<uint64_t>(integer("N"));
    problem.k = static_cast<uint64_t>(integer("K"));
    problem.batch = static_cast<uint64_t>(integer("B"));
    const std::string_view layout = text("layout");
    problem.a_transposed = !layout.empty() && layout[0] != 'N';
    problem.b_transposed = layout.size() > 1 && layout[1] != 'N';

    model::GemmKernel kernel;
    kernel.tile_m = static_cast<uint32_t>(integer("MT0"));
    kernel.tile_n = static_cast<uint32_t>(integer("MT1"));
    kernel.tile_k = static_cast<uint32_t>(integer("DepthU"));
    kernel.threads = static_cast<uint32_t>(integer("NumThreads"));
    kernel.split_k = static_cast<uint32_t>(std::max<int64_t>(1, integer("GSU")));
    kernel.waves_along_k = static_cast<uint32_t>(std::max<int64_t>(1, integer("LSU")));
    kernel.group_m = static_cast<int32_t>(integer("WGM"));
    const std::array<uint32_t, 4> matrix = sizes(text("MI")), waves = sizes(text("MIWaveGroup"));
    kernel.vector = text("MI").empty();
    kernel.matrix_m = matrix[0];
    kernel.matrix_n = matrix[1];
    kernel.matrix_k = matrix[2];
    kernel.matrix_blocks = std::max(1u, matrix[3]);
    kernel.wave_m = waves[0];
    kernel.wave_n = waves[1];
    const std::string_view prefetch = text("PGR");
    kernel.prefetch = prefetch == "True"    ? 1
                      : prefetch == "False" ? 0
                                            : number<uint32_t>(prefetch).value_or(1);
    kernel.double_buffered_lds = !text("1LDS").starts_with('1');
    kernel.direct_to_lds = text("DTL") == "True";
    kernel.name = text("solname");
    // Numbers of one lane's load from memory (global read vector width): "_GRVW8_", or each operand's own.
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
    kernel.vector_bytes = static_cast<uint32_t>(std::lround(width * model::bytes_of(types->a)));
    problem.outputs = text("typestr").find("_Aux") != std::string_view::npos ? 2 : 1;
    if (error) return tl::unexpected(*error);
    if (problem.m == 0 || problem.n == 0 || problem.k == 0 || problem.batch == 0) {
      ++left_out["a dimension is 0"];
      continue;
    }

    const Result<double> value = number<double>(csv, row, columns->at("value"));
    if (!value) return tl::unexpected(value.error());
    const Result<const gpus::Gpu*> gpu = gpus::find_gpu(out.chip);
    if (!gpu) return tl::unexpected(gpu.error());
    if (tuned.share > most_share(tuned.workgroups, (*gpu)->multiprocessors())) {
      ++left_out
          ["faster than so many workgroups can be on the chip's units: entered by hand, or of another chip"];
      continue;
    }
    const double flops = 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                         static_cast<double>(problem.k) * static_cast<double>(problem.batch) *
                         model::real_products(types->a);
    if (!(*value > 0) || !std::isfinite(*value)) {
      ++left_out["the value is not positive"];
      continue;
    }
    // Tuning runs launch one kernel behind the other on the same operands.
    out.conditions = {.clock_mhz = (*gpu)->engine_mhz,
                      .cold = false,
                      .timing = model::Conditions::Timing::BackToBack,
                      .slow_start = slow_start(text("gpu"), tuned)};
    kernel.schedule = out.library;
    if (text("unit") == "GFLOP/s") kernel.schedule += "|in GFLOP/s";
    if (text("unit") == "GFLOP/s" && problem.c != problem.a) kernel.schedule += "|wide result";
    if (problem.a == NumberType::I8) kernel.schedule += "|i8";
    if (chip->family == "MI100") kernel.schedule += problem.c != problem.a ? "|mi100, f32 result" : "|mi100";
    out.kernel = kernel;
    if (text("unit") == "GFLOP/s") {
      if (chip->family == "MI300X" && text("typestr").find('8') != std::string_view::npos && flops < 1e8) {
        ++left_out["f8 of hipBLASLt's grids on MI300X below 0.1 GFLOP: equal sizes took 17 and 215 us"];
        continue;
      }
      if (chip->family == "MI210" && text("typestr") == "HSS_BH") {
        ++left_out
            ["'HSS_BH' of MI210 in GFLOP/s: 326 at most, where the other rows of the chip reach 130000"];
        continue;
      }
      out.seconds = flops / (*value * 1e9);
    } else {
      // The share is of the peak of the kernel's own instructions: no row is above 100 % then, and with any
      // other rate some are far above.
      const double peak = model::gemm_rate(**gpu, types->compute.value_or(types->a), kernel);
      out.seconds = flops / (*value / 100 * peak * (*gpu)->compute_units * (*gpu)->engine_mhz * 1e6);
    }
    // The types share a half: some rows were measured once and copied to several.
    out.half = half_of(text("gpu"), "gemm", "",
                       fmt::format("M={};N={};K={};B={}", problem.m, problem.n, problem.k, problem.batch));
    result.rows.push_back(std::move(out));
  }
  for (const auto& [why, count] : left_out) result.left_out.push_back(fmt::format("{} rows: {}", count, why));
  return result;
}

}  // namespace wavesmith::validate
