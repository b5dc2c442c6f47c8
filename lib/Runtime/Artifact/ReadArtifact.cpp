//===- ReadArtifact.cpp - Bytes to a checked artifact ---------------------===//
//
// The bytes may come from anywhere. Whatever they are, reading ends with an artifact
// whose indices, ranks and types agree, or with an error; memory stays within a small
// multiple of the file.
//
//===----------------------------------------------------------------------===//

#include "Runtime/Artifact/Artifact.h"
#include "Runtime/Artifact/ArtifactFormat.h"
#include "Runtime/Artifact/MetadataReader.h"
#include "Runtime/WholeFile.h"
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
    artifact.modules =
        list(root, "modules", 0, kMaxItems, [&](const json &item) { return module(item); });
    if (!blobs.empty())
      fail("the code sections are larger than the metadata says");
    artifact.kernels = list(root, "kernels", 0, kMaxItems, [&](const json &item) {
      return Kernel{text(item, "symbol"), index(item, "module", artifact.modules.size())};
    });
    artifact.regions =
        list(root, "regions", 0, kMaxItems, [&](const json &item) { return region(item); });
    artifact.functions =
        list(root, "functions", 0, kMaxItems, [&](const json &item) { return function(item); });
    if (failed())
      return error();
    return std::move(artifact);
  }

