// AITER's tuned matrix multiplications among the published kernels: X[M,K] times W[N,K] transposed. What a
// kernel does stands in its name: Composable Kernel's "256x128x128x128_16x16_32x32_2x2" is threads, tile M,
// N, K, then vector widths, matrix instruction and its count a wave; assembly's "..._96x64E" the tile;
// FlyDSL's "t16x64x128_split_k2"; Opus's "512x128x256x64_2x4_16x16x32" threads, tile, waves, matrix
// instruction.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/split.h"
#include "validate/gemm/chips.h"
#include "validate/gemm/row.h"

namespace wavesmith::validate {
namespace {

using model::NumberType;

/// "256x128x64" as numbers; empty when it is something else.
std::vector<uint32_t> sizes(std::string_view text) {
  std::vector<uint32_t> found;
  for (const std::string_view part : split(text, 'x')) {
    const std::optional<uint32_t> value = number<uint32_t>(part);
    if (!value) return {};
    found.push_back(*value);
  }
  return found.size() > 1 ? found : std::vector<uint32_t>{};
}

void waves_from_matrix(model::GemmKernel& kernel, uint32_t a_wave_m, uint32_t a_wave_n) {
  if (kernel.matrix_m == 0 || a_wave_m == 0) return;
  kernel.wave_m = std::max(1u, kernel.tile_m / (kernel.matrix_m * a_wave_m));
  kernel.wave_n = std::max(1u, kernel.tile_n / (kernel.matrix_n * a_wave_n));
}

std::optional<model::GemmKernel> kernel_of(std::string_view maker, std::string_view name, uint32_t split_k) {
  model::GemmKernel kernel;
  kernel.name = name;
  kernel.threads = 256;
  kernel.double_buffered_lds = false;
  kernel.group_m = 4;
  kernel.split_k = std::max(1u, split_k);
  std::vector<std::vector<uint32_t>> groups;
  for (std::string_view part : split(name, '_')) {
    if (part.ends_with('E')) part.remove_suffix(1);
    if (part.starts_with('t') && part.size() > 1 && part[1] >= '0' && part[1] <= '9') part.remove_prefix(1);
    if (std::vector<uint32_t> group = sizes(part); !group.empty()) groups.push_back(std::move(group));
  }
  const auto tile = [&](const std::vector<uint32_t>& group, size_t from) {
    kernel.tile_m = group[from];
    kernel.tile_n = group[from + 1];
    kernel.tile_k = group.size() > from + 2 ? group[from + 2] : 0;
  };
  if ((maker == "ck" || maker.empty()) && !name.starts_with("_ZN")) {
    size_t i = 0;
    while (i < groups.size() && groups[i].size() != 4) ++i;
    if (i == groups.size()) return std::nullopt;
    kernel.threads = groups[i][0];
    tile(groups[i], 1);
    std::vector<std::vector<uint32_t>> pairs;
    for (++i; i < groups.size() && groups[i].size() == 2; ++i) pairs.push_back(groups[i]);
    const bool widths_first = pairs.size() >= 3 || name.find("rowwise") == name.npos;
    const size_t matrix = widths_first ? 1 : 0;
    if (pairs.size() > matrix) {
      kernel.matrix_m = pairs[matrix][0];
      kernel.matrix_n = pairs[matrix][1];
    }
    if (pairs.size() > matrix + 1) waves_from_matrix(kernel, pairs[matrix + 1][0], pairs[matrix + 1][1]);
    // Pipeline version 1 has one tile under way, 3 prefetches further (Composable Kernel,
    // blkgemmpipe_scheduler).
    kernel.prefetch = name.ends_with("v1") ? 1 : 2;
    kernel.double_buffered_lds = false;
    const bool block = name.find("blockscale") != name.npos, shuffled = name.find("bpreshuffle") != name.npos;
    // AITER passes the power of two; the kernels with both take none.
    kernel.split_k = block && shuffled ? 1 : split_k > 0 && split_k < 16 ? 1u << split_k : kernel.split_k;
    kernel.schedule =
        fmt::format("CK {}{}", block ? "blockscale" : "rowwise", shuffled ? " preshuffled" : "");
    if (name.size() > 2 && name[name.size() - 2] == 'v')
      kernel.schedule += fmt::format(" {}", name.substr(name.size() - 2));
    if (name.find("interwave") != name.npos) kernel.schedule += " interwave";
    return kernel;
  }
  if (maker == "cktile" || maker == "opus") {
    kernel.schedule = maker == "opus"                         ? "Opus"
                      : name.find("bpreshuffle") != name.npos ? "CK Tile preshuffled"
                                                              : "CK Tile blockscale";
    for (size_t i = 0; i < groups.size(); ++i) {
      const bool threads_first = maker == "opus";
      if (groups[i].size() != (threads_first ? 4u : 3u)) continue;
      if (threads_first) kernel.threads = groups[i][0];
      tile(groups[i], threads_first ? 1 : 0);
      if (i + 1 < groups.size()) {
        kernel.wave_m = groups[i + 1][0];
        kernel.wave_n = groups[i + 1].size() > 1 ? groups[i + 1][1] : 1;
        if (!threads_first) kernel.threads = 64 * kernel.wave_m * kernel.wave_n;
      }
      if (i + 2 < groups.size() && groups[i + 2].size() == 3) {
        kernel.matrix_m = groups[i + 2][0];
        kernel.matrix_n = groups[i + 2][1];
        kernel.matrix_k = groups[i + 2][2];
      }
      return kernel;
    }
    return std::nullopt;
  }
  if (maker == "flydsl") {
    kernel.schedule = "FlyDSL";
    for (const std::vector<uint32_t>& group : groups)
      if (group.size() == 3) {
        tile(group, 0);
        if (const size_t at = name.find("split_k"); at != name.npos) {
          size_t end = at + 7;
          while (end < name.size() && name[end] >= '0' && name[end] <= '9') ++end;
          kernel.split_k = std::max(1u, number<uint32_t>(name.substr(at + 7, end - at - 7)).value_or(1));
        }
        return kernel;
      }
    return std::nullopt;
  }
  if (maker == "asm" || name.starts_with("_ZN")) {
    kernel.schedule = "assembly";
    for (const std::vector<uint32_t>& group : groups)
      if (group.size() == 2) {
        tile(group, 0);
        return kernel;
      }
  }
  return std::nullopt;
}

/// Sizes and the split of K from "M=16;N=7168;K=2048;splitK=2"; nothing: not understood.
struct Shape {
  model::GemmProblem problem;
  uint32_t split_k = 0;
};
std::optional<Shape> shape_of(std::string_view text) {
  Shape shape;
  model::GemmProblem& problem = shape.problem;
  for (const std::string_view part : split(text, ';')) {
    const size_t equals = part.find('=');
    if (equals == part.npos) return std::nullopt;
    const std::string_view name = part.substr(0, equals);
    const std::optional<uint64_t> value = number<uint64_t>(part.substr(equals + 1));
    if (name == "M" && value) problem.m = *value;
    if (name == "N" && value) problem.n = *value;
    if (name == "K" && value) problem.k = *value;
    if (name == "B" && value) problem.batch = *value;
    if (name == "splitK" && value) shape.split_k = static_cast<uint32_t>(*value);
  }
  if (problem.m == 0 || problem.n == 0 || problem.k == 0 || problem.batch == 0) return std::nullopt;
  return shape;
}

/// Sets the types by the column's text; false: not known.
bool set_types(model::GemmProblem& problem, std::string_view dtype) {
  if (dtype.find("fp4") != dtype.npos) {
    problem.a = problem.b = NumberType::F4;
    problem.block_scale = 32;
  } else if (dtype.find("int8") != dtype.npos) {
    problem.a = problem.b = NumberType::I8;
  } else if (dtype.find("float8") != dtype.npos || dtype.find("fp8") != dtype.npos) {
    problem.a = problem.b = NumberType::F8;
    if (dtype.find("blockscale") != dtype.npos) problem.block_scale = 128;
  } else if (dtype.starts_with("bf")) {
    problem.a = problem.b = NumberType::BF16;
  } else {
    return false;
  }
  problem.c = dtype.ends_with("float32") ? NumberType::F32 : NumberType::BF16;
  problem.a_transposed = true;  // K is contiguous in both
  problem.b_transposed = false;
  return true;
}

/// A row that is judged; or why it is left out. Neither: a row of another operation.
struct Read {
  std::optional<GemmRow> row;
  std::string left_out;
};

Result<Read> read_row(const Csv& csv, size_t row, const std::map<std::string_view, size_t>& columns) {
  const auto text = [&](std::string_view name) { return csv.cell(row, columns.at(name)); };
  const std::string_view op = text("op"), library = text("library"), dtype = text("dtype"),
                         unit = text("unit");
  if (op != "gemm" && op != "batched_gemm") return Read{};
  if (!library.starts_with("AITER"))
    return Read{
        {}, "not AITER's: other libraries' are judged in the columns of tuned GEMMs, which name the kernel"};
  GemmRow out;
  out.line = csv.line(row);
  out.gpu = text("gpu");
  const GemmChip* const chip = gemm_chip(text("gpu"));
  if (!chip) return Read{{}, "GPU '" + out.gpu + "' is not described"};
  out.chip = chip->id;
  out.family = chip->family;
  const size_t bar = library.find('|');
  out.library = library.substr(0, bar);

  const std::optional<Shape> shape = shape_of(text("shape"));
  if (!shape) return Read{{}, "a shape that is not understood"};
  model::GemmProblem& problem = out.problem;
  problem = shape->problem;
  if (!set_types(problem, dtype)) return Read{{}, "type '" + std::string(dtype) + "' is not known"};

  const Result<double> value = number<double>(csv, row, columns.at("value"));
  if (!value) return tl::unexpected(value.error());
  if (!(*value > 0) || !std::isfinite(*value)) return Read{{}, "the value is not positive"};
  const double flops = 2.0 * static_cast<double>(problem.m) * static_cast<double>(problem.n) *
                       static_cast<double>(problem.k) * static_cast<double>(problem.batch);
  if (unit != "us" && unit != "TFLOP/s") return Read{{}, "unit '" + std::string(unit) + "' is no time"};
  out.seconds = unit == "us" ? *value * 1e-6 : flops / (*value * 1e12);

  const size_t slash = out.library.find('/');
  if (bar != library.npos && slash != out.library.npos)
    out.kernel =
        kernel_of(std::string_view(out.library).substr(slash + 1), library.substr(bar + 1), shape->split_k);
  // Faster than its arithmetic can be: measured on a larger chip than the row says.
  if (out.family == "MI308X" && flops / out.seconds > (problem.a == NumberType::BF16 ? 344e12 : 688e12))
    return Read{{}, "MI308X beyond its peak: measured on another chip"};
  if (out.kernel && out.family == "MI308X") out.kernel->schedule += "|mi308x";
  out.conditions = {.cold = true, .timing = model::Conditions::Timing::Profiler};
  out.half = half_of(text("gpu"), "gemm", dtype,
                     fmt::format("M={};N={};K={};B={}", problem.m, problem.n, problem.k, problem.batch));
  return Read{std::move(out), {}};
}

}  // namespace

Result<GemmRows> aiter_rows(const Csv& csv) {
  const auto columns = csv.require({"gpu", "library", "op", "dtype", "shape", "value", "unit"});
  if (!columns) return tl::unexpected(columns.error());
  GemmRows result;
  std::map<std::string, size_t> left_out;
  for (size_t row = 0; row < csv.rows(); ++row) {
    Result<Read> read = read_row(csv, row, *columns);
    if (!read) return tl::unexpected(read.error());
    if (read->row)
      result.rows.push_back(*std::move(read->row));
    else if (!read->left_out.empty())
      ++left_out[read->left_out];
  }
  for (const auto& [why, count] : left_out) result.left_out.push_back(fmt::format("{} rows: {}", count, why));
  return result;
}

}  // namespace wavesmith::validate
