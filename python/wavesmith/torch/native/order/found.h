// Elements that are not 0, of which the device says how many there are.
#pragma once

#include <cstdint>

#include <ATen/core/Tensor.h>
#include <c10/core/Allocator.h>
#include <wavesmith_sort.h>

namespace wavesmith::device {

// Which elements of a tensor are not 0, counted first. `flat`: their numbers instead of their coordinates.
class Found {
 public:
  Found(const at::Tensor& x, bool flat);
  // How many there are; the device is waited for.
  std::int64_t count();
  // Writes the coordinates of so many as there are rows.
  void write(const at::Tensor& places);

 private:
  void call();

  at::Tensor x_, count_;
  c10::DataPtr memory_;
  wavesmith_nonzero_description one_;
};

// The numbers of the elements that are not 0.
at::Tensor flat_places(const at::Tensor& x);

// Those elements of a vector.
at::Tensor elements_at(const at::Tensor& vector, const at::Tensor& places);

}  // namespace wavesmith::device
