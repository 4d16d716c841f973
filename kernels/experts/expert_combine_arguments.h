// What the kernels of weighted sums of rows are given: shared by the host, which fills it in, and the device.
#pragma once

namespace wavesmith::kernels {

/// Threads of a workgroup, which takes eight columns of a token each.
inline constexpr int kCombineRowThreads = 256;

/// y[t] = the sum over j of weights[t][j] * x[places[t][j]], + addend[t].
struct ExpertCombineArguments {
  const void *x, *addend;  ///< the addend may be null
  void* y;
  const int* places;
  const float* weights;                    ///< null: all 1
  long stride_x, stride_addend, stride_y;  ///< elements between rows
  int tokens, rows, columns, choices;      ///< rows: of x
  int blocks;                              ///< workgroups side by side that take a token's columns
  int type_x, type_addend, type_y;         ///< tile::Type
};

}  // namespace wavesmith::kernels
