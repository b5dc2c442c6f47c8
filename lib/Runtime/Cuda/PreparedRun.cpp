//===- PreparedRun.cpp - An entry of an artifact, ready to run ------------===//

#include "Runtime/Cuda/PreparedRun.h"

namespace fa_runtime {

Expected<Entry> findEntry(const Artifact &artifact, const std::string &name) {
  std::string list;
  for (const Function &function : artifact.functions) {
    list += (list.empty() ? "" : ", ") + function.name;
    if (function.name == name || (name.empty() && artifact.functions.size() == 1))
      return Entry{nullptr, &function};
  }
  bool hasRegions = false;
  for (const Region &region : artifact.regions) {
    list += (list.empty() ? "" : ", ") + region.name;
    hasRegions |= region.name.compare(0, name.size() + 1, name + ".") == 0;
    if (region.name == name ||
        (name.empty() && artifact.functions.empty() && artifact.regions.size() == 1))
      return Entry{&region, nullptr};
  }
  if (name.empty())
    return Error{"--function must name one of the artifact's entries: " + list};
  if (hasRegions)
    return Error{"function '" + name +
                 "' holds more than attention and views, so it does not run from an artifact; run "
                 "one of its regions (" +
                 list + "), or the IR with --device=cuda"};
  return Error{"no entry '" + name + "' in the artifact; it has " + (list.empty() ? "none" : list)};
}

/// Dense operand of that shape at `buffer`.
static Operand operandOf(DType dtype, std::vector<int64_t> dims, const GuardedBuffer &buffer,
                         int device) {
  Operand operand;
  operand.dtype = dtype;
  operand.strides = denseStrides(dims);
  operand.dims = std::move(dims);
  operand.address = operand.memoryBegin = buffer.address();
  operand.memoryBytes = static_cast<uint64_t>(buffer.bytes());
  operand.device = device;
  return operand;
}

Expected<Operand> PreparedRun::place(DType dtype, std::vector<int64_t> dims,
                                     const std::string &name) {
  Expected<int64_t> count = countElements(dims, dtype);
  if (!count)
    return at(name, count.error());
  Expected<GuardedBuffer> buffer =
      GuardedBuffer::allocate(device, *count * byteWidth(dtype), ownStream.handle());
  if (!buffer)
    return at(name, buffer.error());
  Operand operand = operandOf(dtype, std::move(dims), *buffer, device->ordinal());
  buffers.push_back({name, std::move(*buffer)});
  return operand;
}

Status PreparedRun::upload(const std::vector<Tensor> &tensors) {
  std::vector<Tensor> kept; // until the copies are done
  for (size_t i = 0; i < tensors.size(); ++i) {
    bool isKnown = i < entry.arguments().size();
    if (isKnown && entry.arguments()[i].isScalar && tensors[i].rank() == 0) {
      argumentOperands.push_back(Operand::ofScalar(tensors[i].dtype, tensors[i].data));
      continue;
    }
    Expected<Tensor> dense = makeDense(tensors[i]);
    if (!dense)
      return dense.error();
    std::string name = "argument " + (isKnown ? entry.arguments()[i].name : std::to_string(i));
    Expected<Operand> operand = place(dense->dtype, dense->shape, name);
    if (!operand)
      return operand.error();
    if (Status status = buffers.back().second.copyFromHost(dense->data, ownStream); !status)
      return status;
    argumentOperands.push_back(std::move(*operand));
    kept.push_back(std::move(*dense));
  }
  return ownStream.synchronize();
}

Status PreparedRun::placeResults() {
  auto dims = resultDims(entry.results(), argumentOperands);
  if (!dims)
    return dims.error();
  for (size_t i = 0; i < dims->size(); ++i) {
    const Result &result = entry.results()[i];
    Expected<Operand> operand = place(result.dtype, (*dims)[i], "result " + result.name);
    if (!operand)
      return operand.error();
    resultBuffers.push_back(buffers.size() - 1);
    resultOperands.push_back(std::move(*operand));
  }
  return {};
}

Status PreparedRun::addStep(size_t region, std::vector<Operand> arguments,
                            std::vector<Operand> results) {
  Expected<LoadedRegion> loaded = LoadedRegion::load(artifact, region, device, code);
  if (!loaded)
    return loaded.error();
  Expected<ScratchSizes> scratch = loaded->scratch(arguments, results);
  if (!scratch)
    return at("region " + loaded->region().name, scratch.error());
  Expected<GuardedBuffer> workspace =
      GuardedBuffer::allocate(device, scratch->workspaceBytes, ownStream.handle());
  if (!workspace)
    return at("workspace", workspace.error());
  Expected<GuardedBuffer> state =
      GuardedBuffer::allocate(device, scratch->stateBytes, ownStream.handle());
  if (!state)
    return at("state", state.error());
  if (Status status = state->zero(ownStream.handle()); !status)
    return status;
  totalScratch.workspaceBytes += scratch->workspaceBytes;
  totalScratch.stateBytes += scratch->stateBytes;
  buffers.push_back({"the workspace of " + loaded->region().name, *workspace});
  buffers.push_back({"the state of " + loaded->region().name, *state});
  steps.push_back({std::move(*loaded), std::move(arguments), std::move(results),
                   std::move(*workspace), std::move(*state)});
  return {};
}

Expected<Operand> PreparedRun::resolve(const View &view, const ExprInputs &inputs) const {
  auto index = static_cast<size_t>(view.index);
  const Operand &source = view.source == View::Source::Argument ? argumentOperands[index]
                          : view.source == View::Source::Result ? resultOperands[index]
                                                                : temporaries[index];
  if (source.isScalar)
    return source;
  Operand operand = source;
  operand.dims.clear();
  operand.strides.clear();
  for (const auto &[exprs, values] :
       {std::pair(&view.dims, &operand.dims), std::pair(&view.strides, &operand.strides)})
    for (const Expr &expr : *exprs) {
      Expected<int64_t> value = evaluate(expr, inputs);
      if (!value)
        return value.error();
      values->push_back(*value);
    }
  Expected<int64_t> offset = evaluate(view.offset, inputs);
  if (!offset)
    return offset.error();
  operand.address +=
      static_cast<uint64_t>(*offset) * static_cast<uint64_t>(byteWidth(source.dtype));
  return operand;
}

Status PreparedRun::addCalls() {
  const Function &function = *entry.function;
  ExprInputs inputs = exprInputs(argumentOperands, resultOperands, device->limits().sms);
  for (const Temporary &temporary : function.temporaries) {
    std::vector<int64_t> dims;
    for (const Expr &expr : temporary.dims) {
      Expected<int64_t> size = evaluate(expr, inputs);
      if (!size)
        return size.error();
      dims.push_back(*size);
    }
    Expected<Operand> operand = place(temporary.dtype, std::move(dims), "a temporary");
    if (!operand)
      return operand.error();
    temporaries.push_back(std::move(*operand));
  }
  for (const Call &call : function.calls) {
    std::vector<Operand> arguments, results;
    for (const auto &[views, operands] :
         {std::pair(&call.arguments, &arguments), std::pair(&call.results, &results)})
      for (const View &view : *views) {
        Expected<Operand> operand = resolve(view, inputs);
        if (!operand)
          return operand.error();
        operands->push_back(std::move(*operand));
      }
    if (Status status = addStep(static_cast<size_t>(call.region), arguments, results); !status)
      return status;
  }
  return {};
}

Expected<PreparedRun> PreparedRun::prepare(std::shared_ptr<const Artifact> artifact,
                                           const Entry &entry, std::shared_ptr<const Device> device,
                                           std::shared_ptr<LoadedCode> code,
                                           const std::vector<Tensor> &arguments) {
  Expected<Stream> stream = Stream::create(device);
  if (!stream)
    return stream.error();
  PreparedRun run(*stream);
  run.artifact = std::move(artifact);
  run.device = device;
  run.code = std::move(code);
  run.entry = entry;
  Status status = run.upload(arguments);
  if (status)
    status = checkArguments(entry.arguments(), entry.constraints(), run.argumentOperands,
                            device->ordinal());
  if (status)
    status = run.placeResults();
  if (status && entry.region)
    status = run.addStep(static_cast<size_t>(entry.region - run.artifact->regions.data()),
                         run.argumentOperands, run.resultOperands);
  else if (status)
    status = run.addCalls();
  if (!status)
    return status.error();
  return run;
}

Status PreparedRun::launch() {
  for (Step &step : steps)
    if (Status status = step.region.run(step.arguments, step.results, step.workspace.address(),
                                        step.state.address(), ownStream.handle());
        !status)
      return status;
  return {};
}

Expected<std::vector<Tensor>> PreparedRun::results() {
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < resultOperands.size(); ++i) {
    Expected<Tensor> tensor = allocateTensor(resultOperands[i].dtype, resultOperands[i].dims);
    if (!tensor)
      return tensor.error();
    Status status = buffers[resultBuffers[i]].second.copyToHost(tensor->data, ownStream);
    if (!status)
      return at("after the kernels of " + entry.name(), status.error());
    tensors.push_back(std::move(*tensor));
  }
  for (const auto &[name, buffer] : buffers)
    if (Status status = buffer.checkZones(name, ownStream); !status)
      return status.error();
  return tensors;
}

std::vector<std::string> PreparedRun::schedules() const {
  std::vector<std::string> texts;
  for (const Step &step : steps)
    texts.push_back(step.region.region().name + ": " + step.region.program().schedule);
  return texts;
}

} // namespace fa_runtime
