// Whole numbers that follow from a kernel's arguments: sums of multiples of names, "k + 63", "(k + 63) / 64".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

namespace wavesmith::analysis {

/// A sum of multiples of atoms (names, or whole expressions in brackets) and a constant; or why it is none.
class Formula {
 public:
  static Formula constant(int64_t value);
  static Formula name(std::string text);
  static Formula unknown(std::string because);

  [[nodiscard]] bool known() const { return because_.empty(); }
  [[nodiscard]] const std::string& because() const { return because_; }
  /// The number, where there are no names.
  [[nodiscard]] std::optional<int64_t> value() const;
  [[nodiscard]] int64_t offset() const { return constant_; }
  [[nodiscard]] const std::map<std::string, int64_t>& terms() const { return terms_; }
  /// The factor of `atom`; 0 if it does not occur.
  [[nodiscard]] int64_t times(const std::string& atom) const;
  [[nodiscard]] Formula without(const std::string& atom) const;

  friend Formula operator+(const Formula& a, const Formula& b);
  friend Formula operator-(const Formula& a, const Formula& b);
  friend Formula operator*(const Formula& a, const Formula& b);
  friend bool operator==(const Formula&, const Formula&) = default;
  /// The quotient rounded down; exact if every part is divisible.
  [[nodiscard]] Formula divided(int64_t by) const;
  /// "min(a, b)" and the like.
  static Formula call(const std::string& function, const Formula& a, const Formula& b);

  [[nodiscard]] std::string text() const;
  /// The text, in brackets unless it is a name or a number.
  [[nodiscard]] std::string in_brackets() const;

 private:
  std::map<std::string, int64_t> terms_;
  int64_t constant_ = 0;
  std::string because_;
};

}  // namespace wavesmith::analysis
