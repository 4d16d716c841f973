#include "validate/table.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

#include "base/scratch.h"

namespace wavesmith::validate {
namespace {

Csv csv(const char* text) { return *Csv::parse(text, "mine.csv"); }

TEST(Table, KindIsToldByTheColumns) {
  EXPECT_EQ(kind_of(csv("kernel_name,problem_size,iterations,avg_ms\n")), TableKind::Mi300a);
  EXPECT_EQ(kind_of(csv("value,unit,gpu,library,op,dtype,shape,metric,more\n")), TableKind::Published);
  EXPECT_EQ(kind_of(csv("kernel,se,exec,simd,wave,pc,inst,issue_cycle\n")), TableKind::IssueCycles);
  const Error error = kind_of(csv("a,b\n")).error();
  EXPECT_EQ(error.kind, ErrorKind::BadInput);
  EXPECT_NE(error.hint.find("problem_size"), std::string::npos);
}

TEST(Table, OurOwnAreFoundAndAreOfTheirKinds) {
  Data data;
  for (const TableKind kind :
       {TableKind::Tensile, TableKind::Published, TableKind::Mi300a, TableKind::IssueCycles}) {
    const auto tables = data.judged(kind);
    ASSERT_TRUE(tables) << tables.error().text();
    for (const Csv* table : *tables) {
      EXPECT_EQ(kind_of(*table), kind) << table->name();
      EXPECT_GT(table->rows(), 10u) << table->name();
    }
  }
  EXPECT_FALSE(data.foreign());
}

TEST(Table, AUsersFileIsJudgedAlone) {
  const Scratch scratch("table");
  const std::string path = scratch / "mine.csv";
  std::ofstream(path) << "kernel_name,problem_size,iterations,avg_ms\nrelu,1024,51,0.005\n";
  Result<Data> data = Data::from_files({path});
  ASSERT_TRUE(data) << data.error().text();
  EXPECT_TRUE(data->foreign());
  EXPECT_TRUE(data->has(TableKind::Mi300a));
  EXPECT_FALSE(data->has(TableKind::Tensile));
  EXPECT_EQ((*data->judged(TableKind::Mi300a)).front()->rows(), 1u);
  EXPECT_TRUE(data->judged(TableKind::Tensile)->empty());
  EXPECT_GT((*data->own(TableKind::Mi300a)).front()->rows(), 200u);
  std::filesystem::remove(path);
  EXPECT_FALSE(Data::from_files({path}));
}

}  // namespace
}  // namespace wavesmith::validate
