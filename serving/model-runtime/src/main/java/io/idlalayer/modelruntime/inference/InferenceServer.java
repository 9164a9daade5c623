package io.idlalayer.modelruntime.inference;

import io.idlalayer.middleware.models.http.BoundedHttpServer;
import io.idlalayer.middleware.models.http.ModelServerSettings;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;

/**
 * Serves predictions over HTTP, by version 2 of the Open Inference Protocol:
 *
 * <pre>{@code
 * var subscriber = new ModelSubscriber<>(subscription, new PlainModelLoader(), clock);
 * subscriber.start(null, System.err::println);
 * try (InferenceServer server = InferenceServer.start(
 *     List.of(new ServedModel("electricity", subscriber)), settings, clock)) {
 *   System.out.println(server.address());
 *   ...
 * }
 * }</pre>
 *
 * <p>One version answers a request, whatever is published meanwhile. The server limits the size of
 * a request, the number of requests that it answers at a time, the number of requests that wait,
 * and the time that a client is allowed to take.
 */
public final class InferenceServer implements AutoCloseable {
  /** Number of bytes of a request after which the client's time limit starts anew. */
  static final int PART_BYTES = 64 << 10;

  /** Largest number of bytes of a request; longer ones are refused. */
  public static final long MOST_BODY_BYTES = 4L << 20;

  private static final Duration LONGEST_EXCHANGE = Duration.ofMinutes(2);

  private final BoundedHttpServer server;

  private InferenceServer(BoundedHttpServer server) {
    this.server = server;
  }

  /**
   * Starts a server.
   *
   * @param models at least one, each name once; they may have no version yet
   * @param settings settings with the token that each request needs, except requests that ask
   *     whether the server is alive or ready
   * @param clock for the age of versions
   * @throws IOException if the address is in use or does not belong to this machine
   */
  public static InferenceServer start(
      List<ServedModel> models, ModelServerSettings settings, InstantSource clock)
      throws IOException {
    Inference inference = new Inference(models, clock);
    return new InferenceServer(
        BoundedHttpServer.start(
            "inference-server",
            settings,
            LONGEST_EXCHANGE,
            load -> new InferenceHandler(inference, settings, clock, load)));
  }

  /** Returns the base address of the protocol's paths, with the server's actual port. */
  public URI address() {
    return server.address(InferenceRoutes.ROOT);
  }

  /** Accepts no more requests, gives those in progress a second to end, and stops the threads. */
  @Override
  public void close() {
    server.close();
  }
}
