package io.idlalayer.inferencegrpc;

import com.google.protobuf.CodedInputStream;
import com.google.protobuf.InvalidProtocolBufferException;
import com.google.protobuf.WireFormat;
import io.grpc.BindableService;
import io.grpc.MethodDescriptor;
import io.grpc.ServerMethodDefinition;
import io.grpc.ServerServiceDefinition;
import io.grpc.ServiceDescriptor;
import io.grpc.Status;
import io.grpc.protobuf.ProtoUtils;
import io.idlalayer.inferencegrpc.protocol.GRPCInferenceServiceGrpc;
import io.idlalayer.inferencegrpc.protocol.ModelInferRequest;
import io.idlalayer.inferencegrpc.protocol.ModelInferResponse;
import io.idlalayer.modelruntime.inference.InferenceRequest;
import java.io.IOException;
import java.io.InputStream;
import java.util.Locale;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Counts the parts of a request before it is parsed: two bytes can make an object of many times
 * that size.
 */
final class BoundedRequests implements MethodDescriptor.Marshaller<ModelInferRequest> {
  private static final Logger LOG = LoggerFactory.getLogger(BoundedRequests.class);
  private static final int MOST_PARTS = 3 * InferenceRequest.MOST_TENSORS;
  private static final ModelInferRequest BROKEN =
      ModelInferRequest.newBuilder().setId("broken").build();
  private static final ModelInferRequest TOO_MANY_PARTS =
      ModelInferRequest.newBuilder().setId("too many parts").build();

  private final MethodDescriptor.Marshaller<ModelInferRequest> usual =
      ProtoUtils.marshaller(ModelInferRequest.getDefaultInstance());

  private BoundedRequests() {}

  /** Returns the service with bounded requests for predictions. */
  static ServerServiceDefinition of(BindableService service) {
    ServerServiceDefinition usual = service.bindService();
    MethodDescriptor<ModelInferRequest, ModelInferResponse> infer =
        GRPCInferenceServiceGrpc.getModelInferMethod().toBuilder()
            .setRequestMarshaller(new BoundedRequests())
            .build();
    ServiceDescriptor.Builder described =
        ServiceDescriptor.newBuilder(usual.getServiceDescriptor().getName());
    for (ServerMethodDefinition<?, ?> each : usual.getMethods()) {
      described.addMethod(isInfer(each) ? infer : each.getMethodDescriptor());
    }
    ServerServiceDefinition.Builder bounded = ServerServiceDefinition.builder(described.build());
    for (ServerMethodDefinition<?, ?> each : usual.getMethods()) {
      if (isInfer(each)) {
        @SuppressWarnings("unchecked")
        var calls = (ServerMethodDefinition<ModelInferRequest, ModelInferResponse>) each;
        bounded.addMethod(infer, calls.getServerCallHandler());
      } else {
        bounded.addMethod(each);
      }
    }
    return bounded.build();
  }

  private static boolean isInfer(ServerMethodDefinition<?, ?> method) {
    return method
        .getMethodDescriptor()
        .getFullMethodName()
        .equals(GRPCInferenceServiceGrpc.getModelInferMethod().getFullMethodName());
  }

  @Override
  public InputStream stream(ModelInferRequest request) {
    return usual.stream(request);
  }

  /**
   * Returns the parsed request. If the message is not a valid request, returns a placeholder that
   * {@link #refusal} recognizes.
   */
  @Override
  public ModelInferRequest parse(InputStream message) {
    try {
      byte[] bytes = message.readAllBytes();
      return fits(CodedInputStream.newInstance(bytes))
          ? ModelInferRequest.parseFrom(bytes)
          : TOO_MANY_PARTS;
    } catch (InvalidProtocolBufferException broken) {
      LOG.debug("a message is no request", broken);
      return BROKEN;
    } catch (IOException failed) {
      throw Status.INTERNAL.withCause(failed).asRuntimeException();
    }
  }

  private static boolean fits(CodedInputStream message) throws IOException {
    int parts = 0;
    for (int tag = message.readTag(); tag != 0; tag = message.readTag()) {
      if (WireFormat.getTagWireType(tag) == WireFormat.WIRETYPE_LENGTH_DELIMITED) {
        parts++;
      }
      if (parts > MOST_PARTS) {
        return false;
      }
      message.skipField(tag);
    }
    return true;
  }

  /**
   * Returns why a request that was parsed is refused; empty if it is not. Parsing itself throws
   * nothing for such a message, because the client would not get the text of the exception.
   */
  @SuppressWarnings("ReferenceEquality") // Two requests that no client can send.
  static Optional<String> refusal(ModelInferRequest request) {
    if (request == BROKEN) {
      return Optional.of("the message is no request of the protocol");
    }
    return request == TOO_MANY_PARTS
        ? Optional.of(
            String.format(
                Locale.ROOT,
                "the request has more than %d inputs, outputs, parameters and tensors",
                MOST_PARTS))
        : Optional.empty();
  }
}
