//===- LaunchTest.cpp - Operands, chips and plans -------------------------===//

#include "ExampleArtifact.h"
#include "Runtime/Launch/ChipName.h"
#include "Runtime/Launch/PlanLaunches.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace fa_runtime;

namespace {

Operand tensor(DType dtype, std::vector<int64_t> dims, std::vector<int64_t> strides,
               uint64_t address = 0x10000) {
  Operand operand;
  operand.dtype = dtype;
  operand.dims = std::move(dims);
  operand.strides = std::move(strides);
  operand.address = address;
  return operand;
}

class LaunchTest : public testing::Test {
protected:
  Artifact artifact = exampleArtifact();
  Region &region = artifact.regions[0];
  int64_t length = 7;
  std::vector<Operand> arguments = {tensor(DType::F16, {100, 64}, {64, 1}),
                                    tensor(DType::F32, {100, 9}, {9, 1}),
                                    Operand::ofScalar(DType::I64, &length)};
  std::vector<Operand> results = {tensor(DType::F16, {100, 64}, {72, 1}, 0x20000)};

  std::string check() {
    Status status =
        checkOperands(region.arguments, region.results, region.constraints, arguments, results, 0);
    return status ? "fits" : status.error().text;
  }
  Expected<std::vector<PlannedLaunch>> plan() {
    DeviceLimits limits;
    limits.sms = 4;
    return planLaunches(artifact, region.programs[0], exprInputs(arguments, results, limits.sms),
                        {arguments, results, 0x30000, 0x40000}, limits);
  }
  std::string planError() {
    auto launches = plan();
    return launches ? "no error" : launches.error().text;
  }
};

TEST_F(LaunchTest, ChecksOperands) {
  EXPECT_EQ(check(), "fits");
  arguments[0].strides = {64, 2};
  EXPECT_EQ(check(), "argument q: expected dimension 1 to have stride 1, got 2");
  arguments[0] = tensor(DType::F16, {100, 64}, {64, 1}, 0x10008);
  EXPECT_EQ(check(), "argument q: expected an address that is a multiple of 16");
  arguments[0] = tensor(DType::F16, {99, 64}, {64, 1});
  EXPECT_EQ(check(),
            "the arguments do not fit together: expected that q and mask have the same rows");
  arguments[0] = tensor(DType::F16, {100}, {1});
  EXPECT_EQ(check(), "argument q: expected ?x64xf16, got 100xf16");
  arguments.pop_back();
  EXPECT_EQ(check(), "expected 3 arguments, got 2");
}

TEST_F(LaunchTest, ChecksScalarsAndResults) {
  results[0].dims[0] = 101;
  EXPECT_EQ(check(), "result out: expected 100x64xf16, got 101x64xf16");
  results.clear();
  EXPECT_EQ(check(), "expected 1 results, got 0");
  int32_t narrow = 7;
  arguments[2] = Operand::ofScalar(DType::I32, &narrow);
  EXPECT_EQ(check(), "argument length: expected a scalar of type i64, got i32");
}

TEST_F(LaunchTest, ChecksMemory) {
  Operand &q = arguments[0];
  q.memoryBegin = q.address;
  q.memoryBytes = 100 * 64 * 2;
  EXPECT_EQ(check(), "fits");
  q.strides[0] = 65;
  EXPECT_EQ(check(), "argument q: its elements reach beyond its memory of 12800 bytes");
  q.strides[0] = -64;
  EXPECT_EQ(check(), "argument q: its elements reach beyond its memory of 12800 bytes");
  q.strides[0] = INT64_MAX / 2;
  EXPECT_EQ(check(), "argument q: its sizes and strides exceed 64 bits");
  q.strides[0] = 64;
  q.device = 1;
  EXPECT_EQ(check(), "argument q: expected memory of device 0, got device 1");
}

TEST_F(LaunchTest, PlansGridsAndParameters) {
  auto launches = plan();
  ASSERT_TRUE(bool(launches)) << launches.error().text;
  ASSERT_EQ(launches->size(), 2u);
  const PlannedLaunch &main = (*launches)[0];
  EXPECT_EQ(main.grid, (std::array<uint32_t, 3>{2, 4, 1}));
  EXPECT_EQ(main.sharedBytes, 49152u);
  uint64_t values[7];
  for (size_t i = 0; i < 7; ++i)
    memcpy(&values[i], main.parameters[i].data(), 8);
  EXPECT_EQ(values[0], 0x10000u);
  EXPECT_EQ(values[1], 0x20000u + 72 * 2);
  EXPECT_EQ(values[2], 0x30000u + 256);
  EXPECT_EQ(values[3], 0x40000u);
  EXPECT_EQ(values[4], 9u);
  EXPECT_EQ(values[5], 100u);
  EXPECT_EQ(values[6], 7u);
  ASSERT_EQ(main.maps.size(), 1u);
  EXPECT_EQ(main.maps[0].parameter, 7u);
  EXPECT_EQ(main.maps[0].sizes, (std::vector<uint64_t>{64, 100}));
  EXPECT_EQ(main.maps[0].strides, (std::vector<uint64_t>{128}));
}

TEST_F(LaunchTest, MovesWhatItPlanned) {
  auto launches = plan();
  ASSERT_TRUE(bool(launches)) << launches.error().text;
  std::vector<Operand> moved = arguments, movedResults = results;
  moved[0].address += 1 << 20;
  movedResults[0].address += 1 << 21;
  ASSERT_TRUE(canShareLaunches(arguments, moved));
  moveLaunches(*launches, {moved, movedResults, 0x31000, 0x42000});
  uint64_t values[4];
  for (size_t i = 0; i < 4; ++i)
    memcpy(&values[i], (*launches)[0].parameters[i].data(), 8);
  EXPECT_EQ(values[0], 0x110000u);
  EXPECT_EQ(values[1], 0x220000u + 72 * 2);
  EXPECT_EQ(values[2], 0x31000u + 256);
  EXPECT_EQ(values[3], 0x42000u);
  // A plan made for these operands has the same addresses.
  arguments = moved;
  results = movedResults;
  auto again = plan();
  ASSERT_TRUE(bool(again));
  EXPECT_EQ((*again)[0].maps[0].address, (*launches)[0].maps[0].address);
  EXPECT_EQ((*again)[0].parameters[0], (*launches)[0].parameters[0]);
}

TEST_F(LaunchTest, SharesLaunchesBetweenEqualOperandsOnly) {
  auto shares = [&](auto change) {
    std::vector<Operand> other = arguments;
    change(other);
    return canShareLaunches(arguments, other);
  };
  EXPECT_TRUE(shares([](auto &) {}));
  EXPECT_TRUE(shares([](auto &other) { other[0].address += 0x1000; }));
  EXPECT_FALSE(shares([](auto &other) { other[0].address += 2; }));
  EXPECT_FALSE(shares([](auto &other) { other[0].address = 0; }));
  EXPECT_FALSE(shares([](auto &other) { other[0].dims[0] = 99; }));
  EXPECT_FALSE(shares([](auto &other) { other[0].strides[0] = 65; }));
  EXPECT_FALSE(shares([](auto &other) { other[0].dtype = DType::BF16; }));
  EXPECT_FALSE(shares([](auto &other) { other[0].device = 1; }));
  EXPECT_FALSE(shares([](auto &other) { other[2].scalar[0] = 8; }));
  EXPECT_FALSE(shares([](auto &other) { other.pop_back(); }));
  EXPECT_FALSE(shares([](auto &other) { other[1].memoryBytes += 4096; }));
}

TEST_F(LaunchTest, RefusesWhatTheDeviceCannotDo) {
  Launch &main = region.programs[0].launches[0];
  main.grid[1] = 65536;
  EXPECT_EQ(planError(), "kernel fa_main: a grid in y of 65536, the device takes 0 to 65535");
  main.grid[1] = 1;
  main.block = {1024, 2, 1};
  EXPECT_EQ(planError(), "kernel fa_main: a block of 2048 threads, the device takes 1024");
  main.block = {128, 1, 1};
  main.sharedBytes = 1 << 20;
  EXPECT_EQ(planError(), "kernel fa_main: a shared memory of 1048576, the device takes 0 to 49152");
  main.sharedBytes = 0;
  main.parameters = {Parameter::int32(int64_t(1) << 31)};
  EXPECT_NE(planError().find("does not fit a 32-bit kernel parameter"), std::string::npos);
  main.guard = 0;
  EXPECT_NE(planError().find("no schedule for sm_80 takes these sizes"), std::string::npos);
}

TEST_F(LaunchTest, EmptyGridsAreSkipped) {
  region.programs[0].launches[0].grid[0] = 0;
  ASSERT_TRUE(bool(plan()));
  EXPECT_EQ(plan()->size(), 1u);
}

TEST(ChipName, SaysWhatRunsWhere) {
  EXPECT_TRUE(ptxFits("sm_80", {8, 0}));
  EXPECT_TRUE(ptxFits("sm_80", {9, 0}));
  EXPECT_FALSE(ptxFits("sm_80", {7, 5}));
  EXPECT_TRUE(ptxFits("sm_90a", {9, 0}));
  EXPECT_FALSE(ptxFits("sm_90a", {10, 0}));
  EXPECT_TRUE(ptxFits("sm_100f", {10, 3}));
  EXPECT_FALSE(ptxFits("sm_100f", {11, 0}));
  EXPECT_FALSE(ptxFits("sm_90x", {9, 0}));
  EXPECT_FALSE(ptxFits("", {9, 0}));
  EXPECT_TRUE(cubinFits("sm_80", {8, 6}));
  EXPECT_FALSE(cubinFits("sm_80", {9, 0}));
}

} // namespace
