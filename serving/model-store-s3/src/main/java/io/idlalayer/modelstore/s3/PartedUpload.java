package io.idlalayer.modelstore.s3;

import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import software.amazon.awssdk.core.exception.AbortedException;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.S3Client;
import software.amazon.awssdk.services.s3.model.CompletedPart;
import software.amazon.awssdk.services.s3.model.HeadObjectResponse;
import software.amazon.awssdk.services.s3.model.UploadPartResponse;
import software.amazon.awssdk.utils.BinaryUtils;
import software.amazon.awssdk.utils.Md5Utils;

/** Uploads one large object in parts, of which one at a time is in memory. */
final class PartedUpload {
  private static final Logger LOG = LoggerFactory.getLogger(PartedUpload.class);
  private static final int MOST_PARTS = 10_000;
  private static final int MEBIBYTE = 1 << 20;

  private final S3Client client;
  private final S3Client completing;
  private final S3Address address;
  private final String key;
  private final S3Settings settings;

  /**
   * @param completing client with a longer time limit for the last call, because a store may copy
   *     all parts before it answers
   */
  PartedUpload(
      S3Client client, S3Client completing, S3Address address, String key, S3Settings settings) {
    this.client = client;
    this.completing = completing;
    this.address = address;
    this.key = address.key(key);
    this.settings = settings;
  }

  /** The result of an upload: the number of bytes, and the tag of the object. */
  record Sent(long bytes, String tag) {}

  /**
   * Uploads the content of an object. If that fails, the store is asked to delete the parts that
   * were sent.
   *
   * @param content the content, which is read to its end and not closed
   * @param bytes length of the content, at least one; parts are larger than usual if there would be
   *     too many
   */
  Sent send(InputStream content, long bytes) throws IOException {
    int partBytes = partBytes(bytes);
    String id;
    try {
      id = client.createMultipartUpload(it -> it.bucket(address.bucket()).key(key)).uploadId();
    } catch (SdkException failed) {
      throw S3Failures.of(what(), failed);
    }
    boolean done = false;
    try {
      List<CompletedPart> parts = new ArrayList<>();
      long sent = parts(id, content, partBytes, parts);
      String tag = complete(id, parts, sent);
      done = true;
      return new Sent(sent, tag);
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
      throw new IOException(
          String.format(
              Locale.ROOT, "%s: its %d bytes are more than an object can have", what(), bytes));
    }
    return (int) Math.max(settings.partBytes(), whole);
  }

  private long parts(String id, InputStream in, int partBytes, List<CompletedPart> parts)
      throws IOException {
    long sent = 0;
    byte[] buffer = new byte[partBytes];
    for (int count = in.readNBytes(buffer, 0, partBytes);
        count > 0;
        count = in.readNBytes(buffer, 0, partBytes)) {
      parts.add(part(id, parts.size() + 1, buffer, count));
      sent += count;
    }
    return sent;
  }

  private CompletedPart part(String id, int number, byte[] buffer, int count) throws IOException {
    String md5 =
        BinaryUtils.toBase64(Md5Utils.computeMD5Hash(new ByteArrayInputStream(buffer, 0, count)));
    UploadPartResponse answer =
        client.uploadPart(
            it ->
                it.bucket(address.bucket())
                    .key(key)
                    .uploadId(id)
                    .partNumber(number)
                    .contentMD5(md5),
            ArrayBody.of(buffer, count));
    return CompletedPart.builder().partNumber(number).eTag(answer.eTag()).build();
  }

  private String complete(String id, List<CompletedPart> parts, long bytes) {
    try {
      return completing
          .completeMultipartUpload(
              it ->
                  it.bucket(address.bucket())
                      .key(key)
                      .uploadId(id)
                      .multipartUpload(all -> all.parts(parts)))
          .eTag();
    } catch (AbortedException interrupted) {
      throw interrupted;
    } catch (SdkException failed) {
      // An answer may be lost, and the completion sent again is then refused as unknown.
      String expected = PartedTag.of(parts.stream().map(CompletedPart::eTag).toList()).orElse("");
      if (!expected.isEmpty() && isThere(expected, bytes, failed)) {
        return expected;
      }
      throw failed;
    }
  }

  private boolean isThere(String tag, long bytes, SdkException why) {
    try {
      HeadObjectResponse now = client.headObject(it -> it.bucket(address.bucket()).key(key));
      Long length = now.contentLength();
      return length != null && length == bytes && tag.equals(now.eTag());
    } catch (SdkException unknown) {
      why.addSuppressed(unknown);
      return false;
    }
  }

  private void abort(String id) {
    try {
      client.abortMultipartUpload(it -> it.bucket(address.bucket()).key(key).uploadId(id));
    } catch (SdkException left) {
      // A clean-up ends it later, and so does the bucket's rule for unfinished uploads.
      LOG.warn(
          "s3://{}/{}: the parts of a failed upload could not be deleted and stay in the store",
          address.bucket(),
          key,
          left);
    }
  }
}
