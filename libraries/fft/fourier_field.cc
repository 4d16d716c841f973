#include "libraries/fft/fourier_field.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "libraries/shim/workspace.h"

namespace wavesmith::libraries {
namespace {

/// One side of a transform, whole: lengths with the batch, the fastest first.
struct GlobalLayout {
  int count;
  int64_t lengths[Brick::kMost], width;  ///< width: bytes of a number

  GlobalLayout(const Fourier& what, bool output) : count(what.dimensions + 1) {
    const bool real = what.kind == (output ? FourierKind::ToReal : FourierKind::FromReal);
    const bool half = what.kind == (output ? FourierKind::FromReal : FourierKind::ToReal);
    for (int i = 0; i < what.dimensions; ++i) lengths[i] = what.sizes[what.dimensions - 1 - i];
    if (half) lengths[0] = lengths[0] / 2 + 1;
    lengths[what.dimensions] = what.batches;
    width = (what.twice ? 8 : 4) * (real ? 1 : 2);
  }
  [[nodiscard]] int64_t numbers() const {
    int64_t all = 1;
    for (int i = 0; i < count; ++i) all *= lengths[i];
    return all;
  }
  /// Calls `move` with the places, in numbers, in the whole and in the brick.
  template <class Move>
  void each(const Brick& brick, Move move) const {
    int64_t at[Brick::kMost];
    std::copy_n(brick.lower, count, at);
    for (int64_t left = brick.volume(); left > 0; --left) {
      int64_t here = 0, there = 0;
      for (int i = count; i-- > 0;) {
        here = here * lengths[i] + at[i];
        there += (at[i] - brick.lower[i]) * brick.stride[i];
      }
      move(here, there);
      for (int i = 0; i < count && ++at[i] == brick.upper[i]; ++i) at[i] = brick.lower[i];
    }
  }
  [[nodiscard]] bool has(const Field& field) const {
    int64_t sum = 0;
    for (int b = 0; b < field.count; ++b) {
      const Brick& brick = field.bricks[b];
      if (brick.count != count) return false;
      for (int i = 0; i < count; ++i)
        if (brick.lower[i] < 0 || brick.lower[i] >= brick.upper[i] || brick.upper[i] > lengths[i])
          return false;
      sum += brick.volume();
    }
    return field.count == 0 || sum == numbers();
  }
};

char* workspace(int64_t bytes) { return allocate_workspace<char>(bytes, "a Fourier transform"); }

bool lies_in_memory(const GlobalLayout& whole, const Field& field, void* const* places) {
  if (field.count == 0) return reaches(places[0], 0, whole.numbers() - 1, static_cast<size_t>(whole.width));
  for (int b = 0; b < field.count; ++b) {
    const Brick& brick = field.bricks[b];
    int64_t highest = 0;
    for (int i = 0; i < brick.count; ++i) highest += (brick.upper[i] - brick.lower[i] - 1) * brick.stride[i];
    if (!places[b] || !reaches(places[b], 0, highest, static_cast<size_t>(whole.width))) return false;
  }
  return true;
}

}  // namespace

int64_t Brick::volume() const {
  int64_t all = 1;
  for (int i = 0; i < count; ++i) all *= upper[i] - lower[i];
  return all;
}

bool FieldTransform::fits() const {
  return GlobalLayout(what, false).has(from) && GlobalLayout(what, true).has(to);
}

void FieldTransform::run() const {
  const GlobalLayout in(what, false), out(what, true);
  char* const gathered = workspace(in.numbers() * in.width);
  char* const made = workspace(out.numbers() * out.width);
  if (from.count == 0) std::memcpy(gathered, inputs[0], static_cast<size_t>(in.numbers() * in.width));
  for (int b = 0; b < from.count; ++b)
    in.each(from.bricks[b], [&](int64_t here, int64_t there) {
      std::memcpy(gathered + here * in.width, static_cast<char*>(inputs[b]) + there * in.width,
                  static_cast<size_t>(in.width));
    });
  Fourier whole = what;
  whole.pack(false);
  whole.input = gathered;
  whole.output = made;
  whole.run();
  if (to.count == 0) std::memcpy(outputs[0], made, static_cast<size_t>(out.numbers() * out.width));
  for (int b = 0; b < to.count; ++b)
    out.each(to.bricks[b], [&](int64_t here, int64_t there) {
      std::memcpy(static_cast<char*>(outputs[b]) + there * out.width, made + here * out.width,
                  static_cast<size_t>(out.width));
    });
  std::free(gathered);
  std::free(made);
}

Outcome transform(const FieldTransform& what, void* stream) {
  if (lies_in_memory(GlobalLayout(what.what, false), what.from, what.inputs) &&
      lies_in_memory(GlobalLayout(what.what, true), what.to, what.outputs))
    return enqueue(stream, what);
  std::fprintf(stderr, "wavesmith: a brick of a Fourier transform reaches past the end of its allocation\n");
  return Outcome::BadPointer;
}

}  // namespace wavesmith::libraries
