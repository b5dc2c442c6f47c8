//===- DoublingArtifact.h - An artifact for the fake driver ---------------===//
#ifndef FA_TEST_UNIT_RUNTIME_DOUBLINGARTIFACT_H
#define FA_TEST_UNIT_RUNTIME_DOUBLINGARTIFACT_H

#include "Runtime/Artifact/Artifact.h"

namespace fa_runtime {

/// F.0 computes y = 2·x with the kernel `symbol` of the fake driver; F calls it twice.
inline Artifact doublingArtifact(const std::string &symbol = "fake_double") {
  Artifact artifact;
  artifact.compiler = "test";
  artifact.modules = {{"sm_80", ".version 8.0\n", {}}};
  artifact.kernels = {{symbol, 0}};
  Argument x{"x", false, DType::F32, {-1, 4}, {}, 4};
  Result y{"y", DType::F32, {dim(0, 0), 4}, {}, 4};
  Launch launch;
  launch.guard = less(0, dim(0, 0));
  launch.grid = {ceilDiv(dim(0, 0), 2), 1, 1};
  launch.block = {32, 1, 1};
  launch.sharedBytes = 65536;
  launch.parameters = {Parameter::pointer(0), Parameter::pointer(1),
                       Parameter::int64(dim(0, 0) * 4), Parameter::workspace(16)};
  Region region{"F.0", {x}, {y}, {}, {{"sm_80", "rows of 2", {launch}, dim(0, 0) * 16, 64}}};
  artifact.regions = {region};

  auto dense = [](View::Source source) { return View{source, 0, 0, {dim(0, 0), 4}, {4, 1}}; };
  Function function{"F", {x}, {y}, {}, {{DType::F32, {dim(0, 0), 4}}}, {}};
  function.calls = {{0, {dense(View::Source::Argument)}, {dense(View::Source::Temporary)}},
                    {0, {dense(View::Source::Temporary)}, {dense(View::Source::Result)}}};
  artifact.functions = {function};
  return artifact;
}

} // namespace fa_runtime

#endif // FA_TEST_UNIT_RUNTIME_DOUBLINGARTIFACT_H
