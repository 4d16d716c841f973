// hiprtc: handles and arguments; the work is program.cc's.
#include "runtime/rtc/api.h"

#include <cstdint>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <memory>
#include <mutex>
#include <new>
#include <set>

#include "runtime/rtc/program.h"

namespace rtc = wavesmith::rtc;
using wavesmith::ErrorKind;

struct _hiprtcProgram {
  rtc::Source source;
  std::vector<rtc::Source> headers;
  std::vector<std::string> expressions;
  std::string log;
  rtc::Compiled compiled;
  bool tried = false, done = false;
};

struct ihiprtcLinkState {
  std::vector<std::vector<uint8_t>> inputs;
  std::vector<std::string> options;
  std::vector<uint8_t> binary;
};

namespace {

/// The handles that exist, so that a wrong one is an error and no crash.
template <class T>
class Handles {
 public:
  T* add(T* made) {
    const std::scoped_lock lock(mutex_);
    all_.insert(made);
    return made;
  }
  bool holds(T* handle) {
    const std::scoped_lock lock(mutex_);
    return all_.contains(handle);
  }
  bool remove(T* handle) {
    const std::scoped_lock lock(mutex_);
    return all_.erase(handle) > 0;
  }

 private:
  std::mutex mutex_;
  std::set<T*> all_;
};

template <class T>
Handles<T>& handles() {
  static auto& all = *new Handles<T>;
  return all;
}

template <class Body>
hiprtcResult guarded(Body body) {
  try {
    return body();
  } catch (const std::bad_alloc&) {
    return HIPRTC_ERROR_OUT_OF_MEMORY;
  } catch (...) {
    return HIPRTC_ERROR_INTERNAL_ERROR;
  }
}

template <class Body>
hiprtcResult with_program(hiprtcProgram program, Body body) {
  return guarded([&] {
    return handles<_hiprtcProgram>().holds(program) ? body(*program) : HIPRTC_ERROR_INVALID_PROGRAM;
  });
}

/// Copies bytes that exist only after a compilation.
hiprtcResult copy(const std::vector<uint8_t>& bytes, char* out) {
  if (bytes.empty()) return HIPRTC_ERROR_INVALID_PROGRAM;
  std::memcpy(out, bytes.data(), bytes.size());
  return HIPRTC_SUCCESS;
}

hiprtcResult size_of(const std::vector<uint8_t>& bytes, size_t* out) {
  if (bytes.empty()) return HIPRTC_ERROR_INVALID_PROGRAM;
  *out = bytes.size();
  return HIPRTC_SUCCESS;
}

/// What thousands of programs fail by is told for the first.
void tell_once(const std::string& what) {
  static std::mutex mutex;
  static auto& told = *new std::set<std::string>;
  const std::scoped_lock lock(mutex);
  if (told.insert(what).second) std::fprintf(stderr, "wavesmith: %s\n", what.c_str());
}

bool is_bitcode(hiprtcJITInputType type) {
  return type == HIPRTC_JIT_INPUT_LLVM_BITCODE || type == HIPRTC_JIT_INPUT_LLVM_BUNDLED_BITCODE ||
         type == HIPRTC_JIT_INPUT_LLVM_ARCHIVES_OF_BUNDLED_BITCODE;
}

}  // namespace

