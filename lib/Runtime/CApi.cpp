//===- CApi.cpp - The C interface of libFaRuntime.so ----------------------===//

#include "Runtime/Cuda/LoadedRegion.h"
#include "Runtime/Tensor/Tensor.h"
#include "Runtime/WholeFile.h"
#include "fa-c/Runtime.h"
#include <cstdlib>
#include <cstring>

using namespace fa_runtime;

namespace {
/// The operands of one call.
struct Operands {
  std::vector<Operand> arguments, results;
};
} // namespace

struct FaRegion {
  LoadedRegion loaded;
  Operands operands; ///< of the last run: their memory is used again
};

struct FaArtifact {
  std::shared_ptr<const Artifact> content;
  std::shared_ptr<const Device> device;
  std::shared_ptr<LoadedCode> code;
  std::map<size_t, std::unique_ptr<FaRegion>> regions;
};

static FaStatus fail(FaStatus status, const Error &reason, char **error) {
  if (error)
    *error = strdup(reason.text.c_str());
  return status;
}

/// Calls `body`; what it throws (no memory, in practice) becomes an error.
template <typename Body> static FaStatus guarded(char **error, Body body) {
  try {
    return body();
  } catch (const std::exception &exception) {
    return fail(FA_STATUS_REFUSED, Error{exception.what()}, error);
  }
}

static Status readOperand(const FaTensor &tensor, bool isScalar, Operand &operand) {
  if (tensor.dtype <= FA_DTYPE_INVALID || tensor.dtype > FA_DTYPE_F64)
    return Error{"unknown element type " + std::to_string(tensor.dtype)};
  if (tensor.rank < 0 || (tensor.rank > 0 && !tensor.shape))
    return Error{"rank " + std::to_string(tensor.rank) + " without a shape"};
  auto dtype = static_cast<DType>(tensor.dtype);
  if (isScalar && tensor.rank == 0) {
    if (!tensor.data)
      return Error{"a scalar without a value"};
    operand = Operand::ofScalar(dtype, tensor.data);
    return {};
  }
  operand.isScalar = false;
  operand.dtype = dtype;
  operand.dims.assign(tensor.shape, tensor.shape + tensor.rank);
  if (tensor.strides)
    operand.strides.assign(tensor.strides, tensor.strides + tensor.rank);
  else
    operand.strides = denseStrides(operand.dims);
  operand.address = reinterpret_cast<uint64_t>(tensor.data);
  return {};
}

static Status readOperands(const Region &region, const FaTensor *arguments, int32_t numArguments,
                           const FaTensor *results, int32_t numResults, Operands &operands) {
  if (numArguments < 0 || numResults < 0)
    return Error{"a negative number of operands"};
  operands.arguments.resize(static_cast<size_t>(numArguments));
  operands.results.resize(static_cast<size_t>(numResults));
  for (size_t i = 0; i < operands.arguments.size(); ++i) {
    bool isScalar = i < region.arguments.size() && region.arguments[i].isScalar;
    if (Status status = readOperand(arguments[i], isScalar, operands.arguments[i]); !status)
      return at("argument " + std::to_string(i), status.error());
  }
  for (size_t i = 0; i < operands.results.size(); ++i)
    if (Status status = readOperand(results[i], /*isScalar=*/false, operands.results[i]); !status)
      return at("result " + std::to_string(i), status.error());
  return {};
}

uint32_t faRuntimeAbiVersion(void) { return FA_RUNTIME_ABI_VERSION; }

void faRuntimeFreeString(char *text) { std::free(text); }

FaStatus faArtifactOpen(const char *path, int32_t device, FaArtifact **artifact, char **error) {
  return guarded(error, [&]() -> FaStatus {
    Expected<std::string> bytes = readWholeFile(path);
    if (!bytes)
      return fail(FA_STATUS_INPUT, bytes.error(), error);
    Expected<Artifact> content = parseArtifact(bytes->data(), bytes->size());
    if (!content)
      return fail(FA_STATUS_INPUT, at("'" + std::string(path) + "'", content.error()), error);
    Expected<std::shared_ptr<const Driver>> driver = Driver::load();
    if (!driver)
      return fail(FA_STATUS_REFUSED, driver.error(), error);
    Expected<std::shared_ptr<const Device>> opened = Device::open(*driver, device);
    if (!opened)
      return fail(FA_STATUS_REFUSED, opened.error(), error);
    auto shared = std::make_shared<const Artifact>(std::move(*content));
    *artifact = new FaArtifact{shared, *opened, std::make_shared<LoadedCode>(shared, *opened), {}};
    return FA_STATUS_OK;
  });
}

