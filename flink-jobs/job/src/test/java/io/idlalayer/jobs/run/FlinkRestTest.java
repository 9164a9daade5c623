package io.idlalayer.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Whatever server answers, and however it does: the caller continues. */
@Timeout(60)
final class FlinkRestTest {
  private static final Duration LONG = Duration.ofSeconds(30);

  private final CountDownLatch done = new CountDownLatch(1);
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private HttpServer server;

  @BeforeEach
  void start() throws IOException {
    server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
    server.setExecutor(threads);
    server.start();
  }

  @AfterEach
  void stop() {
    done.countDown();
    server.stop(0);
    threads.shutdownNow();
  }

  private URI at() {
    return URI.create("http://127.0.0.1:%d/x".formatted(server.getAddress().getPort()));
  }

  private void answer(HttpHandler handler) {
    server.createContext("/x", handler);
  }

  private void waitUntilDone() {
    try {
      done.await();
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    }
  }

  private static void begin(HttpExchange exchange, String text) throws IOException {
    exchange.sendResponseHeaders(200, 0);
    exchange.getResponseBody().write(text.getBytes(StandardCharsets.UTF_8));
    exchange.getResponseBody().flush();
  }

  @Test
  void get_json_isRead() throws Exception {
    answer(
        exchange -> {
          begin(exchange, "{\"a\": 1}");
          exchange.close();
        });
    assertThat(FlinkRest.get(at(), LONG).path("a").asInt()).isEqualTo(1);
  }

  /** The head of an answer comes at once, and the rest of it never. */
  @Test
  void get_bodyThatStalls_failsInTime() {
    answer(
        exchange -> {
          begin(exchange, "{\"a\":");
          waitUntilDone();
          exchange.close();
        });
    assertThatThrownBy(() -> FlinkRest.get(at(), Duration.ofMillis(300)))
        .isInstanceOf(IOException.class)
        .hasMessage(at() + " has not answered within 300 ms");
  }

  @Test
  void get_endlessBody_failsAtItsBound() throws Exception {
    CountDownLatch cut = new CountDownLatch(1);
    answer(
        exchange -> {
          begin(exchange, "[");
          byte[] more = " ".repeat(1 << 16).getBytes(StandardCharsets.UTF_8);
          try (OutputStream body = exchange.getResponseBody()) {
            while (done.getCount() > 0) {
              body.write(more);
            }
          } catch (IOException closed) {
            cut.countDown();
          }
        });
    assertThatThrownBy(() -> FlinkRest.get(at(), LONG))
        .isInstanceOf(IOException.class)
        .hasMessageContaining("more than %,d bytes".formatted(FlinkRest.MOST_BYTES));
    assertThat(cut.await(30, TimeUnit.SECONDS)).as("the connection is closed").isTrue();
  }

  @Test
  void get_noJson_isRefused() {
    answer(
        exchange -> {
          begin(exchange, "<html>");
          exchange.close();
        });
    assertThatThrownBy(() -> FlinkRest.get(at(), LONG)).isInstanceOf(IOException.class);
  }

  @Test
  void get_nobodyListens_isRefused() {
    URI before = at();
    server.stop(0);
    assertThatThrownBy(() -> FlinkRest.get(before, LONG))
        .isInstanceOf(IOException.class)
        .hasMessageContaining(before + " does not answer");
  }
}
