#include "validate/table.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <span>

namespace wavesmith::validate {
namespace fs = std::filesystem;
namespace {

struct KindRow {
  TableKind kind;
  std::string_view name;
  std::vector<std::string_view> columns;  ///< that tell it
};
const std::vector<KindRow>& kinds() {
  static const std::vector<KindRow> rows{
      // Before the kind whose columns it has, too.
      {TableKind::TensileKernels,
       "tuned GEMMs' kernels",
       {"gpu", "typestr", "M", "N", "K", "value", "kernel", "chip", "cycles"}},
      {TableKind::Tensile,
       "tuned GEMMs",
       {"gpu", "unit", "typestr", "M", "N", "K", "MT0", "DepthU", "value"}},
      {TableKind::Published,
       "published kernels",
       {"gpu", "library", "op", "dtype", "shape", "metric", "value", "unit"}},
      {TableKind::Mi300a, "benchmark programs", {"kernel_name", "problem_size", "avg_ms"}},
      {TableKind::IssueCycles, "thread traces", {"kernel", "wave", "pc", "inst", "issue_cycle"}},
      {TableKind::ThreadStatistics,
       "statistics of thread traces",
       {"Vaddr", "Instruction", "Hitcount", "Latency", "Stall", "Idle"}},
  };
  return rows;
}

}  // namespace

std::string_view name_of(TableKind kind) { return kinds()[static_cast<size_t>(kind)].name; }

Result<TableKind> kind_of(const Csv& csv) {
  for (const KindRow& row : kinds())
    if (std::ranges::all_of(row.columns, [&](std::string_view name) { return csv.column(name).has_value(); }))
      return row.kind;
  std::string hint = "a table has at least the columns of one of these:";
  for (const KindRow& row : kinds()) {
    hint += " " + std::string(row.name) + " (";
    for (const std::string_view name : row.columns)
      hint += (hint.back() == '(' ? "" : ", ") + std::string(name);
    hint += ")";
  }
  return fail(ErrorKind::BadInput, "a table of no known kind", csv.name(), hint);
}

Result<std::string> data_folder() {
  if (const char* const folder = std::getenv("WAVESMITH_VALIDATE_DATA")) {
    if (fs::is_directory(folder)) return std::string(folder);
    return fail(ErrorKind::NotFound, "WAVESMITH_VALIDATE_DATA names no folder", folder);
  }
  std::error_code failed;
  for (fs::path at = fs::read_symlink("/proc/self/exe", failed).parent_path(); at.has_relative_path();
       at = at.parent_path())
    for (const char* const place : {"share/wavesmith/validate", "validate/data"})
      if (fs::exists(at / place / "tensile_gemm.csv.gz", failed)) return (at / place).string();
  return fail(ErrorKind::NotFound, "the measured tables are not installed", {},
              "set WAVESMITH_VALIDATE_DATA to the folder validate/data of the sources");
}

Result<Data> Data::from_files(const std::vector<std::string>& paths) {
  Data data;
  data.foreign_ = true;
  for (const std::string& path : paths) {
    Result<Csv> csv = Csv::read(path);
    if (!csv) return tl::unexpected(csv.error());
    const Result<TableKind> kind = kind_of(*csv);
    if (!kind) return tl::unexpected(kind.error());
    if (csv->rows() == 0) return fail(ErrorKind::BadInput, "a table without a row", path);
    data.files_.push_back({*kind, std::make_unique<Csv>(*std::move(csv))});
  }
  return data;
}

bool Data::has(TableKind kind) const {
  if (!foreign_) return kind != TableKind::ThreadStatistics;
  return std::ranges::any_of(files_, [&](const Loaded& each) { return each.kind == kind; });
}

Result<void> Data::compare_with(const std::string& path) {
  if (!foreign_ || !has(TableKind::ThreadStatistics))
    return fail(ErrorKind::BadInput, "nothing to compare with it", path,
                "name the statistics of a thread trace with --data");
  Result<Csv> csv = Csv::read(path);
  if (!csv) return tl::unexpected(csv.error());
  const Result<TableKind> kind = kind_of(*csv);
  if (!kind) return tl::unexpected(kind.error());
  if (*kind != TableKind::ThreadStatistics)
    return fail(ErrorKind::BadInput,
                "a table of " + std::string(name_of(*kind)) + ", not of thread-trace statistics", path);
  against_ = std::make_unique<Csv>(*std::move(csv));
  return {};
}

Result<std::vector<const Csv*>> Data::judged(TableKind kind) {
  if (!foreign_) return own(kind);
  std::vector<const Csv*> found;
  for (const Loaded& each : files_)
    if (each.kind == kind) found.push_back(each.csv.get());
  return found;
}

Result<std::vector<const Csv*>> Data::own(TableKind kind) {
  std::vector<const Csv*> found;
  for (const Loaded& each : own_)
    if (each.kind == kind) found.push_back(each.csv.get());
  if (!found.empty()) return found;

  const Result<std::string> folder = data_folder();
  if (!folder) return tl::unexpected(folder.error());
  const std::string_view prefix = kind == TableKind::Tensile          ? "tensile_gemm.csv"
                                  : kind == TableKind::TensileKernels ? "tensile_kernels.csv"
                                  : kind == TableKind::Published      ? "published.csv"
                                  : kind == TableKind::Mi300a         ? "mi300a.csv"
                                                                      : "issue_";
  std::vector<std::string> paths;
  std::error_code failed;
  for (const fs::directory_entry& entry : fs::directory_iterator(*folder, failed))
    if (entry.path().filename().string().starts_with(prefix)) paths.push_back(entry.path().string());
  std::ranges::sort(paths);
  for (const std::string& path : paths) {
    Result<Csv> csv = Csv::read(path);
    if (!csv) return tl::unexpected(csv.error());
    own_.push_back({kind, std::make_unique<Csv>(*std::move(csv))});
    found.push_back(own_.back().csv.get());
  }
  if (found.empty()) return fail(ErrorKind::NotFound, "no table of " + std::string(name_of(kind)), *folder);
  return found;
}

}  // namespace wavesmith::validate
