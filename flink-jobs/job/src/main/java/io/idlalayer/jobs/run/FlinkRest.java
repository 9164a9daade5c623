package io.idlalayer.jobs.run;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Flow;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * A client of Flink's REST address. It limits the time and size of an answer, because another
 * server might listen at this address.
 */
public final class FlinkRest {
  /** Largest size of an answer in bytes. Flink's answers about a job are far smaller. */
  static final int MOST_BYTES = 16 << 20;

  private static final int OK = 200;
  private static final ObjectMapper JSON = new ObjectMapper();

  private FlinkRest() {}

  /**
   * Requests the JSON at an address of Flink's REST server.
   *
   * @param within time limit for the whole answer
   * @throws IOException if the answer is late, has another status than 200, is too long, or is not
   *     JSON
   */
  public static JsonNode get(URI address, Duration within)
      throws IOException, InterruptedException {
    HttpResponse<byte[]> answer = answer(address, within);
    if (answer.statusCode() != OK) {
      throw new IOException("%s answers with status %d".formatted(address, answer.statusCode()));
    }
    return JSON.readTree(answer.body());
  }

  private static HttpResponse<byte[]> answer(URI address, Duration within)
      throws IOException, InterruptedException {
    CompletableFuture<HttpResponse<byte[]>> asked;
    try {
      asked =
          HttpClient.newHttpClient()
              .sendAsync(HttpRequest.newBuilder(address).build(), head -> new BoundedAnswer());
    } catch (UncheckedIOException noClient) {
      throw new IOException(
          "cannot send a request to %s: %s".formatted(address, noClient), noClient);
    }
    try {
      return asked.get(within.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException late) {
      throw new IOException(
          "%s has not answered within %d ms".formatted(address, within.toMillis()), late);
    } catch (ExecutionException failed) {
      throw new IOException(
          "%s does not answer: %s".formatted(address, failed.getCause()), failed.getCause());
    } finally {
      // This ends the exchange if it is still running.
      asked.cancel(true);
    }
  }

  /** A receiver of an answer that fails as soon as there are more bytes than allowed. */
  private static final class BoundedAnswer implements HttpResponse.BodySubscriber<byte[]> {
    private final CompletableFuture<byte[]> body = new CompletableFuture<>();
    private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
    private Flow.@Nullable Subscription subscription;

    @Override
    public CompletionStage<byte[]> getBody() {
      return body;
    }

    @Override
    public void onSubscribe(Flow.Subscription begun) {
      subscription = begun;
      begun.request(1);
    }

    @Override
    public void onNext(List<ByteBuffer> parts) {
      Flow.Subscription open = subscription;
      if (open == null || body.isDone()) {
        return;
      }
      for (ByteBuffer part : parts) {
        byte[] copy = new byte[part.remaining()];
        part.get(copy);
        bytes.writeBytes(copy);
      }
      if (bytes.size() > MOST_BYTES) {
        open.cancel();
        body.completeExceptionally(
            new IOException("its answer has more than %,d bytes".formatted(MOST_BYTES)));
        return;
      }
      open.request(1);
    }

    @Override
    public void onError(Throwable failed) {
      body.completeExceptionally(failed);
    }

    @Override
    public void onComplete() {
      body.complete(bytes.toByteArray());
    }
  }
}
