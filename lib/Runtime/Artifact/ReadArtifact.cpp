//===- ReadArtifact.cpp - Bytes to a checked artifact ---------------------===//
//
// The bytes may come from anywhere. Whatever they are, reading ends with an artifact whose indices,
// ranks and types agree, or with an error; memory stays within a small multiple of the file.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/Artifact.h"
#include "Runtime/Artifact/ArtifactFormat.h"
#include "Runtime/Artifact/MetadataReader.h"
#include <array>
#include <cstring>
#include <set>

namespace fa_runtime {

using json = nlohmann::json;
static constexpr size_t kMaxItems = 1 << 16;

namespace {
class ArtifactReader : MetadataReader {
public:
  explicit ArtifactReader(std::string_view blobs) : blobs(blobs) {}

  Expected<Artifact> read(const json &root) {
    artifact.compiler = text(root, "compiler");
    artifact.sourceHash = text(root, "sourceHash");
    artifact.modules = items(root, "modules", &ArtifactReader::module);
    if (!blobs.empty())
      fail("the code sections are larger than the metadata says");
    artifact.kernels = items(root, "kernels", &ArtifactReader::kernel);
    artifact.regions = items(root, "regions", &ArtifactReader::region);
    artifact.functions = items(root, "functions", &ArtifactReader::function);
    return failed() ? Expected<Artifact>(error()) : std::move(artifact);
  }

private:
  /// The list `key`, every item read by the member `read`.
  template <typename T>
  std::vector<T> items(const json &object, const char *key, T (ArtifactReader::*read)(const json &),
                       size_t max = kMaxItems) {
    return list(object, key, 0, max, [&](const json &item) { return (this->*read)(item); });
  }

  int32_t index(const json &object, const char *key, size_t size) {
    return static_cast<int32_t>(integer(object, key, 0, static_cast<int64_t>(size) - 1));
  }

  std::string blob(const json &object, const char *key) {
    auto size = integer(object, key, 0, static_cast<int64_t>(blobs.size()));
    std::string bytes(blobs.substr(0, static_cast<size_t>(size)));
    blobs.remove_prefix(static_cast<size_t>(size));
    return bytes;
  }

  Module module(const json &item) {
    Module module{text(item, "machine"), blob(item, "ptxBytes"), {}};
    if (module.ptx.find('\0') != std::string::npos)
      fail("the PTX holds a zero byte");
    module.cubins = items(item, "cubins", &ArtifactReader::cubin, 64);
    return module;
  }

  Cubin cubin(const json &item) { return {text(item, "chip"), blob(item, "bytes")}; }

  Kernel kernel(const json &item) {
    return {text(item, "symbol"), index(item, "module", artifact.modules.size())};
  }

  /// A power of two from `min` to `max`, or with `orZero` 0.
  int32_t power(const json &item, const char *key, int64_t min, int64_t max, bool orZero) {
    int64_t value = integer(item, key, orZero ? 0 : min, max);
    if (value & (value - 1) || (value && value < min))
      fail("'" + std::string(key) + "' is no power of two from " + std::to_string(min));
    return static_cast<int32_t>(value);
  }

  std::vector<int64_t> requiredStrides(const json &item, size_t rank) {
    std::vector<int64_t> strides = integers(item, "strides", 0, kMaxRank, -1, INT64_MAX);
    if (!strides.empty() && strides.size() != rank)
      fail("expected one stride for each dimension, or none");
    return strides;
  }

  Argument argument(const json &item) {
    Argument result;
    result.name = text(item, "name");
    result.isScalar = flag(item, "scalar");
    result.dtype = dtype(item, "dtype");
    result.dims = integers(item, "dims", 0, result.isScalar ? 0 : kMaxRank, -1, INT64_MAX);
    result.strides = requiredStrides(item, result.dims.size());
    result.alignment = power(item, "alignment", 1, 4096, false);
    scope.push_back({result.isScalar, result.dtype, static_cast<int32_t>(result.dims.size())});
    return result;
  }

  Result result(const json &item) {
    Result result;
    result.name = text(item, "name");
    result.dtype = dtype(item, "dtype");
    result.dims = exprs(item, "dims", 0, kMaxRank);
    result.strides = requiredStrides(item, result.dims.size());
    result.alignment = power(item, "alignment", 1, 4096, false);
    return result;
  }

