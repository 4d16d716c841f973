// Memory straight from the kernel: reads as zero until written, and costs nothing until then.
#pragma once

#include <sys/mman.h>

#include <cstddef>
#include <utility>

namespace wavesmith {

/// An array of T in pages of its own; empty if the kernel has no memory. All-zero bytes must be a valid T.
template <class T>
class Pages {
 public:
  Pages() = default;
  explicit Pages(size_t count) : bytes_(count * sizeof(T)) {
    if (bytes_ == 0) return;
    void* const at =
        mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at != MAP_FAILED) data_ = static_cast<T*>(at);
  }
  Pages(Pages&& other) noexcept { *this = std::move(other); }
  Pages& operator=(Pages&& other) noexcept {
    std::swap(data_, other.data_);
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  ~Pages() {
    if (data_) munmap(data_, bytes_);
  }

  [[nodiscard]] T* data() const { return data_; }
  [[nodiscard]] size_t size() const { return data_ ? bytes_ / sizeof(T) : 0; }
  T& operator[](size_t i) const { return data_[i]; }

 private:
  T* data_ = nullptr;
  size_t bytes_ = 0;
};

}  // namespace wavesmith
