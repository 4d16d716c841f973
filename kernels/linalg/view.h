// A matrix in global memory, or in shared memory where it fits.
#pragma once

#include "kernels/linalg/team.h"

namespace wavesmith::kernels {

template <class S>
struct GlobalView {
  tile::u64 data;
  int row, column;

  TILE_DEVICE S operator()(int i, int j) const { return tile::arch::load_at<S>(at(i, j)); }
  TILE_DEVICE void set(int i, int j, S value) const { tile::arch::store_at(at(i, j), value); }

 private:
  TILE_DEVICE tile::u64 at(int i, int j) const {
    return data + static_cast<tile::i64>(i * row + j * column) * static_cast<tile::i64>(sizeof(S));
  }
};

/// Columns are an odd number of elements apart, so that rows are in different banks, too.
template <class S>
struct SharedView {
  TILE_IN_SHARED S* data;
  int column;

  TILE_DEVICE SharedView(TILE_IN_SHARED S* memory, int rows) : data(memory), column(rows | 1) {}
  TILE_DEVICE S operator()(int i, int j) const { return data[i + j * column]; }
  TILE_DEVICE void set(int i, int j, S value) const { data[i + j * column] = value; }
};

/// The matrix of this workgroup, and which of the matrix's workgroups it is.
struct LinalgPlace {
  int matrix, group;

  TILE_DEVICE explicit LinalgPlace(const LinalgArguments& g)
      : matrix(tile::arch::workgroup_id() / g.groups),
        group(tile::arch::workgroup_id() - matrix * g.groups) {}

  template <class S>
  TILE_DEVICE GlobalView<S> view(const LinalgMatrix& of) const {
    const tile::i64 bytes = static_cast<tile::i64>(matrix) * of.batch * static_cast<tile::i64>(sizeof(S));
    return {reinterpret_cast<tile::u64>(of.data) + bytes, of.row, of.column};
  }
  /// The address of an element of `vector`.
  template <class T>
  TILE_DEVICE tile::u64 element(const LinalgArguments& g, int at) const {
    return reinterpret_cast<tile::u64>(g.vector) +
           (static_cast<tile::i64>(matrix) * g.vector_batch + at) * static_cast<tile::i64>(sizeof(T));
  }
  TILE_DEVICE tile::u64 pivot(const LinalgArguments& g, int at) const {
    return reinterpret_cast<tile::u64>(g.pivots) +
           (static_cast<tile::i64>(matrix) * g.pivots_batch + at) * static_cast<tile::i64>(sizeof(int));
  }
  TILE_DEVICE tile::u64 info(const LinalgArguments& g) const {
    return reinterpret_cast<tile::u64>(g.info) + static_cast<tile::i64>(matrix) * sizeof(int);
  }
  /// Keeps the first failure of a matrix, whose blocks come one after the other.
  TILE_DEVICE void note(const LinalgArguments& g, int failure) const {
    if (tile::arch::thread_id() != 0) return;
    const int before = g.offset == 0 ? 0 : tile::arch::load_at<int>(info(g));
    tile::arch::store_at(info(g), before != 0 ? before : failure == 0 ? 0 : failure + g.offset);
  }
};

/// Calls with each of a workgroup's elements: rows by the lanes of a team, columns by teams.
template <class Visit>
TILE_DEVICE void each_element(const Team& team, int rows, int columns, Visit visit) {
  TILE_KEEP_LOOP for (int j = team.number; j < columns; j += team.count)
      TILE_KEEP_LOOP for (int i = team.lane; i < rows; i += team.size) visit(i, j);
}

/// Calls with the matrix `a` where it lies, or brings it to shared memory and back.
template <class S, class Body>
TILE_DEVICE void on_matrix(const LinalgArguments& g, TILE_IN_SHARED S* memory, Body body) {
  const LinalgPlace place(g);
  const Team team(g);
  const auto global = place.view<S>(g.a);
  if (!g.in_shared) return body(global, place, team);
  const SharedView<S> shared(memory, g.rows);
  each_element(team, g.rows, g.columns, [&](int i, int j) { shared.set(i, j, global(i, j)); });
  meet();
  body(shared, place, team);
  meet();
  each_element(team, g.rows, g.columns, [&](int i, int j) { global.set(i, j, shared(i, j)); });
}

}  // namespace wavesmith::kernels
