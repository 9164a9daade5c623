package io.idlalayer.inferencegrpc;

import io.grpc.MethodDescriptor;
import io.idlalayer.inferencegrpc.protocol.GRPCInferenceServiceGrpc;
import java.util.Set;

/** Two kinds of methods. */
enum Methods {
  /** Methods that ask whether the server is alive or ready; they need no token. */
  PROBES,

  /** All others. */
  OTHERS;

  private static final Set<String> PROBE_NAMES =
      Set.of(
          GRPCInferenceServiceGrpc.getServerLiveMethod().getFullMethodName(),
          GRPCInferenceServiceGrpc.getServerReadyMethod().getFullMethodName());

  static Methods of(MethodDescriptor<?, ?> method) {
    return PROBE_NAMES.contains(method.getFullMethodName()) ? PROBES : OTHERS;
  }
}
