// How workgroups of 256 threads share the rows of a matrix: the kernels that there are of each operation on
// rows. One list for the device, which makes a kernel of each line, and the host, which chooses; in
// three pieces, for operations whose kernels take long to compile.
#pragma once

/// X(lanes per row, eights of a row that a lane keeps, aligned, end of the kernel's name, why)
#define WAVESMITH_ROWS_OF_FEW(X)                                                  \
  X(16, 1, true, 16x1, "heads of up to 128 elements: sixteen rows per workgroup") \
  X(32, 2, true, 32x2, "up to 512 columns: no wave waits for another")            \
  X(256, 1, true, 256x1, "up to 2,048 columns, each read once")                   \
  X(256, 2, true, 256x2, "up to 4,096 columns")
#define WAVESMITH_ROWS_OF_MANY(X)               \
  X(256, 4, true, 256x4, "up to 8,192 columns") \
  X(256, 8, true, 256x8, "up to 16,384 columns: as many as registers hold without spilling")
#define WAVESMITH_ROWS_READ_AGAIN(X)                                                                   \
  X(256, 0, true, 256, "longer rows, read again in each pass")                                         \
  X(16, 0, false, 16_elements, "short rows that are not aligned to 16 bytes, read element by element") \
  X(256, 0, false, 256_elements, "long rows that are not aligned to 16 bytes")
#define WAVESMITH_ROW_CONFIGURATIONS(X) \
  WAVESMITH_ROWS_OF_FEW(X)              \
  WAVESMITH_ROWS_OF_MANY(X)             \
  WAVESMITH_ROWS_READ_AGAIN(X)

namespace wavesmith::kernels {

inline constexpr int kRowThreads = 256;

struct RowConfiguration {
  int threads, lanes, parts;
  bool aligned;
  const char *name, *why;

  /// The most columns that a row may have; without end where a row is not kept.
  [[nodiscard]] constexpr long columns() const { return parts > 0 ? long{lanes} * parts * 8 : 1L << 40; }
  [[nodiscard]] constexpr int rows() const { return threads / lanes; }  ///< per workgroup
};

/// The first of a list that holds rows of that length; null where there is none.
template <int kCount>
constexpr const RowConfiguration* first_that_holds(const RowConfiguration (&list)[kCount], long columns,
                                                   bool aligned) {
  for (const RowConfiguration& one : list)
    if (one.aligned == aligned && columns <= one.columns()) return &one;
  return nullptr;
}

#define WAVESMITH_ROW(lanes, parts, aligned, name, why) {kRowThreads, lanes, parts, aligned, #name, why},
inline constexpr RowConfiguration kRowConfigurations[] = {WAVESMITH_ROW_CONFIGURATIONS(WAVESMITH_ROW)};
#undef WAVESMITH_ROW

}  // namespace wavesmith::kernels
