#include "study/kernel_arguments.h"

#include <fmt/format.h>

#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstring>
#include <random>

#include "study/npy.h"

namespace wavesmith::study {
namespace {

using object::Argument;

tl::unexpected<Error> bad(const std::string& text, const std::string& what) {
  return fail(ErrorKind::BadInput, fmt::format("--arg '{}': {}", text, what), {}, kArgumentHelp);
}

std::vector<const Argument*> explicit_arguments(const object::Kernel& kernel) {
  std::vector<const Argument*> found;
  for (const Argument& argument : kernel.arguments)
    if (argument.kind < Argument::Kind::HiddenBlockCountX || argument.kind == Argument::Kind::Unknown)
      if (!argument.value_kind.starts_with("hidden_")) found.push_back(&argument);
  return found;
}

bool is_pointer(const Argument& argument) {
  return argument.kind == Argument::Kind::GlobalBuffer ||
         argument.kind == Argument::Kind::DynamicSharedPointer;
}

/// "64x64" of "[64x64]"; false when it is no shape or too large.
bool parse_shape(std::string_view text, std::vector<uint64_t>& shape) {
  constexpr uint64_t kMost = uint64_t{1} << 40;
  uint64_t count = 1;
  while (true) {
    uint64_t extent = 0;
    const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), extent);
    if (code != std::errc() || __builtin_mul_overflow(count, extent, &count) || count > kMost) return false;
    shape.push_back(extent);
    text.remove_prefix(static_cast<size_t>(stop - text.data()));
    if (text.empty()) return true;
    if (text.front() != 'x' && text.front() != ',') return false;
    text.remove_prefix(1);
  }
}

/// The first element's bytes for all others.
void repeat_first(std::vector<uint8_t>& bytes, size_t element) {
  constexpr size_t kMost = 1 << 15;  // what a host's first cache holds
  size_t some = element;
  for (size_t done = element; done < bytes.size(); done += some) {
    some = std::min({done, kMost, bytes.size() - done});
    std::memcpy(bytes.data() + done, bytes.data(), some);
  }
}

Result<void> fill(KernelArgument& argument, std::string_view how) {
  const Element& element = *argument.element;
  const uint64_t count = argument.count();
  uint64_t bytes = 0;
  const auto pages = static_cast<uint64_t>(sysconf(_SC_PHYS_PAGES)),
             page = static_cast<uint64_t>(sysconf(_SC_PAGESIZE));
  if (__builtin_mul_overflow(count, element.size, &bytes) || bytes / page >= pages)
    return fail(ErrorKind::OutOfMemory,
                fmt::format("--arg '{}' is larger than this machine's memory", argument.text));
  argument.bytes.resize(bytes);
  auto each = [&](auto value_of) {
    for (uint64_t i = 0; i < count; ++i)
      from_double(element, value_of(i), argument.bytes.data() + i * element.size);
  };
  if (how == "zeros") return {};
  if (how == "ones") {
    if (count != 0) from_double(element, 1, argument.bytes.data());
    repeat_first(argument.bytes, element.size);
    return {};
  }
  if (how == "iota") {
    // Counted in the type itself: small types wrap round instead of saturating.
    const uint64_t wrap = element.integer && element.size < 8
                              ? uint64_t{1} << (8 * element.size - element.is_signed)
                              : ~uint64_t{0};
    return each([&](uint64_t i) { return static_cast<double>(i % wrap); }), Result<void>{};
  }
  if (how == "random" || how.starts_with("random:")) {
    uint64_t seed = 1;
    if (how.size() > 6) {
      const std::string_view text = how.substr(7);
      const auto [stop, code] = std::from_chars(text.data(), text.data() + text.size(), seed);
      if (code != std::errc() || stop != text.data() + text.size())
        return bad(argument.text, fmt::format("'{}' is no seed", text));
    }
    std::mt19937_64 random(seed);
    if (element.integer) {
      for (uint64_t i = 0; i < count; ++i) {
        const uint64_t value = random();
        std::memcpy(argument.bytes.data() + i * element.size, &value, element.size);
      }
    } else {
      each([&](uint64_t) { return static_cast<double>(random() >> 11) * 0x1p-52 - 1; });
    }
    return {};
  }
  std::vector<uint8_t> value(element.size);
  if (!from_text(element, how, value.data()))
    return bad(argument.text, fmt::format("'{}' is no {} and no fill", how, element.name));
  if (count != 0) std::memcpy(argument.bytes.data(), value.data(), element.size);
  repeat_first(argument.bytes, element.size);
  return {};
}

Result<KernelArgument> from_file(const std::string& text, const std::string& path, const Element* asked) {
  Result<Npy> array = read_npy(path);
  if (!array) return tl::unexpected(array.error());
  KernelArgument argument{text};
  argument.element = asked ? asked : element_of_npy(array->type);
  if (!argument.element || argument.element->size != array->item_size())
    return bad(text, fmt::format("numbers of type '{}' do not fit", array->type));
  argument.buffer = true;
  argument.shape = array->shape;
  argument.bytes = std::move(array->bytes);
  return argument;
}

