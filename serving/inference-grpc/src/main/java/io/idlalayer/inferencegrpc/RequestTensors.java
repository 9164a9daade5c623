package io.idlalayer.inferencegrpc;

import com.google.protobuf.ByteString;
import io.idlalayer.inferencegrpc.protocol.InferTensorContents;
import io.idlalayer.inferencegrpc.protocol.ModelInferRequest;
import io.idlalayer.modelruntime.inference.BinaryElements;
import io.idlalayer.modelruntime.inference.Datatype;
import io.idlalayer.modelruntime.inference.Elements;
import io.idlalayer.modelruntime.inference.InferenceException;
import io.idlalayer.modelruntime.inference.InferenceRequest;
import io.idlalayer.modelruntime.inference.InferenceTensor;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * Converts the tensors of a call into those of a request. Elements come in binary form for all
 * inputs or in the fields of each input; outputs come back in the same way.
 */
final class RequestTensors {
  private static final String RAW = "raw_input_contents";

  /** Parameters of tensors that say no more than the call itself does. */
  private static final Set<String> KNOWN = Set.of("binary_data", "binary_data_size");

  private RequestTensors() {}

  /**
   * Returns the request of a call.
   *
   * @throws InferenceException if the call is not a valid request
   */
  static InferenceRequest of(ModelInferRequest call) throws InferenceException {
    int count = call.getInputsCount();
    int raw = call.getRawInputContentsCount();
    if (count == 0) {
      throw InferenceException.wrong("the request has no inputs");
    }
    if (count > InferenceRequest.MOST_TENSORS) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT, "there are more than %d inputs", InferenceRequest.MOST_TENSORS));
    }
    if (call.getOutputsCount() > InferenceRequest.MOST_TENSORS) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT, "there are more than %d outputs", InferenceRequest.MOST_TENSORS));
    }
    if (raw > 0 && raw != count) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT, "%s has %d entries, and there are %d inputs", RAW, raw, count));
    }
    List<InferenceTensor> inputs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    long elements = 0;
    for (int i = 0; i < count; i++) {
      ModelInferRequest.InferInputTensor input = call.getInputs(i);
      if (!names.add(input.getName())) {
        throw InferenceException.wrong("input '%s' is there twice".formatted(input.getName()));
      }
      checkParameters("input '%s'".formatted(input.getName()), input.getParametersMap().keySet());
      int[] shape = shape(input);
      long size = size(shape);
      elements += size;
      if (elements > InferenceRequest.MOST_ELEMENTS) {
        throw new InferenceException(
            413,
            String.format(
                Locale.ROOT,
                "the inputs have more than %d elements; send fewer rows at a time",
                InferenceRequest.MOST_ELEMENTS));
      }
      Datatype type = Datatype.of(input.getName(), input.getDatatype());
      Elements read =
          raw > 0
              ? raw(input, type, (int) size, call.getRawInputContents(i))
              : contents(input, type, (int) size);
      inputs.add(new InferenceTensor(input.getName(), type, shape, read));
    }
    String id = call.getId().isEmpty() ? null : call.getId();
    return new InferenceRequest(id, inputs, outputs(call, raw > 0), raw > 0);
  }

  private static List<InferenceRequest.Output> outputs(ModelInferRequest call, boolean binary)
      throws InferenceException {
    List<InferenceRequest.Output> outputs = new ArrayList<>();
    Set<String> names = new HashSet<>();
    for (ModelInferRequest.InferRequestedOutputTensor each : call.getOutputsList()) {
      if (!names.add(each.getName())) {
        throw InferenceException.wrong("output '%s' is there twice".formatted(each.getName()));
      }
      checkParameters("output '%s'".formatted(each.getName()), each.getParametersMap().keySet());
      outputs.add(new InferenceRequest.Output(each.getName(), binary));
    }
    return outputs;
  }

  /** Refuses what would change the meaning of a tensor, such as one in shared memory. */
  private static void checkParameters(String where, Set<String> parameters)
      throws InferenceException {
    for (String each : parameters) {
      if (!KNOWN.contains(each)) {
        throw InferenceException.wrong(
            "%s: the parameter '%s' is not supported; leave it out".formatted(where, each));
      }
    }
  }

  private static int[] shape(ModelInferRequest.InferInputTensor input) throws InferenceException {
    int dimensions = input.getShapeCount();
    boolean valid = dimensions > 0 && dimensions <= InferenceRequest.MOST_DIMENSIONS;
    int[] shape = new int[valid ? dimensions : 0];
    for (int i = 0; i < shape.length; i++) {
      long size = input.getShape(i);
      valid &= size >= 0 && size <= Integer.MAX_VALUE;
      shape[i] = (int) size;
    }
    if (!valid) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': its shape is %s; it must begin with the number of rows, and have at most"
                  + " %d sizes",
              input.getName(),
              input.getShapeList().stream().limit(InferenceRequest.MOST_DIMENSIONS + 1L).toList(),
              InferenceRequest.MOST_DIMENSIONS));
    }
    return shape;
  }

  /** Returns the number of elements, or a number that is too large. */
  private static long size(int[] shape) {
    long size = 1;
    for (int each : shape) {
      size = each == 0 ? 0 : Math.min(size, 1L << 31) * each;
    }
    return size;
  }

  private static Elements raw(
      ModelInferRequest.InferInputTensor input, Datatype type, int count, ByteString raw)
      throws InferenceException {
    if (input.hasContents()) {
      throw InferenceException.wrong(
          "input '%s' has contents, and the request has %s".formatted(input.getName(), RAW));
    }
    try {
      return BinaryElements.read(raw.newInput(), input.getName(), type, count, raw.size());
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  private static Elements contents(
      ModelInferRequest.InferInputTensor input, Datatype type, int count)
      throws InferenceException {
    InferTensorContents contents = input.getContents();
    int found =
        switch (type) {
          case FP32 -> contents.getFp32ContentsCount();
          case FP64 -> contents.getFp64ContentsCount();
          case INT32 -> contents.getIntContentsCount();
          case INT64 -> contents.getInt64ContentsCount();
          case BYTES -> contents.getBytesContentsCount();
        };
    int all =
        contents.getFp32ContentsCount()
            + contents.getFp64ContentsCount()
            + contents.getIntContentsCount()
            + contents.getInt64ContentsCount()
            + contents.getBytesContentsCount()
            + contents.getBoolContentsCount()
            + contents.getUintContentsCount()
            + contents.getUint64ContentsCount();
    if (found != count || all != found) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT,
              "input '%s': its shape has %d elements; its contents have %d of %s, and %d of other"
                  + " types",
              input.getName(),
              count,
              found,
              type,
              all - found));
    }
    Elements elements = new Elements(type == Datatype.FP32 || type == Datatype.FP64);
    for (int i = 0; i < count; i++) {
      switch (type) {
        case FP32 -> elements.add(contents.getFp32Contents(i));
        case FP64 -> elements.add(contents.getFp64Contents(i));
        case INT32 -> elements.addNumber(Integer.toString(contents.getIntContents(i)), true);
        case INT64 -> elements.addNumber(Long.toString(contents.getInt64Contents(i)), true);
        case BYTES -> elements.addString(text(input, i, contents.getBytesContents(i)));
      }
    }
    return elements;
  }

  private static String text(
      ModelInferRequest.InferInputTensor input, int element, ByteString bytes)
      throws InferenceException {
    if (!bytes.isValidUtf8()) {
      throw InferenceException.wrong(
          String.format(
              Locale.ROOT, "input '%s': element %d is not UTF-8", input.getName(), element));
    }
    return bytes.toStringUtf8();
  }
}
