//===- ArtifactTest.cpp - Writing and reading artifacts -------------------===//

#include "ExampleArtifact.h"
#include "Runtime/Artifact/ArtifactFormat.h"
#include <cstring>
#include <gtest/gtest.h>

using namespace fa_runtime;

namespace {

/// Puts the right checksum in, so that what lies behind it is looked at.
std::string sealed(std::string bytes) {
  uint64_t checksum = artifactChecksum(bytes.data(), bytes.size());
  memcpy(bytes.data() + offsetof(ArtifactHeader, checksum), &checksum, sizeof checksum);
  return bytes;
}

/// The example's bytes with one text of the metadata replaced by another.
std::string edited(const std::string &from, const std::string &to) {
  std::string bytes = serialize(exampleArtifact());
  size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos) << from;
  bytes.replace(at, from.size(), to);
  uint64_t metadataBytes;
  char *field = bytes.data() + offsetof(ArtifactHeader, metadataBytes);
  memcpy(&metadataBytes, field, sizeof metadataBytes);
  metadataBytes += to.size() - from.size();
  memcpy(field, &metadataBytes, sizeof metadataBytes);
  return sealed(bytes);
}

std::string errorOf(const std::string &bytes) {
  Expected<Artifact> artifact = parseArtifact(bytes.data(), bytes.size());
  return artifact ? "no error" : artifact.error().text;
}

TEST(Artifact, ReadsWhatItWrote) {
  std::string bytes = serialize(exampleArtifact());
  Expected<Artifact> artifact = parseArtifact(bytes.data(), bytes.size());
  ASSERT_TRUE(bool(artifact)) << artifact.error().text;
  EXPECT_EQ(serialize(*artifact), bytes);
  EXPECT_EQ(artifact->modules[0].cubins[0].code, std::string("\x7f\0ELF", 5));
  EXPECT_EQ(artifact->regions[0].programs[0].launches[0].grid[0], ceilDiv(dim(0, 0), 64));
}

TEST(Artifact, EveryTruncationIsAnError) {
  std::string bytes = serialize(exampleArtifact());
  for (size_t size = 0; size < bytes.size(); ++size)
    EXPECT_FALSE(bool(parseArtifact(bytes.data(), size))) << size;
  EXPECT_EQ(errorOf(bytes.substr(0, 30)), "truncated: the header is incomplete");
  EXPECT_EQ(errorOf(bytes + "x"), "too long: expected " + std::to_string(bytes.size()) +
                                      " bytes, got " + std::to_string(bytes.size() + 1));
}

TEST(Artifact, EveryFlippedBitIsAnError) {
  std::string bytes = serialize(exampleArtifact());
  for (size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] ^= 1 << (i % 8);
    EXPECT_FALSE(bool(parseArtifact(bytes.data(), bytes.size()))) << i;
    bytes[i] ^= 1 << (i % 8);
  }
}

TEST(Artifact, NamesBothVersions) {
  std::string bytes = serialize(exampleArtifact());
  bytes[8] = 7;
  EXPECT_NE(errorOf(sealed(bytes)).find("format version 7, this program reads 1"),
            std::string::npos);
}

TEST(Artifact, RefusesMetadataThatDoesNotFit) {
  EXPECT_EQ(errorOf(edited("\"kernel\":1", "\"kernel\":2")),
            "metadata at regions[0].programs[0].launches[1].kernel: "
            "expected an integer from 0 to 1");
  EXPECT_EQ(errorOf(edited("[\"dim\",0,0]", "[\"dim\",0,2]")),
            "metadata at functions[0].calls[0].arguments[0].dims[1]: "
            "expected an integer from 0 to 1");
  EXPECT_NE(errorOf(edited("\"bytes\":5", "\"bytes\":6")).find("expected an integer from 0 to 5"),
            std::string::npos);
  EXPECT_NE(errorOf(edited("\"bytes\":5", "\"bytes\":4")).find("larger than the metadata says"),
            std::string::npos);
  EXPECT_NE(errorOf(edited("\"ceildiv\"", "\"ceilmod\"")).find("expected a formula"),
            std::string::npos);
  EXPECT_NE(errorOf(edited("\"dtype\":\"f32\"", "\"dtype\":\"f16\"")).find("a view's type"),
            std::string::npos);
  EXPECT_NE(errorOf(edited("\"name\":\"F\"", "\"name\":\"F.0\"")).find("two entries"),
            std::string::npos);
  EXPECT_NE(errorOf(edited("\"symbol\"", "\"simbol\"")).find("field 'symbol' is missing"),
            std::string::npos);
}

TEST(Artifact, DeepNestingIsAnError) {
  std::string deep(100000, '[');
  EXPECT_EQ(errorOf(edited("\"fa-mlir 0.1.0\"", deep)), "the metadata is nested too deep");
}

} // namespace
