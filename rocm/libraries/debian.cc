#include "rocm/libraries/debian.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "base/file.h"
#include "base/split.h"
#include "rocm/libraries/known_libraries.h"
#include "toolchain/process.h"

namespace wavesmith::rocm {
namespace {

namespace fs = std::filesystem;
using toolchain::Command;

/// Packages whose files are AMD's: they lie apart from what others need them for.
constexpr const char* kAmds = "^(lib)?(roc|hip|miopen|rccl|migraphx|amd|hsa|comgr).*";

/// What Wavesmith serves itself, by the stems of Debian's names: never fetched, unless it was asked for.
/// MIOpen wants clang's headers for AMD's hiprtc.
constexpr const char* kOurs[] = {"libamdhip64-", "libhsa-runtime64-", "libhsakmt"};
constexpr const char* kCompilers[] = {"libamd-comgr", "libhiprtc", "libhiprtc-builtins", "libclang-common-"};

std::string architecture() {
#if defined(__x86_64__)
  return "amd64";
#else
  return "arm64";
#endif
}

/// The mirror of Debian that this machine's apt uses; empty: none.
std::string own_mirror() {
  std::vector<fs::path> files = {"/etc/apt/sources.list"};
  std::error_code ignored;
  for (const fs::directory_entry& entry : fs::directory_iterator("/etc/apt/sources.list.d", ignored))
    files.push_back(entry.path());
  const std::regex mirror(R"((?:https?|file):/\S*/debian/?(?=\s|$))");
  for (const fs::path& path : files) {
    std::ifstream file(path);
    for (std::string line; std::getline(file, line);)
      if (std::smatch found; !line.starts_with('#') && std::regex_search(line, found, mirror))
        return found.str();
  }
  return {};
}

/// The line that says what went wrong.
std::string complaint(const std::string& output) {
  std::istringstream lines(output);
  std::string first;
  for (std::string line; std::getline(lines, line);) {
    if (line.starts_with("E: ")) return line.substr(3);
    if (first.empty() && (line.starts_with("W: ") || line.starts_with("Err"))) first = line;
  }
  return first.empty() ? "it does not say why" : first;
}

Result<std::string> output_of(const Command& command) {
  const auto done = toolchain::run(command, true);
  if (!done) return tl::unexpected(done.error());
  if (done->code != 0) return fail(ErrorKind::BadInput, complaint(done->output));
  return done->output;
}

std::string part_of(const std::string& package) {
  static const std::regex amds(kAmds);
  if (package == "libc6") return "libc";
  return std::regex_match(package, amds) ? "amd" : "support";
}

}  // namespace

Result<Debian> Debian::prepare(const std::string& folder, const std::string& suite, std::string mirror) {
  for (const char* tool : {"apt-get", "apt-cache", "dpkg-deb"})
    if (toolchain::find_program({tool}).empty())
      return fail(ErrorKind::NotFound, fmt::format("this needs {}, which is not here", tool), {},
                  "it is part of Debian, Ubuntu and what is made of them; elsewhere install AMD's ROCm");
  if (suite != "unstable" && suite != "experimental")
    return fail(ErrorKind::BadInput, fmt::format("no suite '{}'", suite), {}, "unstable or experimental");
  if (mirror.empty()) mirror = own_mirror();
  if (mirror.empty())
    return fail(ErrorKind::NotFound, "no mirror of Debian in the sources of this machine's apt", {},
                "--mirror names one: the address of a folder with dists and pool");
  std::string keys;
  for (const char* file :
       {"/usr/share/keyrings/debian-archive-keyring.gpg", "/usr/share/keyrings/debian-archive-keyring.pgp"})
    if (std::error_code ignored; keys.empty() && fs::exists(file, ignored)) keys = file;
  if (keys.empty() && !mirror.starts_with("file:"))
    return fail(ErrorKind::NotFound, "Debian's keys are not installed", {},
                "apt install debian-archive-keyring");
  setenv("LC_ALL", "C", 1);  // apt's answers are read
  Debian debian(folder, suite, mirror);
  if (const auto done = debian.configure(keys); !done) return tl::unexpected(done.error());
  return debian;
}

Result<void> Debian::configure(const std::string& keys) const {
  // What lies on this machine needs no signature.
  const std::string trust = mirror_.starts_with("file:") ? "trusted=yes" : "signed-by=" + keys;
  std::string sources = fmt::format("deb [{}] {} unstable main\n", trust, mirror_);
  if (suite_ == "experimental") sources += fmt::format("deb [{}] {} experimental main\n", trust, mirror_);
  const std::string preferences =
      fmt::format("Package: /{}/\nPin: release a=experimental\nPin-Priority: 990\n", kAmds);
  // The user's own settings stay, proxies among them; what is done after an update on this machine does not.
  const std::string settings = fmt::format(
      "Dir::State \"{0}\";\nDir::State::Lists \"{0}/lists\";\nDir::State::status \"{0}/status\";\n"
      "Dir::State::extended_states \"{0}/extended\";\nDir::Cache \"{0}/cache\";\n"
      "Dir::Cache::Archives \"{0}/archives\";\n"
      "Dir::Etc::sourcelist \"{0}/sources.list\";\nDir::Etc::sourceparts \"/dev/null\";\n"
      "Dir::Etc::preferences \"{0}/preferences\";\nDir::Etc::preferencesparts \"/dev/null\";\nDir::Log "
      "\"{0}/log\";\n"
      "APT::Architecture \"{1}\";\nAPT::Architectures {{ \"{1}\"; }};\n#clear APT::Default-Release;\n"
      "#clear APT::Update::Pre-Invoke;\n#clear APT::Update::Post-Invoke;\n"
      "#clear APT::Update::Post-Invoke-Success;\n#clear DPkg::Pre-Install-Pkgs;\n#clear DPkg::Post-Invoke;\n"
      "#clear DPkg::Pre-Invoke;\nAPT::Keep-Downloaded-Packages \"true\";\n"
      "APT::Sandbox::User \"root\";\nAPT::Update::Error-Mode \"any\";\nAPT::Install-Recommends \"false\";\n"
      "APT::Get::List-Cleanup \"true\";\nAcquire::Languages \"none\";\nAcquire::Retries \"3\";\n"
      "Acquire::IndexTargets::deb::Contents-deb::DefaultEnabled \"false\";\nAcquire::PDiffs \"false\";\n",
      folder_ + "/.apt", architecture());
  std::error_code failed;
  for (const char* folder : {"lists/partial", "archives/partial", "none/partial", "cache", "log"})
    fs::create_directories(own(folder), failed);
  const bool written = !failed && write_file(own("sources.list"), sources) &&
                       write_file(own("preferences"), preferences) && write_file(own("settings"), settings) &&
                       write_file(own("status"), "");
  if (!written)
    return fail(ErrorKind::BadInput, fmt::format("cannot write to '{}'", folder_), {},
                "--to names another folder");
  return {};
}

Result<void> Debian::update() const {
  const auto done = output_of({"apt-get", "-c", own("settings"), "-q", "update"});
  if (done) return {};
  return fail(ErrorKind::NotFound, fmt::format("Debian's lists cannot be fetched: {}", done.error().what),
              mirror_, "this needs the network; --mirror names another mirror of Debian");
}

/// The newest package of each stem: "librocblas" is "librocblas5".
Result<std::vector<std::string>> Debian::packages(const std::string& stems) const {
  std::vector<std::string> found;
  for (const std::string_view word : words(stems)) {
    const std::string stem(word);
    const auto names = output_of({"apt-cache", "-c", own("settings"), "pkgnames", stem});
    if (!names) return tl::unexpected(names.error());
    std::string best;
    for (const std::string_view listed : words(*names)) {
      const std::string name(listed);
      const std::string number = name.substr(std::min(stem.size(), name.size()));
      const bool is_one = number.find_first_not_of("0123456789") == number.npos;
      const auto value = [&](const std::string& of) {
        return of.size() > stem.size() ? std::stoul(of.substr(stem.size())) : 0;
      };
      if (!is_one || (!best.empty() && value(name) < value(best))) continue;
      // Names without a package are listed too.
      const auto shown =
          toolchain::run({"apt-cache", "-c", own("settings"), "show", "--no-all-versions", name}, true);
      if (shown && shown->code == 0 && shown->output.find("Version:") != std::string::npos) best = name;
    }
    if (best.empty())
      return fail(ErrorKind::NotFound, fmt::format("Debian {} has no package {} now", suite_, stem), mirror_);
    found.push_back(best);
  }
  return found;
}

/// Says to apt that what Wavesmith serves is installed.
Result<void> Debian::stand_for(const std::vector<std::string>& names) const {
  bool compilers = false;
  for (const std::string& name : names) compilers |= name == "hiprtc" || name == "comgr";
  std::vector<std::string> stems(std::begin(kOurs), std::end(kOurs));
  if (!compilers) stems.insert(stems.end(), std::begin(kCompilers), std::end(kCompilers));
  std::string status;
  for (const std::string& stem : stems) {
    const auto listed = output_of({"apt-cache", "-c", own("settings"), "pkgnames", stem});
    if (!listed) return tl::unexpected(listed.error());
    for (const std::string_view name : words(*listed)) {
      const std::string_view rest = name.substr(std::min(stem.size(), name.size()));
      if (const size_t end = rest.find_first_not_of("0123456789");
          rest.empty() || (end != rest.npos && rest.substr(end) != "-dev") || end == 0)
        continue;
      status += fmt::format(
          "Package: {}\nStatus: install ok installed\nVersion: 99:0\nArchitecture: {}\n"
          "Multi-Arch: same\nMaintainer: Wavesmith\nDescription: served by Wavesmith\n\n",
          name, architecture());
    }
  }
  for (const InstalledPackage& one : read_installation(folder_).packages)
    status += fmt::format(
        "Package: {}\nStatus: install ok installed\nVersion: {}\nArchitecture: {}\n"
        "Multi-Arch: same\nMaintainer: Debian\nDescription: in this folder\n\n",
        one.name, one.version, architecture());
  if (!write_file(own("status"), status))
    return fail(ErrorKind::BadInput, fmt::format("cannot write to '{}'", folder_));
  return {};
}

Result<std::vector<Archive>> Debian::plan(const std::vector<std::string>& names) const {
  wanted_.clear();
  alone_.clear();
  for (const std::string& name : names) {
    const KnownLibrary* const library = known_library(name);
    if (!library || !*library->packages)
      return fail(ErrorKind::NotFound, fmt::format("no library '{}' of AMD's can be installed", name));
    const auto found = packages(library->packages);
    if (!found) return tl::unexpected(found.error());
    // Headers need nothing: what their packages ask for are the libraries that Wavesmith serves.
    auto& list = *library->file ? wanted_ : alone_;
    list.insert(list.end(), found->begin(), found->end());
  }
  if (const auto done = stand_for(names); !done) return tl::unexpected(done.error());
  std::vector<Archive> archives;
  if (const auto done = add_archives("download", alone_, archives); !done)
    return tl::unexpected(done.error());
  std::erase_if(archives, [&](const Archive& archive) {
    for (const InstalledPackage& one : read_installation(folder_).packages)
      if (one.name == archive.name && one.version == archive.version) return true;
    return false;
  });
  if (wanted_.empty()) return archives;
  // AMD's libraries need it; whether this machine's is new enough is seen when a program is run.
  if (const auto shown = toolchain::run({"apt-cache", "-c", own("settings"), "show", "libc6"}, true);
      shown && shown->code == 0)
    wanted_.emplace_back("libc6");
  if (const auto done = add_archives("install", wanted_, archives); !done)
    return tl::unexpected(done.error());
  return archives;
}

/// What apt would fetch for that: each package's address, file and size.
Result<void> Debian::add_archives(const char* action, const std::vector<std::string>& packages,
                                  std::vector<Archive>& archives) const {
  if (packages.empty()) return {};
  // apt leaves out what lies among its archives, as after an interrupted download: here it sees none.
  const std::string none = "Dir::Cache::Archives=" + own("none");
  Command command = {"apt-get", "-c", own("settings"), "-o", none, "-q", "-y", "--print-uris", action};
  command.insert(command.end(), packages.begin(), packages.end());
  const auto listed = output_of(command);
  if (!listed) return tl::unexpected(listed.error());
  std::istringstream lines(*listed);
  const std::regex form(R"(^'([^']*)' (([^_ ]+)_([^_ ]+)_[^_ ]+\.deb) (\d+) .*)");
  for (std::string line; std::getline(lines, line);) {
    std::smatch found;
    if (!std::regex_match(line, found, form)) continue;
    archives.push_back({found[3], std::regex_replace(found[4].str(), std::regex("%3a"), ":"),
                        part_of(found[3]), found[2], std::stoull(found[5])});
  }
  return {};
}

Result<void> Debian::fetch() const {
  const std::string quiet = isatty(STDERR_FILENO) ? "-q" : "-qq";
  // apt downloads single packages into the folder where it runs.
  Command alone = {"env", "-C", own("archives"), "apt-get", "-c", own("settings"), quiet, "download"},
          together = {"apt-get", "-c", own("settings"), quiet, "-y", "--download-only", "install"};
  for (auto& [command, packages] : {std::pair(&alone, &alone_), std::pair(&together, &wanted_)}) {
    if (packages->empty()) continue;
    command->insert(command->end(), packages->begin(), packages->end());
    const auto done = toolchain::run(*command);
    if (!done) return tl::unexpected(done.error());
    if (done->code != 0)
      return fail(ErrorKind::NotFound, "the packages cannot be fetched", mirror_,
                  "what was fetched is kept: the same command resumes there");
  }
  return {};
}

/// Unpacks one archive beside, then moves its files into place, one by one: each is whole.
Result<void> Debian::place(const Archive& archive) const {
  const fs::path beside = fs::path(folder_) / ".unpacking", target = fs::path(folder_) / archive.part;
  std::error_code failed;
  fs::remove_all(beside, failed);
  fs::create_directories(beside, failed);
  std::string file = own("archives/" + archive.file);
  // A mirror on this machine is read where it is.
  if (!fs::exists(file, failed) && mirror_.starts_with("file:")) {
    const fs::path root = mirror_.substr(5);
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root, failed))
      if (entry.path().filename() == archive.file) file = entry.path();
  }
  if (const auto done = output_of({"dpkg-deb", "-x", file, beside.string()}); !done)
    return fail(ErrorKind::BadInput, fmt::format("cannot unpack {}: {}", archive.file, done.error().what));
  std::string files;
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(beside)) {
    const fs::path relative = entry.path().lexically_relative(beside);
    if (entry.is_directory() && !entry.is_symlink()) {
      fs::create_directories(target / relative, failed);
      continue;
    }
    fs::create_directories((target / relative).parent_path(), failed);
    fs::rename(entry.path(), target / relative, failed);
    if (failed)
      return fail(ErrorKind::BadInput,
                  fmt::format("cannot write '{}': {}", (target / relative).string(), failed.message()));
    files += relative.string() + "\n";
  }
  // What an older version had and this one has not.
  const std::string list = own("files/" + archive.name);
  std::ifstream old(list);
  for (std::string line; std::getline(old, line);)
    if (("\n" + files).find("\n" + line + "\n") == std::string::npos) fs::remove(target / line, failed);
  old.close();
  fs::remove_all(beside, failed);
  if (!write_file(list, files))
    return fail(ErrorKind::BadInput, fmt::format("cannot write to '{}'", folder_));
  return {};
}

Result<Installation> Debian::unpack(const std::vector<Archive>& archives,
                                    const std::vector<std::string>& names) const {
  Installation installation = read_installation(folder_);
  installation.suite = suite_;
  installation.mirror = mirror_;
  for (const char* part : {"libc", "support", "amd"})
    for (const Archive& archive : archives) {
      if (archive.part != part) continue;
      if (const auto done = place(archive); !done) return tl::unexpected(done.error());
      std::erase_if(installation.packages, [&](const auto& one) { return one.name == archive.name; });
      installation.packages.push_back({archive.name, archive.version, archive.part, archive.bytes});
    }
  for (const std::string& name : names)
    if (const std::string known = known_library(name)->name; !installation.has(known))
      installation.asked.push_back(known);
  if (!write_installation(installation))
    return fail(ErrorKind::BadInput, fmt::format("cannot write to '{}'", folder_));
  std::error_code ignored;
  fs::remove_all(own("archives"), ignored);
  return installation;
}

}  // namespace wavesmith::rocm
