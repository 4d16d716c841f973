// What the kernels of a norm's gradients are given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

/// With normal = (X - mean) * factor and scaled = dY * (weight + weight_offset), row by row:
/// dX = factor * (scaled - normal * mean(scaled * normal) - mean(scaled)) + added. A workgroup takes each
/// `workgroups`th block of rows, and sums dY * normal and dY of its rows for each column.
struct NormBackwardArguments {
  const void *x, *dy, *added, *weight;                ///< the last two may be null
  const float *means, *factors;                       ///< of each row; no factors: both are computed from X
  void* dx;                                           ///< may be null
  float *weight_parts, *bias_parts;                   ///< `pitch` sums of each workgroup; may be null
  long stride_x, stride_dy, stride_added, stride_dx;  ///< elements between rows
  int rows, columns, workgroups, pitch;
  int type_x, type_dy, type_added, type_dx, type_weight;  ///< tile::Type
  float epsilon, weight_offset;
  int centred;  ///< LayerNorm
};

/// The sums of all workgroups to the gradients of one or two vectors, as many as the grid has rows.
struct NormBackwardSumsArguments {
  const float *first_parts, *second_parts;
  void *first, *second;
  int first_type, second_type;  ///< tile::Type
  int parts, columns, pitch;
};

/// Columns that a workgroup of the second kernel takes.
inline constexpr int kNormSumsColumns = 32;

}  // namespace wavesmith::kernels
