//===- CudaTest.cpp - The driver's side, on a fake driver -----------------===//

#include "DoublingArtifact.h"
#include "Runtime/Cuda/PreparedRun.h"
#include "Runtime/Tensor/Convert.h"
#include "Runtime/Tensor/RandomTensor.h"
#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>
#include <gtest/gtest.h>

using namespace fa_runtime;

namespace {

class CudaTest : public testing::Test {
protected:
  Tensor x = *randomTensor(DType::F32, {5, 4}, 1, 0);
  void *fake = dlopen(FA_FAKE_CUDA, RTLD_NOW);
  int (*reset)() = reinterpret_cast<int (*)()>(dlsym(fake, "fakeCudaReset"));
  int (*calls)(const char *) = reinterpret_cast<int (*)(const char *)>(dlsym(fake,
                                                                             "fakeCudaCalls"));

  void SetUp() override { clear(); }
  void TearDown() override { clear(); }
  void clear() {
    for (const char *name : {"FAIL", "DEVICES", "CAPABILITY", "LACKS"})
      unsetenv((std::string("FAKE_CUDA_") + name).c_str());
    reset();
  }

  /// Everything that fa-run does with an artifact, timing included.
  Expected<std::vector<Tensor>> runAll(const Artifact &artifact, const std::string &name) {
    auto driver = Driver::load(FA_FAKE_CUDA);
    if (!driver)
      return driver.error();
    auto device = Device::open(*driver, 0);
    if (!device)
      return device.error();
    auto shared = std::make_shared<const Artifact>(artifact);
    auto entry = findEntry(*shared, name);
    if (!entry)
      return entry.error();
    auto code = std::make_shared<LoadedCode>(shared, *device);
    auto run = PreparedRun::prepare(shared, *entry, *device, code, {x});
    if (!run)
      return run.error();
    auto timer = Timer::create(*device);
    if (!timer)
      return timer.error();
    Status status = timer->start(run->stream().handle());
    if (status)
      status = run->launch();
    if (status)
      status = timer->stop(run->stream().handle());
    if (!status)
      return status.error();
    if (auto seconds = timer->seconds(); !seconds)
      return seconds.error();
    return run->results();
  }
  std::string errorOf(const Artifact &artifact, const std::string &name = "F.0") {
    auto results = runAll(artifact, name);
    return results ? "no error" : results.error().text;
  }
};

TEST_F(CudaTest, RunsARegion) {
  auto results = runAll(doublingArtifact(), "F.0");
  ASSERT_TRUE(bool(results)) << results.error().text;
  std::vector<double> in = toDoubles(x), out = toDoubles((*results)[0]);
  for (size_t i = 0; i < in.size(); ++i)
    EXPECT_EQ(out[i], 2 * in[i]);
}

TEST_F(CudaTest, RunsAFunctionOfTwoCalls) {
  auto results = runAll(doublingArtifact(), "F");
  ASSERT_TRUE(bool(results)) << results.error().text;
  EXPECT_EQ(toDoubles((*results)[0])[7], 4 * toDoubles(x)[7]);
}

TEST_F(CudaTest, NothingToDoIsFine) {
  x = *allocateTensor(DType::F32, {0, 4});
  auto results = runAll(doublingArtifact(), "F.0");
  ASSERT_TRUE(bool(results)) << results.error().text;
  EXPECT_EQ((*results)[0].shape, (std::vector<int64_t>{0, 4}));
}

/// Every call of every function fails once: each failure arrives as an error that names the
/// function, and nothing leaks.
TEST_F(CudaTest, EveryDriverFailureArrives) {
  static const char *const kFunctions[] = {
#define FA_DRIVER_FUNCTION(name, ...) #name,
#include "Runtime/Cuda/driver_functions.def"
  };
  // These report errors, or only clean up.
  const std::vector<std::string> silent = {"cuGetErrorName",
                                           "cuGetErrorString",
                                           "cuModuleUnload",
                                           "cuCtxPopCurrent",
                                           "cuStreamDestroy",
                                           "cuEventDestroy",
                                           "cuDevicePrimaryCtxRelease",
                                           "cuMemFree"};
  int failures = 0;
  for (const std::string function : kFunctions) {
    if (std::find(silent.begin(), silent.end(), function) != silent.end())
      continue;
    clear();
    ASSERT_TRUE(bool(runAll(doublingArtifact(), "F")));
    int total = calls(function.c_str());
    for (int nth = 1; nth <= total; ++nth) {
      clear();
      setenv("FAKE_CUDA_FAIL", (function + ":" + std::to_string(nth)).c_str(), 1);
      std::string error = errorOf(doublingArtifact(), "F");
      // A context that cannot be made current for cleaning up goes unnoticed, and leaks.
      if (function != "cuCtxPushCurrent") {
        EXPECT_NE(error.find(function + " failed"), std::string::npos) << function << nth << error;
        EXPECT_EQ(reset(), 0) << function << nth;
      }
      EXPECT_EQ(error.find('\n'), std::string::npos);
      ++failures;
    }
  }
  EXPECT_GT(failures, 60);
}

TEST_F(CudaTest, MissingDriverAndDevices) {
  EXPECT_NE(Driver::load("libnone.so").error().text.find("needs an NVIDIA GPU"), std::string::npos);
  EXPECT_NE(Driver::load("libm.so.6").error().text.find("too old"), std::string::npos);
  setenv("FAKE_CUDA_DEVICES", "0", 1);
  EXPECT_EQ(errorOf(doublingArtifact()), "the CUDA driver finds no GPU");
  setenv("FAKE_CUDA_DEVICES", "2", 1);
  EXPECT_EQ(Device::open(*Driver::load(FA_FAKE_CUDA), 2).error().text,
            "no GPU cuda:2, there are 2 (cuda:0 to cuda:1)");
}

TEST_F(CudaTest, OldDrivers) {
  setenv("FAKE_CUDA_LACKS", "cuMemAlloc", 1);
  EXPECT_NE(errorOf(doublingArtifact()).find("is too old: it has no cuMemAlloc"),
            std::string::npos);
  setenv("FAKE_CUDA_LACKS", "cuLaunchKernelEx", 1);
  EXPECT_EQ(errorOf(doublingArtifact()), "no error");
  Artifact programmatic = doublingArtifact();
  programmatic.regions[0].programs[0].launches[0].programmatic = true;
  EXPECT_EQ(errorOf(programmatic), "kernel fake_double: the CUDA driver (for CUDA 12.4) has no "
                                   "cuLaunchKernelEx: update it");
}

TEST_F(CudaTest, CodeThatDoesNotFit) {
  setenv("FAKE_CUDA_CAPABILITY", "75", 1);
  EXPECT_EQ(errorOf(doublingArtifact()),
            "region F.0 was compiled for sm_80, the device is sm_75; compile it with "
            "--machine=sm_75");
  unsetenv("FAKE_CUDA_CAPABILITY");
  Artifact broken = doublingArtifact();
  broken.modules[0].ptx = "garbage";
  EXPECT_EQ(errorOf(broken),
            "the driver (for CUDA 12.4) rejects the PTX for sm_80: ptxas application ptx input, "
            "line 1; fatal: not a real PTX, cuModuleLoadDataEx failed: CUDA_ERROR_INVALID_PTX, as "
            "the test asked");
  broken.modules[0].ptx.clear();
  EXPECT_EQ(errorOf(broken), "the artifact has neither PTX nor a cubin for sm_80");
  EXPECT_NE(errorOf(doublingArtifact("lost")).find("kernel lost: cuModuleGetFunction failed"),
            std::string::npos);
}

TEST_F(CudaTest, WritesOutOfBoundsAreFound) {
  EXPECT_EQ(errorOf(doublingArtifact("fake_overrun")),
            "a kernel wrote out of bounds: 0 bytes behind the end of result y");
}

TEST_F(CudaTest, ArgumentsThatDoNotFit) {
  x = *allocateTensor(DType::F32, {5, 3});
  EXPECT_EQ(errorOf(doublingArtifact()), "argument x: expected ?x4xf32, got 5x3xf32");
  x = *allocateTensor(DType::F16, {5, 4});
  EXPECT_EQ(errorOf(doublingArtifact()), "argument x: expected ?x4xf32, got 5x4xf16");
}

TEST_F(CudaTest, UnknownEntries) {
  EXPECT_EQ(errorOf(doublingArtifact(), "G"), "no entry 'G' in the artifact; it has F, F.0");
  Artifact regions = doublingArtifact();
  regions.functions.clear();
  EXPECT_NE(errorOf(regions, "F").find("holds more than attention and views"), std::string::npos);
  EXPECT_EQ(errorOf(regions, ""), "no error");
}

} // namespace
