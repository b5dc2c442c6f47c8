//===- NpzTest.cpp - NumPy's files ----------------------------------------===//

#include "Runtime/Npz/Npz.h"
#include "Runtime/Npz/Npy.h"
#include "Runtime/Tensor/Convert.h"
#include "Runtime/WholeFile.h"
#include <cstring>
#include <filesystem>
#include <gtest/gtest.h>

using namespace fa_runtime;

namespace {

class NpzTest : public testing::Test {
protected:
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("fa-npz-" + std::to_string(getpid()));
  std::string path = folder / "x.npz";

  void SetUp() override { std::filesystem::create_directory(folder); }
  void TearDown() override { std::filesystem::remove_all(folder); }

  Tensor counting(DType dtype, std::vector<int64_t> shape) {
    Expected<Tensor> tensor = allocateTensor(dtype, shape);
    EXPECT_TRUE(bool(tensor));
    for (int64_t i = 0; i < tensor->numElements(); ++i)
      storeDouble(dtype, tensor->data + i * byteWidth(dtype), static_cast<double>(i % 2));
    return *tensor;
  }
};

std::string numpyHeader(const std::string &dictionary) {
  std::string header("\x93NUMPY\1\0", 8);
  header += {static_cast<char>(dictionary.size()), '\0'};
  return header + dictionary;
}

std::string errorOf(const std::string &dictionary) {
  Expected<NpyHeader> header = parseNpyHeader(numpyHeader(dictionary));
  return header ? "no error" : header.error().text;
}

TEST_F(NpzTest, EveryTypeSurvives) {
  std::vector<std::pair<std::string, Tensor>> arrays;
  for (int i = 1; i <= 9; ++i)
    arrays.push_back({std::string(kDTypeNames[i]), counting(static_cast<DType>(i), {3, 0 + i})});
  arrays.push_back({"scalar", counting(DType::F32, {})});
  arrays.push_back({"empty", counting(DType::F32, {2, 0, 3})});
  ASSERT_TRUE(bool(writeNpz(path, arrays)));
  Expected<NpzReader> reader = NpzReader::open(path);
  ASSERT_TRUE(bool(reader)) << reader.error().text;
  EXPECT_EQ(reader->keys().size(), 11u);
  for (auto &[key, tensor] : arrays) {
    Expected<Tensor> read = reader->read(key);
    ASSERT_TRUE(bool(read)) << read.error().text;
    EXPECT_EQ(read->shape, tensor.shape);
    // bf16 is stored as its bits.
    EXPECT_EQ(read->dtype, tensor.dtype == DType::BF16 ? DType::I16 : tensor.dtype);
    EXPECT_EQ(memcmp(read->data, tensor.data, static_cast<size_t>(tensor.numBytes())), 0) << key;
  }
}

TEST_F(NpzTest, NamesWhatIsThere) {
  ASSERT_TRUE(bool(writeNpz(path, {{"a", counting(DType::F32, {1})}})));
  Expected<NpzReader> reader = NpzReader::open(path);
  ASSERT_TRUE(bool(reader));
  EXPECT_EQ(reader->read("b").error().text, "no array 'b' in '" + path + "'; it has a");
}

TEST_F(NpzTest, DamagedFilesAreErrors) {
  ASSERT_TRUE(bool(writeNpz(path, {{"a", counting(DType::F32, {100})}})));
  std::string bytes = *readWholeFile(path);
  for (size_t size = 0; size < bytes.size(); size += 7) {
    ASSERT_TRUE(bool(writeWholeFile(path, bytes.substr(0, size))));
    EXPECT_FALSE(bool(NpzReader::open(path))) << size;
  }
  std::string flipped = bytes;
  flipped[200] ^= 1; // one of the elements
  ASSERT_TRUE(bool(writeWholeFile(path, flipped)));
  EXPECT_NE(NpzReader::open(path)->read("a").error().text.find("damaged"), std::string::npos);
}

TEST_F(NpzTest, LeavesNothingHalf) {
  ASSERT_TRUE(bool(writeWholeFile(path, "old")));
  EXPECT_FALSE(bool(writeNpz(folder / "no" / "x.npz", {})));
  EXPECT_FALSE(bool(writeNpz("/dev/full", {{"a", counting(DType::F32, {100000})}})));
  {
    Expected<PendingFile> pending = PendingFile::create(path);
  } // never committed
  EXPECT_EQ(*readWholeFile(path), "old");
  EXPECT_EQ(std::distance(std::filesystem::directory_iterator(folder), {}), 1);
}

TEST(Npy, ReadsWhatNumpyWrites) {
  Expected<NpyHeader> header = parseNpyHeader(
      numpyHeader("{'descr': '<f4', 'fortran_order': True, 'shape': (2, 3), }   \n"));
  ASSERT_TRUE(bool(header)) << header.error().text;
  EXPECT_EQ(header->dtype, DType::F32);
  EXPECT_TRUE(header->isFortranOrder);
  EXPECT_EQ(header->shape, (std::vector<int64_t>{2, 3}));
  header = parseNpyHeader(numpyHeader("{'descr': '|V2', 'fortran_order': False, 'shape': (7,), }"));
  EXPECT_EQ(header->dtype, DType::BF16);
}

TEST(Npy, RefusesWhatItCannotRead) {
  EXPECT_NE(errorOf("{'descr': '>f4', 'fortran_order': False, 'shape': ()}").find("'>f4'"),
            std::string::npos);
  EXPECT_NE(errorOf("{'descr': '|O', 'fortran_order': False, 'shape': ()}").find("'|O'"),
            std::string::npos);
  EXPECT_NE(errorOf("{'descr': [('a', '<f4')], 'shape': ()}").find("plain element type"),
            std::string::npos);
  EXPECT_NE(errorOf("{'descr': '<f4', 'shape': (-1,)}").find("not of the form"), std::string::npos);
  EXPECT_NE(errorOf("{      ").find("not of the form"), std::string::npos);
  EXPECT_FALSE(bool(parseNpyHeader("\x93NUMPY\1")));
}

} // namespace
