//===- ExprTest.cpp - Formulas over run-time sizes ------------------------===//

#include "Runtime/Artifact/Expr.h"
#include <gtest/gtest.h>

using namespace fa_runtime;

namespace {

class ExprTest : public testing::Test {
protected:
  int64_t dims[2] = {300, 64};
  int64_t strides[2] = {-64, 1};
  ExprInputs inputs{{{dims, strides, 2, 0, 0x1030}, {nullptr, nullptr, 0, 7, 0}}, 132};

  std::string valueOf(const Expr &expr) {
    Expected<int64_t> value = evaluate(expr, inputs);
    return value ? std::to_string(*value) : value.error().text;
  }
};

TEST_F(ExprTest, Leaves) {
  EXPECT_EQ(valueOf(dim(0, 0)), "300");
  EXPECT_EQ(valueOf(stride(0, 0)), "-64");
  EXPECT_EQ(valueOf(scalar(1)), "7");
  EXPECT_EQ(valueOf(alignment(0)), "16");
  EXPECT_EQ(valueOf(sms()), "132");
}

TEST_F(ExprTest, DivisionRoundsAsNamed) {
  EXPECT_EQ(valueOf(ceilDiv(dim(0, 0), 64)), "5");
  EXPECT_EQ(valueOf(floorDiv(dim(0, 0), 64)), "4");
  EXPECT_EQ(valueOf(ceilDiv(-65, 64)), "-1");
  EXPECT_EQ(valueOf(floorDiv(-65, 64)), "-2");
  EXPECT_EQ(valueOf(mod(-1, 8)), "7");
}

TEST_F(ExprTest, GuardsProtectDivisions) {
  Expr zero = 0;
  EXPECT_EQ(valueOf(both(0, ceilDiv(1, zero))), "0");
  EXPECT_EQ(valueOf(either(1, ceilDiv(1, zero))), "1");
  EXPECT_EQ(valueOf(select(1, 5, ceilDiv(1, zero))), "5");
}

TEST_F(ExprTest, OverflowIsAnError) {
  EXPECT_EQ(valueOf(dim(0, 0) * INT64_MAX),
            "the size mul(dim(#0, 0), 9223372036854775807) has no 64-bit value: "
            "mul(dim(#0, 0), 9223372036854775807) overflows or divides by zero");
  EXPECT_NE(valueOf(Expr(INT64_MAX) + 1).find("no 64-bit value"), std::string::npos);
  EXPECT_NE(valueOf(Expr(INT64_MIN) - 1).find("no 64-bit value"), std::string::npos);
  EXPECT_NE(valueOf(floorDiv(INT64_MIN, -1)).find("no 64-bit value"), std::string::npos);
  EXPECT_NE(valueOf(mod(1, 0)).find("no 64-bit value"), std::string::npos);
}

} // namespace
