// The measured tables: which kinds there are, where ours stand, and telling the kind of a file by its
// columns.
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

/// The kind whose columns the table has. Error: none's; the hint names what each wants.
Result<TableKind> kind_of(const Csv& csv);

/// Where the tables of the installation stand (share/wavesmith/validate beside the binary, the source tree's
/// validate/data, or $WAVESMITH_VALIDATE_DATA). Error: nowhere.
Result<std::string> data_folder();

/// What is judged. Our own tables are read when a family first asks, and their half B judges; a user's file
/// takes the place of all tables of its kind, and all of its rows judge.
class Data {
 public:
  /// Our tables.
  Data() = default;
  /// The user's files only. Error: one that cannot be read or whose kind is unknown.
  static Result<Data> from_files(const std::vector<std::string>& paths);

  /// Tables of a kind to be judged; none when the user's files hold none of it. Our tables: "tensile_gemm",
  /// "published", "mi300a", and "issue_..." for each trace. The result lives as long as this.
  Result<std::vector<const Csv*>> judged(TableKind kind);
  /// Our own tables, whatever is judged: baselines are fitted on their half A.
  Result<std::vector<const Csv*>> own(TableKind kind);
  /// A table of statistics that the user's one is compared with. Error: it is of another kind, or there is
  /// none to compare it with.
  Result<void> compare_with(const std::string& path);
  /// nullptr: none was given.
  [[nodiscard]] const Csv* against() const { return against_.get(); }
  /// The target that statistics are of, as LLVM names it; empty: not told.
  void set_target(std::string target) { target_ = std::move(target); }
  [[nodiscard]] const std::string& target() const { return target_; }
  /// Who wants to hear how far a long family is: "mi300a: 12 of 249, ...".
  void set_progress(std::function<void(const std::string&)> progress) { progress_ = std::move(progress); }
  void tell(const std::string& what) const {
    if (progress_) progress_(what);
  }
  /// Whether the rows are the user's: none of them was fitted, all judge.
  [[nodiscard]] bool foreign() const { return foreign_; }
  /// Whether there is anything for a family that wants such tables.
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
