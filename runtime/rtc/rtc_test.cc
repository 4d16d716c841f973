// hiprtc against the compiler of this machine. Without one the tests that compile are skipped, and the rest
// still holds.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "base/scratch.h"
#include "object/code_object.h"
#include "runtime/rtc/api.h"
#include "runtime/rtc/device_header.h"
#include "runtime/rtc/prelude.h"
#include "toolchain/discover.h"

namespace {

class Hiprtc : public testing::Test {
 protected:
  void SetUp() override {
    const auto tools = wavesmith::toolchain::discover();
    if (tools.clang.empty() || tools.lld.empty()) GTEST_SKIP() << "no clang with lld here";
  }
  void TearDown() override {
    for (hiprtcProgram& each : programs_) hiprtcDestroyProgram(&each);
  }
  hiprtcProgram create(const char* source, std::vector<const char*> headers = {},
                       std::vector<const char*> names = {}) {
    hiprtcProgram program = nullptr;
    EXPECT_EQ(hiprtcCreateProgram(&program, source, "folder/kernel.hip", static_cast<int>(headers.size()),
                                  headers.data(), names.data()),
              HIPRTC_SUCCESS);
    programs_.push_back(program);
    return program;
  }
  static hiprtcResult compile(hiprtcProgram program, std::vector<const char*> options) {
    return hiprtcCompileProgram(program, static_cast<int>(options.size()), options.data());
  }
  static std::string log(hiprtcProgram program) {
    size_t size = 0;
    EXPECT_EQ(hiprtcGetProgramLogSize(program, &size), HIPRTC_SUCCESS);
    std::string text(size, '\0');
    EXPECT_EQ(hiprtcGetProgramLog(program, text.data()), HIPRTC_SUCCESS);
    return text;
  }
  static wavesmith::Result<wavesmith::object::CodeObject> object(hiprtcProgram program) {
    size_t size = 0;
    EXPECT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_SUCCESS);
    std::vector<char> code(size);
    EXPECT_EQ(hiprtcGetCode(program, code.data()), HIPRTC_SUCCESS);
    return wavesmith::object::CodeObject::parse({reinterpret_cast<const uint8_t*>(code.data()), size});
  }
  std::vector<hiprtcProgram> programs_;
};

TEST(HiprtcPrelude, CoversTheFirstIncludesOnly) {
  const auto covered = [](std::string_view text) {
    return std::string(text.substr(0, wavesmith::rtc::leading_includes(text)));
  };
  EXPECT_EQ(covered(""), "");
  EXPECT_EQ(covered("int x;\n"), "");
  EXPECT_EQ(covered("#include <a.h>\n\n  # include \"b.h\" // why\nint x;\n#include <c.h>\n"),
            "#include <a.h>\n\n  # include \"b.h\" // why\n");
  EXPECT_EQ(covered("#include <a.h>"), "#include <a.h>");
  EXPECT_EQ(covered("#define A 1\n#include <a.h>\n"), "");
  EXPECT_EQ(covered("#include <a.h> /* from here\nto there */\n"), "");
  EXPECT_EQ(covered("// goes on \\\n#include <a.h>\n"), "");
  EXPECT_EQ(covered("#include_next <a.h>\n"), "");
  EXPECT_EQ(covered("#if 1\n#include <a.h>\n#endif\n"), "");
  EXPECT_EQ(wavesmith::rtc::without_first("ab\ncd\nef", 4), "  \n d\nef");
}

