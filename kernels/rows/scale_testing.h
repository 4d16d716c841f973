// For tests of what is quantised: scales and bytes, as single operations in float32 define them.
#pragma once

#include <algorithm>
#include <limits>

#include "kernels/rows/testing.h"

namespace wavesmith::kernels {

/// The largest number of a type that is quantised to.
inline float limit_of(Type type) {
  return type == WAVESMITH_KERNELS_I8          ? 127
         : type == WAVESMITH_KERNELS_E4M3      ? 448
         : type == WAVESMITH_KERNELS_E4M3_FNUZ ? 240
         : type == WAVESMITH_KERNELS_E2M1X2    ? 6
                                               : 57344;
}

/// The bits of the nearest number of a type, in a byte.
inline uint8_t rounded_to(Type type, float value) {
  if (std::isnan(value) && (type == WAVESMITH_KERNELS_I8 || type == WAVESMITH_KERNELS_E2M1X2)) return 0;
  const float limit = limit_of(type);
  if (!std::isnan(value)) value = std::clamp(value, type == WAVESMITH_KERNELS_I8 ? -128 : -limit, limit);
  switch (type) {
    case WAVESMITH_KERNELS_I8:
      return static_cast<uint8_t>(static_cast<int8_t>(std::nearbyint(value)));
    case WAVESMITH_KERNELS_E4M3:
      return static_cast<uint8_t>(encode<kFp8>(value));
    case WAVESMITH_KERNELS_E5M2:
      return static_cast<uint8_t>(encode<kBf8>(value));
    case WAVESMITH_KERNELS_E4M3_FNUZ:
      return static_cast<uint8_t>(encode<kFp8Fnuz>(value));
    case WAVESMITH_KERNELS_E5M2_FNUZ:
      return static_cast<uint8_t>(encode<kBf8Fnuz>(value));
    default:
      return static_cast<uint8_t>(encode<kFp4>(value));
  }
}
inline double number_of(Type type, uint8_t bits) {
  if (type == WAVESMITH_KERNELS_I8) return static_cast<int8_t>(bits);
  return type == WAVESMITH_KERNELS_E2M1X2 ? decode<kFp4>(bits) : decoded(type, bits);
}

/// Scales of a matrix, in host memory, one for each row and block: of MX as bytes, otherwise floats.
struct HostScales {
  wavesmith_kernels_scales scales{};
  int64_t rows = 1, blocks = 1, columns = 0;
  Elements elements;