  /// Of regions and functions. Results join the scope later: their sizes are over arguments alone.
  template <typename Entry> void signature(const json &item, Entry &entry) {
    scope.clear();
    entry.name = text(item, "name");
    if (!names.insert(entry.name).second)
      fail("two entries are named '" + entry.name + "'");
    entry.arguments = items(item, "arguments", &ArtifactReader::argument);
    entry.results = items(item, "results", &ArtifactReader::result);
    entry.constraints = items(item, "constraints", &ArtifactReader::constraint);
  }

  Constraint constraint(const json &item) { return {expr(item, "condition"), text(item, "text")}; }

  template <typename Entry> void addResultsToScope(const Entry &entry) {
    for (const Result &result : entry.results)
      scope.push_back({false, result.dtype, static_cast<int32_t>(result.dims.size())});
  }

  Address address(const json &item) {
    Address address;
    address.base = static_cast<Address::Base>(choice(item, "base", kBaseNames));
    if (address.base == Address::Base::Operand)
      address.operand = operand(item, "operand", false);
    address.offset = expr(item, "offset");
    return address;
  }

  TensorMap tensorMap(const json &item) {
    TensorMap map;
    map.address = address(field(item, "address"));
    map.dtype = dtype(item, "dtype");
    map.sizes = exprs(item, "sizes", 1, 5);
    size_t rank = map.sizes.size();
    map.strides = exprs(item, "strides", rank - !map.sizes.empty(), rank - !map.sizes.empty());
    map.box = integers(item, "box", rank, rank, 1, 256);
    map.swizzle = power(item, "swizzle", 32, 128, true);
    map.l2Promotion = power(item, "l2", 64, 256, true);
    map.nanFill = flag(item, "nanFill");
    return map;
  }

  Parameter parameter(const json &item) {
    Parameter parameter;
    parameter.kind = static_cast<Parameter::Kind>(choice(item, "kind", kParameterNames));
    if (parameter.kind == Parameter::Kind::Pointer)
      parameter.address = address(field(item, "address"));
    else if (parameter.kind == Parameter::Kind::Scalar)
      parameter.operand = operand(item, "operand", true);
    else if (parameter.kind == Parameter::Kind::TensorMap)
      parameter.map = tensorMap(field(item, "map"));
    else
      parameter.value = expr(item, "value");
    return parameter;
  }

  template <typename T> std::array<T, 3> three(const std::vector<T> &items) {
    return items.size() == 3 ? std::array<T, 3>{items[0], items[1], items[2]} : std::array<T, 3>{};
  }

  Launch launch(const json &item) {
    Launch launch;
    launch.phase = static_cast<Launch::Phase>(choice(item, "phase", kPhaseNames));
    launch.guard = expr(item, "guard");
    launch.kernel = index(item, "kernel", artifact.kernels.size());
    launch.grid = three(exprs(item, "grid", 3, 3));
    launch.block = three(exprs(item, "block", 3, 3));
    launch.sharedBytes = expr(item, "shared");
    launch.cluster = three(integers(item, "cluster", 3, 3, 1, 16));
    launch.programmatic = flag(item, "programmatic");
    launch.parameters = items(item, "parameters", &ArtifactReader::parameter, 1024);
    return launch;
  }

  Region region(const json &item) {
    Region region;
    signature(item, region);
    addResultsToScope(region);
    region.programs = items(item, "programs", &ArtifactReader::program, 64);
    return region;
  }

  Program program(const json &item) {
    return {text(item, "machine"), text(item, "schedule"),
            items(item, "launches", &ArtifactReader::launch), expr(item, "workspace"),
            expr(item, "state")};
  }

  View view(const json &item) {
    View view;
    view.source = static_cast<View::Source>(choice(item, "source", kSourceNames));
    view.index = index(item, "index", sources[static_cast<size_t>(view.source)].size());
    view.offset = expr(item, "offset");
    view.dims = exprs(item, "dims", 0, kMaxRank);
    view.strides = exprs(item, "strides", view.dims.size(), view.dims.size());
    return view;
  }

