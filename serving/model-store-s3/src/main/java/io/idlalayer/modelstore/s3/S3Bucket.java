package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.storage.ModelSource;
import io.idlalayer.middleware.models.storage.object.ObjectBucket;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.net.SocketTimeoutException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.awscore.retry.AwsRetryStrategy;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.checksums.RequestChecksumCalculation;
import software.amazon.awssdk.core.checksums.ResponseChecksumValidation;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkClientException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.retry.RetryMode;
import software.amazon.awssdk.core.retry.RetryUtils;
import software.amazon.awssdk.http.urlconnection.UrlConnectionHttpClient;
import software.amazon.awssdk.retries.api.RetryStrategy;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.S3ClientBuilder;
import software.amazon.awssdk.services.s3.S3Configuration;
import software.amazon.awssdk.services.s3.model.CommonPrefix;
import software.amazon.awssdk.services.s3.model.GetObjectRequest;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsRequest;
import software.amazon.awssdk.services.s3.model.ListMultipartUploadsResponse;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Request;
import software.amazon.awssdk.services.s3.model.ListObjectsV2Response;
import software.amazon.awssdk.services.s3.model.MultipartUpload;
import software.amazon.awssdk.services.s3.model.PutObjectRequest;
import software.amazon.awssdk.services.s3.model.S3Exception;
import software.amazon.awssdk.services.s3.model.S3Object;
import software.amazon.awssdk.utils.Md5Utils;

/**
 * A bucket of an S3 object store, or a part of one, through the AWS SDK.
 *
 * <p>Credentials are those of the SDK's default chain: environment, profile, web identity,
 * container, machine. A try of a call may take a minute, and a call has three tries; a small object
 * is read within two minutes, and a large one is written in parts of 8 MiB. Safe for several
 * threads.
 */
public final class S3Bucket implements ObjectBucket {
  private static final int NOT_MODIFIED = 304;
  private static final int CONDITION_FAILED = 412;
  private static final int RANGE_NOT_SATISFIABLE = 416;

  /** Number of attempts for a call, as in the SDK's standard mode, with pauses of up to 20 s. */
  private static final int TRIES = 3;

  private static final Duration PAUSES = Duration.ofSeconds(40);

  private static final int BUFFER_BYTES = 1 << 13;

  /** Largest number of pages of a listing, with 1,000 keys each. */
  private static final int MOST_PAGES = 10_000;

  private final S3Client client;
  private final S3Client completing;
  private final S3Address address;
  private final S3Settings settings;

  private S3Bucket(S3Client client, S3Client completing, S3Address address, S3Settings settings) {
    this.client = client;
    this.completing = completing;
    this.address = address;
    this.settings = settings;
  }

  /**
   * Opens a part of a bucket with the settings in the environment and the profile of AWS.
   *
   * @param address {@code s3://BUCKET/PREFIX}
   * @throws IllegalArgumentException if the address is invalid
   * @throws IOException if no region is known, or the endpoint is not a URL
   */
  public static S3Bucket open(String address) throws IOException {
    S3Address parsed = S3Address.parse(address);
    return open(parsed, S3Settings.ofEnvironment());
  }

  /**
   * Opens a part of a bucket with given settings.
   *
   * @throws IllegalArgumentException if the address is invalid
   */
  public static S3Bucket open(String address, S3Settings settings) {
    return open(S3Address.parse(address), settings);
  }

  private static S3Bucket open(S3Address address, S3Settings settings) {
    return new S3Bucket(
        client(settings, settings.silence(), settings.callTimeout()),
        client(settings, settings.completionTimeout(), settings.completionTimeout()),
        address,
        settings);
  }

