// The measured tables: their kinds, the folder of ours, and detection of a file's kind by its columns.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "validate/csv.h"

namespace wavesmith::validate {

enum class TableKind : uint8_t {
  TensileKernels,    ///< tuned GEMMs, and the modelled cycles of the library's kernels: kernel, chip, cycles
  Tensile,           ///< tuned GEMMs with their kernels' parameters: M, N, K, MT0, DepthU, value...
  Published,         ///< gpu, library, op, dtype, shape, metric, value, unit
  Mi300a,            ///< benchmark programs: name, size, times
  IssueCycles,       ///< hardware thread traces: wave, pc, instruction, cycle
  ThreadStatistics,  ///< of rocprofv3's thread traces: Vaddr, Instruction, Hitcount, Latency... (never ours)
};
std::string_view name_of(TableKind kind);

/// The kind whose columns the table has. Error: no kind matches; the hint lists the columns of each.
Result<TableKind> kind_of(const Csv& csv);

/// The folder of our tables (share/wavesmith/validate beside the binary, the source tree's validate/data, or
/// $WAVESMITH_VALIDATE_DATA). Error: nowhere.
Result<std::string> data_folder();

/// The data to judge by. Our own tables are read on first use, and their half B judges; a user's file
/// replaces all tables of its kind, and all of its rows judge.
class Data {
 public:
  /// Our tables.
  Data() = default;
  /// Only the user's files. Error: a file that cannot be read or whose kind is unknown.
  static Result<Data> from_files(const std::vector<std::string>& paths);

  /// Tables of a kind to be judged; none when the user's files hold none of it. Our tables: "tensile_gemm",
  /// "published", "mi300a", and "issue_..." for each trace. The result lives as long as this.
  Result<std::vector<const Csv*>> judged(TableKind kind);
  /// Our own tables, whatever is judged: baselines are fitted on their half A.
  Result<std::vector<const Csv*>> own(TableKind kind);
  /// Sets a table of statistics to compare the user's with. Error: it is of another kind, or the user gave
  /// none.
  Result<void> compare_with(const std::string& path);
  /// nullptr: none was given.
  [[nodiscard]] const Csv* against() const { return against_.get(); }
  /// Sets the target of statistics, as LLVM names it; empty: unknown.
  void set_target(std::string target) { target_ = std::move(target); }
  [[nodiscard]] const std::string& target() const { return target_; }
  /// Sets the receiver of progress messages of long families: "mi300a: 12 of 249, ...".
  void set_progress(std::function<void(const std::string&)> progress) { progress_ = std::move(progress); }
  void tell(const std::string& what) const {
    if (progress_) progress_(what);
  }
  /// Whether the rows are the user's: none of them was fitted on, and all judge.
  [[nodiscard]] bool foreign() const { return foreign_; }
  /// Whether there are tables of that kind.
  [[nodiscard]] bool has(TableKind kind) const;

 private:
  struct Loaded {
    TableKind kind;
    std::unique_ptr<Csv> csv;
  };
  bool foreign_ = false;
  std::vector<Loaded> files_, own_;
  std::unique_ptr<Csv> against_;
  std::string target_;
  std::function<void(const std::string&)> progress_;
};

}  // namespace wavesmith::validate
