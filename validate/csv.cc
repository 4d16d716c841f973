#include "validate/csv.h"

#include <zlib.h>

#include <cerrno>
#include <cstring>
#include <memory>

namespace wavesmith::validate {
namespace {

constexpr size_t kLargest = size_t{1} << 30;  // bytes of text; a table beyond that is a mistake

}  // namespace

std::string Csv::where(size_t row) const { return name_ + ":" + std::to_string(line(row)); }

std::optional<size_t> Csv::column(std::string_view name) const {
  for (size_t i = 0; i < columns_.size(); ++i)
    if (columns_[i] == name) return i;
  return std::nullopt;
}

Result<std::map<std::string_view, size_t>> Csv::require(std::initializer_list<std::string_view> names) const {
  std::map<std::string_view, size_t> found;
  for (const std::string_view name : names) {
    const std::optional<size_t> at = column(name);
    if (!at) return fail(ErrorKind::BadInput, "no column '" + std::string(name) + "'", name_);
    found[name] = *at;
  }
  return found;
}

Result<Csv> Csv::read(const std::string& path) {
  errno = 0;
  const std::unique_ptr<gzFile_s, int (*)(gzFile_s*)> file(gzopen(path.c_str(), "rb"), gzclose);
  if (!file) return fail(ErrorKind::NotFound, std::string("cannot open: ") + std::strerror(errno), path);
  std::string text;
  std::vector<char> buffer(1 << 18);
  for (;;) {
    const int count = gzread(file.get(), buffer.data(), static_cast<unsigned>(buffer.size()));
    if (count < 0) {
      int code = 0;
      return fail(ErrorKind::BadInput, std::string("cannot read: ") + gzerror(file.get(), &code), path);
    }
    if (count == 0) break;
    text.append(buffer.data(), static_cast<size_t>(count));
    if (text.size() > kLargest) return fail(ErrorKind::BadInput, "a table of more than 1 GiB", path);
  }
  // A stream that ends early reads as an end.
  int code = 0;
  gzerror(file.get(), &code);
  if (code != Z_OK && code != Z_STREAM_END)
    return fail(ErrorKind::BadInput, "the compressed file ends early", path);
  return parse(std::move(text), path);
}

Result<Csv> Csv::parse(std::string text, std::string name) {
  Csv csv;
  csv.name_ = std::move(name);
  csv.text_.assign(text.begin(), text.end());
  char* at = csv.text_.data();
  const char* const end = at + csv.text_.size();
  if (csv.text_.size() >= 3 && std::memcmp(at, "\xef\xbb\xbf", 3) == 0) at += 3;

  size_t line = 1;
  std::vector<std::string_view> row;
  while (at < end) {
    const size_t begins = line;
    row.clear();
    for (;;) {
      char* const start = at;
      std::string_view cell;
      if (at < end && *at == '"') {
        // Doubled quotes shrink in place.
        char* out = start;
        ++at;
        for (;; ++at) {
          if (at == end)
            return fail(ErrorKind::BadInput, "a quoted cell does not end",
                        csv.name_ + ":" + std::to_string(begins));
          if (*at == '\n') ++line;
          if (*at == '"') {
            if (at + 1 < end && at[1] == '"')
              ++at;
            else
              break;
          }
          *out++ = *at;
        }
        ++at;
        if (at < end && *at != ',' && *at != '\n' && *at != '\r')
          return fail(ErrorKind::BadInput, "text after a quoted cell",
                      csv.name_ + ":" + std::to_string(line));
        cell = {start, static_cast<size_t>(out - start)};
      } else {
        while (at < end && *at != ',' && *at != '\n' && *at != '\r') ++at;
        cell = {start, static_cast<size_t>(at - start)};
      }
      row.push_back(cell);
      if (at < end && *at == ',') {
        ++at;
        continue;
      }
      break;
    }
    if (at < end && *at == '\r') ++at;
    if (at < end && *at == '\n') ++at;
    ++line;
    if (row.size() == 1 && row[0].empty()) continue;  // an empty line
    if (csv.columns_.empty()) {
      csv.columns_ = row;
      continue;
    }
    if (row.size() != csv.columns_.size())
      return fail(ErrorKind::BadInput,
                  std::to_string(row.size()) + " cells where the first line names " +
                      std::to_string(csv.columns_.size()) + " columns",
                  csv.name_ + ":" + std::to_string(begins));
    csv.cells_.insert(csv.cells_.end(), row.begin(), row.end());
    csv.lines_.push_back(begins);
  }
  if (csv.columns_.empty()) return fail(ErrorKind::BadInput, "no line with names of columns", csv.name_);
  return csv;
}

}  // namespace wavesmith::validate