  private static S3Client client(S3Settings settings, Duration silence, Duration tryTimeout) {
    S3ClientBuilder builder =
        S3Client.builder()
            .region(settings.region())
            .httpClientBuilder(
                UrlConnectionHttpClient.builder()
                    .connectionTimeout(settings.connectTimeout())
                    .socketTimeout(silence))
            // Lengths and digests are sent in a way that other stores than that of AWS know.
            .requestChecksumCalculation(RequestChecksumCalculation.WHEN_REQUIRED)
            .responseChecksumValidation(ResponseChecksumValidation.WHEN_REQUIRED)
            .serviceConfiguration(
                S3Configuration.builder()
                    .chunkedEncodingEnabled(false)
                    .expectContinueEnabled(false)
                    .pathStyleAccessEnabled(settings.endpoint() != null)
                    .build())
            .overrideConfiguration(
                it ->
                    it.retryStrategy(retries())
                        .apiCallAttemptTimeout(tryTimeout)
                        .apiCallTimeout(tryTimeout.multipliedBy(TRIES).plus(PAUSES)));
    if (settings.endpoint() != null) {
      builder.endpointOverride(settings.endpoint());
    }
    return builder.build();
  }

  /**
   * Returns the SDK's standard retries, and a retry of a conflict with another write: a conflict
   * leaves open which write wins, so it is handled like throttling.
   */
  private static RetryStrategy retries() {
    return AwsRetryStrategy.forRetryMode(RetryMode.STANDARD).toBuilder()
        .retryOnException(S3Failures::isConflict)
        .treatAsThrottling(
            failed ->
                S3Failures.isConflict(failed)
                    || (failed instanceof SdkException told
                        && RetryUtils.isThrottlingException(told)))
        .build();
  }

  @Override
  public String address() {
    return address.toString();
  }

  @Override
  public List<Listed> list(String prefix) throws IOException {
    String full = address.key(prefix);
    List<Listed> found = new ArrayList<>();
    pages(
        ListObjectsV2Request.builder().prefix(full),
        page -> {
          for (S3Object each : page.contents()) {
            if (each.key().startsWith(full)) {
              address
                  .relative(each.key())
                  .ifPresent(key -> found.add(new Listed(key, each.size(), each.eTag())));
            }
          }
        });
    return found;
  }

  @Override
  public List<String> folders(String prefix) throws IOException {
    String full = address.key(prefix);
    List<String> found = new ArrayList<>();
    pages(
        ListObjectsV2Request.builder().prefix(full).delimiter("/"),
        page -> {
          for (CommonPrefix each : page.commonPrefixes()) {
            String name = each.prefix();
            if (name.startsWith(full) && name.endsWith("/") && name.length() > full.length()) {
              found.add(name.substring(full.length(), name.length() - 1));
            }
          }
        });
    return found;
  }

  private interface PageReader {
    void read(ListObjectsV2Response page);
  }

  private void pages(ListObjectsV2Request.Builder request, PageReader reader) throws IOException {
    String next = null;
    for (int i = 0; i < MOST_PAGES; i++) {
      ListObjectsV2Response page =
          page(request.bucket(address.bucket()).continuationToken(next).build());
      reader.read(page);
      next = page.nextContinuationToken();
      if (!Boolean.TRUE.equals(page.isTruncated()) || next == null) {
        return;
      }
    }
    throw new IOException(
        String.format(
            Locale.ROOT,
            "%s has more than %d keys, the most that are listed",
            address,
            1_000L * MOST_PAGES));
  }

  /**
   * Returns one page of a listing. The SDK retries a call that was refused or not answered, but not
   * one whose answer was cut off, so this method does.
   */
  private ListObjectsV2Response page(ListObjectsV2Request request) throws IOException {
    for (int i = 1; ; i++) {
      try {
        return client.listObjectsV2(request);
      } catch (SdkException failed) {
        boolean cut =
            failed instanceof SdkClientException
                && !(failed instanceof AbortedException)
                && String.valueOf(failed.getMessage()).contains("parse");
        if (!cut || i == TRIES) {
          throw S3Failures.of(address + " cannot be listed", failed);
        }
      }
    }
  }