TEST_F(Hiprtc, ProgramsThatStartAlikeGiveTheSameWithAndWithoutPrelude) {
  const wavesmith::Scratch scratch("prelude");
  const std::filesystem::path folder = scratch.folder();
  setenv("WAVESMITH_CACHE", (folder / "cache").c_str(), 1);
  const auto preludes = [&] {
    size_t count = 0;
    for (const auto& entry : std::filesystem::directory_iterator(folder / "cache/hiprtc"))
      count += entry.path().extension() == ".pch";
    return count;
  };
  const auto header = [&](const char* text) {
    std::ofstream(folder / "counted.h") << text;  // no guard: including it twice is an error
  };
  header("struct Counted { int value; };\n");
  const std::string option = "-I" + folder.string();
  const auto compiles = [&](const char* body) {
    const std::string source = std::string("#include \"counted.h\"\n\n") + body;
    hiprtcProgram program = create(source.c_str());
    const hiprtcResult result = compile(program, {"--offload-arch=gfx942", option.c_str()});
    return std::pair(result, log(program));
  };
  const char* const good = "extern \"C\" __global__ void k(Counted* p) { p->value = 3; }\n";
  for (int i = 0; i < 4; ++i) {
    const auto [result, said] = compiles(good);
    EXPECT_EQ(result, HIPRTC_SUCCESS) << said;
  }
  EXPECT_EQ(preludes(), 1);
  const auto [bad, said] = compiles("extern \"C\" __global__ void k(Counted* p) {\n  p->valve = 3;\n}\n");
  EXPECT_EQ(bad, HIPRTC_ERROR_COMPILATION);
  EXPECT_NE(said.find("kernel.hip:4:"), std::string::npos)
      << said;  // the line of the program, not of what is left
  // A header that changes is seen.
  header("struct Counted { long other; int value; float more; };\n");
  EXPECT_EQ(compiles("extern \"C\" __global__ void k(Counted* p) { p->more = 3; }\n").first, HIPRTC_SUCCESS);
  EXPECT_EQ(preludes(), 0);
  unsetenv("WAVESMITH_CACHE");
}

TEST_F(Hiprtc, ProgramsMayIncludeTheStandardLibrary) {
  if (wavesmith::toolchain::discover().headers.empty()) GTEST_SKIP() << "no HIP headers here";
  hiprtcProgram program = create(
      "#include <stdint.h>\n#include <tuple>\n#include <type_traits>\n"
      "static_assert(std::is_same<int64_t, long>::value && std::is_same<uint64_t, unsigned long>::value);\n"
      "static_assert(std::is_same<int, int>::value);\n"
      "extern \"C\" __global__ void k(float4* p) {\n"
      "  const auto pair = std::make_tuple(1, 2.0f);\n"
      "  *p = make_float4(std::get<0>(pair), std::get<1>(pair), 0, 0);\n}\n"
      "extern \"C\" __global__ void add(uint64_t* p, unsigned long long* q) {\n"
      "  atomicAdd(p, uint64_t(1));\n  atomicAdd(q, 1ull);\n  p[1] = __ballot(1);\n}\n");
  EXPECT_EQ(compile(program, {"--offload-arch=gfx942"}), HIPRTC_SUCCESS) << log(program);
}

TEST_F(Hiprtc, RelativeFoldersAreThoseOfTheProcess) {
  const std::filesystem::path before = std::filesystem::current_path();
  const wavesmith::Scratch folder("relative");
  for (const uint32_t value : {0x12345678u, 0x23456789u}) {
    const std::filesystem::path here = folder / fmt::to_string(value);
    std::filesystem::create_directories(here);
    std::ofstream(here / "own.h") << fmt::format("#define VALUE {}\n", value);
    std::filesystem::current_path(here);
    for (int i = 0; i < 3; ++i) {  // the first without, the others with what is precompiled
      hiprtcProgram program =
          create("#include \"own.h\"\nextern \"C\" __global__ void k(unsigned* p) { *p = VALUE; }\n");
      ASSERT_EQ(compile(program, {"--offload-arch=gfx942", "-I."}), HIPRTC_SUCCESS) << log(program);
      size_t size = 0;
      ASSERT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_SUCCESS);
      std::string code(size, 0);
      ASSERT_EQ(hiprtcGetCode(program, code.data()), HIPRTC_SUCCESS);
      EXPECT_NE(code.find(std::string(reinterpret_cast<const char*>(&value), 4)), code.npos)
          << value << ' ' << i;
    }
  }
  std::filesystem::current_path(before);
}

TEST_F(Hiprtc, FoldersThatHipccNamedDoNotBringHeadersOfAnotherVersion) {
  if (wavesmith::toolchain::discover().headers.empty()) GTEST_SKIP() << "no HIP headers here";
  const wavesmith::Scratch folder("test", wavesmith::toolchain::cache_folder());
  std::filesystem::create_directories(folder / "hip");
  std::ofstream(folder / "hip/hip_runtime.h") << "#error \"another version\"\n";
  const std::string option = "-I" + folder.folder().string();
  hiprtcProgram program = create("extern \"C\" __global__ void k(int* p) { *p = threadIdx.x; }\n");
  EXPECT_EQ(compile(program, {"--offload-arch=gfx942", option.c_str()}), HIPRTC_SUCCESS) << log(program);
}

