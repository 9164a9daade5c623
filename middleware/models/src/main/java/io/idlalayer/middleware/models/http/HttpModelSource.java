package io.idlalayer.middleware.models.http;

import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.object.RecentBytes;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.lang.reflect.Method;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.NoSuchFileException;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/**
 * Published models of a {@link ModelServer}, to be read by a {@link
 * io.idlalayer.middleware.models.store.ModelReader}:
 *
 * <pre>{@code
 * URI address = URI.create("http://127.0.0.1:8090/models/");
 * try (HttpModelSource http = new HttpModelSource(HttpModelSettings.of(address, null))) {
 *   var subscription = new ModelSubscriber.Subscription(
 *       new ModelReader(http), "electricity", 0, Duration.ofMillis(200));
 *   ...
 * }
 * }</pre>
 *
 * <p>As long as nothing new is published, reading the pointer or the aliases takes one request,
 * whose answer has no body. The source keeps the manifests that it has read, 16 MiB at most. If the
 * connection breaks during the transfer of a file, the transfer continues at the byte where it
 * broke off. Every failure is an {@link IOException} with the URL. No redirect is followed. A proxy
 * is used only if the settings name it.
 *
 * <p>The first source of a process sets the buffers of the JDK's HTTP clients to 64 KiB ({@code
 * jdk.httpclient.bufsize}) unless that property is set: large files then need a quarter of the
 * reads. The property has no effect if the process used an HTTP client earlier.
 *
 * <p>Safe for several threads. {@link #close} ends the threads of the source. Before Java 21 the
 * thread of the JDK's client ends later: when the client is garbage-collected.
 */
public final class HttpModelSource implements ModelSource, AutoCloseable {
  private static final long MOST_KEPT_BYTES = 16L << 20;
  private static final int THREADS = 2;
  private static final String BUFFERS = "jdk.httpclient.bufsize";
  private static final String BUFFER_BYTES = "65536";
  private static final byte[] NO_BYTES = {};
  private static final int MOST_REASON_BYTES = 500;
  private static final AtomicInteger NUMBER = new AtomicInteger();

  static final int OK = 200;
  static final int PARTIAL = 206;
  static final int NOT_MODIFIED = 304;
  private static final int NOT_FOUND = 404;

  private final HttpModelSettings settings;
  private final String address;
  private final ThreadPoolExecutor threads;
  private final RecentBytes<ApplicationPartition> pointers = new RecentBytes<>(MOST_KEPT_BYTES);
  private final RecentBytes<ApplicationPartition> aliases = new RecentBytes<>(MOST_KEPT_BYTES);
  private final RecentBytes<ApplicationPartition> pins = new RecentBytes<>(MOST_KEPT_BYTES);

  /** Entity tags of the pins, as the latest answers with pointers named them. */
  private final RecentBytes<ApplicationPartition> pinTags = new RecentBytes<>(MOST_KEPT_BYTES);

  private final RecentBytes<String> manifests = new RecentBytes<>(MOST_KEPT_BYTES);

  /** The HTTP client; null after this source was closed. */
  private volatile @Nullable HttpClient client;

  /** Creates a source, which connects with its first request. */
  public HttpModelSource(HttpModelSettings settings) {
    this.settings = settings;
    String text = settings.address().toString();
    address = text.substring(0, text.length() - 1);
    threads = threads(NUMBER.incrementAndGet());
    if (System.getProperty(BUFFERS) == null) {
      System.setProperty(BUFFERS, BUFFER_BYTES);
    }
    HttpClient.Builder builder =
        HttpClient.newBuilder()
            .version(HttpClient.Version.HTTP_1_1)
            .followRedirects(HttpClient.Redirect.NEVER)
            .connectTimeout(settings.connectTimeout())
            .proxy(settings.proxy() == null ? HttpClient.Builder.NO_PROXY : settings.proxy())
            .executor(threads);
    if (settings.tls() != null) {
      builder.sslContext(settings.tls());
    }
    client = builder.build();
  }

  private static ThreadPoolExecutor threads(int number) {
    ThreadPoolExecutor threads =
        new ThreadPoolExecutor(
            THREADS,
            THREADS,
            1,
            TimeUnit.SECONDS,
            new LinkedBlockingQueue<>(),
            task -> {
              Thread thread = new Thread(task, "models-http-" + number);
              thread.setDaemon(true);
              return thread;
            });
    threads.allowCoreThreadTimeOut(true);
    return threads;
  }

  @Override
  public String address() {
    return address;
  }

  @Override
  public SortedMap<String, List<Integer>> applications() throws IOException {
    String url = address + "/";
    return Listings.readApplications(text(url), url);
  }

  @Override
  public List<Long> versions(ApplicationPartition of) throws IOException {
    String url = address(of) + "/";
    try {
      return Listings.readVersions(text(url), url);
    } catch (NoSuchFileException nothing) {
      return List.of();
    }
  }