const char* hiprtcGetErrorString(hiprtcResult result) {
  switch (result) {
#define CASE(name) \
  case name:       \
    return #name
    CASE(HIPRTC_SUCCESS);
    CASE(HIPRTC_ERROR_OUT_OF_MEMORY);
    CASE(HIPRTC_ERROR_PROGRAM_CREATION_FAILURE);
    CASE(HIPRTC_ERROR_INVALID_INPUT);
    CASE(HIPRTC_ERROR_INVALID_PROGRAM);
    CASE(HIPRTC_ERROR_INVALID_OPTION);
    CASE(HIPRTC_ERROR_COMPILATION);
    CASE(HIPRTC_ERROR_BUILTIN_OPERATION_FAILURE);
    CASE(HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    CASE(HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    CASE(HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
    CASE(HIPRTC_ERROR_INTERNAL_ERROR);
    CASE(HIPRTC_ERROR_LINKING);
#undef CASE
  }
  return "Invalid HIPRTC error code";
}

hiprtcResult hiprtcVersion(int* major, int* minor) {
  if (!major || !minor) return HIPRTC_ERROR_INVALID_INPUT;
  *major = 9;
  *minor = 0;
  return HIPRTC_SUCCESS;
}

hiprtcResult hiprtcCreateProgram(hiprtcProgram* program, const char* source, const char* name,
                                 int header_count, const char** headers, const char** include_names) {
  return guarded([&] {
    if (!program) return HIPRTC_ERROR_INVALID_PROGRAM;
    if (!source || header_count < 0 || (header_count > 0 && (!headers || !include_names)))
      return HIPRTC_ERROR_INVALID_INPUT;
    auto made = std::make_unique<_hiprtcProgram>();
    made->source = {name ? name : "", source};
    for (int i = 0; i < header_count; ++i) {
      if (!headers[i] || !include_names[i]) return HIPRTC_ERROR_INVALID_INPUT;
      made->headers.push_back({include_names[i], headers[i]});
    }
    *program = handles<_hiprtcProgram>().add(made.release());
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcDestroyProgram(hiprtcProgram* program) {
  if (!program) return HIPRTC_ERROR_INVALID_INPUT;
  return guarded([&] {
    if (!handles<_hiprtcProgram>().remove(*program)) return HIPRTC_ERROR_INVALID_PROGRAM;
    delete *program;
    *program = nullptr;
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcAddNameExpression(hiprtcProgram program, const char* expression) {
  if (!expression) return HIPRTC_ERROR_INVALID_INPUT;
  return with_program(program, [&](_hiprtcProgram& p) {
    if (p.tried) return HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    p.expressions.emplace_back(expression);
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcCompileProgram(hiprtcProgram program, int option_count, const char** options) {
  if (option_count < 0 || (option_count > 0 && !options)) return HIPRTC_ERROR_INVALID_INPUT;
  return with_program(program, [&](_hiprtcProgram& p) {
    std::vector<std::string> given;
    for (int i = 0; i < option_count; ++i) {
      if (!options[i]) return HIPRTC_ERROR_INVALID_INPUT;
      given.emplace_back(options[i]);
    }
    p.tried = true;
    auto compiled = rtc::compile(p.source, p.headers, p.expressions, given, p.log);
    if (!compiled) {
      if (!p.log.empty() && p.log.back() != '\n') p.log += '\n';
      p.log += compiled.error().text() + "\n";
      // With no compiler every program fails: a caller that never reads the log should see why.
      if (compiled.error().kind == ErrorKind::NotFound) tell_once(compiled.error().text());
      return HIPRTC_ERROR_COMPILATION;
    }
    p.compiled = std::move(*compiled);
    p.done = true;
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcGetLoweredName(hiprtcProgram program, const char* expression, const char** name) {
  if (!expression || !name) return HIPRTC_ERROR_INVALID_INPUT;
  return with_program(program, [&](_hiprtcProgram& p) {
    if (!p.done) return HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    const auto found = p.compiled.lowered.find(expression);
    if (found == p.compiled.lowered.end()) return HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
    *name = found->second.c_str();
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcGetProgramLogSize(hiprtcProgram program, size_t* size) {
  if (!size) return HIPRTC_ERROR_INVALID_INPUT;
  return with_program(program, [&](_hiprtcProgram& p) {
    *size = p.log.size();  // as AMD's counts: with no zero at the end
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcGetProgramLog(hiprtcProgram program, char* log) {
  if (!log) return HIPRTC_ERROR_INVALID_INPUT;
  return with_program(program, [&](_hiprtcProgram& p) {
    std::memcpy(log, p.log.data(), p.log.size());
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcGetCodeSize(hiprtcProgram program, size_t* size) {
  if (!size) return HIPRTC_ERROR_INVALID_INPUT;
  return with_program(program, [&](_hiprtcProgram& p) { return size_of(p.compiled.code, size); });
}
hiprtcResult hiprtcGetCode(hiprtcProgram program, char* code) {
  if (!code) return HIPRTC_ERROR_INVALID_INPUT;
  return with_program(program, [&](_hiprtcProgram& p) { return copy(p.compiled.code, code); });
}
hiprtcResult hiprtcGetBitcodeSize(hiprtcProgram program, size_t* size) {
  if (!size) return HIPRTC_ERROR_INVALID_INPUT;
  return with_program(program, [&](_hiprtcProgram& p) { return size_of(p.compiled.bitcode, size); });
}
hiprtcResult hiprtcGetBitcode(hiprtcProgram program, char* bitcode) {
  if (!bitcode) return HIPRTC_ERROR_INVALID_INPUT;
  return with_program(program, [&](_hiprtcProgram& p) { return copy(p.compiled.bitcode, bitcode); });
}

hiprtcResult hiprtcLinkCreate(unsigned option_count, hiprtcJIT_option* options, void** values,
                              hiprtcLinkState* state) {
  return guarded([&] {
    if (!state || (option_count > 0 && (!options || !values))) return HIPRTC_ERROR_INVALID_INPUT;
    auto made = std::make_unique<ihiprtcLinkState>();
    const char* const* words = nullptr;
    size_t count = 0;
    for (unsigned i = 0; i < option_count; ++i) {
      if (options[i] == HIPRTC_JIT_IR_TO_ISA_OPT_EXT) words = static_cast<const char* const*>(values[i]);
      if (options[i] == HIPRTC_JIT_IR_TO_ISA_OPT_COUNT_EXT) count = reinterpret_cast<uintptr_t>(values[i]);
    }
    if (count > 0 && !words) return HIPRTC_ERROR_INVALID_OPTION;
    for (size_t i = 0; i < count; ++i) made->options.emplace_back(words[i]);
    *state = handles<ihiprtcLinkState>().add(made.release());
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcLinkAddData(hiprtcLinkState state, hiprtcJITInputType type, void* data, size_t size,
                               const char*, unsigned, hiprtcJIT_option*, void**) {
  return guarded([&] {
    if (!handles<ihiprtcLinkState>().holds(state) || !data || size == 0 || !is_bitcode(type))
      return HIPRTC_ERROR_INVALID_INPUT;
    const auto* const bytes = static_cast<const uint8_t*>(data);
    state->inputs.emplace_back(bytes, bytes + size);
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcLinkAddFile(hiprtcLinkState state, hiprtcJITInputType type, const char* path, unsigned,
                               hiprtcJIT_option*, void**) {
  return guarded([&] {
    if (!handles<ihiprtcLinkState>().holds(state) || !path || !is_bitcode(type))
      return HIPRTC_ERROR_INVALID_INPUT;
    std::ifstream file(path, std::ios::binary);
    std::vector<uint8_t> bytes{std::istreambuf_iterator<char>(file), {}};
    if (bytes.empty()) return HIPRTC_ERROR_PROGRAM_CREATION_FAILURE;
    state->inputs.push_back(std::move(bytes));
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcLinkComplete(hiprtcLinkState state, void** binary, size_t* size) {
  return guarded([&] {
    if (!handles<ihiprtcLinkState>().holds(state) || !binary || !size) return HIPRTC_ERROR_INVALID_INPUT;
    if (state->inputs.empty()) return HIPRTC_ERROR_LINKING;
    std::string log;
    auto linked = rtc::link(state->inputs, state->options, log);
    if (!linked) {
      std::fprintf(stderr, "wavesmith: %s\n%s", linked.error().text().c_str(), log.c_str());
      return HIPRTC_ERROR_LINKING;
    }
    state->binary = std::move(*linked);
    *binary = state->binary.data();
    *size = state->binary.size();
    return HIPRTC_SUCCESS;
  });
}

hiprtcResult hiprtcLinkDestroy(hiprtcLinkState state) {
  return guarded([&] {
    if (!handles<ihiprtcLinkState>().remove(state)) return HIPRTC_ERROR_INVALID_INPUT;
    delete state;
    return HIPRTC_SUCCESS;
  });
}
