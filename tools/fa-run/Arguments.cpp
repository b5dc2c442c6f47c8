//===- Arguments.cpp - Where arguments come from --------------------------===//

#include "Arguments.h"
#include "Failure.h"
#include "Runtime/Npz/Npz.h"
#include "Runtime/Tensor/RandomTensor.h"
#include <algorithm>
#include <charconv>

namespace fa_run {

using namespace fa_runtime;

Tensor reinterpretArray(Tensor array, DType type) {
  bool isBits = type == DType::BF16 && array.dtype == DType::I16;
  bool isFlag = type == DType::Bool && array.dtype == DType::I8;
  if (isBits || isFlag)
    array.dtype = type;
  // A flag is one bit to the compiled code: any byte but 0 and 1 would be another value.
  bool isValid = array.dtype == type;
  if (isFlag)
    forEachElement(array, [&](int64_t i) { isValid &= array.data[i] == 0 || array.data[i] == 1; });
  if (!isValid)
    array.dtype = DType::Invalid;
  return array;
}

static bool fits(const std::vector<int64_t> &dims, const std::vector<int64_t> &shape) {
  return dims.size() == shape.size() &&
         std::equal(dims.begin(), dims.end(), shape.begin(),
                    [](int64_t dim, int64_t size) { return dim == -1 || dim == size; });
}

static std::string wanted(const ValueType &type) {
  return (type.isScalar ? "a scalar of type " : "") + describeType(type.dims, type.dtype);
}

static std::vector<Tensor> readArguments(const std::string &path,
                                         const std::vector<ValueType> &types) {
  NpzReader file = valueOrFail(NpzReader::open(path), kBadInput);
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < types.size(); ++i) {
    std::string key = "arg" + std::to_string(i);
    if (!file.has(key) && file.has(types[i].name))
      key = types[i].name;
    Expected<Tensor> array = file.read(key);
    if (!array)
      throw Failure{kBadInput, "argument " + types[i].name + " (" + wanted(types[i]) +
                                   "): " + array.error().text};
    Tensor argument = reinterpretArray(*array, types[i].dtype);
    if (argument.dtype != types[i].dtype || !fits(types[i].dims, argument.shape))
      throw Failure{kBadInput, "argument " + types[i].name + ": expected " + wanted(types[i]) +
                                   ", got " + describeType(array->shape, array->dtype) + " ('" +
                                   key + "' in '" + path + "')"};
    arguments.push_back(std::move(argument));
  }
  std::string extra = "arg" + std::to_string(types.size());
  if (file.has(extra))
    throw Failure{kBadInput, "'" + path + "' has an array '" + extra +
                                 "', but the function takes " + std::to_string(types.size()) +
                                 " arguments"};
  return arguments;
}

namespace {

/// --dims, read: how the sizes that the types leave open are filled in.
class OpenSizes {
public:
  OpenSizes(const std::string &text, const std::vector<ValueType> &types) : types(types) {
    for (const ValueType &type : types)
      shapes.push_back(type.dims);
    std::vector<int64_t> sizes;
    for (size_t begin = 0; begin <= text.size() && !text.empty();) {
      size_t end = std::min(text.find(',', begin), text.size());
      std::string item = text.substr(begin, end - begin);
      size_t equals = item.find('=');
      if (equals == std::string::npos)
        sizes.push_back(number(item));
      else
        setShape(item.substr(0, equals), item.substr(equals + 1));
      begin = end + 1;
    }
    if (sizes.size() > 1)
      fillInOrder(sizes);
    else
      fillAll(sizes.empty() ? kDefaultSize : sizes[0]);
  }

  const std::vector<int64_t> &shape(size_t argument) const { return shapes[argument]; }

private:
  static constexpr int64_t kDefaultSize = 17;

  [[noreturn]] static void fail(const std::string &text) {
    throw Failure{kBadInput, "--dims: " + text};
  }

  static int64_t number(const std::string &text) {
    int64_t value = -1;
    auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size() || value < 0)
      fail("expected a size, got '" + text + "'");
    return value;
  }

  void fillAll(int64_t size) {
    for (std::vector<int64_t> &shape : shapes)
      std::replace(shape.begin(), shape.end(), int64_t(-1), size);
  }

  void fillInOrder(const std::vector<int64_t> &sizes) {
    size_t open = 0;
    for (std::vector<int64_t> &shape : shapes)
      for (int64_t &size : shape)
        if (size == -1 && open++ < sizes.size())
          size = sizes[open - 1];
    if (open != sizes.size())
      fail("expected one size, or " + std::to_string(open) + " (one for each open one), got " +
           std::to_string(sizes.size()));
  }

  void setShape(const std::string &name, const std::string &text) {
    for (size_t i = 0; i < types.size(); ++i)
      if (types[i].name == name || "arg" + std::to_string(i) == name) {
        std::vector<int64_t> shape;
        for (size_t begin = 0; begin <= text.size() && !text.empty();) {
          size_t end = std::min(text.find('x', begin), text.size());
          shape.push_back(number(text.substr(begin, end - begin)));
          begin = end + 1;
        }
        if (!fits(types[i].dims, shape))
          fail("argument " + name + ": expected " + wanted(types[i]) + ", got " +
               describeType(shape, types[i].dtype));
        shapes[i] = shape;
        return;
      }
    fail("the function has no argument '" + name + "'");
  }

  const std::vector<ValueType> &types;
  std::vector<std::vector<int64_t>> shapes;
};

} // namespace

std::vector<Tensor> gatherArguments(const Options &options, const std::vector<ValueType> &types) {
  if (!options.inputs.empty())
    return readArguments(options.inputs, types);
  if (!types.empty() && !options.isRandom && !options.verify)
    throw Failure{kBadInput, "the function takes " + std::to_string(types.size()) +
                                 " arguments: give --inputs=IN.npz or --random"};
  OpenSizes sizes(options.dims, types);
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < types.size(); ++i) {
    Expected<Tensor> argument = randomTensor(types[i].dtype, sizes.shape(i), options.seed, i);
    if (!argument)
      throw Failure{kBadInput, "argument " + types[i].name + ": " + argument.error().text};
    arguments.push_back(std::move(*argument));
  }
  return arguments;
}

} // namespace fa_run
