package io.idlalayer.middleware.models.http;

import java.io.IOException;
import java.io.InputStream;
import java.net.http.HttpResponse;
import java.net.http.HttpTimeoutException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Flow;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * The body of an HTTP answer as a stream that does not wait for ever: a read fails if the reader
 * has waited for the whole timeout and fewer than {@value #PROGRESS_BYTES} bytes have come. Time
 * that the reader spends between its reads does not count. A part is what the JDK's client reads at
 * a time: at most three of the client's buffers. The stream holds or requests up to {@value
 * #MOST_PARTS} parts, so that further parts arrive while one is read. One thread reads.
 */
final class BodyStream extends InputStream implements HttpResponse.BodySubscriber<InputStream> {
  /**
   * Least number of bytes that a server must send within a timeout; one that sends fewer has
   * stalled.
   */
  static final int PROGRESS_BYTES = 64 << 10;

  static final int MOST_PARTS = 16;

  private final String url;
  private final long timeoutNanos;
  private volatile Flow.@Nullable Subscription subscription;

  /** Requested parts that have arrived; then the end of the body or a failure. */
  private final BlockingQueue<Part> parts = new LinkedBlockingQueue<>();

  private final ArrayDeque<ByteBuffer> buffers = new ArrayDeque<>();
  private long waitedNanos;
  private long progressBytes;
  private boolean ended;
  private volatile boolean closed;

  /** A part of the body; or the end of the body: no bytes, and the failure if there was one. */
  private record Part(List<ByteBuffer> bytes, boolean last, @Nullable Throwable failure) {}

  BodyStream(String url, Duration timeout) {
    this.url = url;
    timeoutNanos = timeout.toNanos();
  }

  @Override
  public CompletionStage<InputStream> getBody() {
    return CompletableFuture.completedFuture(this);
  }

  @Override
  public void onSubscribe(Flow.Subscription begun) {
    subscription = begun;
    if (closed) {
      begun.cancel();
    } else {
      begun.request(MOST_PARTS);
    }
  }

  @Override
  public void onNext(List<ByteBuffer> bytes) {
    parts.add(new Part(bytes, false, null));
  }

  @Override
  public void onError(Throwable failure) {
    parts.add(new Part(List.of(), true, failure));
  }

  @Override
  public void onComplete() {
    parts.add(new Part(List.of(), true, null));
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (!ended) {
      ByteBuffer first = buffers.peekFirst();
      if (first != null && first.hasRemaining()) {
        int count = Math.min(length, first.remaining());
        first.get(into, from, count);
        return count;
      } else if (first != null) {
        buffers.removeFirst();
        if (buffers.isEmpty()) {
          requestNext();
        }
      } else {
        await();
      }
    }
    return -1;
  }

  private void await() throws IOException {
    if (closed) {
      throw new IOException(url + " is read after it was closed");
    }
    long before = System.nanoTime();
    Part part;
    try {
      part = parts.poll(Math.max(0, timeoutNanos - waitedNanos), TimeUnit.NANOSECONDS);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw new java.io.InterruptedIOException("interrupted while " + url + " was read");
    }
    waitedNanos += System.nanoTime() - before;
    if (part == null) {
      throw new HttpTimeoutException(
          String.format(
              Locale.ROOT,
              "%s: the server sent less than %d bytes in %d ms",
              url,
              PROGRESS_BYTES,
              TimeUnit.NANOSECONDS.toMillis(timeoutNanos)));
    }
    if (part.last()) {
      if (part.failure() != null) {
        throw new IOException(
            "%s was cut off: %s".formatted(url, part.failure().getMessage()), part.failure());
      }
      ended = true;
      return;
    }
    for (ByteBuffer bytes : part.bytes()) {
      progressBytes += bytes.remaining();
      buffers.addLast(bytes);
    }
    if (buffers.isEmpty()) {
      requestNext();
    }
    if (progressBytes >= PROGRESS_BYTES) {
      progressBytes = 0;
      waitedNanos = 0;
    }
  }

  private void requestNext() {
    Flow.Subscription begun = subscription;
    if (begun != null) {
      begun.request(1);
    }
  }

  /** Discards the rest of the body; closes the connection if a rest is left. */
  @Override
  public void close() {
    closed = true;
    Flow.Subscription begun = subscription;
    if (!ended && begun != null) {
      begun.cancel();
    }
    buffers.clear();
  }
}
