package io.idlalayer.inferencegrpc;

import io.grpc.Context;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.StatusException;
import io.grpc.stub.StreamObserver;
import io.idlalayer.inferencegrpc.protocol.GRPCInferenceServiceGrpc;
import io.idlalayer.inferencegrpc.protocol.ModelInferRequest;
import io.idlalayer.inferencegrpc.protocol.ModelInferResponse;
import io.idlalayer.inferencegrpc.protocol.ModelMetadataRequest;
import io.idlalayer.inferencegrpc.protocol.ModelMetadataResponse;
import io.idlalayer.inferencegrpc.protocol.ModelReadyRequest;
import io.idlalayer.inferencegrpc.protocol.ModelReadyResponse;
import io.idlalayer.inferencegrpc.protocol.ServerLiveRequest;
import io.idlalayer.inferencegrpc.protocol.ServerLiveResponse;
import io.idlalayer.inferencegrpc.protocol.ServerMetadataRequest;
import io.idlalayer.inferencegrpc.protocol.ServerMetadataResponse;
import io.idlalayer.inferencegrpc.protocol.ServerReadyRequest;
import io.idlalayer.inferencegrpc.protocol.ServerReadyResponse;
import io.idlalayer.modelruntime.inference.Inference;
import io.idlalayer.modelruntime.inference.InferenceException;
import io.idlalayer.modelruntime.inference.ModelDescription;
import java.util.Optional;
import java.util.regex.Pattern;

/** Answers the calls of the protocol. Safe from any thread. */
final class InferenceCalls extends GRPCInferenceServiceGrpc.GRPCInferenceServiceImplBase {
  private static final Pattern VERSION = Pattern.compile("[1-9]\\d{0,17}");

  /** Most characters of a message, because clients take 8 KiB of metadata in percent encoding. */
  private static final int MOST_MESSAGE = 1_000;

  private final Inference inference;

  InferenceCalls(Inference inference) {
    this.inference = inference;
  }

  /** What a call asks for. */
  @FunctionalInterface
  private interface Question<A> {
    A answer() throws InferenceException;
  }

  private static <A> void answer(StreamObserver<A> client, Question<A> question) {
    A answer;
    try {
      answer = question.answer();
    } catch (InferenceException refused) {
      client.onError(status(refused));
      return;
    }
    client.onNext(answer);
    client.onCompleted();
  }

  /** Returns the status of gRPC for one of HTTP. */
  private static StatusException status(InferenceException refused) {
    Status status =
        switch (refused.status()) {
          case 400, 413 -> Status.INVALID_ARGUMENT;
          case 404 -> Status.NOT_FOUND;
          case 503 -> Status.UNAVAILABLE;
          default -> Status.INTERNAL;
        };
    return status.withDescription(shortened(refused)).asException(new Metadata());
  }

  /** Returns the message, of which a name that the client sent may be a part of any length. */
  private static String shortened(InferenceException refused) {
    String message = String.valueOf(refused.getMessage());
    return message.length() <= MOST_MESSAGE
        ? message
        : message.substring(0, MOST_MESSAGE) + " (shortened)";
  }

  /** Returns the number of a version; 0 for any. */
  private static long version(String text) throws InferenceException {
    if (text.isEmpty()) {
      return 0;
    }
    if (!VERSION.matcher(text).matches()) {
      throw new InferenceException(404, "there is no version '%s'".formatted(text));
    }
    return Long.parseLong(text);
  }

  @Override
  public void serverLive(ServerLiveRequest request, StreamObserver<ServerLiveResponse> client) {
    answer(client, () -> ServerLiveResponse.newBuilder().setLive(true).build());
  }

  @Override
  public void serverReady(ServerReadyRequest request, StreamObserver<ServerReadyResponse> client) {
    answer(client, () -> ServerReadyResponse.newBuilder().setReady(inference.ready()).build());
  }

  @Override
  public void modelReady(ModelReadyRequest request, StreamObserver<ModelReadyResponse> client) {
    answer(
        client,
        () -> {
          boolean ready = inference.ready(request.getName(), version(request.getVersion()));
          return ModelReadyResponse.newBuilder().setReady(ready).build();
        });
  }

  @Override
  public void serverMetadata(
      ServerMetadataRequest request, StreamObserver<ServerMetadataResponse> client) {
    answer(
        client,
        () ->
            ServerMetadataResponse.newBuilder()
                .setName(ModelDescription.PLATFORM)
                .setVersion(Inference.serverVersion())
                .build());
  }

  @Override
  public void modelMetadata(
      ModelMetadataRequest request, StreamObserver<ModelMetadataResponse> client) {
    answer(
        client,
        () ->
            AnswerMessages.of(
                inference.describe(request.getName(), version(request.getVersion()))));
  }

  @Override
  public void modelInfer(ModelInferRequest request, StreamObserver<ModelInferResponse> client) {
    answer(
        client,
        () -> {
          Optional<String> refusal = BoundedRequests.refusal(request);
          if (refusal.isPresent()) {
            throw InferenceException.wrong(refusal.get());
          }
          return AnswerMessages.of(
              inference.answer(
                  request.getModelName(),
                  version(request.getModelVersion()),
                  RequestTensors.of(request),
                  ClientWaits.INSTANCE));
        });
  }

  /** The client waits until it cancels the call or the time of the call is over. */
  private enum ClientWaits implements Inference.Progress {
    INSTANCE;

    @Override
    public void begins() {}

    @Override
    public boolean abandoned() {
      return Context.current().isCancelled();
    }
  }
}
