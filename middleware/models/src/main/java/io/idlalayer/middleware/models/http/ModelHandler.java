package io.idlalayer.middleware.models.http;

import com.sun.net.httpserver.Headers;
import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpHandler;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.store.ModelReader;
import java.io.ByteArrayInputStream;
import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.SortedMap;
import java.util.concurrent.Semaphore;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Answers HTTP requests for models. Several threads call it, each with one request at a time. */
final class ModelHandler implements HttpHandler {
  private static final Logger LOG = LoggerFactory.getLogger(ModelHandler.class);
  private static final List<String> METHODS = List.of("GET", "HEAD");
  private static final String JSON = "application/json";
  private static final String BYTES = "application/octet-stream";
  private static final String TEXT = "text/plain; charset=utf-8";

  private final ModelSource source;
  private final ServerGuard guard;
  private final BoundedHttpServer.Load load;
  private final Semaphore transfers;

  ModelHandler(ModelSource source, ModelServerSettings settings, BoundedHttpServer.Load load) {
    this.source = source;
    guard = new ServerGuard(settings, load);
    this.load = load;
    transfers = new Semaphore(settings.transfers());
  }

  /**
   * The content that the server sends for a path.
   *
   * @param tag its strong entity tag
   * @param unchanging whether the path always has these bytes
   * @param pinTag for a pointer, the entity tag of the pin beside it, or {@link
   *     ModelServer#NO_PIN}; "" for other contents
   */
  private record Content(
      String type, String tag, boolean unchanging, long bytes, Opener opener, String pinTag) {
    static Content of(byte[] bytes, boolean unchanging) {
      return of(bytes, unchanging, "");
    }

    static Content of(byte[] bytes, boolean unchanging, String pinTag) {
      return new Content(
          JSON,
          EntityTags.of(DigestUtils.sha256Hex(bytes)),
          unchanging,
          bytes.length,
          (from, part) -> new ByteArrayInputStream(bytes, (int) from, bytes.length - (int) from),
          pinTag);
    }

    /**
     * Returns whether sending the content counts as a transfer of a file. The number of transfers
     * at a time is bounded.
     */
    boolean large() {
      return !type.equals(JSON);
    }
  }

  /** Opens a stream of a content's bytes. */
  @FunctionalInterface
  private interface Opener {
    /**
     * @param from first byte
     * @param part whether only a part is wanted
     */
    InputStream open(long from, boolean part) throws IOException;
  }

  @Override
  public void handle(HttpExchange exchange) throws IOException {
    load.received();
    Headers headers = exchange.getResponseHeaders();
    headers.set("X-Content-Type-Options", "nosniff");
    headers.set(ModelServer.FORMAT_HEADER, Integer.toString(Listings.FORMAT_VERSION));
    try (exchange) {
      Optional<HttpRefusal> refusal =
          guard
              .overload()
              .or(() -> guard.foreignPage(exchange))
              .or(() -> guard.missingToken(exchange))
              .or(() -> guard.otherMethod(exchange, METHODS, "models can be read only"));
      if (refusal.isPresent()) {
        refuse(exchange, refusal.get());
      } else {
        answer(exchange);
      }
    }
  }

  private void answer(HttpExchange exchange) throws IOException {
    Headers headers = exchange.getResponseHeaders();
    Optional<Content> content;
    try {
      content = find(String.valueOf(exchange.getRequestURI().getRawPath()));
    } catch (NoSuchFileException missing) {
      content = Optional.empty();
    } catch (CorruptModelException damaged) {
      tell(damaged);
      refuse(
          exchange, 500, "what is stored there is damaged; the log of the server names the file");
      return;
    } catch (IOException failed) {
      tell(failed);
      refuse(
          exchange,
          500,
          "the file of this path cannot be read; the log of the model server says why");
      return;
    }
    if (content.isEmpty()) {
      refuse(exchange, 404, "nothing is published under this path");
      return;
    }
    if (!content.get().pinTag().isEmpty()) {
      headers.set(ModelServer.PIN_HEADER, content.get().pinTag());
    }
    send(exchange, content.get());
  }

  private Optional<Content> find(String path) throws IOException {
    Optional<Routes.Target> target = Routes.parse(path);
    if (target.isEmpty()) {
      return Optional.empty();
    }
    Routes.Target found = target.get();
    if (found instanceof Routes.Applications) {
      return Optional.of(Content.of(Listings.applications(source.applications()), false));
    } else if (found instanceof Routes.Versions versions) {
      return versions(versions.of());
    } else if (found instanceof Routes.PointerFile pointer) {
      String pinTag =
          source
              .pin(pointer.of())
              .map(it -> EntityTags.of(DigestUtils.sha256Hex(it.content())))
              .orElse(ModelServer.NO_PIN);
      return source.pointer(pointer.of()).map(it -> Content.of(it.content(), false, pinTag));
    } else if (found instanceof Routes.PinFile pin) {
      return source.pin(pin.of()).map(it -> Content.of(it.content(), false));
    } else if (found instanceof Routes.AliasesFile aliases) {
      return source.aliases(aliases.of()).map(it -> Content.of(it.content(), false));
    } else if (found instanceof Routes.Files files) {
      SortedMap<String, Long> lengths = source.files(files.of(), files.version());
      return lengths.isEmpty()
          ? Optional.empty()
          : Optional.of(Content.of(Listings.files(lengths), false));
    } else if (found instanceof Routes.VersionFile file) {
      return file(file);
    }
    return Optional.empty();
  }

