#include "runtime/observe/host_access.h"

#include <optional>

#include "runtime/device/platform.h"
#include "runtime/memory/copy.h"
#include "runtime/memory/fill.h"
#include "runtime/observe/check.h"

namespace wavesmith::runtime {
namespace {

void tell_access(check::Session& session, const char* what, uint64_t address, size_t bytes, bool writes,
                 bool shared) {
  const check::HostAccess access{
      .call = what, .address = address, .bytes = bytes, .writes = writes, .shared = shared};
  session.tell([&](check::Checker& checker) { checker.accessed(access); });
}

}  // namespace

void tell_copied(const Box& box) {
  const std::shared_ptr<check::Session> session = checks();
  if (!session) return;
  const auto to = reinterpret_cast<uint64_t>(box.destination), from = reinterpret_cast<uint64_t>(box.source);
  // What the host itself may write later is no copy any more.
  const Platform* const platform = Platform::get();
  const auto known = platform ? platform->allocations.find(box.destination) : std::nullopt;
  const bool reads_shared = platform && platform->allocations.find(box.source);
  const bool stays = known && known->kind == Allocation::Kind::Device;
  for (size_t z = 0; z < box.depth; ++z)
    for (size_t y = 0; y < box.height; ++y) {
      const uint64_t row_to = to + z * box.destination_slice + y * box.destination_pitch;
      const uint64_t row_from = from + z * box.source_slice + y * box.source_pitch;
      tell_access(*session, "a copy", row_from, box.width, false, reads_shared);
      tell_access(*session, "a copy", row_to, box.width, true, known.has_value());
      if (stays) session->tell([&](check::Checker& checker) { checker.copied(row_to, row_from, box.width); });
    }
}

void tell_filled(const Fill& fill) {
  const std::shared_ptr<check::Session> session = checks();
  if (!session) return;
  const auto to = reinterpret_cast<uint64_t>(fill.destination);
  for (size_t z = 0; z < fill.depth; ++z)
    for (size_t y = 0; y < fill.height; ++y)
      tell_access(*session, "a fill", to + z * fill.slice + y * fill.pitch, fill.width * fill.element, true,
                  true);
}

void tell_written(const void* pointer, size_t bytes) {
  if (const std::shared_ptr<check::Session> session = checks())
    tell_access(*session, "the host", reinterpret_cast<uint64_t>(pointer), bytes, true, true);
}

}  // namespace wavesmith::runtime
