package io.idlalayer.jobs.registry;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import org.jspecify.annotations.Nullable;

/** Receives an answer up to a maximum length, and ends the transfer of a longer answer. */
final class LimitedBody implements HttpResponse.BodySubscriber<byte[]> {
  private final int bytesMax;
  private final CompletableFuture<byte[]> body = new CompletableFuture<>();
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private Flow.@Nullable Subscription subscription;

  LimitedBody(int bytesMax) {
    this.bytesMax = bytesMax;
  }

  /** Thrown if an answer is longer than allowed. */
  static final class TooLongException extends IOException {
    private static final long serialVersionUID = 1L;

    TooLongException(int bytesMax) {
      super("the answer has more than " + bytesMax + " bytes");
    }
  }

  @Override
  public CompletionStage<byte[]> getBody() {
    return body;
  }

  @Override
  public void onSubscribe(Flow.Subscription started) {
    subscription = started;
    started.request(Long.MAX_VALUE);
  }

  @Override
  public void onNext(List<ByteBuffer> buffers) {
    for (ByteBuffer buffer : buffers) {
      if (body.isDone()) {
        return;
      }
      if (bytes.size() + buffer.remaining() > bytesMax) {
        body.completeExceptionally(new TooLongException(bytesMax));
        if (subscription != null) {
          subscription.cancel();
        }
        return;
      }
      byte[] part = new byte[buffer.remaining()];
      buffer.get(part);
      bytes.writeBytes(part);
    }
  }

  @Override
  public void onError(Throwable broken) {
    body.completeExceptionally(broken);
  }

  @Override
  public void onComplete() {
    body.complete(bytes.toByteArray());
  }
}