void faArtifactClose(FaArtifact *artifact) { delete artifact; }

int32_t faArtifactNumRegions(const FaArtifact *artifact) {
  return static_cast<int32_t>(artifact->content->regions.size());
}

const char *faArtifactRegionName(const FaArtifact *artifact, int32_t index) {
  const std::vector<Region> &regions = artifact->content->regions;
  bool exists = index >= 0 && static_cast<size_t>(index) < regions.size();
  return exists ? regions[static_cast<size_t>(index)].name.c_str() : nullptr;
}

/// The number of the region called `name`, or of the only one.
static Expected<size_t> findRegion(const Artifact &artifact, const char *name) {
  std::string names;
  for (size_t i = 0; i < artifact.regions.size(); ++i) {
    if (name ? artifact.regions[i].name == name : artifact.regions.size() == 1)
      return i;
    names += (i ? ", " : "") + artifact.regions[i].name;
  }
  return Error{(name ? "no region '" + std::string(name) + "'" : "no region was named") +
               "; the artifact has " + (names.empty() ? "none" : names)};
}

FaStatus faArtifactRegion(FaArtifact *artifact, const char *name, FaRegion **region, char **error) {
  return guarded(error, [&]() -> FaStatus {
    Expected<size_t> index = findRegion(*artifact->content, name);
    if (!index)
      return fail(FA_STATUS_INPUT, index.error(), error);
    std::unique_ptr<FaRegion> &known = artifact->regions[*index];
    if (!known) {
      Expected<LoadedRegion> loaded =
          LoadedRegion::load(artifact->content, *index, artifact->device, artifact->code);
      if (!loaded)
        return fail(FA_STATUS_REFUSED, loaded.error(), error);
      known.reset(new FaRegion{std::move(*loaded), {}});
    }
    *region = known.get();
    return FA_STATUS_OK;
  });
}

const char *faRegionSchedule(const FaRegion *region) {
  return region->loaded.program().schedule.c_str();
}

FaStatus faRegionScratch(const FaRegion *region, const FaTensor *arguments, int32_t numArguments,
                         const FaTensor *results, int32_t numResults, FaScratch *scratch,
                         char **error) {
  return guarded(error, [&]() -> FaStatus {
    const Region &wanted = region->loaded.region();
    Operands operands;
    Status fits = readOperands(wanted, arguments, numArguments, results, numResults, operands);
    if (fits)
      fits = checkOperands(wanted.arguments, wanted.results, wanted.constraints, operands.arguments,
                           operands.results, /*device=*/-1);
    if (!fits)
      return fail(FA_STATUS_INPUT, fits.error(), error);
    Expected<ScratchSizes> sizes = region->loaded.scratch(operands.arguments, operands.results);
    if (!sizes)
      return fail(FA_STATUS_INPUT, sizes.error(), error);
    *scratch = {sizes->workspaceBytes, sizes->stateBytes};
    return FA_STATUS_OK;
  });
}

FaStatus faRegionRun(FaRegion *region, const FaTensor *arguments, int32_t numArguments,
                     const FaTensor *results, int32_t numResults, void *workspace, void *state,
                     void *stream, char **error) {
  return guarded(error, [&]() -> FaStatus {
    Operands &operands = region->operands;
    Status status = readOperands(region->loaded.region(), arguments, numArguments, results,
                                 numResults, operands);
    if (!status)
      return fail(FA_STATUS_INPUT, status.error(), error);
    status = region->loaded.run(operands.arguments, operands.results,
                                reinterpret_cast<uint64_t>(workspace),
                                reinterpret_cast<uint64_t>(state), static_cast<CUstream>(stream));
    return status ? FA_STATUS_OK : fail(FA_STATUS_REFUSED, status.error(), error);
  });
}
