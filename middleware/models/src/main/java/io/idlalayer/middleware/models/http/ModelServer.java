package io.idlalayer.middleware.models.http;

import io.idlalayer.middleware.models.storage.ModelSource;
import java.io.IOException;
import java.net.URI;
import java.time.Duration;

/**
 * Serves published models over HTTP, read-only:
 *
 * <pre>{@code
 * var bind = new InetSocketAddress(InetAddress.getLoopbackAddress(), 8090);
 * try (ModelServer server = ModelServer.start(
 *     ModelStore.confined(Path.of("idla-work/electricity/models")),
 *     ModelServerSettings.of(bind, null, false, null))) {
 *   System.out.println(server.address());
 *   ...
 * }
 * }</pre>
 *
 * <p>The server only reads, and holds no lock for which a publisher would have to wait. It has the
 * bounds of {@link BoundedHttpServer}, and a bound on the number of files that it sends at a time.
 */
public final class ModelServer implements AutoCloseable {
  /** Header of every answer, by which a client recognizes a server of models. */
  static final String FORMAT_HEADER = "Idla-Models-Format";

  /**
   * Header that the server adds to an answer with the pointer, to tell which pin is set: the pin's
   * entity tag, or {@link #NO_PIN}. The server sends the header even without a pin; otherwise a
   * cache would keep the tag of a pin that was removed.
   */
  static final String PIN_HEADER = "Idla-Pin";

  static final String NO_PIN = "none";

  /** Number of bytes that the server sends in one write of a file's content. */
  static final int PART_BYTES = 64 << 10;

  private static final Duration LONGEST_EXCHANGE = Duration.ofHours(1);

  private final BoundedHttpServer server;

  private ModelServer(BoundedHttpServer server) {
    this.server = server;
  }

  /**
   * Starts a server of the models in a source.
   *
   * @param source the models: the result of {@link
   *     io.idlalayer.middleware.models.store.ModelStore#confined}, or {@link SharedLooks} if reads
   *     are expensive
   * @throws IOException if the address is in use or does not belong to this machine
   */
  public static ModelServer start(ModelSource source, ModelServerSettings settings)
      throws IOException {
    return new ModelServer(
        BoundedHttpServer.start(
            "models-server",
            settings,
            LONGEST_EXCHANGE,
            load -> new ModelHandler(source, settings, load)));
  }

  /** Returns the address of the models, with the server's actual port. */
  public URI address() {
    return server.address(Routes.ROOT);
  }

  /**
   * Accepts no further requests, gives running ones a second to end, and ends the server's threads.
   */
  @Override
  public void close() {
    server.close();
  }
}