  @Override
  public Optional<StoredObject> get(String key, @Nullable StoredObject known) throws IOException {
    long end = System.nanoTime() + settings.readTimeout().toNanos();
    for (int i = 1; ; i++) {
      try {
        return read(key, known, end);
      } catch (CutException cut) {
        if (i == TRIES) {
          throw cut;
        }
      }
    }
  }

  /** Thrown if an answer of the store ended too early. */
  private static final class CutException extends IOException {
    private static final long serialVersionUID = 1L;

    CutException(String message, @Nullable Throwable cause) {
      super(message, cause);
    }
  }

  private IOException late(String what) {
    return new IOException(
        String.format(
            Locale.ROOT,
            "%s cannot be read: the store took more than %d s for it",
            what,
            settings.readTimeout().toSeconds()));
  }

  /**
   * Reads an object.
   *
   * @param end end of all attempts, by the JVM's nanosecond clock
   */
  private Optional<StoredObject> read(String key, @Nullable StoredObject known, long end)
      throws IOException {
    String what = address(key);
    long left = end - System.nanoTime();
    if (left <= 0) {
      throw late(what);
    }
    GetObjectRequest request =
        GetObjectRequest.builder()
            .bucket(address.bucket())
            .key(address.key(key))
            .ifNoneMatch(known == null ? null : known.tag())
            .overrideConfiguration(it -> it.apiCallTimeout(Duration.ofNanos(left)))
            .build();
    try (ResponseInputStream<GetObjectResponse> body = client.getObject(request)) {
      return Optional.of(new StoredObject(body.response().eTag(), content(what, body, end)));
    } catch (S3Exception refused) {
      if (S3Failures.isMissing(refused)) {
        return Optional.empty();
      }
      if (refused.statusCode() == NOT_MODIFIED && known != null) {
        return Optional.of(known);
      }
      throw S3Failures.of(what + " cannot be read", refused);
    } catch (SdkException failed) {
      throw S3Failures.of(what + " cannot be read", failed);
    }
  }

  private byte[] content(String what, ResponseInputStream<GetObjectResponse> body, long end)
      throws IOException {
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    byte[] buffer = new byte[BUFFER_BYTES];
    for (int count = next(what, body, buffer); count >= 0; count = next(what, body, buffer)) {
      read.write(buffer, 0, count);
      if (read.size() > ModelSource.LARGEST_TEXT_BYTES) {
        body.abort();
        throw new CorruptModelException(
            String.format(
                Locale.ROOT,
                "%s has more than the %d bytes that are allowed",
                what,
                ModelSource.LARGEST_TEXT_BYTES));
      }
      if (end - System.nanoTime() <= 0) {
        body.abort();
        throw late(what);
      }
    }
    byte[] content = read.toByteArray();
    Long length = body.response().contentLength();
    if (length != null && length != content.length) {
      throw new CutException(
          String.format(Locale.ROOT, "%s was cut off after %d bytes", what, content.length), null);
    }
    return content;
  }

  private static int next(String what, InputStream body, byte[] buffer) throws IOException {
    try {
      return body.read(buffer);
    } catch (SocketTimeoutException silent) {
      throw new CutException("%s cannot be read: %s".formatted(what, silent), silent);
    } catch (InterruptedIOException stopped) {
      throw stopped;
    } catch (IOException broken) {
      throw new CutException("%s cannot be read: %s".formatted(what, broken), broken);
    }
  }

  @Override
  public InputStream open(String key, long from) throws IOException {
    return S3Stream.open(this, key, from);
  }

