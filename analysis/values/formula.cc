#include "analysis/values/formula.h"

#include <algorithm>

#include <fmt/format.h>

namespace wavesmith::analysis {
namespace {

/// Longer ones tell nobody anything.
constexpr size_t kMostLetters = 160, kMostTerms = 6;
constexpr const char* kTooLong = "it is too long a formula";

}  // namespace

Formula Formula::constant(int64_t value) {
  Formula out;
  out.constant_ = value;
  return out;
}

Formula Formula::name(std::string text) {
  if (text.size() > kMostLetters) return unknown(kTooLong);
  Formula out;
  out.terms_.emplace(std::move(text), 1);
  return out;
}

Formula Formula::unknown(std::string because) {
  Formula out;
  out.because_ = std::move(because);
  return out;
}

std::optional<int64_t> Formula::value() const {
  return known() && terms_.empty() ? std::optional(constant_) : std::nullopt;
}

int64_t Formula::times(const std::string& atom) const {
  const auto found = terms_.find(atom);
  return found == terms_.end() ? 0 : found->second;
}

Formula Formula::without(const std::string& atom) const {
  Formula out = *this;
  out.terms_.erase(atom);
  return out;
}

Formula operator*(const Formula& a, const Formula& b) {
  if (!a.known()) return a;
  if (!b.known()) return b;
  if (!b.value()) return a.value() ? b * a : Formula::name(a.in_brackets() + " * " + b.in_brackets());
  // Numbers of 32 bits, whose products are not too long.
  constexpr int64_t kMost = int64_t{1} << 40;
  Formula out = a;
  const int64_t factor = *b.value();
  if (factor == 0) return Formula::constant(0);
  const auto grow = [&](int64_t& number) {
    if (std::max(number, -number) > kMost || std::max(factor, -factor) > (int64_t{1} << 32))
      out.because_ = "it is too large a number";
    else
      number *= factor;
  };
  grow(out.constant_);
  for (auto& [atom, times] : out.terms_) grow(times);
  return out;
}

Formula operator+(const Formula& a, const Formula& b) {
  if (!a.known()) return a;
  if (!b.known()) return b;
  Formula out = a;
  if (__builtin_add_overflow(out.constant_, b.constant_, &out.constant_))
    return Formula::unknown("it is too large a number");
  for (const auto& [atom, times] : b.terms_) {
    if (__builtin_add_overflow(out.terms_[atom], times, &out.terms_[atom]))
      return Formula::unknown("it is too large a number");
    if (out.terms_[atom] == 0) out.terms_.erase(atom);
  }
  if (out.terms_.size() > kMostTerms) return Formula::unknown(kTooLong);
  return out;
}

Formula operator-(const Formula& a, const Formula& b) { return a + b * Formula::constant(-1); }

Formula Formula::divided(int64_t by) const {
  if (!known()) return *this;
  if (by == 0) return unknown("it is divided by 0");
  const bool exact =
      std::all_of(terms_.begin(), terms_.end(), [&](const auto& t) { return t.second % by == 0; });
  if (exact && (terms_.empty() || constant_ % by == 0)) {
    Formula out = *this;
    for (auto& [atom, times] : out.terms_) times /= by;
    out.constant_ = constant_ / by - (constant_ % by != 0 && (constant_ < 0) != (by < 0));
    return out;
  }
  return name(fmt::format("{} / {}", in_brackets(), by));
}

Formula Formula::call(const std::string& function, const Formula& a, const Formula& b) {
  if (!a.known()) return a;
  if (!b.known()) return b;
  return name(fmt::format("{}({}, {})", function, a.text(), b.text()));
}

std::string Formula::text() const {
  std::string out;
  // What is added first, so that it does not begin with a minus where it need not.
  for (const bool added : {true, false})
    for (const auto& [atom, times] : terms_) {
      if ((times > 0) != added) continue;
      out += out.empty() ? (added ? "" : "-") : added ? " + " : " - ";
      const int64_t size = times > 0 ? times : -times;
      // Atoms are names, calls, or products and quotients, which bind closer than a sum.
      out += size == 1 ? atom : fmt::format("{} * {}", atom, size);
    }
  if (out.empty()) return fmt::format("{}", constant_);
  if (constant_ != 0)
    out += fmt::format(" {} {}", constant_ > 0 ? '+' : '-', constant_ > 0 ? constant_ : -constant_);
  return out;
}

std::string Formula::in_brackets() const {
  const std::string all = text();
  if (terms_.size() == 1 && constant_ == 0 && all.find_first_of("+-*/%") == all.npos) return all;
  return terms_.empty() && constant_ >= 0 ? all : "(" + all + ")";
}

}  // namespace wavesmith::analysis
