// What a program prints, for tests of printf in kernels.
#pragma once

#include <unistd.h>

#include <cstdio>
#include <string>

/// What `action` prints to a file of the standard streams.
template <class Action>
std::string printed(FILE* stream, Action action) {
  std::fflush(stream);
  const int saved = dup(fileno(stream));
  FILE* const file = std::tmpfile();
  dup2(fileno(file), fileno(stream));
  action();
  std::fflush(stream);
  dup2(saved, fileno(stream));
  close(saved);
  std::fseek(file, 0, SEEK_END);
  std::string text(static_cast<size_t>(std::ftell(file)), ' ');
  std::rewind(file);
  text.resize(std::fread(text.data(), 1, text.size(), file));
  std::fclose(file);
  return text;
}