  static bool isScalar(const Argument &argument) { return argument.isScalar; }
  static bool isScalar(const Result &) { return false; }

  /// A view for every operand that the region wants, of the operand's type.
  template <typename Operands>
  std::vector<View> views(const json &item, const char *key, const Operands &wanted) {
    std::vector<View> views = items(item, key, &ArtifactReader::view);
    if (views.size() != wanted.size())
      fail("a call has not as many operands as its region");
    for (size_t i = 0; !failed() && i < views.size(); ++i) {
      const Operand &found = sources[static_cast<size_t>(views[i].source)][views[i].index];
      if (found.dtype != wanted[i].dtype || found.isScalar != isScalar(wanted[i]) ||
          views[i].dims.size() != wanted[i].dims.size())
        fail("a view's type is not the type that the region takes");
    }
    return views;
  }

  Call call(const json &item) {
    Call call;
    call.region = index(item, "region", artifact.regions.size());
    if (failed())
      return call;
    const Region &region = artifact.regions[call.region];
    call.arguments = views(item, "arguments", region.arguments);
    call.results = views(item, "results", region.results);
    for (const View &result : call.results)
      if (result.source == View::Source::Argument)
        fail("a call writes to an argument of the function");
    return call;
  }

  Function function(const json &item) {
    Function function;
    signature(item, function);
    sources[0] = scope;
    sources[2].clear();
    function.temporaries = items(item, "temporaries", &ArtifactReader::temporary);
    addResultsToScope(function);
    sources[1].assign(scope.begin() + static_cast<std::ptrdiff_t>(sources[0].size()), scope.end());
    function.calls = items(item, "calls", &ArtifactReader::call);
    return function;
  }

  Temporary temporary(const json &item) {
    Temporary temporary{dtype(item, "dtype"), exprs(item, "dims", 0, kMaxRank)};
    sources[2].push_back({false, temporary.dtype, static_cast<int32_t>(temporary.dims.size())});
    return temporary;
  }

  std::string_view blobs;
  std::set<std::string> names;
  /// What views may name, by View::Source.
  std::array<std::vector<Operand>, 3> sources;
  Artifact artifact;
};
} // namespace

/// The fixed-size part: everything about it that can be checked without the metadata.
static Status checkHeader(const ArtifactHeader &header, const void *data, size_t size) {
  if (header.version != kArtifactVersion)
    return Error{"format version " + std::to_string(header.version) + ", this program reads " +
                 std::to_string(kArtifactVersion) + "; compile it again or take another fa-run"};
  if (header.headerBytes != sizeof header || header.metadataBytes > kMaxMetadataBytes ||
      header.blobBytes > kMaxBlobBytes)
    return Error{"the header is corrupted"};
  uint64_t expected = sizeof header + header.metadataBytes + header.blobBytes;
  if (size != expected)
    return Error{(size < expected ? "truncated: expected " : "too long: expected ") +
                 std::to_string(expected) + " bytes, got " + std::to_string(size)};
  if (artifactChecksum(data, size) != header.checksum)
    return Error{"corrupted: the checksum differs"};
  return {};
}

Expected<Artifact> parseArtifact(const void *data, size_t size) {
  if (!looksLikeArtifact(data, size))
    return Error{"not an artifact of fa-compile: the magic number is missing"};
  ArtifactHeader header;
  if (size < sizeof header)
    return Error{"truncated: the header is incomplete"};
  memcpy(&header, data, sizeof header);
  if (Status status = checkHeader(header, data, size); !status)
    return status.error();

  const char *metadata = static_cast<const char *>(data) + sizeof header;
  bool tooDeep = false;
  json root = json::parse(
      metadata, metadata + header.metadataBytes,
      [&](int depth, json::parse_event_t, json &) { return !(tooDeep |= depth > kMaxJsonDepth); },
      /*allow_exceptions=*/false);
  if (tooDeep || root.is_discarded())
    return Error{tooDeep ? "the metadata is nested too deep" : "the metadata is not valid JSON"};
  return ArtifactReader({metadata + header.metadataBytes, header.blobBytes}).read(root);
}

} // namespace fa_runtime