Result<KernelArgument> from_hex(const std::string& text, std::string_view digits) {
  KernelArgument argument{text};
  if (digits.size() % 2 != 0 || digits.empty())
    return bad(text, "an even number of hexadecimal digits is needed");
  for (size_t i = 0; i < digits.size(); i += 2) {
    uint8_t byte = 0;
    const auto [stop, code] = std::from_chars(digits.data() + i, digits.data() + i + 2, byte, 16);
    if (code != std::errc() || stop != digits.data() + i + 2) return bad(text, "no hexadecimal digits");
    argument.bytes.push_back(byte);
  }
  return argument;
}

}  // namespace

const char* const kArgumentHelp =
    "write f32[1024]=zeros (or ones, iota, random, random:SEED, a number), f16[64x64]=in.npy, in.npy, i32=7, "
    "null, or hex=00ff";

uint64_t KernelArgument::count() const {
  uint64_t count = 1;
  for (uint64_t extent : shape) count *= extent;
  return count;
}

Result<KernelArgument> parse_argument(const std::string& text) {
  if (text == "null") {
    KernelArgument argument{text};
    argument.null = true;
    argument.bytes.resize(8);
    return argument;
  }
  const size_t equals = text.find('=');
  if (equals == text.npos) {
    if (text.ends_with(".npy")) return from_file(text, text, nullptr);
    return bad(text, "not understood");
  }
  std::string type = text.substr(0, equals);
  const std::string value = text.substr(equals + 1);
  if (type == "hex") return from_hex(text, value);

  KernelArgument argument{text};
  if (const size_t bracket = type.find('['); bracket != type.npos) {
    argument.buffer = true;
    if (!type.ends_with(']') ||
        !parse_shape(std::string_view(type).substr(bracket + 1, type.size() - bracket - 2), argument.shape))
      return bad(text, "the shape is no list of extents such as [64x64]");
    type = type.substr(0, bracket);
  }
  argument.element = find_element(type);
  if (!argument.element)
    return bad(text, fmt::format("'{}' is no type; types are {}", type, element_names()));
  if (value.ends_with(".npy")) {
    Result<KernelArgument> file = from_file(text, value, argument.element);
    if (file && argument.buffer && file->count() != argument.count())
      return bad(text, fmt::format("'{}' has {} numbers, not {}", value, file->count(), argument.count()));
    return file;
  }
  if (argument.buffer) {
    if (Result<void> filled = fill(argument, value); !filled) return tl::unexpected(filled.error());
    return argument;
  }
  argument.bytes.resize(argument.element->size);
  if (!from_text(*argument.element, value, argument.bytes.data()))
    return bad(text, fmt::format("'{}' is no {}", value, type));
  return argument;
}

std::string describe_arguments(const object::Kernel& kernel) {
  std::string text;
  size_t number = 0;
  for (const Argument* argument : explicit_arguments(kernel))
    text += fmt::format("  {}: {:<16} {:>3} B{}{}\n", number++, argument->value_kind, argument->size,
                        argument->type_name.empty() ? "" : "  " + argument->type_name,
                        argument->name.empty() ? "" : "  " + argument->name);
  return text;
}

Result<void> match_arguments(const object::Kernel& kernel, const std::vector<KernelArgument>& given) {
  const std::vector<const Argument*> wanted = explicit_arguments(kernel);
  if (wanted.empty() && kernel.kernarg_size > 0 && kernel.arguments.empty())
    return {};  // no metadata: trust the caller
  if (wanted.size() != given.size())
    return fail(
        ErrorKind::BadInput,
        fmt::format("kernel '{}' takes {} arguments, {} are given", kernel.name, wanted.size(), given.size()),
        {}, "it takes\n" + describe_arguments(kernel));
  for (size_t i = 0; i < given.size(); ++i) {
    const KernelArgument& argument = given[i];
    const uint64_t size = argument.buffer ? 8 : argument.bytes.size();
    const bool pointer = argument.buffer || argument.null;
    if (wanted[i]->size != size || (is_pointer(*wanted[i]) && !pointer && size != 8))
      return fail(ErrorKind::BadInput,
                  fmt::format("argument {} of kernel '{}' has {} bytes ({}), but '{}' has {}", i, kernel.name,
                              wanted[i]->size, wanted[i]->value_kind, argument.text, size),
                  {}, "it takes\n" + describe_arguments(kernel));
    if (is_pointer(*wanted[i]) && !pointer && argument.element)
      return fail(ErrorKind::BadInput,
                  fmt::format("argument {} of kernel '{}' is a pointer, but '{}' is a number", i, kernel.name,
                              argument.text),
                  {}, "give a buffer, f32[1024]=zeros, or null");
  }
  return {};
}

}  // namespace wavesmith::study
