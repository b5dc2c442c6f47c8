//===- WriteArtifact.cpp - An artifact to bytes ---------------------------===//

#include "Runtime/Artifact/Artifact.h"
#include "Runtime/Artifact/ArtifactFormat.h"
#include "Runtime/WholeFile.h"
#include <cstring>
#include <nlohmann/json.hpp>
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace fa_runtime {

using json = nlohmann::json;

Parameter Parameter::pointer(int32_t operand, Expr offset) {
  Parameter parameter;
  parameter.address = {Address::Base::Operand, operand, std::move(offset)};
  return parameter;
}

Parameter Parameter::workspace(Expr offset) {
  Parameter parameter;
  parameter.address = {Address::Base::Workspace, 0, std::move(offset)};
  return parameter;
}

Parameter Parameter::state(Expr offset) {
  Parameter parameter;
  parameter.address = {Address::Base::State, 0, std::move(offset)};
  return parameter;
}

static Parameter ofValue(Parameter::Kind kind, Expr value) {
  Parameter parameter;
  parameter.kind = kind;
  parameter.value = std::move(value);
  return parameter;
}

Parameter Parameter::int32(Expr value) { return ofValue(Kind::Int32, std::move(value)); }
Parameter Parameter::int64(Expr value) { return ofValue(Kind::Int64, std::move(value)); }

Parameter Parameter::scalar(int32_t operand) {
  Parameter parameter;
  parameter.kind = Kind::Scalar;
  parameter.operand = operand;
  return parameter;
}

Parameter Parameter::tensorMap(TensorMap map) {
  Parameter parameter;
  parameter.kind = Kind::TensorMap;
  parameter.map = std::move(map);
  return parameter;
}

uint64_t artifactChecksum(const void *data, size_t size) {
  const char *bytes = static_cast<const char *>(data);
  constexpr size_t kBefore = offsetof(ArtifactHeader, checksum);
  uint64_t seed = XXH3_64bits(bytes, kBefore);
  return XXH3_64bits_withSeed(bytes + sizeof(ArtifactHeader), size - sizeof(ArtifactHeader), seed);
}

bool looksLikeArtifact(const void *data, size_t size) {
  return size >= sizeof kArtifactMagic && !memcmp(data, kArtifactMagic, sizeof kArtifactMagic);
}

static json toJson(const Expr &expr) {
  if (expr.op == Expr::Op::Constant)
    return expr.value;
  json array = json::array({kExprOps[static_cast<int>(expr.op)].name});
  if (expr.op <= Expr::Op::Alignment)
    array.push_back(expr.operand);
  if (expr.op == Expr::Op::Dim || expr.op == Expr::Op::Stride)
    array.push_back(expr.axis);
  for (const Expr &child : expr.children)
    array.push_back(toJson(child));
  return array;
}

template <typename Range> static json listOf(const Range &range) {
  json array = json::array();
  for (const auto &item : range)
    array.push_back(toJson(item));
  return array;
}

static json toJson(const Argument &argument) {
  return {{"name", argument.name},           {"scalar", argument.isScalar},
          {"dtype", nameOf(argument.dtype)}, {"dims", argument.dims},
          {"strides", argument.strides},     {"alignment", argument.alignment}};
}

static json toJson(const Result &result) {
  return {{"name", result.name},
          {"dtype", nameOf(result.dtype)},
          {"dims", listOf(result.dims)},
          {"strides", result.strides},
          {"alignment", result.alignment}};
}

static json toJson(const Constraint &constraint) {
  return {{"condition", toJson(constraint.condition)}, {"text", constraint.text}};
}

static json toJson(const Address &address) {
  return {{"base", kBaseNames[static_cast<int>(address.base)]},
          {"operand", address.operand},
          {"offset", toJson(address.offset)}};
}

static json toJson(const TensorMap &map) {
  return {{"address", toJson(map.address)},
          {"dtype", nameOf(map.dtype)},
          {"sizes", listOf(map.sizes)},
          {"strides", listOf(map.strides)},
          {"box", map.box},
          {"swizzle", map.swizzle},
          {"l2", map.l2Promotion},
          {"nanFill", map.nanFill}};
}

static json toJson(const Parameter &parameter) {
  json object = {{"kind", kParameterNames[static_cast<int>(parameter.kind)]}};
  switch (parameter.kind) {
  case Parameter::Kind::Pointer:
    object["address"] = toJson(parameter.address);
    break;
  case Parameter::Kind::Int32:
  case Parameter::Kind::Int64:
    object["value"] = toJson(parameter.value);
    break;
  case Parameter::Kind::Scalar:
    object["operand"] = parameter.operand;
    break;
  case Parameter::Kind::TensorMap:
    object["map"] = toJson(parameter.map);
    break;
  }
  return object;
}

static json toJson(const Launch &launch) {
  return {{"phase", kPhaseNames[static_cast<int>(launch.phase)]},
          {"guard", toJson(launch.guard)},
          {"kernel", launch.kernel},
          {"grid", listOf(launch.grid)},
          {"block", listOf(launch.block)},
          {"shared", toJson(launch.sharedBytes)},
          {"cluster", launch.cluster},
          {"programmatic", launch.programmatic},
          {"parameters", listOf(launch.parameters)}};
}

static json toJson(const Program &program) {
  return {{"machine", program.machine},
          {"schedule", program.schedule},
          {"launches", listOf(program.launches)},
          {"workspace", toJson(program.workspaceBytes)},
          {"state", toJson(program.stateBytes)}};
}

static json toJson(const Region &region) {
  return {{"name", region.name},
          {"arguments", listOf(region.arguments)},
          {"results", listOf(region.results)},
          {"constraints", listOf(region.constraints)},
          {"programs", listOf(region.programs)}};
}

static json toJson(const View &view) {
  return {{"source", kSourceNames[static_cast<int>(view.source)]},
          {"index", view.index},
          {"offset", toJson(view.offset)},
          {"dims", listOf(view.dims)},
          {"strides", listOf(view.strides)}};
}

static json toJson(const Temporary &temporary) {
  return {{"dtype", nameOf(temporary.dtype)}, {"dims", listOf(temporary.dims)}};
}

static json toJson(const Call &call) {
  return {{"region", call.region},
          {"arguments", listOf(call.arguments)},
          {"results", listOf(call.results)}};
}

static json toJson(const Function &function) {
  return {{"name", function.name},
          {"arguments", listOf(function.arguments)},
          {"results", listOf(function.results)},
          {"constraints", listOf(function.constraints)},
          {"temporaries", listOf(function.temporaries)},
          {"calls", listOf(function.calls)}};
}

static json toJson(const Kernel &kernel) {
  return {{"symbol", kernel.symbol}, {"module", kernel.module}};
}

/// The blobs themselves are appended to `blobs`; the metadata holds their sizes, in order.
static json toJson(const Module &module, std::string &blobs) {
  json cubins = json::array();
  blobs += module.ptx;
  for (const Cubin &cubin : module.cubins) {
    cubins.push_back({{"chip", cubin.chip}, {"bytes", cubin.code.size()}});
    blobs += cubin.code;
  }
  return {{"machine", module.machine}, {"ptxBytes", module.ptx.size()}, {"cubins", cubins}};
}

std::string serialize(const Artifact &artifact) {
  std::string blobs;
  json modules = json::array();
  for (const Module &module : artifact.modules)
    modules.push_back(toJson(module, blobs));
  json root = {{"compiler", artifact.compiler},       {"sourceHash", artifact.sourceHash},
               {"modules", std::move(modules)},       {"kernels", listOf(artifact.kernels)},
               {"regions", listOf(artifact.regions)}, {"functions", listOf(artifact.functions)}};
  std::string metadata = root.dump(-1, ' ', false, json::error_handler_t::replace);

  ArtifactHeader header = {};
  memcpy(header.magic, kArtifactMagic, sizeof header.magic);
  header.version = kArtifactVersion;
  header.headerBytes = sizeof header;
  header.metadataBytes = metadata.size();
  header.blobBytes = blobs.size();
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  bytes += metadata;
  bytes += blobs;
  header.checksum = artifactChecksum(bytes.data(), bytes.size());
  memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

Status writeArtifactFile(const std::string &path, const Artifact &artifact) {
  return writeWholeFile(path, serialize(artifact));
}

} // namespace fa_runtime
