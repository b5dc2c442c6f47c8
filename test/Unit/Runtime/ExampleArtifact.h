//===- ExampleArtifact.h - An artifact that uses every part of the format -===//
#ifndef FA_TEST_UNIT_RUNTIME_EXAMPLEARTIFACT_H
#define FA_TEST_UNIT_RUNTIME_EXAMPLEARTIFACT_H

#include "Runtime/Artifact/Artifact.h"

namespace fa_runtime {

/// One region of two arguments and a scalar, with a main and a post launch, and a function that
/// calls it on a transposed view.
inline Artifact exampleArtifact() {
  Artifact artifact;
  artifact.compiler = "fa-mlir 0.1.0";
  artifact.sourceHash = "0123456789abcdef";
  artifact.modules = {{"sm_80", ".version 8.0\n", {{"sm_90", std::string("\x7f\0ELF", 5)}}}};
  artifact.kernels = {{"fa_main", 0}, {"fa_post", 0}};

  Argument q{"q", false, DType::F16, {-1, 64}, {-1, 1}, 16};
  Argument mask{"mask", false, DType::F32, {-1, -1}, {}, 4};
  Argument length{"length", true, DType::I64, {}, {}, 8};
  Result out{"out", DType::F16, {dim(0, 0), 64}, {-1, 1}, 16};

  TensorMap map;
  map.address = {Address::Base::Operand, 0, 0};
  map.dtype = DType::F16;
  map.sizes = {64, dim(0, 0)};
  map.strides = {stride(0, 0) * 2};
  map.box = {64, 128};
  map.swizzle = 128;
  map.l2Promotion = 256;

  Launch main;
  main.guard = both(less(0, dim(0, 0)), equal(mod(stride(0, 0), 8), 0));
  main.grid = {ceilDiv(dim(0, 0), 64), sms(), 1};
  main.block = {128, 1, 1};
  main.sharedBytes = 49152;
  main.cluster = {2, 1, 1};
  main.parameters = {Parameter::pointer(0),       Parameter::pointer(3, stride(3, 0) * 2),
                     Parameter::workspace(256),   Parameter::state(),
                     Parameter::int32(dim(1, 1)), Parameter::int64(maximum(dim(0, 0), 1)),
                     Parameter::scalar(2),        Parameter::tensorMap(map)};
  Launch post;
  post.phase = Launch::Phase::Post;
  post.kernel = 1;
  post.programmatic = true;
  post.parameters = {Parameter::pointer(3)};

  Region region{"F.0", {q, mask, length}, {out}, {}, {}};
  region.constraints = {{equal(dim(0, 0), dim(1, 0)), "q and mask have the same rows"}};
  region.programs = {{"sm_80", "64x64", {main, post}, dim(0, 0) * 4 + 256, 128}};
  artifact.regions = {region};

  View transposed{
      View::Source::Argument, 0, 0, {dim(0, 1), dim(0, 0)}, {stride(0, 1), stride(0, 0)}};
  View maskView{View::Source::Temporary, 0, 0, {dim(0, 0), 2}, {2, 1}};
  View lengthView{View::Source::Argument, 1, 0, {}, {}};
  View outView{View::Source::Result, 0, 0, {dim(0, 0), 64}, {stride(2, 0), stride(2, 1)}};
  Function function{"F", {{"x", false, DType::F16, {64, -1}, {}, 2}, length}, {out}, {}, {}, {}};
  function.results[0].dims = {dim(0, 1), 64};
  function.temporaries = {{DType::F32, {dim(0, 0), 2}}};
  function.calls = {{0, {transposed, maskView, lengthView}, {outView}}};
  artifact.functions = {function};
  return artifact;
}

} // namespace fa_runtime

#endif // FA_TEST_UNIT_RUNTIME_EXAMPLEARTIFACT_H