  @Override
  public SortedMap<String, Long> files(ApplicationPartition of, long version) throws IOException {
    String url = address(of, version) + "/";
    try {
      return Listings.readFiles(text(url), url);
    } catch (NoSuchFileException deleted) {
      return new TreeMap<>();
    }
  }

  @Override
  public Optional<StoredPointer> pointer(ApplicationPartition of) throws IOException {
    String url = address(of) + "/" + POINTER;
    return ifChanged(
        url,
        of,
        pointers,
        answer -> {
          String pinTag =
              answer.headers().firstValue(ModelServer.PIN_HEADER).orElse(ModelServer.NO_PIN);
          pinTags.put(of, new RecentBytes.Entry(pinTag, NO_BYTES));
        });
  }

  @Override
  public Optional<StoredPointer> aliases(ApplicationPartition of) throws IOException {
    return ifChanged(address(of) + "/" + ALIASES, of, aliases, answer -> {});
  }

  /**
   * Requests a small object. If this source has read the object before and it is unchanged, the
   * server does not send it again.
   */
  private Optional<StoredPointer> ifChanged(
      String url,
      ApplicationPartition of,
      RecentBytes<ApplicationPartition> kept,
      Consumer<HttpResponse<?>> answered)
      throws IOException {
    RecentBytes.Entry seen = kept.get(of);
    Map<String, String> headers = seen == null ? Map.of() : Map.of("If-None-Match", seen.tag());
    HttpResponse<InputStream> answer;
    try {
      answer = send(url, headers);
    } catch (NoSuchFileException nothing) {
      return Optional.empty();
    }
    answered.accept(answer);
    try (InputStream body = answer.body()) {
      if (answer.statusCode() == NOT_MODIFIED && seen != null) {
        drain(body);
        return Optional.of(new StoredPointer(url, seen.content()));
      }
      refuseUnless(OK, answer, url);
      byte[] content = bounded(body, url);
      // Otherwise the server would confirm bytes for ever that were damaged in transit.
      String tag = EntityTags.of(DigestUtils.sha256Hex(content));
      if (tag.equals(answer.headers().firstValue("ETag").orElse(""))) {
        kept.put(of, new RecentBytes.Entry(tag, content));
      }
      return Optional.of(new StoredPointer(url, content));
    }
  }

  /**
   * Returns the pin. The server's answer with the pointer names the entity tag of the pin, so this
   * source requests the pin only if it is new.
   */
  @Override
  public Optional<StoredPointer> pin(ApplicationPartition of) throws IOException {
    String url = address(of) + "/" + PIN;
    RecentBytes.Entry told = pinTags.get(of);
    if (told != null && told.tag().equals(ModelServer.NO_PIN)) {
      return Optional.empty();
    }
    RecentBytes.Entry seen = pins.get(of);
    if (told != null && seen != null && seen.tag().equals(told.tag())) {
      return Optional.of(new StoredPointer(url, seen.content()));
    }
    try {
      byte[] content = text(url);
      pins.put(of, new RecentBytes.Entry(EntityTags.of(DigestUtils.sha256Hex(content)), content));
      return Optional.of(new StoredPointer(url, content));
    } catch (NoSuchFileException none) {
      return Optional.empty();
    }
  }

  @Override
  public byte[] manifest(ApplicationPartition of, long version, @Nullable String digest)
      throws IOException {
    RecentBytes.Entry seen = digest == null ? null : manifests.get(digest);
    if (seen != null) {
      return seen.content().clone();
    }
    byte[] content = text(address(of, version) + "/" + MANIFEST);
    if (digest != null && DigestUtils.sha256Hex(content).equals(digest)) {
      manifests.put(digest, new RecentBytes.Entry("", content.clone()));
    }
    return content;
  }

  @Override
  public InputStream open(ApplicationPartition of, long version, ModelFile file, long from)
      throws IOException {
    String name = file.name();
    if (!ModelSource.isFileName(name)) {
      throw new IllegalArgumentException("'" + name + "' is not a name of a model's file");
    }
    return ResumedStream.open(this, address(of, version) + "/" + name, from, settings.resumes());
  }

  private byte[] text(String url) throws IOException {
    HttpResponse<InputStream> answer = send(url, Map.of());
    try (InputStream body = answer.body()) {
      refuseUnless(OK, answer, url);
      return bounded(body, url);
    }
  }

