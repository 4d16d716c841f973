#include "runtime/launch/printf_buffer.h"

#include <algorithm>
#include <charconv>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "runtime/api/error.h"
#include "runtime/launch/device_printf.h"
#include "runtime/memory/allocations.h"

namespace wavesmith::runtime {
namespace {

constexpr uint32_t kHeader = 8, kMessages = 4 << 20;  // ROCm gives 4 KiB to each of a workgroup's 1024 items

struct Lists {
  std::mutex mutex;
  std::vector<uint32_t*> free;
};

Lists& lists() {
  static auto& all = *new Lists;
  return all;
}

/// The formats by the hash that stands before them: "0:0:<hash>,<format>".
std::unordered_map<uint64_t, std::string_view> by_hash(const std::vector<std::string>& formats) {
  std::unordered_map<uint64_t, std::string_view> map;
  for (const std::string_view entry : formats) {
    const size_t comma = entry.find(',');
    if (comma == std::string_view::npos) continue;
    const std::string_view head = entry.substr(0, comma);
    uint64_t hash = 0;
    const char* const begin = head.data() + head.rfind(':') + 1;
    if (std::from_chars(begin, head.data() + head.size(), hash, 16).ec == std::errc{})
      map[hash] = entry.substr(comma + 1);
  }
  return map;
}

}  // namespace

Result<PrintfBuffer> PrintfBuffer::take(emulate::Memory& memory) {
  const std::scoped_lock lock(lists().mutex);
  auto& free = lists().free;
  if (free.empty()) {
    const auto made = memory.allocate(kHeader + kMessages, kRuntimesOwn);
    if (!made) return tl::unexpected(made.error());
    free.push_back(static_cast<uint32_t*>(*made));
  }
  PrintfBuffer buffer(free.back());
  free.pop_back();
  buffer.memory_[0] = 0;
  buffer.memory_[1] = kMessages;
  return buffer;
}

PrintfBuffer::PrintfBuffer(PrintfBuffer&& other) noexcept : memory_(std::exchange(other.memory_, nullptr)) {}

PrintfBuffer::~PrintfBuffer() {
  if (!memory_) return;
  const std::scoped_lock lock(lists().mutex);
  lists().free.push_back(memory_);
}

void PrintfBuffer::print(const std::vector<std::string>& formats) const {
  const uint32_t used = std::min(memory_[0], kMessages);
  if (used == 0) return;
  const auto* const data = reinterpret_cast<const uint8_t*>(memory_) + kHeader;
  const auto read = read_messages({data, used}, formats, [](std::string_view text, bool to_stderr) {
    std::fwrite(text.data(), 1, text.size(), to_stderr ? stderr : stdout);
  });
  if (!read) report(read.error());
}

Result<void> read_messages(std::span<const uint8_t> data, const std::vector<std::string>& formats,
                           const std::function<void(std::string_view text, bool to_stderr)>& print) {
  const auto known = by_hash(formats);
  while (!data.empty()) {
    // The first word: bit 0: for stderr, bit 1: a hash stands for the format, from bit 2 on: bytes of it all.
    uint32_t control = 0;
    uint64_t hash = 0;
    if (data.size() < sizeof control) return fail(ErrorKind::BadInput, "the printf buffer is damaged");
    std::memcpy(&control, data.data(), sizeof control);
    const size_t size = control >> 2, head = control & 2 ? sizeof control + sizeof hash : sizeof control;
    if (size < head || size > data.size()) return fail(ErrorKind::BadInput, "the printf buffer is damaged");
    std::string_view format;
    if (control & 2) {
      std::memcpy(&hash, data.data() + sizeof control, sizeof hash);
      const auto found = known.find(hash);
      if (found == known.end())
        return fail(ErrorKind::BadInput, fmt::format("the code object has no printf format {:x}", hash));
      format = found->second;
    }
    // As the other printf has it: the format and its end in whole words, then the arguments.
    const size_t words = control & 2 ? format.size() / 8 + 1 : 0;
    std::vector<uint64_t> message(words + (size - head) / 8);
    if (words) std::memcpy(message.data(), format.data(), format.size());
    if (message.size() > words)
      std::memcpy(message.data() + words, data.data() + head, (message.size() - words) * 8);
    print(format_message(message), control & 1);
    data = data.subspan(size);
  }
  return {};
}

}  // namespace wavesmith::runtime