TEST_F(Hiprtc, BrainFloatsRoundToNearest) {
  hiprtcProgram program = create(
      "#include <hip/hip_bf16.h>\n"
      "extern \"C\" __global__ void k(__hip_bfloat16* p, unsigned short* bits, float x) {\n"
      "  p[0] = p[1] * p[2] + __float2bfloat16(x);\n  bits[0] = __bfloat16_as_ushort(p[1]);\n"
      "  bits[1] = __hisnan(p[2]);\n  p[3] = __ushort_as_bfloat16(bits[2]);\n}\n"
      "#if HIP_VERSION_MAJOR < 6  // the one of ours\n"
      "static_assert(__bfloat16_as_ushort(__hip_bfloat16(1.00390625f)) == 0x3f80);  // a tie, to even\n"
      "static_assert(__bfloat16_as_ushort(__hip_bfloat16(1.01171875f)) == 0x3f82);\n"
      "static_assert(__bfloat16_as_ushort(__hip_bfloat16(-2.0f)) == 0xc000);\n"
      "static_assert(float(__ushort_as_bfloat16(0x4049)) == 3.140625f);\n"
      "static_assert(__hisnan(__ushort_as_bfloat16(0x7fc0)) && !__hisnan(__ushort_as_bfloat16(0xff80)));\n"
      "static_assert(__hisinf(__ushort_as_bfloat16(0xff80)) && __hip_bfloat16(3) * __hip_bfloat16(2) == "
      "__hip_bfloat16(6));\n"
      "#endif\n");
  EXPECT_EQ(compile(program, {"--offload-arch=gfx942"}), HIPRTC_SUCCESS) << log(program);
}

TEST_F(Hiprtc, SpareHeadersOfThrustMeanWhatThrustSays) {
  hiprtcProgram program = create(
      "#include <thrust/detail/config/namespace.h>\n#include <thrust/pair.h>\n#include <thrust/swap.h>\n"
      "#include <thrust/tuple.h>\n"
      "THRUST_NAMESPACE_BEGIN\n__device__ int three() { return 3; }\nTHRUST_NAMESPACE_END\n"
      "constexpr auto triple = thrust::make_tuple(1, 2.5, 'c');\n"
      "static_assert(thrust::get<0>(triple) == 1 && thrust::get<1>(triple) == 2.5 && thrust::get<2>(triple) "
      "== 'c');\n"
      "static_assert(thrust::tuple_size<thrust::tuple<int, float>>::value == 2);\n"
      "static_assert(thrust::make_tuple(1, 2) < thrust::make_tuple(1, 3));\n"
      "static_assert(!(thrust::make_tuple(2, 2) < thrust::make_tuple(1, 3)));\n"
      "static_assert(thrust::make_pair(1, 2) < thrust::make_pair(2, 1) && thrust::make_pair(1, 2) != "
      "thrust::make_pair(1, 3));\n"
      "constexpr int tied() {\n  int a = 0, b = 0;\n  thrust::tie(a, b) = thrust::make_tuple(4, 5);\n"
      "  return 10 * a + b;\n}\nstatic_assert(tied() == 45);\n"
      "extern \"C\" __global__ void k(int* p) {\n"
      "  thrust::pair<int, float> pair(thrust::three(), 2.0f);\n"
      "  thrust::swap(p[0], p[1]);\n"
      "  thrust::tie(p[2], p[3]) = thrust::make_tuple(pair.first, static_cast<int>(pair.second));\n}\n");
  EXPECT_EQ(compile(program, {"--offload-arch=gfx942"}), HIPRTC_SUCCESS) << log(program);
}

TEST_F(Hiprtc, CompilesForTheGpuThatIsAskedFor) {
  for (const char* const target : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"}) {
    hiprtcProgram program = create(
        "extern \"C\" __global__ void saxpy(float a, const float* x, float* y, size_t n) {\n"
        "  size_t i = blockIdx.x * blockDim.x + threadIdx.x;\n"
        "  if (i < n) y[i] = a * x[i] + expf(y[i]);\n"
        "  __syncthreads();\n"
        "  atomicAdd(y, 1.0f);\n"
        "}\n");
    ASSERT_EQ(compile(program, {(std::string("--offload-arch=") + target).c_str()}), HIPRTC_SUCCESS)
        << log(program);
    const auto code = object(program);
    ASSERT_TRUE(code.has_value()) << code.error().text();
    EXPECT_NE(code->kernel("saxpy"), nullptr);
  }
}