private:
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
    module.cubins = list(item, "cubins", 0, 64, [&](const json &cubin) {
      return Cubin{text(cubin, "chip"), blob(cubin, "bytes")};
    });
    return module;
  }

  int64_t alignment(const json &item) {
    int64_t bytes = integer(item, "alignment", 1, 4096);
    if (bytes & (bytes - 1))
      fail("an alignment must be a power of two");
    return bytes;
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
    result.alignment = alignment(item);
    scope.push_back({result.isScalar, result.dtype, static_cast<int32_t>(result.dims.size())});
    return result;
  }

  Result result(const json &item) {
    Result result;
    result.name = text(item, "name");
    result.dtype = dtype(item, "dtype");
    result.dims = exprs(item, "dims", 0, kMaxRank);
    result.strides = requiredStrides(item, result.dims.size());
    result.alignment = alignment(item);
    return result;
  }

  /// What regions and functions have in common. Results join the scope after they are read: their
  /// sizes are over arguments alone.
  template <typename Entry> void signature(const json &item, Entry &entry) {
    scope.clear();
    entry.name = text(item, "name");
    if (!names.insert(entry.name).second)
      fail("two entries are named '" + entry.name + "'");
    entry.arguments =
        list(item, "arguments", 0, kMaxItems, [&](const json &value) { return argument(value); });
    entry.results =
        list(item, "results", 0, kMaxItems, [&](const json &value) { return result(value); });
    entry.constraints = list(item, "constraints", 0, kMaxItems, [&](const json &value) {
      return Constraint{expr(value, "condition"), text(value, "text")};
    });
  }

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
    map.strides = exprs(item, "strides", map.sizes.size() - !map.sizes.empty(), 4);
    map.box = integers(item, "box", map.sizes.size(), 5, 1, 256);
    map.swizzle = static_cast<int32_t>(integer(item, "swizzle", 0, 128));
    map.l2Promotion = static_cast<int32_t>(integer(item, "l2", 0, 256));
    map.nanFill = flag(item, "nanFill");
    if (map.strides.size() + 1 != map.sizes.size() || map.box.size() != map.sizes.size())
      fail("a tensor map's sizes, strides and box differ in rank");
    if (map.swizzle & 31 || map.swizzle == 96)
      fail("expected a swizzle of 0, 32, 64 or 128 bytes");
    if (map.l2Promotion & 63 || map.l2Promotion == 192)
      fail("expected an L2 promotion of 0, 64, 128 or 256 bytes");
    return map;
  }

  Parameter parameter(const json &item) {
    Parameter parameter;
    parameter.kind = static_cast<Parameter::Kind>(choice(item, "kind", kParameterNames));
    switch (parameter.kind) {
    case Parameter::Kind::Pointer:
      parameter.address = address(field(item, "address"));
      break;
    case Parameter::Kind::Int32:
    case Parameter::Kind::Int64:
      parameter.value = expr(item, "value");
      break;
    case Parameter::Kind::Scalar:
      parameter.operand = operand(item, "operand", true);
      break;
    case Parameter::Kind::TensorMap:
      parameter.map = tensorMap(field(item, "map"));
      break;
    }
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
    launch.parameters =
        list(item, "parameters", 0, 1024, [&](const json &value) { return parameter(value); });
    return launch;
  }

  Region region(const json &item) {
    Region region;
    signature(item, region);
    addResultsToScope(region);
    region.programs = list(item, "programs", 0, 64, [&](const json &value) {
      return Program{
          text(value, "machine"), text(value, "schedule"),
          list(value, "launches", 0, kMaxItems, [&](const json &step) { return launch(step); }),
          expr(value, "workspace"), expr(value, "state")};
    });
    return region;
  }

  View view(const json &item, const Function &function) {
    View view;
    view.source = static_cast<View::Source>(choice(item, "source", kSourceNames));
    size_t sizes[] = {function.arguments.size(), function.results.size(),
                      function.temporaries.size()};
    view.index = index(item, "index", sizes[static_cast<int>(view.source)]);
    view.offset = expr(item, "offset");
    view.dims = exprs(item, "dims", 0, kMaxRank);
    view.strides = exprs(item, "strides", view.dims.size(), kMaxRank);
    if (view.strides.size() != view.dims.size())
      fail("expected one stride for each dimension of a view");
    return view;
  }

  /// What `view` looks at must have the type that the region wants there.
  void checkView(const View &view, const Function &function, bool isScalar, DType dtype,
                 size_t rank) {
    if (failed())
      return;
    bool scalarSource =
        view.source == View::Source::Argument && function.arguments[view.index].isScalar;
    DType found = view.source == View::Source::Argument ? function.arguments[view.index].dtype
                  : view.source == View::Source::Result ? function.results[view.index].dtype
                                                        : function.temporaries[view.index].dtype;
    if (found != dtype || scalarSource != isScalar || view.dims.size() != rank)
      fail("a view's type is not the type that the region takes");
  }

  Call call(const json &item, const Function &function) {
    Call call;
    call.region = index(item, "region", artifact.regions.size());
    auto readView = [&](const json &value) { return view(value, function); };
    call.arguments = list(item, "arguments", 0, kMaxItems, readView);
    call.results = list(item, "results", 0, kMaxItems, readView);
    if (failed())
      return call;
    const Region &region = artifact.regions[call.region];
    if (call.arguments.size() != region.arguments.size() ||
        call.results.size() != region.results.size()) {
      fail("a call has not as many operands as its region");
      return call;
    }
    for (size_t i = 0; i < call.arguments.size(); ++i) {
      const Argument &wanted = region.arguments[i];
      checkView(call.arguments[i], function, wanted.isScalar, wanted.dtype, wanted.dims.size());
    }
    for (size_t i = 0; i < call.results.size(); ++i) {
      if (call.results[i].source == View::Source::Argument)
        fail("a call writes to an argument of the function");
      const Result &wanted = region.results[i];
      checkView(call.results[i], function, false, wanted.dtype, wanted.dims.size());
    }
    return call;
  }

  Function function(const json &item) {
    Function function;
    signature(item, function);
    function.temporaries = list(item, "temporaries", 0, kMaxItems, [&](const json &value) {
      return Temporary{dtype(value, "dtype"), exprs(value, "dims", 0, kMaxRank)};
    });
    addResultsToScope(function);
    function.calls =
        list(item, "calls", 0, kMaxItems, [&](const json &value) { return call(value, function); });
    return function;
  }

  std::string_view blobs;
  std::set<std::string> names;
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
  if (size < expected)
    return Error{"truncated: expected " + std::to_string(expected) + " bytes, got " +
                 std::to_string(size)};
  if (size > expected)
    return Error{std::to_string(size - expected) + " bytes too many at the end"};
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

Expected<Artifact> readArtifactFile(const std::string &path) {
  Expected<std::string> bytes = readWholeFile(path);
  if (!bytes)
    return bytes.error();
  Expected<Artifact> artifact = parseArtifact(bytes->data(), bytes->size());
  if (!artifact)
    return at("'" + path + "'", artifact.error());
  return artifact;
}

} // namespace fa_runtime
