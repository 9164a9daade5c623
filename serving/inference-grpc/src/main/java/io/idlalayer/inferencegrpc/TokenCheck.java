package io.idlalayer.inferencegrpc;

import io.grpc.Metadata;
import io.grpc.ServerCall;
import io.grpc.ServerCallHandler;
import io.grpc.ServerInterceptor;
import io.grpc.Status;
import io.idlalayer.middleware.models.http.BearerToken;
import org.jspecify.annotations.Nullable;

/**
 * Refuses calls without the token, except the calls with which a supervisor checks the server. Safe
 * from any thread.
 */
final class TokenCheck implements ServerInterceptor {
  private static final Metadata.Key<String> AUTHORIZATION =
      Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER);

  private final @Nullable String token;

  /**
   * @param token null if clients need none
   */
  TokenCheck(@Nullable String token) {
    this.token = token;
  }

  @Override
  public <Q, A> ServerCall.Listener<Q> interceptCall(
      ServerCall<Q, A> call, Metadata headers, ServerCallHandler<Q, A> next) {
    if (token == null
        || Methods.of(call.getMethodDescriptor()) == Methods.PROBES
        || BearerToken.matches(headers.get(AUTHORIZATION), token)) {
      return next.startCall(call, headers);
    }
    call.close(
        Status.UNAUTHENTICATED.withDescription(
            "a bearer token is needed in 'authorization'; the call has none or a wrong one"),
        new Metadata());
    return new ServerCall.Listener<>() {};
  }
}
