package io.idlalayer.testkit;

import com.sun.net.httpserver.HttpExchange;
import com.sun.net.httpserver.HttpServer;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.apache.commons.codec.digest.DigestUtils;

/**
 * A server with the part of S3 that model stores and Flink's checkpoints need, on a folder with a
 * file for each object: conditions, ranges, paged listings, uploads in parts, deletions of many
 * objects. It requires a signature on each request, and does not check it. Tests can damage the
 * files, and make requests fail.
 */
public final class ObjectStoreServer implements AutoCloseable {
  public static final String BUCKET = "models";
  private static final Duration TRICKLE_PAUSE = Duration.ofMillis(50);
  private static final int PART_BYTES = 1 << 16;
  private static final int SMALLEST_PART_BYTES = 5 << 20;
  private static final Pattern RANGE = Pattern.compile("bytes=(\\d+)-(\\d*)");
  private static final Pattern PART = Pattern.compile("<PartNumber>(\\d+)</PartNumber>");
  private static final Pattern KEY = Pattern.compile("<Key>([^<]+)</Key>");
  private static final Duration DELAY = Duration.ofMillis(300);

  /** The time at which all objects were written. */
  private static final Instant WRITTEN = Instant.parse("2020-01-01T00:00:00Z");

  /** The fate of a request. */
  public enum Fate {
    /** The request is answered. */
    ANSWERED,
    /** The connection is closed before anything is done. */
    DROPPED,
    /** The request is carried out, and the connection closed without an answer. */
    UNANSWERED,
    /** 503, and nothing is done. */
    REFUSED,
    /** 409, as while another write is under way, and nothing is done. */
    CONFLICT,
    /** The request is answered after a while. */
    DELAYED,
    /** The answer's body comes with a pause after each byte. */
    TRICKLED,
    /** The connection is closed in the middle of the answer's body. */
    CUT
  }

  /** Decides for each request, by its method and path. */
  @FunctionalInterface
  public interface Faults {
    Fate of(String method, String path);
  }

  /**
   * The tags of an object that was uploaded in parts.
   *
   * @param plain the tag that the content would have if it were sent at once
   * @param tag the tag that the server answers in its place
   */
  private record Parted(String plain, String tag) {}

  /** An upload in parts that has begun. */
  private record Upload(String key, Map<Integer, byte[]> parts) {}

  private final HttpServer server;
  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final FolderObjects objects;
  private final Map<String, Upload> uploads = new ConcurrentHashMap<>();
  private final Map<String, Parted> parted = new ConcurrentHashMap<>();
  private final AtomicInteger requests = new AtomicInteger();
  private final AtomicInteger uploadIds = new AtomicInteger();
  private volatile Faults faults = (method, path) -> Fate.ANSWERED;
  private volatile int pageKeys = 1_000;
  private volatile boolean conditions = true;
  private volatile boolean prefixes = true;
  private volatile boolean open = true;

  private ObjectStoreServer(HttpServer server, FolderObjects objects) {
    this.server = server;
    this.objects = objects;
  }

  /** Starts a server on a free port of the loopback address. */
  public static ObjectStoreServer start(Path folder) throws IOException {
    return start(new FolderObjects(folder));
  }

  /**
   * Starts a server for experiments, which caches the tags of objects and streams large ones while
   * it reads them, as object stores do. No other process may write into the folder or damage a
   * file.
   */
  public static ObjectStoreServer startAsSoleWriter(Path folder) throws IOException {
    return start(FolderObjects.ofSoleWriter(folder));
  }

