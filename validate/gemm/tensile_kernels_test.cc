// Rows of rocBLAS's tuning with what the cycle model said of the kernels that they name.
#include "validate/gemm/tensile_kernels.h"

#include <gtest/gtest.h>

#include <set>

#include "validate/families/family.h"
#include "validate/table.h"

namespace wavesmith::validate {
namespace {

constexpr std::string_view kColumns =
    "gpu,unit,repo,layout,typestr,M,N,B,K,value,solidx,MT0,MT1,DepthU,MI,MIWaveGroup,NumThreads,GSU,WGM,PGR,"
    "1LDS,DTL,"
    "LSU,solname,chip,library,kernel,kernels,cycles,clock_mhz,bound\n";

/// A row of an MI250X: a 1024 x 1024 x 1024 product of f16 at half of the peak.
std::string row(const std::string& chip, const std::string& unit = "%peak@tuning_clock",
                const std::string& value = "50", const std::string& clock = "1700") {
  return "MI250X GCD (110CU)," + unit + ",ROCm+rocBLAS,TN,HHS_BH,1024,1024,1,1024," + value +
         ",1,128,128,32,32x32x8x1,2x2,256,1,1,1,1,False,1,Cijk_Alik_Bljk_HHS_BH_MT128x128x32," + chip +
         ",librocblas5 7.2,Cijk_Alik_Bljk_HHS_BH_MT128x128x32_WG64,1,17000," + clock + ",compute\n";
}

Csv table(const std::string& rows) {
  return *Csv::parse(std::string(kColumns) + rows, "tensile_kernels.csv");
}

TEST(TensileKernels, MeasuredAndModelledAreToldAtOneClock) {
  const Csv csv = table(row("mi250x"));
  const Result<TensileKernels> read = tensile_kernels(csv);
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->kernels.size(), 1u);
  const TensileKernel& kernel = read->kernels[0];
  // 2^31 FLOP at half of 1024 a clock and unit, 110 units, 1700 MHz.
  EXPECT_NEAR(kernel.row.seconds, 2147483648.0 / (0.5 * 1024 * 110 * 1700e6), 1e-12);
  EXPECT_NEAR(kernel.seconds(), 10e-6, 1e-12);
  EXPECT_EQ(kernel.tuning, "MI250X HHS_BH");
  EXPECT_EQ(kernel.bound, "compute");
}

TEST(TensileKernels, RatesAreToldAtTheModelledClock) {
  const Csv csv = table(row("mi250x", "GFLOP/s", "100000", "1000"));
  const Result<TensileKernels> read = tensile_kernels(csv);
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->kernels.size(), 1u);
  EXPECT_NEAR(read->kernels[0].seconds(), 17e-6, 1e-12);
  EXPECT_NEAR(read->kernels[0].row.seconds, 2147483648.0 / 1e14, 1e-12);
}

TEST(TensileKernels, ARowProfiledForAnotherChipIsLeftOutAndSaid) {
  const Csv csv = table(row("mi210"));
  const Result<TensileKernels> read = tensile_kernels(csv);
  ASSERT_TRUE(read) << read.error().text();
  EXPECT_TRUE(read->kernels.empty());
  ASSERT_EQ(read->left_out.size(), 1u);
  EXPECT_NE(read->left_out[0].find("1 rows: profiled for another chip"), std::string::npos)
      << read->left_out[0];
}

TEST(TensileKernels, OfARowThatWasProfiledForTwoChipsTheMeasuredOneIsTaken) {
  const Csv csv = table(row("mi210") + row("mi250x"));
  const Result<TensileKernels> read = tensile_kernels(csv);
  ASSERT_TRUE(read) << read.error().text();
  ASSERT_EQ(read->kernels.size(), 1u);
  EXPECT_EQ(read->kernels[0].row.chip, "mi250x");
  EXPECT_TRUE(read->left_out.empty());
}

TEST(TensileKernels, AMissingColumnAndACellThatIsNoNumberAreErrors) {
  const Csv plain = *Csv::parse("gpu,unit\nMI250X,%\n", "plain.csv");
  EXPECT_FALSE(tensile_kernels(plain));
  std::string broken = row("mi250x");
  broken.replace(broken.find("17000"), 5, "many?");
  const Csv csv = table(broken);
  const Result<TensileKernels> read = tensile_kernels(csv);
  ASSERT_FALSE(read);
  EXPECT_NE(read.error().text().find("many?"), std::string::npos) << read.error().text();
}

TEST(TensileKernels, ATableWithModelledCyclesIsNoTableOfTunedGemmsAlone) {
  const Csv csv = table(row("mi250x"));
  const Result<TableKind> kind = kind_of(csv);
  ASSERT_TRUE(kind);
  EXPECT_EQ(*kind, TableKind::TensileKernels);
}

/// A kernel of 17000 cycles at 1.7 GHz, 10 us, that took so many microseconds.
TensileKernel measured(double microseconds) {
  TensileKernel kernel;
  kernel.cycles = 17000;
  kernel.engine_mhz = 1700;
  kernel.row.seconds = microseconds * 1e-6;
  return kernel;
}

TEST(TensileKernels, TheLaunchIsWhatMostKernelsTakeBeside) {
  const TensileKernel a = measured(15), b = measured(15), c = measured(18);
  EXPECT_NEAR(fitted_launch({&a, &b, &c}, 1), 5e-6, 1e-12);
  EXPECT_EQ(fitted_launch({}, 0), 0);
  // Faster than modelled: a launch does not give time back.
  const TensileKernel fast = measured(8);
  EXPECT_EQ(fitted_launch({&fast}, 1), 0);
  // The shortest time that was measured holds a launch, whatever other kernels took.
  const TensileKernel slow = measured(1000);
  EXPECT_NEAR(fitted_launch({&slow, &slow}, 12e-6), 12e-6, 1e-12);
}

TEST(TensileKernels, OurOwnRowsAreManyOfSeveralGpusAndTypesInBothHalves) {
  Data data;
  const auto tables = data.own(TableKind::TensileKernels);
  ASSERT_TRUE(tables) << tables.error().text();
  ASSERT_EQ(tables->size(), 1u);
  const Result<TensileKernels> read = tensile_kernels(*tables->front());
  ASSERT_TRUE(read) << read.error().text();
  size_t judged = 0;
  std::set<std::string> families, types, kernels, libraries;
  for (const TensileKernel& each : read->kernels) {
    judged += each.row.half == Half::B ? 1 : 0;
    families.insert(each.row.family);
    types.insert(std::string(model::name_of(each.row.problem.a)));
    kernels.insert(each.kernel);
    libraries.insert(each.row.library);
    // Operands and macro tile of the row's name are the kernel's.
    const std::string& name = each.row.kernel->name;
    EXPECT_TRUE(each.kernel.starts_with(name.substr(0, name.find("Bljk")).substr(0, name.find("Bjlk"))))
        << name;
    const size_t tile = name.find("_MT"), end = name.find('_', tile + 1);
    EXPECT_NE(each.kernel.find(name.substr(tile, end - tile)), std::string::npos) << name;
    EXPECT_GT(each.cycles, 0);
  }
  EXPECT_GE(judged, 60u);
  EXPECT_GE(families.size(), 4u);
  EXPECT_GE(types.size(), 5u);
  EXPECT_GE(kernels.size(), 60u);
  EXPECT_EQ(libraries, (std::set<std::string>{"hipBLASLt", "rocBLAS"}));
}

}  // namespace
}  // namespace wavesmith::validate
