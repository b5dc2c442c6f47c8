//===- TensorTest.cpp - Tensors, numbers, comparison ----------------------===//

#include "Runtime/Tensor/CompareTensors.h"
#include "Runtime/Tensor/Convert.h"
#include "Runtime/Tensor/RandomTensor.h"
#include <cmath>
#include <cstring>
#include <gtest/gtest.h>

using namespace fa_runtime;

namespace {

constexpr double kInf = INFINITY, kNaN = NAN;

TEST(Tensor, SizesThatOverflowAreRefused) {
  EXPECT_FALSE(bool(allocateTensor(DType::F32, {int64_t(1) << 62, 2})));
  EXPECT_FALSE(bool(allocateTensor(DType::F32, {0, int64_t(1) << 62, int64_t(1) << 62})));
  EXPECT_FALSE(bool(allocateTensor(DType::F32, {-3})));
  EXPECT_EQ(allocateTensor(DType::F32, {int64_t(1) << 50}).error().text,
            "out of memory: 1125899906842624xf32 takes 4503599627370496 bytes");
  EXPECT_EQ(allocateTensor(DType::F32, {2, 0})->numElements(), 0);
}

TEST(Tensor, FortranOrderBecomesDense) {
  Tensor tensor = *allocateTensor(DType::I32, {2, 3});
  for (int i = 0; i < 6; ++i)
    storeDouble(DType::I32, tensor.data + 4 * i, i);
  tensor.strides = {1, 2};
  EXPECT_EQ(toDoubles(*makeDense(tensor)), (std::vector<double>{0, 2, 4, 1, 3, 5}));
}

TEST(Convert, EveryHalfSurvives) {
  for (uint32_t bits = 0; bits < 65536; ++bits) {
    auto half = static_cast<uint16_t>(bits);
    if (!std::isnan(halfToFloat(half)))
      EXPECT_EQ(floatToHalf(halfToFloat(half)), half);
    else
      EXPECT_TRUE(std::isnan(halfToFloat(floatToHalf(halfToFloat(half)))));
    if (!std::isnan(bfloatToFloat(half)))
      EXPECT_EQ(floatToBfloat(bfloatToFloat(half)), half);
  }
}

TEST(Convert, RoundsToNearestEven) {
  EXPECT_EQ(halfToFloat(floatToHalf(1 + 0x1p-11f)), 1);
  EXPECT_EQ(halfToFloat(floatToHalf(1 + 0x1.8p-10f)), 1 + 0x1p-9f);
  EXPECT_EQ(halfToFloat(floatToHalf(65519.996f)), 65504);
  EXPECT_EQ(halfToFloat(floatToHalf(65520)), kInf);
  EXPECT_EQ(halfToFloat(floatToHalf(0x1p-25f)), 0);
  EXPECT_EQ(halfToFloat(floatToHalf(0x1.8p-24f)), 0x1p-23f);
  EXPECT_EQ(halfToFloat(floatToHalf(0x1.ffep-15f)), 0x1p-14f);
  EXPECT_EQ(bfloatToFloat(floatToBfloat(1 + 0x1p-8f)), 1);
  EXPECT_TRUE(std::isnan(bfloatToFloat(floatToBfloat(kNaN))));
}

TEST(RandomTensor, IsTheSameEverywhere) {
  Tensor a = *randomTensor(DType::F32, {100, 7}, 3, 0), b = *randomTensor(DType::F32, {700}, 3, 0);
  EXPECT_EQ(memcmp(a.data, b.data, 2800), 0);
  EXPECT_NE(toDoubles(a), toDoubles(*randomTensor(DType::F32, {700}, 3, 1)));
  EXPECT_FLOAT_EQ(static_cast<float>(toDoubles(*randomTensor(DType::F64, {1}, 0, 0))[0]),
                  0.3509925f);
  double sum = 0, squares = 0;
  for (double x : toDoubles(*randomTensor(DType::F64, {10000}, 1, 0)))
    sum += x, squares += x * x;
  EXPECT_NEAR(sum / 10000, 0, 0.05);
  EXPECT_NEAR(squares / 10000, 1, 0.05);
}

double errorOf(const std::vector<double> &values, const std::vector<double> &reference) {
  return measureDeviation(values, {reference, DType::F32},
                          errorScales({{reference, DType::F32}})[0])
      .error;
}

int64_t specialsOf(const std::vector<double> &values, const std::vector<double> &reference,
                   DType dtype) {
  return measureDeviation(values, {reference, dtype}, 1).numSpecial;
}

bool holds(const std::vector<double> &fused, const std::vector<double> &unfused,
           const std::vector<double> &reference, DType dtype) {
  return judgeFused(fused, unfused, {reference, dtype}, errorScales({{reference, dtype}})[0]).holds;
}

TEST(Deviation, IsRelativeToTheLargestReference) {
  EXPECT_DOUBLE_EQ(errorOf({1, 2.5, -4}, {1, 2, -4}), 0.125);
  EXPECT_DOUBLE_EQ(errorOf({0.5}, {0}), 0.5);
  Deviation deviation = measureDeviation({1, 2.5, -4}, {{1, 2, -4}, DType::F32}, 4);
  EXPECT_EQ(describeWorst(deviation, {3, 1}), "element [1, 0] is 2.5, the reference 2");
}

TEST(Deviation, ZeroButForRoundingHasNoScaleOfItsOwn) {
  EXPECT_EQ(errorScales({{{1e-17, -2e-17}, DType::F32}, {{1, -8}, DType::F32}, {{0}, DType::I32}}),
            (std::vector<double>{8, 8, 8}));
  EXPECT_EQ(errorScales({{{1e-5}, DType::F32}, {{1}, DType::F32}}), (std::vector<double>{1e-5, 1}));
  EXPECT_EQ(errorScales({{{0, 0}, DType::F32}}), (std::vector<double>{1}));
  // Integers, which may be large, are no measure for floats.
  EXPECT_EQ(errorScales({{{1e-5}, DType::F32}, {{1e9}, DType::I64}}),
            (std::vector<double>{1e-5, 1e9}));
}

TEST(Deviation, CountsWhatIsNoNumber) {
  EXPECT_EQ(specialsOf({kNaN, kInf, -kInf}, {kNaN, kInf, -kInf}, DType::F32), 0);
  EXPECT_EQ(specialsOf({kNaN, kInf, 1}, {1, -kInf, kNaN}, DType::F32), 3);
  // 70000 is no f16: infinity is right.
  EXPECT_EQ(specialsOf({kInf}, {70000}, DType::F16), 0);
  EXPECT_EQ(specialsOf({kInf}, {70000}, DType::F32), 1);
}

TEST(Verdict, AllowsTwiceTheUnfusedError) {
  EXPECT_TRUE(holds({1.1}, {1.06}, {1}, DType::F32));
  EXPECT_FALSE(holds({1.2}, {1.06}, {1}, DType::F32));
  EXPECT_TRUE(holds({1.0005}, {1}, {1}, DType::F16));
  EXPECT_FALSE(holds({1.0005}, {1}, {1}, DType::F32));
  EXPECT_FALSE(holds({3}, {4}, {4}, DType::I32));
}

TEST(Verdict, WhereOneIsNoNumber) {
  // The unfused value overflowed: the fused one must be right all the same.
  EXPECT_TRUE(holds({1, 2}, {1, kNaN}, {1, 2}, DType::F16));
  EXPECT_FALSE(holds({1, 1.9}, {1, kNaN}, {1, 2}, DType::F16));
  EXPECT_FALSE(holds({1, kNaN}, {1, kNaN}, {1, 2}, DType::F16));
  // The reference is no number: as the reference, or as the unfused value.
  EXPECT_TRUE(holds({kNaN}, {kNaN}, {kNaN}, DType::F32));
  EXPECT_TRUE(holds({kInf}, {kInf}, {kNaN}, DType::F32));
  EXPECT_FALSE(holds({0}, {kNaN}, {kNaN}, DType::F32));
}

} // namespace
