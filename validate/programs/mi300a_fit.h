// Leave-one-out: the constants that were fitted on the MI300A programs, fitted anew without the program that
// is judged. How times answer to constants stands in a table (validate/mi300a/responses.py), so that a fit
// runs nothing.
//
// A program that the model gets wrong for another reason pulls at every constant that it answers to, and
// moves one that no other program holds. So what is known of a constant from elsewhere counts as one program
// more, and is trusted to within a width, which the fit chooses by a leave-one-out of its own among the
// programs that it may see.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/result.h"
#include "validate/csv.h"
#include "validate/programs/mi300a_row.h"

namespace wavesmith::validate {

/// The program of a row's kernel: the three copies are one program.
std::string_view mi300a_program_of(std::string_view kernel);

class Mi300aFit {
 public:
  struct Value {
    std::string path;      ///< in the GPU's data file
    double value = 0;      ///< fitted
    bool told = false;     ///< the rows tell it; otherwise it is the one that was set beforehand
    bool stopped = false;  ///< by the end of its range
  };
  /// `responses`: the table of times. `measured`: all rows. Error: a column that is no setting of a constant
  /// known here, a row that was not measured.
  static Result<Mi300aFit> create(const Csv& responses, const std::vector<Mi300aRow>& measured);
  /// The constants that fit all programs but this one best; "": all programs.
  [[nodiscard]] std::vector<Value> without(std::string_view program) const;
  /// How far, in log2, a constant may be from what is known of it. Of the widths whose error on programs that
  /// were left out of the others is within a standard error of the least, the narrowest: Breiman, Friedman,
  /// Olshen and Stone, Classification and Regression Trees, 1984, section 3.4.3.
  [[nodiscard]] double width_without(std::string_view program) const;
  /// The same as words of the command.
  [[nodiscard]] std::vector<std::string> words_without(std::string_view program) const;
  /// The time in milliseconds, as the table has it without a setting, of each of its rows.
  struct Row {
    std::string kernel, size;
    double milliseconds = 0;
  };
  [[nodiscard]] const std::vector<Row>& rows() const { return rows_; }

 private:
  /// A constant at 2^-1, 1 and 2 times the middle of its range.
  struct Constant {
    std::string path;
    double middle = 0, before = 0;  ///< before: log2 of what it is taken for where nothing tells it
    bool known = false;             ///< from elsewhere
  };
  /// log(time / measured) as the sum of a parabola a constant: at + slope x + bend x^2.
  struct Parabola {
    double slope = 0, bend = 0;
    [[nodiscard]] double at(double x) const { return x * (slope + x * bend); }
  };
  struct Answer {
    size_t program = 0;  ///< number
    double at = 0;
    std::vector<Parabola> to;
  };
  /// Numbers of programs that a fit may not see.
  using LeftOut = std::pair<size_t, size_t>;
  [[nodiscard]] size_t number_of(std::string_view program) const;
  /// log2 of the constants by their middles.
  [[nodiscard]] std::vector<double> fit(LeftOut left_out, double width) const;
  /// The mean error of a program's rows.
  [[nodiscard]] double error(size_t program, const std::vector<double>& x) const;
  [[nodiscard]] double chosen_width(size_t left_out) const;
  void judge_widths();

  std::vector<Constant> constants_;
  std::vector<std::string> programs_;
  std::vector<Answer> answers_;
  std::vector<Row> rows_;
  /// By width: the error of the second program where both were left out.
  std::vector<std::map<LeftOut, double>> pairs_;
};

}  // namespace wavesmith::validate
