//===- ArtifactFuzzer.cpp - Any bytes as an artifact ----------------------===//
//
// What is read must be an error or an artifact that can be written, read and planned
// again. Mutations of the metadata get right sizes and checksums, so that they reach the
// code behind those checks.
//
//===----------------------------------------------------------------------===//

#include "../Unit/Runtime/ExampleArtifact.h"
#include "Runtime/Artifact/ArtifactFormat.h"
#include "Runtime/Launch/ChipName.h"
#include "Runtime/Launch/PlanLaunches.h"
#include <cstdlib>
#include <cstring>

using namespace fa_runtime;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

static Operand operandOf(DType dtype, std::vector<int64_t> dims, bool isScalar) {
  Operand operand;
  operand.dtype = dtype;
  operand.isScalar = isScalar;
  for (int64_t &size : dims)
    size = size == -1 ? 40 : size;
  operand.strides.assign(dims.size(), 1);
  operand.dims = std::move(dims);
  operand.address = 0x10000;
  return operand;
}

/// What a run does with a region before the driver is asked.
static void planRegion(const Artifact &artifact, const Region &region) {
  std::vector<Operand> arguments, results;
  for (const Argument &argument : region.arguments)
    arguments.push_back(operandOf(argument.dtype, argument.dims, argument.isScalar));
  auto dims = resultDims(region.results, arguments);
  if (!dims)
    return;
  for (size_t i = 0; i < dims->size(); ++i)
    results.push_back(operandOf(region.results[i].dtype, (*dims)[i], false));
  (void)checkOperands(region.arguments, region.results, region.constraints, arguments, results, 0);
  ExprInputs inputs = exprInputs(arguments, results, 4);
  for (const Program &program : region.programs) {
    (void)ptxFits(program.machine, {9, 0});
    if (auto scratch = scratchSizes(program, inputs))
      (void)planLaunches(artifact, program, inputs, RunMemory{arguments, results}, DeviceLimits());
  }
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  Expected<Artifact> artifact = parseArtifact(data, size);
  if (!artifact)
    return 0;
  std::string bytes = serialize(*artifact);
  Expected<Artifact> again = parseArtifact(bytes.data(), bytes.size());
  if (!again || serialize(*again) != bytes)
    abort();
  for (const Region &region : artifact->regions)
    planRegion(*artifact, region);
  return 0;
}

/// Header and checksum for these metadata and blobs.
static std::string packed(const std::string &metadata, const std::string &blobs) {
  ArtifactHeader header = {};
  memcpy(header.magic, kArtifactMagic, sizeof header.magic);
  header.version = kArtifactVersion;
  header.headerBytes = sizeof header;
  header.metadataBytes = metadata.size();
  header.blobBytes = blobs.size();
  std::string bytes(reinterpret_cast<const char *>(&header), sizeof header);
  bytes += metadata + blobs;
  header.checksum = artifactChecksum(bytes.data(), bytes.size());
  memcpy(bytes.data(), &header, sizeof header);
  return bytes;
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize,
                                          unsigned seed) {
  if (seed % 8 == 0)
    return LLVMFuzzerMutate(data, size, maxSize);
  std::string bytes(reinterpret_cast<const char *>(data), size);
  ArtifactHeader header;
  auto read = [&] {
    if (bytes.size() < sizeof header || !looksLikeArtifact(bytes.data(), bytes.size()))
      return false;
    memcpy(&header, bytes.data(), sizeof header);
    return header.metadataBytes <= bytes.size() - sizeof header;
  };
  if (!read()) {
    bytes = serialize(exampleArtifact());
    read();
  }
  std::string metadata = bytes.substr(sizeof header, header.metadataBytes);
  std::string blobs = bytes.substr(sizeof header + metadata.size());
  metadata.resize(metadata.size() + 64);
  metadata.resize(LLVMFuzzerMutate(reinterpret_cast<uint8_t *>(metadata.data()),
                                   metadata.size() - 64, metadata.size()));
  bytes = packed(metadata, blobs);
  if (bytes.size() > maxSize)
    return size;
  memcpy(data, bytes.data(), bytes.size());
  return bytes.size();
}