  /**
   * Requests the rest of an object, from a position on.
   *
   * @param tag tag that the object must have; "" accepts any
   * @return the rest; null if the object has no bytes from that position on
   */
  @Nullable ResponseInputStream<GetObjectResponse> rest(String key, long from, String tag)
      throws IOException {
    GetObjectRequest request =
        GetObjectRequest.builder()
            .bucket(address.bucket())
            .key(address.key(key))
            .range(from == 0 ? null : "bytes=" + from + "-")
            .ifMatch(tag.isEmpty() ? null : tag)
            .build();
    try {
      return client.getObject(request);
    } catch (S3Exception refused) {
      if (S3Failures.isMissing(refused)) {
        throw new NoSuchFileException(address(key));
      }
      if (refused.statusCode() == RANGE_NOT_SATISFIABLE) {
        return null;
      }
      throw S3Failures.of(address(key) + " cannot be read", refused);
    } catch (SdkException failed) {
      throw S3Failures.of(address(key) + " cannot be read", failed);
    }
  }

  @Override
  public Optional<String> put(String key, byte[] content, Condition condition) throws IOException {
    if (condition instanceof Condition.Always && content.length > settings.partBytes()) {
      InputStream all = new ByteArrayInputStream(content);
      return Optional.of(parted(key).send(all, content.length).tag());
    }
    PutObjectRequest.Builder request =
        PutObjectRequest.builder()
            .bucket(address.bucket())
            .key(address.key(key))
            .contentMD5(Md5Utils.md5AsBase64(content));
    if (condition instanceof Condition.Absent) {
      request.ifNoneMatch("*");
    } else if (condition instanceof Condition.Matches expected) {
      request.ifMatch(expected.tag());
    }
    try {
      return Optional.of(
          client.putObject(request.build(), ArrayBody.of(content, content.length)).eTag());
    } catch (S3Exception refused) {
      if (!(condition instanceof Condition.Always) && failsCondition(refused)) {
        return Optional.empty();
      }
      throw S3Failures.of(address(key) + " cannot be written", refused);
    } catch (SdkException failed) {
      throw S3Failures.of(address(key) + " cannot be written", failed);
    }
  }

  /**
   * Returns whether the store refused a conditional write because the object has changed or is
   * gone.
   */
  private static boolean failsCondition(S3Exception refused) {
    return refused.statusCode() == CONDITION_FAILED || S3Failures.isMissing(refused);
  }

  @Override
  public long upload(String key, Path file, MessageDigest digest) throws IOException {
    long bytes = Files.size(file);
    if (bytes > settings.partBytes()) {
      try (InputStream content = new DigestInputStream(Files.newInputStream(file), digest)) {
        return parted(key).send(content, bytes).bytes();
      }
    }
    byte[] content = Files.readAllBytes(file);
    digest.update(content);
    put(key, content, new Condition.Always());
    return content.length;
  }

  private PartedUpload parted(String key) {
    return new PartedUpload(client, completing, address, key, settings);
  }

  @Override
  public void delete(String key) throws IOException {
    try {
      client.deleteObject(it -> it.bucket(address.bucket()).key(address.key(key)));
    } catch (SdkException failed) {
      throw S3Failures.of(address(key) + " cannot be deleted", failed);
    }
  }

  @Override
  public void abandonUploads(String prefix, Predicate<String> keys) throws IOException {
    String full = address.key(prefix);
    ListMultipartUploadsRequest.Builder request =
        ListMultipartUploadsRequest.builder().bucket(address.bucket()).prefix(full);
    try {
      for (int i = 0; i < MOST_PAGES; i++) {
        ListMultipartUploadsResponse page = client.listMultipartUploads(request.build());
        for (MultipartUpload each : page.uploads()) {
          if (each.key().startsWith(full)
              && address.relative(each.key()).filter(keys).isPresent()) {
            client.abortMultipartUpload(
                it -> it.bucket(address.bucket()).key(each.key()).uploadId(each.uploadId()));
          }
        }
        if (!Boolean.TRUE.equals(page.isTruncated())) {
          return;
        }
        request.keyMarker(page.nextKeyMarker()).uploadIdMarker(page.nextUploadIdMarker());
      }
    } catch (SdkException failed) {
      throw S3Failures.of(
          "the parts of unfinished uploads to %s cannot be deleted".formatted(address), failed);
    }
  }

  @Override
  public void close() {
    client.close();
    completing.close();
  }
}
