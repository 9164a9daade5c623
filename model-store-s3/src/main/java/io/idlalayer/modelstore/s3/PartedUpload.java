package io.idlalayer.modelstore.s3;

import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.core.sync.RequestBody;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;
import software.amazon.awssdk.utils.Md5Utils;

/** Writes one large object, part by part, with one part in memory. */
final class PartedUpload {
  private static final int MOST_PARTS = 10_000;
  private static final int MEBIBYTE = 1 << 20;

  private final S3Client client;
  private final S3Address address;
  private final String key;
  private final S3Settings settings;

  PartedUpload(S3Client client, S3Address address, String key, S3Settings settings) {
    this.client = client;
    this.address = address;
    this.key = address.key(key);
    this.settings = settings;
  }

  /**
   * Sends a file; what cannot be sent whole leaves nothing behind, if the store can still be told.
   *
   * @param bytes of the file; parts are larger than usual where they would be too many
   */
  long send(Path file, long bytes, MessageDigest digest) throws IOException {
    String id;
    try {
      id = client.createMultipartUpload(it -> it.bucket(address.bucket()).key(key)).uploadId();
    } catch (SdkException failed) {
      throw S3Failures.of(what(), failed);
    }
    boolean done = false;
    try {
      long sent = send(id, file, partBytes(bytes), digest);
      done = true;
      return sent;
    } catch (SdkException failed) {
      throw S3Failures.of(what(), failed);
    } finally {
      if (!done) {
        abort(id);
      }
    }
  }

  private String what() {
    return "s3://%s/%s cannot be written".formatted(address.bucket(), key);
  }

  private int partBytes(long bytes) throws IOException {
    long least = bytes / MOST_PARTS + 1;
    long whole = (least + MEBIBYTE - 1) / MEBIBYTE * MEBIBYTE;
    if (whole > Integer.MAX_VALUE - 8) {
      throw new IOException("%s: it has %d bytes, which are too many".formatted(what(), bytes));
    }
    return (int) Math.max(settings.partBytes(), whole);
  }

  private long send(String id, Path file, int partBytes, MessageDigest digest) throws IOException {
    List<CompletedPart> parts = new ArrayList<>();
    long sent = 0;
    try (InputStream in = Files.newInputStream(file)) {
      byte[] buffer = new byte[partBytes];
      for (int count = in.readNBytes(buffer, 0, partBytes);
          count > 0;
          count = in.readNBytes(buffer, 0, partBytes)) {
        digest.update(buffer, 0, count);
        parts.add(
            part(id, parts.size() + 1, count == partBytes ? buffer : Arrays.copyOf(buffer, count)));
        sent += count;
      }
    }
    client.completeMultipartUpload(
        it ->
            it.bucket(address.bucket())
                .key(key)
                .uploadId(id)
                .multipartUpload(all -> all.parts(parts)));
    return sent;
  }

  private CompletedPart part(String id, int number, byte[] content) {
    UploadPartResponse answer =
        client.uploadPart(
            it ->
                it.bucket(address.bucket())
                    .key(key)
                    .uploadId(id)
                    .partNumber(number)
                    .contentMD5(Md5Utils.md5AsBase64(content)),
            RequestBody.fromBytes(content));
    return CompletedPart.builder().partNumber(number).eTag(answer.eTag()).build();
  }

  private void abort(String id) {
    try {
      client.abortMultipartUpload(it -> it.bucket(address.bucket()).key(key).uploadId(id));
    } catch (SdkException left) {
      // A clean-up ends it later, and so does the bucket's rule for unfinished uploads.
      org.slf4j.LoggerFactory.getLogger(PartedUpload.class)
          .warn("s3://{}/{}: an unfinished upload is left", address.bucket(), key, left);
    }
  }
}