  HostScales(wavesmith_kernels_scaling scaling, int64_t rows_, int64_t columns_, int64_t block,
             bool by_columns = false)
      : columns(columns_) {
    scales.scaling = scaling, scales.block = block;
    if (scaling >= WAVESMITH_KERNELS_SCALE_PER_ROW) rows = rows_;
    if (scaling >= WAVESMITH_KERNELS_SCALE_PER_BLOCK) blocks = (columns + block - 1) / block;
    scales.row_stride = by_columns ? 1 : blocks + 1;
    scales.column_stride = by_columns ? rows + 1 : 1;
    const int64_t last = (rows - 1) * scales.row_stride + (blocks - 1) * scales.column_stride;
    elements =
        Elements(is_mx() ? WAVESMITH_KERNELS_I8 : WAVESMITH_KERNELS_F32, static_cast<size_t>(last + 1));
  }
  [[nodiscard]] bool is_mx() const { return scales.scaling == WAVESMITH_KERNELS_SCALE_MX; }
  [[nodiscard]] wavesmith_kernels_scales on(const OnGpu& gpu) const {
    wavesmith_kernels_scales there = scales;
    there.data = gpu.data();
    return there;
  }
  [[nodiscard]] size_t at(int64_t row, int64_t column) const {
    const int64_t block = blocks > 1 ? column / scales.block : 0;
    return static_cast<size_t>((rows > 1 ? row : 0) * scales.row_stride + block * scales.column_stride);
  }
  /// What is kept of a column's scale: a float, or of MX the byte.
  [[nodiscard]] float kept(int64_t row, int64_t column) const {
    if (scales.scaling == WAVESMITH_KERNELS_UNSCALED) return 1;
    if (is_mx()) return elements.bytes[at(row, column)];
    return static_cast<float>(elements.get(at(row, column)));
  }
  [[nodiscard]] float scale(int64_t row, int64_t column) const {
    return is_mx() ? decode_e8m0(elements.bytes[at(row, column)]) : kept(row, column);
  }
};

/// The larger magnitude; NaN is the largest.
inline float larger(float a, float b) {
  return std::isnan(a) || std::isnan(b) ? std::numeric_limits<float>::quiet_NaN()
                                        : std::max(std::abs(a), std::abs(b));
}

/// The scale of numbers of which that is the largest magnitude, as it is kept.
inline float scale_for(Type type, bool mx, float largest) {
  if (!mx) return std::isnan(largest) ? largest : std::max(largest / limit_of(type), 0x1p-126F);
  if (!std::isfinite(largest)) return 255;
  if (largest == 0) return 0;
  return static_cast<float>(std::max(0, std::ilogb(largest) - std::ilogb(limit_of(type)) + 127));
}

/// Fills in the scales that `values(row, column)`, floats, have.
template <class Values>
void compute_scales(HostScales& scales, Type type, int64_t rows, Values values) {
  if (scales.scales.scaling <= WAVESMITH_KERNELS_SCALE_GIVEN) return;
  std::vector<float> largest(scales.elements.count(), 0);
  std::vector<char> is_kept(largest.size(), 0);
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < scales.columns; ++j) {
      float& most = largest[scales.at(i, j)];
      most = larger(most, values(i, j));
      is_kept[scales.at(i, j)] = 1;
    }
  for (size_t i = 0; i < largest.size(); ++i) {
    if (!is_kept[i]) continue;
    const float scale = scale_for(type, scales.is_mx(), largest[i]);
    if (scales.is_mx())
      scales.elements.bytes[i] = static_cast<unsigned char>(scale);
    else
      scales.elements.set(i, scale);
  }
}

/// Compares what the GPU wrote with the scales and the bytes that floats become, bit by bit; a NaN may be
/// any. Of e2m1x2 `y` has a column for each two numbers.
template <class Values>
void expect_quantised(HostRows& y, const OnGpu& on_y, HostScales& scales, const OnGpu& on_scales,
                      Values values) {
  const Type type = y.elements.type;
  compute_scales(scales, type, y.rows, values);
  HostScales got = scales;
  on_scales.copy_to(got.elements);
  const ErrorNote note;  // of none: all bits are compared
  HostRows want = y;
  const bool two = type == WAVESMITH_KERNELS_E2M1X2;
  for (int64_t i = 0; i < y.rows; ++i)
    for (int64_t j = 0; j < scales.columns; ++j) {
      uint8_t& byte = want.elements.bytes[want.at(i, two ? j / 2 : j)];
      const uint8_t bits = rounded_to(type, values(i, j) * (1 / scales.scale(i, j)));
      byte = !two ? bits : static_cast<uint8_t>(j % 2 == 0 ? bits : byte | bits << 4);
    }
  for (size_t i = 0; i < got.elements.bytes.size(); i += bytes_of(got.elements.type)) {
    const size_t at = i / bytes_of(got.elements.type);
    if (!got.is_mx() && std::isnan(scales.elements.get(at)) && std::isnan(got.elements.get(at))) continue;
    ASSERT_EQ(std::memcmp(&got.elements.bytes[i], &scales.elements.bytes[i], bytes_of(got.elements.type)), 0)
        << "scale " << at << " is " << got.elements.get(at) << " instead of " << scales.elements.get(at);
  }
  on_y.copy_to(y.elements);
  for (size_t i = 0; i < y.elements.bytes.size(); ++i) {
    const uint8_t is = y.elements.bytes[i], should = want.elements.bytes[i];
    if (!two && std::isnan(number_of(type, is)) && std::isnan(number_of(type, should))) continue;
    ASSERT_EQ(is, should) << "byte " << i << " of rows " << y.stride << " apart: " << number_of(type, is)
                          << " instead of " << number_of(type, should);
  }
}

}  // namespace wavesmith::kernels
