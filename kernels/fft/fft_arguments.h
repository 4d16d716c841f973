// What the kernels of a Fourier transform are given: shared by the host, which fills it in, and the device.
#pragma once

#include "kernels/pointwise/division.h"
#include "kernels/wavesmith_fft.h"

namespace wavesmith::kernels {

inline constexpr int kFftPasses = 12;
inline constexpr unsigned kFftElements = 8;    ///< of a thread
inline constexpr unsigned kFftThreads = 1024;  ///< of a workgroup at most
inline constexpr unsigned kFftLargestFactor = 31;
inline constexpr unsigned kFftLineBytes = 32;  ///< of shared memory, for what is known of a line

enum FftNumbers : int { kFftComplex, kFftReal, kFftHalf };  ///< half: what determines the others

/// Where a line's elements come from or go to. Element i of line q has the number q * q_step + i * i_step; it
/// lies at data + the place's steps + that number * stride.
struct FftSide {
  void* data;
  const void* table;  ///< complex numbers by which elements are multiplied, by their numbers; null: none
  long steps[WAVESMITH_POINTWISE_DIMENSIONS];  ///< bytes along the dimensions of the batch
  int stride;                                  ///< bytes
  unsigned q_step, i_step;
  int i_bytes;                  ///< i_step * stride
  unsigned count;               ///< numbers from this one on are 0, or dropped
  unsigned whole;               ///< of half: how many numbers there are with the conjugates
  int numbers;                  ///< FftNumbers
  int is_plain;                 ///< all of a line's complex numbers as they are, or exchanged next to memory
  int swapped, swapped_inside;  ///< parts change places: next to memory, next to the transform
};

/// Where element i of a line is in its part of shared memory: so that those which lie a power of two apart
/// are in different banks. Elements that lie a multiple of kFftRegular apart stay so.
template <int kNumberBytes>
constexpr unsigned fft_place(unsigned i) {
  return i ^ (kNumberBytes == 8 ? i >> 4 & 7 : i >> 3 & 7);
}
inline constexpr unsigned kFftRegular = 128;

/// One of Stockham's passes: radix numbers that lie n / radix apart become ones that lie l apart.
struct FftPass {
  unsigned radix;
  Division l;            ///< product of the radices before
  Division block;        ///< l * radix
  Division butterflies;  ///< n / radix
  unsigned step;         ///< n / block: e^(-2 pi i / block) in the table of the roots of n
};

/// Transforms of `length` numbers in shared memory. Lines are counted within a place of the batch first.
struct FftArguments {
  FftSide x, y;
  Division sizes[WAVESMITH_POINTWISE_DIMENSIONS];
  int dimensions;
  unsigned lines;
  Division inner;            ///< lines of one place: their numbers are q
  unsigned together, shift;  ///< lines of a workgroup, a power of two
  Division length;
  unsigned pitch;  ///< elements of shared memory from line to line
  unsigned threads;
  int load_lines_first, store_lines_first;  ///< threads that follow each other have different lines
  int passes;
  FftPass pass[kFftPasses];
  const void* roots;          ///< e^(-2 pi i m / length)
  const void *fine, *coarse;  ///< results are multiplied by fine[m % 2^split] * coarse[m / 2^split], m = q k
  unsigned split;
  double scale;
};

enum FftTableKind : int {
  kFftRoots,   ///< e^(-2 pi i m factor / whole)
  kFftChirp,   ///< e^(-2 pi i m^2 / whole)
  kFftFilter,  ///< the conjugate of that for m < whole / 2, the same from the end, and 0 between
};
struct FftTable {
  void* data;
  unsigned count, factor, whole;
  int kind;
};
inline constexpr int kFftTables = 8;
struct FftTablesArguments {
  FftTable tables[kFftTables];
  int is_wide;  ///< f64
};
inline constexpr int kFftTableThreads = 256;

}  // namespace wavesmith::kernels
