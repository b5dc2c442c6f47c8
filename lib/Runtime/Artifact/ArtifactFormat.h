//===- ArtifactFormat.h - What writer and reader of artifacts share -------===//
//
// The layout of the file is described in docs/Artifact.md.
//
//===----------------------------------------------------------------------===//
#ifndef FA_RUNTIME_ARTIFACT_ARTIFACTFORMAT_H
#define FA_RUNTIME_ARTIFACT_ARTIFACTFORMAT_H

#include <cstddef>
#include <cstdint>

namespace fa_runtime {

/// The first byte is no ASCII and no UTF-8, the line ends show a damaging text transfer.
inline constexpr char kArtifactMagic[8] = {'\x93', 'F', 'A', 'M', 'L', 'I', 'R', '\n'};

/// All fields are little-endian; the metadata and then the blobs follow without gaps.
struct ArtifactHeader {
  char magic[8];
  uint32_t version;
  uint32_t headerBytes; ///< sizeof(ArtifactHeader)
  uint64_t metadataBytes;
  uint64_t blobBytes;
  uint64_t checksum; ///< XXH3 of the fields above it and everything behind it
};
static_assert(sizeof(ArtifactHeader) == 40);

/// Bounds on what a file may ask of its reader.
constexpr uint64_t kMaxMetadataBytes = uint64_t(16) << 20;
constexpr uint64_t kMaxBlobBytes = uint64_t(1) << 32;
constexpr int kMaxJsonDepth = 256;
constexpr int kMaxRank = 16;

/// The checksum of a whole file: XXH3 of its bytes without the header's checksum field.
uint64_t artifactChecksum(const void *data, size_t size);

inline constexpr const char *kPhaseNames[] = {"pre", "main", "post"};
inline constexpr const char *kParameterNames[] = {"pointer", "i32", "i64", "scalar", "tensormap"};
inline constexpr const char *kBaseNames[] = {"operand", "workspace", "state"};
inline constexpr const char *kSourceNames[] = {"argument", "result", "temporary"};

} // namespace fa_runtime

#endif // FA_RUNTIME_ARTIFACT_ARTIFACTFORMAT_H
