// The fit of matrix multiplications, from model/fitted/gemm.toml: sets of constants, and factors on them.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "model/gemm/constants.h"

namespace wavesmith::model {

/// The constants of an architecture, a type of arithmetic and an origin of kernels.
struct GemmSet {
  std::string_view architecture;
  NumberType type;
  bool vector;              ///< vector kernels, not matrix instructions
  std::string_view origin;  ///< "BLAS": rocBLAS; "hipBLASLt"; "AITER"
  GemmConstants constants;
  uint32_t rows;            ///< of half A that it was fitted on
  std::string_view source;  ///< table and chips
};

/// A factor on one constant for a schedule, a chip, or a method of measurement.
struct GemmFactor {
  static constexpr double kMost = 14;  ///< within the fit; the least is its inverse

  std::string_view architecture;
  NumberType type;
  bool vector;
  std::string_view origin;
  std::string_view tag;  ///< part of the schedule's name, how the GPU's id begins, or the type's name
  double GemmConstants::* member;
  double value;

  [[nodiscard]] bool of(const GemmSet& set) const {
    return architecture == set.architecture && type == set.type && vector == set.vector &&
           origin == set.origin;
  }
  [[nodiscard]] bool matches(std::string_view schedule, std::string_view gpu, NumberType asked) const {
    return schedule.find(tag) != schedule.npos || gpu.starts_with(tag) || name_of(asked) == tag;
  }
};

/// One constant: its name and plausible range.
struct GemmPart {
  std::string_view name;
  double GemmConstants::* member;
  double least, most;
  /// The bound at which the constant has no effect.
  enum class Nothing : uint8_t { Neither, Least, Most } nothing = Nothing::Neither;
};

std::span<const GemmSet> gemm_sets();
std::span<const GemmFactor> gemm_factors();
std::span<const GemmPart> gemm_parts();

/// Why a set's constants are of low confidence: "24 constants on 111 rows", "at a bound of the fit: overlap";
/// empty: they are not.
std::string doubt_of(const GemmSet& set);

/// The set nearest to a question, and its distance: below 10 it is of the same generation and type, below 100
/// of the same generation, below 1000 of the same line of GPUs.
struct NearestSet {
  const GemmSet* set;
  int distance;
  /// The kernels are those of the generation, the type at most a neighbour.
  [[nodiscard]] bool has_the_kernels() const { return distance < 20; }
  [[nodiscard]] bool same_generation() const { return distance < 100; }
  [[nodiscard]] bool same_line() const { return distance < 1000; }
};
NearestSet nearest_gemm_set(const gpus::Gpu& gpu, NumberType type, bool vector, std::string_view schedule);

/// A set's constants with the factors that apply, clamped to their ranges. `type` is the type in question, of
/// which the set's may be a neighbour.
GemmConstants with_factors(const gpus::Gpu& gpu, NumberType type, std::string_view schedule,
                           const GemmSet& set, GemmConstants constants, std::span<const GemmFactor> factors);

}  // namespace wavesmith::model
