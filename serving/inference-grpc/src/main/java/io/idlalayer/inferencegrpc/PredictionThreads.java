package io.idlalayer.inferencegrpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallExecutorSupplier;
import io.idlalayer.inferencegrpc.protocol.GRPCInferenceServiceGrpc;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Gives predictions threads of their own, so that probes are answered while all of them predict.
 */
final class PredictionThreads implements ServerCallExecutorSupplier {
  private static final String INFER =
      GRPCInferenceServiceGrpc.getModelInferMethod().getFullMethodName();

  private final Executor threads;

  PredictionThreads(Executor threads) {
    this.threads = threads;
  }

  /** Returns null for calls that the server's usual threads answer. */
  @Override
  public <Q, A> @Nullable Executor getExecutor(ServerCall<Q, A> call, Metadata headers) {
    return call.getMethodDescriptor().getFullMethodName().equals(INFER) ? threads : null;
  }
}
