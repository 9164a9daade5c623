package io.idlalayer.inferencegrpc;

import com.google.protobuf.ByteString;
import com.google.protobuf.UnsafeByteOperations;
import io.idlalayer.inferencegrpc.protocol.InferParameter;
import io.idlalayer.inferencegrpc.protocol.InferTensorContents;
import io.idlalayer.inferencegrpc.protocol.ModelInferResponse;
import io.idlalayer.inferencegrpc.protocol.ModelMetadataResponse;
import io.idlalayer.modelruntime.inference.Answer;
import io.idlalayer.modelruntime.inference.Datatype;
import io.idlalayer.modelruntime.inference.ModelDescription;
import io.idlalayer.modelruntime.inference.OriginHeaders;
import io.idlalayer.modelruntime.inference.OutputTensor;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Converts descriptions and answers into the messages of the protocol. */
final class AnswerMessages {
  private AnswerMessages() {}

  static ModelMetadataResponse of(ModelDescription model) {
    return ModelMetadataResponse.newBuilder()
        .setName(model.name())
        .addVersions(Long.toString(model.version()))
        .setPlatform(ModelDescription.PLATFORM)
        .addAllInputs(tensors(model.inputs()))
        .addAllOutputs(tensors(model.outputs()))
        .build();
  }

  private static List<ModelMetadataResponse.TensorMetadata> tensors(
      List<ModelDescription.Tensor> tensors) {
    return tensors.stream()
        .map(
            each ->
                ModelMetadataResponse.TensorMetadata.newBuilder()
                    .setName(each.name())
                    .setDatatype(each.datatype().name())
                    .addAllShape(sizes(each.shape()))
                    .build())
        .toList();
  }

  private static List<Long> sizes(int[] shape) {
    return Arrays.stream(shape).asLongStream().boxed().toList();
  }

  /**
   * Returns the answer to a call. Its parameters say which version answered and where that version
   * comes from: those of the JSON form, and the headers of the HTTP form in lower case.
   */
  static ModelInferResponse of(Answer answer) {
    long version = answer.version().manifest().version();
    ModelInferResponse.Builder message =
        ModelInferResponse.newBuilder()
            .setModelName(answer.model())
            .setModelVersion(Long.toString(version))
            .setId(answer.id() == null ? "" : answer.id())
            .putParameters("version", number(version))
            .putParameters(
                "created_at_millis", number(answer.version().manifest().createdAtMillis()))
            .putParameters("age_millis", number(answer.ageMillis()));
    OriginHeaders.of(answer.version())
        .forEach(
            (name, value) ->
                message.putParameters(
                    name.toLowerCase(Locale.ROOT),
                    InferParameter.newBuilder().setStringParam(value).build()));
    for (OutputTensor each : answer.outputs()) {
      ModelInferResponse.InferOutputTensor.Builder output =
          ModelInferResponse.InferOutputTensor.newBuilder()
              .setName(each.name())
              .setDatatype(each.datatype().name())
              .addAllShape(sizes(each.shape()));
      if (each.binary()) {
        message.addRawOutputContents(UnsafeByteOperations.unsafeWrap(each.bytes()));
      } else {
        output.setContents(contents(each));
      }
      message.addOutputs(output);
    }
    return message.build();
  }

  private static InferParameter number(long value) {
    return InferParameter.newBuilder().setInt64Param(value).build();
  }

  private static InferTensorContents contents(OutputTensor output) {
    InferTensorContents.Builder contents = InferTensorContents.newBuilder();
    output.texts().forEach(each -> contents.addBytesContents(ByteString.copyFromUtf8(each)));
    for (double each : output.numbers()) {
      if (output.datatype() == Datatype.FP32) {
        contents.addFp32Contents((float) each);
      } else {
        contents.addFp64Contents(each);
      }
    }
    return contents.build();
  }
}
