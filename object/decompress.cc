#include "object/decompress.h"

#include <zlib.h>
#include <zstd.h>

#include <algorithm>
#include <limits>
#include <memory>

namespace wavesmith::object {
namespace {

/// More than this in one bundle is damage.
constexpr size_t kMost = size_t{8} << 30;
/// Output grows by this much at a time, so that a lie about the size costs no memory.
constexpr size_t kStep = size_t{4} << 20;

tl::unexpected<Error> damaged() { return fail(ErrorKind::BadInput, "damaged compressed offload bundle"); }

Result<Decompressed> inflate_zlib(std::span<const uint8_t> input, size_t size) {
  z_stream stream{};
  if (inflateInit(&stream) != Z_OK) return fail(ErrorKind::Internal, "zlib does not start");
  const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
  Decompressed out;
  int state = Z_OK;
  while (state == Z_OK) {
    if (stream.avail_in == 0) {
      const size_t left = input.size() - out.consumed;
      stream.next_in = const_cast<Bytef*>(input.data() + out.consumed);
      stream.avail_in = static_cast<uInt>(std::min<size_t>(left, std::numeric_limits<uInt>::max()));
      if (left == 0) return damaged();
    }
    const size_t had = out.bytes.size(), in = stream.avail_in;
    if (had > size) return damaged();
    out.bytes.resize(std::min(size + 1, had + kStep));
    stream.next_out = out.bytes.data() + had;
    stream.avail_out = static_cast<uInt>(out.bytes.size() - had);
    state = inflate(&stream, Z_NO_FLUSH);
    out.consumed += in - stream.avail_in;
    out.bytes.resize(out.bytes.size() - stream.avail_out);
    if (state == Z_BUF_ERROR) return damaged();
  }
  if (state != Z_STREAM_END || out.bytes.size() != size) return damaged();
  return out;
}

Result<Decompressed> inflate_zstd(std::span<const uint8_t> input, size_t size) {
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                        ZSTD_freeDStream);
  if (!stream) return fail(ErrorKind::OutOfMemory, "zstd does not start");
  Decompressed out;
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  for (size_t left = 1; left != 0;) {
    const size_t had = out.bytes.size();
    if (had > size) return damaged();
    out.bytes.resize(std::min(size + 1, had + kStep));
    ZSTD_outBuffer buffer{out.bytes.data() + had, out.bytes.size() - had, 0};
    const size_t before = in.pos;
    left = ZSTD_decompressStream(stream.get(), &buffer, &in);
    out.bytes.resize(had + buffer.pos);
    if (ZSTD_isError(left) || (left != 0 && buffer.pos == 0 && in.pos == before)) return damaged();
  }
  out.consumed = in.pos;
  if (out.bytes.size() != size) return damaged();
  return out;
}

}  // namespace

Result<Decompressed> decompress(Compression method, std::span<const uint8_t> input, size_t size) {
  if (size > kMost) return damaged();
  switch (method) {
    case Compression::Zlib:
      return inflate_zlib(input, size);
    case Compression::Zstd:
      return inflate_zstd(input, size);
  }
  return fail(ErrorKind::Unsupported, "an offload bundle compressed by an unknown method");
}

Result<std::vector<uint8_t>> decompress_start(Compression method, std::span<const uint8_t> input,
                                              size_t most) {
  std::vector<uint8_t> out(most);
  if (method == Compression::Zlib) {
    z_stream stream{};
    if (inflateInit(&stream) != Z_OK) return fail(ErrorKind::Internal, "zlib does not start");
    const std::unique_ptr<z_stream, int (*)(z_stream*)> end(&stream, inflateEnd);
    stream.next_in = const_cast<Bytef*>(input.data());
    stream.avail_in = static_cast<uInt>(std::min<size_t>(input.size(), std::numeric_limits<uInt>::max()));
    stream.next_out = out.data();
    stream.avail_out = static_cast<uInt>(most);
    const int state = inflate(&stream, Z_SYNC_FLUSH);
    if (state != Z_OK && state != Z_STREAM_END && state != Z_BUF_ERROR) return damaged();
    out.resize(most - stream.avail_out);
    return out;
  }
  if (method != Compression::Zstd)
    return fail(ErrorKind::Unsupported, "an offload bundle compressed by an unknown method");
  const std::unique_ptr<ZSTD_DStream, size_t (*)(ZSTD_DStream*)> stream(ZSTD_createDStream(),
                                                                        ZSTD_freeDStream);
  if (!stream) return fail(ErrorKind::OutOfMemory, "zstd does not start");
  ZSTD_inBuffer in{input.data(), input.size(), 0};
  ZSTD_outBuffer buffer{out.data(), out.size(), 0};
  for (size_t left = 1; left != 0 && buffer.pos < buffer.size;) {
    const size_t before = in.pos + buffer.pos;
    left = ZSTD_decompressStream(stream.get(), &buffer, &in);
    if (ZSTD_isError(left)) return damaged();
    if (in.pos + buffer.pos == before) break;
  }
  out.resize(buffer.pos);
  return out;
}

}  // namespace wavesmith::object