  private static ObjectStoreServer start(FolderObjects objects) throws IOException {
    // Read once by the JDK: otherwise each small answer may take 40 ms.
    System.setProperty("sun.net.httpserver.nodelay", "true");
    HttpServer http =
        HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 64);
    ObjectStoreServer server = new ObjectStoreServer(http, objects);
    http.createContext("/", server::handle);
    http.setExecutor(server.threads);
    http.start();
    return server;
  }

  /**
   * Serves a folder until the process ends, and prints the endpoint: for experiments whose
   * publishers and readers are in other processes.
   */
  public static void main(String[] folder) throws IOException {
    System.out.println(startAsSoleWriter(Files.createDirectories(Path.of(folder[0]))).endpoint());
  }

  public URI endpoint() {
    return URI.create("http://127.0.0.1:" + server.getAddress().getPort());
  }

  /** Returns the address of all objects. */
  public String address() {
    return "s3://" + BUCKET;
  }

  /** The file of what has this address. */
  public Path file(String address) {
    return objects.file(address.substring(address().length() + 1));
  }

  /** Requests so far. */
  public int requests() {
    return requests.get();
  }

  /** Uploads in parts that have begun and not ended. */
  public int unfinishedUploads() {
    return uploads.size();
  }

  public void faults(Faults chosen) {
    faults = chosen;
  }

  /** Sets the most keys of one answer to a listing. */
  public void pageKeys(int most) {
    pageKeys = most;
  }

  /** Keeps to conditions, or is one of those that do not know them. */
  public void conditions(boolean kept) {
    conditions = kept;
  }

  /** Lists what was asked for, or all that there is. */
  public void prefixes(boolean kept) {
    prefixes = kept;
  }

  /** Starts an upload in parts that is never completed, as another client might. */
  public void beginUpload(String key) {
    begin(key);
  }

  /** Refuses everybody, as if credentials were wrong. */
  public void lock() {
    open = false;
  }

  private record Answer(int status, Map<String, String> headers, long bytes, InputStream body) {
    Answer(int status, Map<String, String> headers, byte[] body) {
      this(status, headers, body.length, new ByteArrayInputStream(body));
    }

    static Answer of(int status) {
      return new Answer(status, Map.of(), new byte[0]);
    }

    static Answer xml(int status, String xml) {
      return new Answer(
          status,
          Map.of("Content-Type", "application/xml"),
          ("<?xml version=\"1.0\" encoding=\"UTF-8\"?>" + xml).getBytes(StandardCharsets.UTF_8));
    }

    static Answer error(int status, String code) {
      return xml(
          status, "<Error><Code>" + code + "</Code><Message>told by the test</Message></Error>");
    }
  }

  private void handle(HttpExchange exchange) throws IOException {
    requests.incrementAndGet();
    String method = exchange.getRequestMethod();
    String path = exchange.getRequestURI().getPath();
    byte[] body = exchange.getRequestBody().readAllBytes();
    if (ChunkedBody.is(exchange.getRequestHeaders().getFirst("x-amz-content-sha256"))) {
      body = ChunkedBody.content(body);
    }
    Fate fate = faults.of(method, path);
    if (fate == Fate.DROPPED) {
      exchange.close();
      return;
    }
    if (fate == Fate.DELAYED) {
      LockSupport.parkNanos(DELAY.toNanos());
    }
    Answer answer;
    try {
      answer =
          switch (fate) {
            case REFUSED -> Answer.error(503, "SlowDown");
            case CONFLICT -> Answer.error(409, "ConditionalRequestConflict");
            default -> answer(exchange, method, body);
          };
    } catch (IOException failed) {
      answer = Answer.error(500, "InternalError");
    }
    try (InputStream content = answer.body()) {
      if (fate == Fate.UNANSWERED) {
        exchange.close();
      } else {
        send(exchange, answer, content, fate);
      }
    }
  }

  private static void send(HttpExchange exchange, Answer answer, InputStream content, Fate fate)
      throws IOException {
    answer.headers().forEach((name, value) -> exchange.getResponseHeaders().set(name, value));
    boolean head = exchange.getRequestMethod().equals("HEAD");
    if (head) {
      exchange.getResponseHeaders().set("Content-Length", "" + answer.bytes());
    }
    boolean bodiless = answer.bytes() == 0 || head;
    exchange.sendResponseHeaders(answer.status(), bodiless ? -1 : answer.bytes());
    OutputStream out = exchange.getResponseBody();
    if (fate == Fate.CUT) {
      out.write(content.readNBytes((int) (answer.bytes() / 2)));
      out.flush();
      // The only way to make the JDK's server close the connection here.
      throw new IllegalStateException("cut");
    }
    try (exchange;
        out) {
      if (fate == Fate.TRICKLED) {
        trickle(content.readNBytes((int) answer.bytes()), out);
      } else {
        byte[] part = new byte[PART_BYTES];
        long left = answer.bytes();
        while (left > 0) {
          int read = content.read(part, 0, (int) Math.min(part.length, left));
          if (read < 0) {
            break;
          }
          out.write(part, 0, read);
          left -= read;
        }
      }
    } catch (IOException closed) {
      // The client did not want the rest.
      exchange.close();
    }
  }

  private static void trickle(byte[] content, OutputStream out) throws IOException {
    for (byte each : content) {
      out.write(each);
      out.flush();
      LockSupport.parkNanos(TRICKLE_PAUSE.toNanos());
    }
  }

  private Answer answer(HttpExchange exchange, String method, byte[] body) throws IOException {
    String signature = exchange.getRequestHeaders().getFirst("Authorization");
    if (!open || signature == null || !signature.startsWith("AWS4-HMAC-SHA256 Credential=")) {
      return Answer.error(403, "AccessDenied");
    }
    String md5 = exchange.getRequestHeaders().getFirst("Content-MD5");
    if (md5 != null && !md5.equals(Base64.getEncoder().encodeToString(DigestUtils.md5(body)))) {
      return Answer.error(400, "BadDigest");
    }
    String path = exchange.getRequestURI().getPath().substring(1);
    int slash = path.indexOf('/');
    String bucket = slash < 0 ? path : path.substring(0, slash);
    String key = slash < 0 ? "" : path.substring(slash + 1);
    if (!bucket.equals(BUCKET)) {
      return Answer.error(404, "NoSuchBucket");
    }
    Map<String, String> query = query(exchange.getRequestURI().getRawQuery());
    if (key.isEmpty()) {
      if (query.containsKey("delete")) {
        return deleteAll(new String(body, StandardCharsets.UTF_8));
      }
      return query.containsKey("uploads") ? listUploads(query) : list(query);
    }
    return switch (method) {
      case "GET", "HEAD" -> get(exchange, key);
      case "PUT" -> query.containsKey("uploadId") ? putPart(query, body) : put(exchange, key, body);
      case "POST" ->
          query.containsKey("uploads")
              ? begin(key)
              : finish(query, new String(body, StandardCharsets.UTF_8));
      case "DELETE" -> delete(query, key);
      default -> Answer.error(405, "MethodNotAllowed");
    };
  }

  private static Map<String, String> query(String raw) {
    Map<String, String> query = new HashMap<>();
    for (String each : raw == null ? new String[0] : raw.split("&")) {
      int is = each.indexOf('=');
      query.put(
          is < 0 ? each : each.substring(0, is),
          is < 0 ? "" : URLDecoder.decode(each.substring(is + 1), StandardCharsets.UTF_8));
    }
    return query;
  }

  private Answer get(HttpExchange exchange, String key) throws IOException {
    FolderObjects.Reading object;
    try {
      object = objects.read(key);
    } catch (NoSuchFileException missing) {
      return Answer.error(404, "NoSuchKey");
    }
    Answer answer = get(exchange, object, parted(key, object.tag()));
    if (answer.body() != object.content()) {
      object.content().close();
    }
    return answer;
  }

  private static Answer get(HttpExchange exchange, FolderObjects.Reading object, String tag)
      throws IOException {
    if (tag.equals(exchange.getRequestHeaders().getFirst("If-None-Match"))) {
      return new Answer(304, Map.of("ETag", tag), new byte[0]);
    }
    String expected = exchange.getRequestHeaders().getFirst("If-Match");
    // Some clients leave the quotation marks out.
    if (expected != null && !expected.replace("\"", "").equals(tag.replace("\"", ""))) {
      return Answer.error(412, "PreconditionFailed");
    }
    Map<String, String> headers =
        new HashMap<>(
            Map.of(
                "ETag",
                tag,
                "Last-Modified",
                DateTimeFormatter.RFC_1123_DATE_TIME.format(WRITTEN.atZone(ZoneOffset.UTC))));
    String range = exchange.getRequestHeaders().getFirst("Range");
    Matcher from = RANGE.matcher(range == null ? "" : range);
    if (!from.matches()) {
      if (object.bytes() == 0) {
        headers.put("Content-Length", "0");
      }
      return new Answer(200, headers, object.bytes(), object.content());
    }
    long begin = Math.min(Long.parseLong(from.group(1)), object.bytes());
    if (begin == object.bytes()) {
      return Answer.error(416, "InvalidRange");
    }
    long last = object.bytes() - 1;
    if (!from.group(2).isEmpty()) {
      last = Math.min(last, Long.parseLong(from.group(2)));
    }
    headers.put("Content-Range", "bytes %d-%d/%d".formatted(begin, last, object.bytes()));
    object.content().skipNBytes(begin);
    return new Answer(206, headers, last - begin + 1, object.content());
  }

  /** Returns the tag of an object, which differs from {@code plain} if it was uploaded in parts. */
  private String parted(String key, String plain) {
    Parted known = parted.get(key);
    return known != null && known.plain().equals(plain) ? known.tag() : plain;
  }

  private static String tag(byte[] content) {
    return "\"" + DigestUtils.md5Hex(content) + "\"";
  }

  private Answer put(HttpExchange exchange, String key, byte[] body) throws IOException {
    String absent = exchange.getRequestHeaders().getFirst("If-None-Match");
    String matches = exchange.getRequestHeaders().getFirst("If-Match");
    Predicate<Optional<String>> condition = tag -> true;
    if (conditions && absent != null) {
      condition = Optional::isEmpty;
    } else if (conditions && matches != null) {
      if (objects.list(key).stream().noneMatch(each -> each.key().equals(key))) {
        return Answer.error(404, "NoSuchKey");
      }
      condition = tag -> tag.equals(Optional.of(matches));
    }
    Optional<String> tag = objects.put(key, body, condition);
    return tag.isEmpty()
        ? Answer.error(412, "PreconditionFailed")
        : new Answer(200, Map.of("ETag", tag.get()), new byte[0]);
  }

  private Answer begin(String key) {
    String id = "upload-" + uploadIds.incrementAndGet();
    uploads.put(id, new Upload(key, new TreeMap<>()));
    return Answer.xml(
        200,
        "<InitiateMultipartUploadResult><Bucket>%s</Bucket><Key>%s</Key><UploadId>%s</UploadId></InitiateMultipartUploadResult>"
            .formatted(BUCKET, key, id));
  }

  private Answer putPart(Map<String, String> query, byte[] body) {
    Upload upload = uploads.get(query.get("uploadId"));
    if (upload == null) {
      return Answer.error(404, "NoSuchUpload");
    }
    upload.parts().put(Integer.parseInt(query.get("partNumber")), body);
    return new Answer(200, Map.of("ETag", tag(body)), new byte[0]);
  }

  private Answer finish(Map<String, String> query, String named) throws IOException {
    Upload upload = uploads.get(query.get("uploadId"));
    if (upload == null) {
      return Answer.error(404, "NoSuchUpload");
    }
    List<Integer> numbers = new ArrayList<>();
    Matcher part = PART.matcher(named);
    while (part.find()) {
      numbers.add(Integer.parseInt(part.group(1)));
    }
    ByteArrayOutputStream content = new ByteArrayOutputStream();
    for (int i = 0; i < numbers.size(); i++) {
      byte[] bytes = upload.parts().get(numbers.get(i));
      if (bytes == null) {
        return Answer.error(400, "InvalidPart");
      }
      if (i < numbers.size() - 1 && bytes.length < SMALLEST_PART_BYTES) {
        return Answer.error(400, "EntityTooSmall");
      }
      content.writeBytes(bytes);
    }
    String plain =
        objects
            .put(upload.key(), content.toByteArray(), tag -> true)
            .orElseThrow(IllegalStateException::new);
    String tag = partedTag(upload, numbers);
    parted.put(upload.key(), new Parted(plain, tag));
    uploads.remove(query.get("uploadId"));
    return Answer.xml(
        200,
        "<CompleteMultipartUploadResult><Key>%s</Key><ETag>%s</ETag></CompleteMultipartUploadResult>"
            .formatted(upload.key(), tag.replace("\"", "&quot;")));
  }

  private static String partedTag(Upload upload, List<Integer> numbers) {
    ByteArrayOutputStream digests = new ByteArrayOutputStream();
    numbers.forEach(each -> digests.writeBytes(DigestUtils.md5(upload.parts().get(each))));
    return tag(digests.toByteArray()).replaceAll("\"$", "-" + numbers.size() + "\"");
  }

  private Answer delete(Map<String, String> query, String key) throws IOException {
    String id = query.get("uploadId");
    if (id == null) {
      objects.delete(key);
      return Answer.of(204);
    }
    return uploads.remove(id) == null ? Answer.error(404, "NoSuchUpload") : Answer.of(204);
  }

  private Answer deleteAll(String named) throws IOException {
    Matcher key = KEY.matcher(named);
    while (key.find()) {
      objects.delete(key.group(1));
    }
    return Answer.xml(200, "<DeleteResult></DeleteResult>");
  }

  private Answer listUploads(Map<String, String> query) {
    StringBuilder xml = new StringBuilder("<ListMultipartUploadsResult>");
    uploads.forEach(
        (id, upload) -> {
          if (upload.key().startsWith(prefixes ? query.getOrDefault("prefix", "") : "")) {
            xml.append(
                "<Upload><Key>%s</Key><UploadId>%s</UploadId></Upload>"
                    .formatted(upload.key(), id));
          }
        });
    return Answer.xml(
        200,
        xml.append("<IsTruncated>false</IsTruncated></ListMultipartUploadsResult>").toString());
  }

  /** The token is the last key of the page before. */
  private Answer list(Map<String, String> query) throws IOException {
    String prefix = prefixes ? query.getOrDefault("prefix", "") : "";
    String delimiter = query.getOrDefault("delimiter", "");
    String after = query.getOrDefault("continuation-token", query.getOrDefault("start-after", ""));
    int most = Integer.parseInt(query.getOrDefault("max-keys", Integer.toString(pageKeys)));
    StringBuilder entries = new StringBuilder();
    TreeSet<String> folders = new TreeSet<>();
    String last = "";
    int count = 0;
    boolean truncated = false;
    for (FolderObjects.Entry each : objects.list(prefix)) {
      int end = delimiter.isEmpty() ? -1 : each.key().indexOf(delimiter, prefix.length());
      String folder = end < 0 ? "" : each.key().substring(0, end + 1);
      if (each.key().compareTo(after) <= 0
          || (!folder.isEmpty() && (after.startsWith(folder) || folders.contains(folder)))) {
        continue;
      }
      if (count == Math.min(most, pageKeys)) {
        truncated = true;
        break;
      }
      count++;
      last = each.key();
      if (folder.isEmpty()) {
        entries.append(
            "<Contents><Key>%s</Key><ETag>%s</ETag><Size>%d</Size></Contents>"
                .formatted(
                    each.key(),
                    parted(each.key(), each.tag()).replace("\"", "&quot;"),
                    each.bytes()));
      } else {
        folders.add(folder);
      }
    }
    for (String folder : folders) {
      entries.append("<CommonPrefixes><Prefix>" + folder + "</Prefix></CommonPrefixes>");
    }
    return Answer.xml(
        200,
        "<ListBucketResult><Name>%s</Name><IsTruncated>%s</IsTruncated>%s%s</ListBucketResult>"
            .formatted(
                BUCKET,
                truncated,
                truncated ? "<NextContinuationToken>" + last + "</NextContinuationToken>" : "",
                entries));
  }

  @Override
  public void close() {
    server.stop(0);
    threads.shutdownNow();
  }
}