TEST_F(Hiprtc, LoweredNamesAreSymbolsOfTheObject) {
  hiprtcProgram program = create(
      "namespace n { template <class T, int N> __global__ void kernel(T* p) { *p = N; } __constant__ float "
      "weights[4]; }\n"
      "__global__ void plain(int* p) { *p = static_cast<int>(n::weights[1]); }\n");
  for (const char* const expression : {"n::kernel<float, 3>", "&n::weights", "plain"})
    ASSERT_EQ(hiprtcAddNameExpression(program, expression), HIPRTC_SUCCESS);
  const char* name = nullptr;
  EXPECT_EQ(hiprtcGetLoweredName(program, "plain", &name), HIPRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
  ASSERT_EQ(compile(program, {"--gpu-architecture=gfx942"}), HIPRTC_SUCCESS) << log(program);
  ASSERT_EQ(hiprtcGetLoweredName(program, "n::kernel<float, 3>", &name), HIPRTC_SUCCESS);
  EXPECT_STREQ(name, "_ZN1n6kernelIfLi3EEEvPT_");
  ASSERT_EQ(hiprtcGetLoweredName(program, "&n::weights", &name), HIPRTC_SUCCESS);
  EXPECT_STREQ(name, "_ZN1n7weightsE");
  ASSERT_EQ(hiprtcGetLoweredName(program, "plain", &name), HIPRTC_SUCCESS);
  EXPECT_STREQ(name, "_Z5plainPi");
  EXPECT_EQ(hiprtcGetLoweredName(program, "other", &name), HIPRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
  EXPECT_EQ(hiprtcAddNameExpression(program, "late"), HIPRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
  const auto code = object(program);
  ASSERT_TRUE(code.has_value());
  EXPECT_NE(code->kernel("_ZN1n6kernelIfLi3EEEvPT_"), nullptr);
}

TEST_F(Hiprtc, ErrorsAreInTheLogWithTheProgramsOwnNames) {
  hiprtcProgram program = create("extern \"C\" __global__ void f(int* p) {\n  *p = undeclared;\n}\n");
  EXPECT_EQ(compile(program, {"--offload-arch=gfx942"}), HIPRTC_ERROR_COMPILATION);
  const std::string text = log(program);
  EXPECT_NE(text.find("kernel.hip:2"), std::string::npos) << text;
  EXPECT_NE(text.find("undeclared"), std::string::npos) << text;
  EXPECT_EQ(text.find("/tmp"), std::string::npos) << text;
  size_t size = 0;
  EXPECT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_ERROR_INVALID_PROGRAM);
}

TEST_F(Hiprtc, HeadersAreFoundByTheirNames) {
  hiprtcProgram program = create(
      "#include \"lib/answer.h\"\n#include <other.h>\nextern \"C\" __global__ void f(int* p) { *p = ANSWER + "
      "OTHER; }\n",
      {"#define ANSWER 42\n", "#define OTHER 1\n"}, {"lib/answer.h", "other.h"});
  EXPECT_EQ(compile(program, {"--offload-arch=gfx942", "-O1"}), HIPRTC_SUCCESS) << log(program);
  hiprtcProgram outside = create("\n", {"#define ANSWER 42\n"}, {"../../answer.h"});
  EXPECT_EQ(compile(outside, {}), HIPRTC_ERROR_COMPILATION);
}

TEST_F(Hiprtc, HalfPrecisionNeedsNoInclude) {
  const auto tools = wavesmith::toolchain::discover();
  if (tools.headers.empty() || !tools.headers.front().has("hip/hip_fp16.h"))
    GTEST_SKIP() << "no HIP headers with hip_fp16.h";
  hiprtcProgram program = create(
      "extern \"C\" __global__ void f(__half* p) { p[0] = __float2half(__half2float(p[1]) + 1); }\n"
      "__half_raw raw;\n");
  EXPECT_EQ(compile(program, {"--offload-arch=gfx942"}), HIPRTC_SUCCESS) << log(program);
}

TEST_F(Hiprtc, WhatRocmsHeaderDefinesNeedsNoInclude) {
  if (wavesmith::toolchain::discover().headers.empty()) GTEST_SKIP() << "no HIP headers here";
  const char* const source =
      "static_assert(hipTextureType2D == 2 && sizeof(hipTextureDesc) > 0 && hipBoundaryModeZero == 0);\n"
      "template <typename A, typename B> constexpr bool kSame = false;\n"
      "template <typename A> constexpr bool kSame<A, A> = true;\n"
      "static_assert(kSame<ptrdiff_t, WANTED>);\n";
  hiprtcProgram program = create(source);
  EXPECT_EQ(compile(program, {"-DWANTED=long"}), HIPRTC_SUCCESS) << log(program);
  program = create(source);
  EXPECT_EQ(compile(program, {"-DWANTED=long long", "-D__HIPRTC_PTRDIFF_T_IS_LONG_LONG__=1"}), HIPRTC_SUCCESS)
      << log(program);
}

TEST_F(Hiprtc, SmallFloatsAndComplexNumbersNeedNoInclude) {
  const auto tools = wavesmith::toolchain::discover();
  if (tools.headers.empty() || !tools.headers.front().has("hip/hip_complex.h") ||
      tools.headers.front().major < 6)
    GTEST_SKIP() << "no headers of HIP 6 or later with hip_complex.h";
  hiprtcProgram program = create(
      "extern \"C\" __global__ void f(hip_bfloat16* b, hipFloatComplex* c) {\n"
      "  b[0] = hip_bfloat16(float(b[1]) + 1);\n"
      "  c[0] = hipCmulf(c[1], make_hipFloatComplex(0, 1));\n"
      "}\n");
  EXPECT_EQ(compile(program, {"--offload-arch=gfx942"}), HIPRTC_SUCCESS) << log(program);
}

TEST_F(Hiprtc, KernelsMayAllocate) {
  if (wavesmith::toolchain::discover().headers.empty()) GTEST_SKIP() << "no HIP headers here";
  hiprtcProgram program =
      create("extern \"C\" __global__ void f(int** p) { *p = static_cast<int*>(malloc(4)); }\n");
  ASSERT_EQ(compile(program, {"--offload-arch=gfx942"}), HIPRTC_SUCCESS) << log(program);
  const auto code = object(program);
  ASSERT_TRUE(code.has_value()) << code.error().text();
  const auto& arguments = code->kernel("f")->arguments;
  EXPECT_TRUE(std::ranges::any_of(arguments, [](const auto& each) {
    return each.value_kind == "hidden_heap_v1";  // how a kernel finds its heap
  }));
}

TEST_F(Hiprtc, BitcodeOfSeveralProgramsLinks) {
  std::vector<std::vector<char>> parts;
  for (const char* const source :
       {"__device__ int answer(int x) { return x * 6; }\n",
        "__device__ int answer(int x);\nextern \"C\" __global__ void f(int* p) { *p = answer(*p); }\n"}) {
    hiprtcProgram program = create(source);
    ASSERT_EQ(compile(program, {"-fgpu-rdc", "--offload-arch=gfx942"}), HIPRTC_SUCCESS) << log(program);
    size_t size = 0;
    EXPECT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_ERROR_INVALID_PROGRAM);
    ASSERT_EQ(hiprtcGetBitcodeSize(program, &size), HIPRTC_SUCCESS);
    parts.emplace_back(size);
    ASSERT_EQ(hiprtcGetBitcode(program, parts.back().data()), HIPRTC_SUCCESS);
  }
  hiprtcLinkState state = nullptr;
  ASSERT_EQ(hiprtcLinkCreate(0, nullptr, nullptr, &state), HIPRTC_SUCCESS);
  for (auto& part : parts)
    ASSERT_EQ(hiprtcLinkAddData(state, HIPRTC_JIT_INPUT_LLVM_BITCODE, part.data(), part.size(), "part", 0,
                                nullptr, nullptr),
              HIPRTC_SUCCESS);
  void* binary = nullptr;
  size_t size = 0;
  ASSERT_EQ(hiprtcLinkComplete(state, &binary, &size), HIPRTC_SUCCESS);
  const auto code = wavesmith::object::CodeObject::parse({static_cast<const uint8_t*>(binary), size});
  ASSERT_TRUE(code.has_value()) << code.error().text();
  EXPECT_NE(code->kernel("f"), nullptr);
  EXPECT_EQ(hiprtcLinkDestroy(state), HIPRTC_SUCCESS);
  EXPECT_EQ(hiprtcLinkDestroy(state), HIPRTC_ERROR_INVALID_INPUT);
}

TEST_F(Hiprtc, TheBuiltInHeaderNeedsNoHipHeaders) {
  const std::string source = std::string(wavesmith::rtc::kHeaderAlone) +
                             "extern \"C\" __global__ void f(float* p) {\n"
                             "  __shared__ float shared[64];\n"
                             "  shared[threadIdx.x % 64] = p[blockIdx.x * blockDim.x + threadIdx.x];\n"
                             "  __syncthreads();\n"
                             "  float4 v = make_float4(1, 2, sqrtf(shared[3]), gridDim.x);\n"
                             "  atomicAdd(p, __shfl_xor(v.z, 5) + __popcll(__ballot(v.w > 2)));\n"
                             "}\n";
  for (const char* const target : {"gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1151", "gfx1201"}) {
    hiprtcProgram program = create(source.c_str());
    EXPECT_EQ(compile(program, {"--hiprtc-no-builtin-header", "-nogpuinc", "-nogpulib",
                                (std::string("--offload-arch=") + target).c_str()}),
              HIPRTC_SUCCESS)
        << log(program);
  }
}

TEST_F(Hiprtc, FunctionsOfTheDeviceLibrariesAreRightOrAbsent) {
  const auto tools = wavesmith::toolchain::discover();
  for (const char* const body : {"d[0] = sin(d[1]);", "d[0] = exp(d[1]);", "d[0] = pow(d[1], d[2]);",
                                 "f[0] = cosf(f[1]);", "f[0] = powf(f[1], f[2]);", "d[0] = rsqrt(d[1]);"}) {
    const std::string source = std::string(wavesmith::rtc::kHeaderAlone) +
                               "extern \"C\" __global__ void k(double* d, float* f) { " + body + " }\n";
    hiprtcProgram program = create(source.c_str());
    const std::vector<const char*> options = {"--hiprtc-no-builtin-header", "-nogpuinc",
                                              "--offload-arch=gfx942", "-S"};
    std::vector<const char*> without = options;
    without.push_back("-nogpulib");
    EXPECT_EQ(compile(program, without), HIPRTC_ERROR_COMPILATION) << body;
    const std::string said = log(program);
    EXPECT_NE(said.find("is in AMD's device libraries, which were not found"), said.npos) << said;
    if (tools.libraries.empty()) continue;
    program = create(source.c_str());
    ASSERT_EQ(compile(program, options), HIPRTC_SUCCESS) << log(program);
    size_t size = 0;
    ASSERT_EQ(hiprtcGetCodeSize(program, &size), HIPRTC_SUCCESS);
    std::string assembly(size, 0);
    ASSERT_EQ(hiprtcGetCode(program, assembly.data()), HIPRTC_SUCCESS);
    EXPECT_EQ(assembly.find("v_cvt_f32_f64"), assembly.npos) << body << " in single precision";
    EXPECT_NE(assembly.find("s_endpgm"), assembly.npos) << assembly;
  }
}

TEST_F(Hiprtc, WhatIsAddedToAProgramWarnsOfNothing) {
  hiprtcProgram program =
      create("__attribute__((global)) void k(int* p);\n__attribute__((global)) void k(int* p) { *p = 1; }\n");
  ASSERT_EQ(hiprtcAddNameExpression(program, "k"), HIPRTC_SUCCESS);
  EXPECT_EQ(compile(program, {"--offload-arch=gfx942", "-Weverything", "-Werror", "-Wno-c++98-compat",
                              "-Wno-unsafe-buffer-usage"}),
            HIPRTC_SUCCESS)
      << log(program);
  EXPECT_EQ(log(program), "");
}

TEST_F(Hiprtc, ALogIsAsLongAsItsText) {
  hiprtcProgram program = create("#warning \"listen\"\nextern \"C\" __global__ void k(int* p) { *p = 1; }\n");
  size_t size = 99;
  EXPECT_EQ(hiprtcGetProgramLogSize(program, &size), HIPRTC_SUCCESS);
  EXPECT_EQ(size, 0);
  ASSERT_EQ(compile(program, {"--offload-arch=gfx942"}), HIPRTC_SUCCESS);
  ASSERT_EQ(hiprtcGetProgramLogSize(program, &size), HIPRTC_SUCCESS);
  ASSERT_GT(size, 0);
  std::string text(size + 1, '#');
  ASSERT_EQ(hiprtcGetProgramLog(program, text.data()), HIPRTC_SUCCESS);
  EXPECT_NE(text.find("listen"), text.npos);
  EXPECT_EQ(text.find('\0'), text.npos);
  EXPECT_EQ(text.substr(size - 1), "\n#") << "AMD's writes no zero behind it";
}

TEST(HiprtcWithoutCompiler, ProgramsThatNeedDeviceLibrariesAreToldWhichAndHowToGetThem) {
  const wavesmith::toolchain::Toolchain none;
  const auto there = wavesmith::toolchain::require_device_libraries(none, "the program");
  ASSERT_FALSE(there.has_value());
  for (const char* const word : {"ocml.bc", "rocm-device-libs", "WAVESMITH_HIP_PATH"})
    EXPECT_NE(there.error().text().find(word), std::string::npos) << there.error().text();
}

TEST(HiprtcWithoutCompiler, TheLogSaysWhatIsMissingAndHowToGetIt) {
  // What is set before is put back: other tests want their compiler.
  const char* const before = std::getenv("WAVESMITH_CLANG");
  const std::string kept = before ? before : "";
  for (const std::string clang : {"/nowhere/clang++", "clang++-of-nobody"}) {
    setenv("WAVESMITH_CLANG", clang.c_str(), 1);
    hiprtcProgram program = nullptr;
    ASSERT_EQ(hiprtcCreateProgram(&program, "", "a.hip", 0, nullptr, nullptr), HIPRTC_SUCCESS);
    testing::internal::CaptureStderr();
    EXPECT_EQ(hiprtcCompileProgram(program, 0, nullptr), HIPRTC_ERROR_COMPILATION);
    const std::string said = testing::internal::GetCapturedStderr();
    size_t size = 0;
    ASSERT_EQ(hiprtcGetProgramLogSize(program, &size), HIPRTC_SUCCESS);
    std::string log(size, '\0');
    ASSERT_EQ(hiprtcGetProgramLog(program, log.data()), HIPRTC_SUCCESS);
    for (const std::string& text : {log, said}) {
      EXPECT_NE(text.find("hiprtc needs clang++"), std::string::npos) << text;
      EXPECT_NE(text.find(clang), std::string::npos) << text;
      EXPECT_NE(text.find("install clang"), std::string::npos) << text;
    }
    EXPECT_EQ(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
  }
  before ? setenv("WAVESMITH_CLANG", kept.c_str(), 1) : unsetenv("WAVESMITH_CLANG");
}

TEST(HiprtcArguments, WrongOnesAreErrors) {
  hiprtcProgram program = nullptr;
  size_t size = 0;
  EXPECT_EQ(hiprtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr), HIPRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(hiprtcCreateProgram(&program, nullptr, "", 0, nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcCreateProgram(&program, "", "", 1, nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcCreateProgram(&program, "", "", -1, nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcGetCodeSize(nullptr, &size), HIPRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(hiprtcGetCodeSize(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcGetCode(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcGetBitcodeSize(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcGetBitcode(nullptr, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcCompileProgram(reinterpret_cast<hiprtcProgram>(&size), 0, nullptr),
            HIPRTC_ERROR_INVALID_PROGRAM);
  EXPECT_EQ(hiprtcDestroyProgram(nullptr), HIPRTC_ERROR_INVALID_INPUT);
  ASSERT_EQ(hiprtcCreateProgram(&program, "", nullptr, 0, nullptr, nullptr), HIPRTC_SUCCESS);
  EXPECT_EQ(hiprtcCompileProgram(program, 1, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_EQ(hiprtcDestroyProgram(&program), HIPRTC_SUCCESS);
  EXPECT_EQ(program, nullptr);
  int major = 0;
  EXPECT_EQ(hiprtcVersion(&major, nullptr), HIPRTC_ERROR_INVALID_INPUT);
  EXPECT_STREQ(hiprtcGetErrorString(HIPRTC_ERROR_COMPILATION), "HIPRTC_ERROR_COMPILATION");
}

}  // namespace