  private static byte[] bounded(InputStream body, String url) throws IOException {
    byte[] content = body.readNBytes((int) LARGEST_TEXT_BYTES + 1);
    if (content.length > LARGEST_TEXT_BYTES) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "%s has more than %d bytes; they are the most it can have",
              url,
              LARGEST_TEXT_BYTES));
    }
    return content;
  }

  /** Reads a body almost to its end, so that the connection can be used again. */
  private static void drain(InputStream body) throws IOException {
    body.readNBytes(MOST_REASON_BYTES);
  }

  static void refuseUnless(int status, HttpResponse<?> answer, String url) throws IOException {
    if (answer.statusCode() != status) {
      throw new HttpStatusException(
          answer.statusCode(),
          String.format(
              Locale.ROOT,
              "%s: the server answered %d where %d was expected",
              url,
              answer.statusCode(),
              status));
    }
  }

  /**
   * Sends a request for an object and returns the answer.
   *
   * @return an answer of status 200, 206 or 304, whose body is to be closed
   * @throws NoSuchFileException for status 404
   * @throws HttpStatusException for every other status
   */
  HttpResponse<InputStream> send(String url, Map<String, String> headers) throws IOException {
    HttpClient open = client;
    if (open == null) {
      throw new IOException(url + " is not read: the source of models was closed");
    }
    HttpRequest.Builder request =
        HttpRequest.newBuilder(URI.create(url)).timeout(settings.answerTimeout()).GET();
    headers.forEach(request::header);
    String token = settings.token();
    if (token != null) {
      request.header("Authorization", BearerToken.header(token));
    }
    HttpResponse<InputStream> answer;
    try {
      answer = open.send(request.build(), info -> new BodyStream(url, settings.answerTimeout()));
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw (InterruptedIOException)
          new InterruptedIOException("interrupted while " + url + " was asked for")
              .initCause(interrupted);
    } catch (IOException failed) {
      throw new IOException("%s cannot be read: %s".formatted(url, told(failed)), failed);
    }
    int status = answer.statusCode();
    if (status != OK && status != PARTIAL && status != NOT_MODIFIED) {
      throw refusal(url, answer);
    }
    return answer;
  }

  private static String told(IOException failed) {
    String message = failed.getMessage();
    return failed instanceof java.net.ConnectException && message == null
        ? "no server listens there; is `idla models serve` running?"
        : message == null ? failed.toString() : message;
  }

  private static IOException refusal(String url, HttpResponse<InputStream> answer) {
    int status = answer.statusCode();
    String reason = reason(answer);
    if (status == NOT_FOUND && answer.headers().firstValue(ModelServer.FORMAT_HEADER).isPresent()) {
      return new NoSuchFileException(url);
    }
    String advice =
        switch (status) {
          case 401, 403 ->
              "; it wants a token (--store-token-file FILE), or another token than the given one";
          case 301, 302, 303, 307, 308 ->
              "; redirects are not followed: give the address itself, "
                  + answer.headers().firstValue("Location").map(HttpModelSource::plain).orElse("");
          case NOT_FOUND -> "; this is not a server of models, or its models have another path";
          case 503 ->
              "; it is busy, try again"
                  + answer
                      .headers()
                      .firstValue("Retry-After")
                      .map(seconds -> " in " + plain(seconds) + " s")
                      .orElse("");
          default -> "";
        };
    return new HttpStatusException(
        status,
        String.format(
            Locale.ROOT,
            "%s: the server answered %d%s%s",
            url,
            status,
            reason.isEmpty() ? "" : " (" + reason + ")",
            advice));
  }

  /**
   * Returns the beginning of an answer's body, in which a server gives the reason for a failure.
   */
  private static String reason(HttpResponse<InputStream> answer) {
    try (InputStream body = answer.body()) {
      String type = answer.headers().firstValue("Content-Type").orElse("");
      byte[] text = body.readNBytes(MOST_REASON_BYTES);
      return type.startsWith("text/plain")
          ? plain(new String(text, StandardCharsets.UTF_8).strip())
          : "";
    } catch (IOException unread) {
      return "and no reason: " + unread.getMessage();
    }
  }

  /** Returns a text from a server without characters that could do harm in a log. */
  private static String plain(String text) {
    String shown = text.length() > MOST_REASON_BYTES ? text.substring(0, MOST_REASON_BYTES) : text;
    return shown.replaceAll("[^\\x20-\\x7E]", "?");
  }

  /** Ends the threads of this source. Reads that are under way fail. */
  @Override
  public void close() {
    HttpClient closing = client;
    client = null;
    if (closing != null) {
      shutDown(closing);
    }
    threads.shutdownNow();
  }

  /**
   * Ends the thread of a client and its transfers at once, from Java 21 on. The client's own {@code
   * close} would wait for the transfers.
   *
   * @return false before Java 21, where this is impossible; the thread then ends when the client is
   *     garbage-collected
   */
  static boolean shutDown(HttpClient client) {
    Method shutdownNow;
    try {
      // Looked up in the public class: the object's own class is in a package that is not
      // exported.
      shutdownNow = HttpClient.class.getMethod("shutdownNow");
    } catch (NoSuchMethodException before21) {
      return false;
    }
    try {
      shutdownNow.invoke(client);
      return true;
    } catch (ReflectiveOperationException failed) {
      throw new IllegalStateException("the HTTP client cannot be shut down", failed);
    }
  }
}
