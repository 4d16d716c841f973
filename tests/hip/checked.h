// What a checker reports of a process: a child makes the fault, its parent reads the report.
#pragma once

#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <string>

/// The report on a process that does this under these checkers.
inline std::string report_of(const char* checkers, const std::function<void()>& body) {
  namespace fs = std::filesystem;
  std::string folder = fs::temp_directory_path() / "checked_XXXXXX";
  if (!mkdtemp(folder.data())) std::exit(1);
  std::fflush(stdout);
  const pid_t child = fork();
  if (child == 0) {
    setenv("WAVESMITH_CHECK", checkers, 1);
    setenv("WAVESMITH_CHECK_REPORT", folder.c_str(), 1);
    setenv("WAVESMITH_FAULT", "error", 1);
    body();
    std::exit(0);
  }
  waitpid(child, nullptr, 0);
  std::string report;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder)) {
    std::ifstream file(entry.path());
    report += std::string(std::istreambuf_iterator<char>(file), {});
  }
  fs::remove_all(folder);
  return report;
}

inline bool has(const std::string& report, const std::string& rule) {
  return report.find("\"rule\": \"" + rule + "\"") != std::string::npos;
}
inline bool has_none(const std::string& report) {
  return report.find("\"findings\": []") != std::string::npos;
}
