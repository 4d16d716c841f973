#include "object/decompress.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>
#include <vector>

namespace wavesmith::object {
namespace {

/// More than this in one bundle is damage.
constexpr size_t kMost = size_t{8} << 30;
/// A piece: a block of zstd's (ZSTD_DStreamOutSize). Who only wants the first one shall not wait for more.
constexpr size_t kStep = size_t{128} << 10;

tl::unexpected<Error> damaged() { return fail(ErrorKind::BadInput, "damaged compressed offload bundle"); }

/// Hands pieces on, no more bytes than there should be.
class Pieces {
 public:
  Pieces(size_t size, const Take& take) : size_(size), take_(take) {}
  std::span<uint8_t> room() { return buffer_; }
  /// Whether the bytes fit; `wanted` becomes false when they were the last ones wanted.
  bool hand_on(size_t count, bool& wanted) {
    done_ += count;
    if (done_ > size_) return false;
    wanted = count == 0 || take_(std::span(buffer_).first(count));
    return true;
  }
  [[nodiscard]] bool complete() const { return done_ == size_; }

 private:
  size_t size_, done_ = 0;
  const Take& take_;
  std::vector<uint8_t> buffer_ = std::vector<uint8_t>(kStep);
};

Result<size_t> inflate_zlib(std::span<const uint8_t> input, Pieces pieces) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return fail(ErrorKind::Internal, "zlib does not start");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  size_t consumed = 0;
  int state = Z_OK;
  while (state == Z_OK) {
    if (stream.avail_in == 0) {
      const size_t left = input.size() - consumed;
      stream.next_in = const_cast<Bytef*>(input.data() + consumed);
      stream.avail_in = static_cast<uInt>(std::min<size_t>(left, std::numeric_limits<uInt>::max()));
      if (left == 0) return damaged();
    }
    const size_t in = stream.avail_in;
    stream.next_out = pieces.room().data();
    stream.avail_out = static_cast<uInt>(pieces.room().size());
    state = inflate(&stream, Z_NO_FLUSH);
    consumed += in - stream.avail_in;
    bool wanted = true;
    if (state == Z_BUF_ERROR || !pieces.hand_on(pieces.room().size() - stream.avail_out, wanted))
      return damaged();
    if (!wanted) return 0;
  }
  if (state != Z_STREAM_END || !pieces.complete()) return damaged();
  return consumed;
}

Result<size_t> inflate_zstd(std::span<const uint8_t> input, Pieces pieces) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                        ZSTD_freeDStream);
  if (!stream) return fail(ErrorKind::OutOfMemory, "zstd does not start");
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  for (size_t left = 1; left != 0;) {
    ZSTD_outBuffer buffer{pieces.room().data(), pieces.room().size(), 0};
    const size_t before = in.pos;
    left = ZSTD_decompressStream(stream.get(), &buffer, &in);
    bool wanted = true;
    if (ZSTD_isError(left) || (left != 0 && buffer.pos == 0 && in.pos == before) ||
        !pieces.hand_on(buffer.pos, wanted))
      return damaged();
    if (!wanted) return 0;
  }
  if (!pieces.complete()) return damaged();
  return in.pos;
}

}  // namespace

Result<size_t> decompress(Compression method, std::span<const uint8_t> input, size_t size, const Take& take) {
  if (size > kMost) return damaged();
  switch (method) {
    case Compression::Zlib:
      return inflate_zlib(input, Pieces(size, take));
    case Compression::Zstd:
      return inflate_zstd(input, Pieces(size, take));
  }
  return fail(ErrorKind::Unsupported, "an offload bundle compressed by an unknown method");
}

}  // namespace wavesmith::object
