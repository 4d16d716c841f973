// Reads files the ways that programs do, for machine_test: probe WAY PATH prints what that way sees.
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <glob.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace {

std::string by_file(FILE* file) {
  std::string text;
  char part[512];
  while (file)
    if (const size_t got = std::fread(part, 1, sizeof part, file); got)
      text.append(part, got);
    else
      break;
  if (file) std::fclose(file);
  return text;
}

std::string by_descriptor(int file) {
  std::string text;
  char part[512];
  for (ssize_t got; file >= 0 && (got = read(file, part, sizeof part)) > 0;)
    text.append(part, static_cast<size_t>(got));
  if (file >= 0) close(file);
  return text;
}

std::string read_as(const std::string& way, const char* path) {
  namespace fs = std::filesystem;
  const std::string parent = fs::path(path).parent_path().string(), name = fs::path(path).filename().string();
  if (way == "fopen") return by_file(std::fopen(path, "r"));
  if (way == "open") return by_descriptor(open(path, O_RDONLY));
  if (way == "openat") {
    const int folder = open(parent.c_str(), O_RDONLY | O_DIRECTORY);
    return by_descriptor(openat(folder, name.c_str(), O_RDONLY));
  }
  if (way == "chdir") return chdir(parent.c_str()) == 0 ? by_descriptor(open(name.c_str(), O_RDONLY)) : "";
  if (way == "ifstream") {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  if (way == "fork") {
    int ends[2];
    if (pipe(ends) != 0) return "";
    if (fork() == 0) {
      const std::string text = by_descriptor(open(path, O_RDONLY));
      _exit(write(ends[1], text.data(), text.size()) == static_cast<ssize_t>(text.size()) ? 0 : 1);
    }
    close(ends[1]);
    const std::string text = by_descriptor(ends[0]);
    wait(nullptr);
    return text;
  }
  if (way == "threads") {
    std::vector<std::string> texts(8);
    std::vector<std::thread> threads;
    for (std::string& text : texts)
      threads.emplace_back([&] {
        for (int i = 0; i < 200; ++i) text = by_descriptor(open(path, O_RDONLY));
      });
    for (std::thread& thread : threads) thread.join();
    for (const std::string& text : texts)
      if (text != texts[0]) return "the threads differ";
    return texts[0];
  }
  return "";
}

std::string look_as(const std::string& way, const char* path) {
  namespace fs = std::filesystem;
  std::string text;
  if (way == "opendir") {
    if (DIR* const folder = opendir(path)) {
      std::vector<std::string> names;
      while (const dirent* entry = readdir(folder))
        if (entry->d_name[0] != '.') names.emplace_back(entry->d_name);
      closedir(folder);
      std::sort(names.begin(), names.end());
      for (const std::string& name : names) text += name + "\n";
    }
  } else if (way == "scandir") {
    dirent** entries = nullptr;
    const int count =
        scandir(path, &entries, [](const dirent* e) { return e->d_name[0] != '.' ? 1 : 0; }, alphasort);
    for (int i = 0; i < count; ++i) text += std::string(entries[i]->d_name) + "\n", std::free(entries[i]);
    std::free(entries);
  } else if (way == "directory_iterator") {
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(path)) names.push_back(entry.path().filename().string());
    std::sort(names.begin(), names.end());
    for (const std::string& name : names) text += name + "\n";
  } else if (way == "glob") {
    glob_t found = {};
    if (glob(path, 0, nullptr, &found) == 0)
      for (size_t i = 0; i < found.gl_pathc; ++i) text += std::string(found.gl_pathv[i]) + "\n";
    globfree(&found);
  } else if (way == "exists") {
    struct stat a = {}, b = {};
    struct statx c = {};
    const bool all = stat(path, &a) == 0 && lstat(path, &b) == 0 && fstatat(AT_FDCWD, path, &a, 0) == 0 &&
                     statx(AT_FDCWD, path, 0, STATX_BASIC_STATS, &c) == 0 && access(path, R_OK) == 0 &&
                     faccessat(AT_FDCWD, path, R_OK, 0) == 0 && fs::exists(path);
    text = all ? "yes\n" : "no\n";
  } else if (way == "dlopen" || way == "loaded") {  // names, each behind a comma
    std::istringstream names(path);
    for (std::string name; std::getline(names, name, ',');)
      text += dlopen(name.c_str(), RTLD_NOW | (way == "dlopen" ? 0 : RTLD_NOLOAD)) ? "yes\n" : "no\n";
  } else if (way == "device") {
    struct stat a = {};
    const int file = open(path, O_RDWR);
    text = file >= 0 && stat(path, &a) == 0 && S_ISCHR(a.st_mode) ? "yes\n" : "no\n";
  } else if (way == "realpath") {
    char buffer[PATH_MAX];
    if (realpath(path, buffer)) text = std::string(buffer) + "\n";
  } else if (way == "readlink") {
    char buffer[PATH_MAX];
    if (const ssize_t got = readlink(path, buffer, sizeof buffer); got > 0)
      text = std::string(buffer, static_cast<size_t>(got)) + "\n";
  }
  return text;
}

}  // namespace

int main(int count, char** words) {
  if (count != 3) return 2;
  const std::string read = read_as(words[1], words[2]);
  std::cout << (read.empty() ? look_as(words[1], words[2]) : read);
  return 0;
}