  private Optional<Content> versions(ApplicationPartition of) throws IOException {
    List<Long> versions = source.versions(of);
    return versions.isEmpty() && source.pointer(of).isEmpty()
        ? Optional.empty()
        : Optional.of(Content.of(Listings.versions(versions), false));
  }

  private Optional<Content> file(Routes.VersionFile path) throws IOException {
    byte[] manifest = source.manifest(path.of(), path.version(), null);
    if (path.name().equals(ModelSource.MANIFEST)) {
      return Optional.of(Content.of(manifest, true));
    }
    String where = source.address(path.of(), path.version());
    Optional<ModelFile> named =
        ModelReader.decoded(manifest, where + "/" + ModelSource.MANIFEST).file(path.name());
    Long bytes = source.files(path.of(), path.version()).get(path.name());
    if (named.isEmpty() || bytes == null) {
      return Optional.empty();
    }
    if (bytes != named.get().bytes()) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "%s/%s has %d bytes, its manifest says %d",
              where,
              path.name(),
              bytes,
              named.get().bytes()));
    }
    return Optional.of(
        new Content(
            BYTES,
            EntityTags.of(named.get().sha256()),
            true,
            bytes,
            (from, part) ->
                part
                    ? source.openPart(path.of(), path.version(), named.get(), from)
                    : source.open(path.of(), path.version(), named.get(), from),
            ""));
  }

  private void send(HttpExchange exchange, Content content) throws IOException {
    Headers asked = exchange.getRequestHeaders();
    Headers headers = exchange.getResponseHeaders();
    headers.set("ETag", content.tag());
    headers.set("Accept-Ranges", "bytes");
    headers.set("Cache-Control", cacheControl(content));
    if (EntityTags.matchesAny(asked.getFirst("If-None-Match"), content.tag())) {
      exchange.sendResponseHeaders(304, -1);
      return;
    }
    boolean head = exchange.getRequestMethod().equals("HEAD");
    boolean ranges = !head && EntityTags.rangeAllowed(asked.getFirst("If-Range"), content.tag());
    RequestedRange range =
        ranges ? RequestedRange.of(asked.getFirst("Range"), content.bytes()) : RequestedRange.WHOLE;
    if (!range.satisfiable()) {
      headers.set("Content-Range", "bytes */" + content.bytes());
      refuse(exchange, 416, String.format(Locale.ROOT, "there are %d bytes", content.bytes()));
      return;
    }
    ContentRange part = range.part();
    headers.set("Content-Type", content.type());
    if (head) {
      headers.set("Content-Length", Long.toString(content.bytes()));
      exchange.sendResponseHeaders(200, -1);
      return;
    }
    if (part != null) {
      headers.set("Content-Range", part.header());
    }
    if (!content.large()) {
      transfer(exchange, content, part);
    } else if (transfers.tryAcquire()) {
      try {
        transfer(exchange, content, part);
      } finally {
        transfers.release();
      }
    } else {
      headers.remove("Content-Range");
      refuse(exchange, 503, "too many requests at a time");
    }
  }

  private String cacheControl(Content content) {
    String who = guard.needsToken() ? "private, " : "";
    return who + (content.unchanging() ? "max-age=31536000, immutable" : "no-cache");
  }

  /**
   * Sends the content.
   *
   * @param range the part that the client wants; null for all
   */
  private void transfer(HttpExchange exchange, Content content, @Nullable ContentRange range)
      throws IOException {
    long from = range == null ? 0 : range.first();
    long bytes = range == null ? content.bytes() : range.bytes();
    InputStream in;
    try {
      in = content.opener().open(from, range != null);
    } catch (NoSuchFileException deleted) {
      exchange.getResponseHeaders().remove("Content-Range");
      refuse(exchange, 404, "the file of this path was deleted just now");
      return;
    } catch (IOException failed) {
      tell(failed);
      exchange.getResponseHeaders().remove("Content-Range");
      refuse(
          exchange,
          500,
          "the file of this path cannot be read; the log of the model server says why");
      return;
    }
    try (in) {
      exchange.sendResponseHeaders(range == null ? 200 : 206, bytes == 0 ? -1 : bytes);
      OutputStream out = exchange.getResponseBody();
      byte[] part = new byte[(int) Math.min(ModelServer.PART_BYTES, Math.max(1, bytes))];
      long left = bytes;
      while (left > 0) {
        int count = in.read(part, 0, (int) Math.min(part.length, left));
        if (count < 0) {
          // The client notices the missing bytes when the connection is closed.
          throw new EOFException("a file became shorter while it was sent");
        }
        out.write(part, 0, count);
        load.progress();
        left -= count;
      }
    }
  }

  private static void refuse(HttpExchange exchange, int status, String reason) throws IOException {
    refuse(exchange, new HttpRefusal(status, reason));
  }

  private static void refuse(HttpExchange exchange, HttpRefusal refusal) throws IOException {
    exchange.getResponseHeaders().remove("ETag");
    byte[] text = (refusal.reason() + "\n").getBytes(StandardCharsets.UTF_8);
    ServerGuard.send(exchange, refusal.status(), TEXT, text);
  }

  private void tell(IOException failed) {
    String reason = failed.toString();
    if (guard.isNews(reason)) {
      LOG.warn("a model cannot be served: {}", reason);
    }
  }
}
