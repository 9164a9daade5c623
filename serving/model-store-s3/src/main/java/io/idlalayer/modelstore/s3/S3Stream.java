package io.idlalayer.modelstore.s3;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.file.NoSuchFileException;
import java.util.Locale;
import org.jspecify.annotations.Nullable;
import software.amazon.awssdk.core.ResponseInputStream;
import software.amazon.awssdk.core.exception.SdkException;
import software.amazon.awssdk.services.s3.model.GetObjectResponse;

/** Reads an object; if the connection breaks, it requests the rest from the position reached. */
final class S3Stream extends InputStream {
  private static final int RESUMES = 5;

  private final S3Bucket bucket;
  private final String key;
  private final String tag;

  /** Position after the last byte. */
  private final long end;

  private long position;
  private int resumesLeft = RESUMES;

  /** The body of the present request; null if there is nothing to read. */
  private @Nullable ResponseInputStream<GetObjectResponse> body;

  private S3Stream(
      S3Bucket bucket,
      String key,
      long from,
      @Nullable ResponseInputStream<GetObjectResponse> first)
      throws IOException {
    this.bucket = bucket;
    this.key = key;
    position = from;
    body = first;
    Long length = first == null ? null : first.response().contentLength();
    end = length == null ? from : from + length;
    tag = first == null ? "" : String.valueOf(first.response().eTag());
    if (first != null && length == null) {
      first.abort();
      throw new IOException(bucket.address(key) + ": the store does not say how long it is");
    }
  }

  static S3Stream open(S3Bucket bucket, String key, long from) throws IOException {
    ResponseInputStream<GetObjectResponse> first = bucket.rest(key, from, "");
    if (first != null && from > 0) {
      checkBegin(bucket, key, from, first);
    }
    return new S3Stream(bucket, key, from, first);
  }

  /**
   * Checks that an answer begins at the requested position, because some servers ignore ranges and
   * send everything.
   */
  private static void checkBegin(
      S3Bucket bucket, String key, long from, ResponseInputStream<GetObjectResponse> answer)
      throws IOException {
    String range = String.valueOf(answer.response().contentRange());
    if (!range.startsWith("bytes " + from + "-")) {
      answer.abort();
      throw new IOException(
          String.format(
              Locale.ROOT,
              "%s: the store did not send the requested part, which begins at byte %d",
              bucket.address(key),
              from));
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    while (position < end) {
      ResponseInputStream<GetObjectResponse> open = body;
      IOException cut;
      if (open == null) {
        throw new IOException(bucket.address(key) + " was closed");
      }
      try {
        int count = open.read(into, from, length);
        if (count >= 0) {
          position += count;
          return count;
        }
        cut = new IOException("the connection ended");
      } catch (java.net.SocketTimeoutException silent) {
        cut = silent;
      } catch (InterruptedIOException interrupted) {
        throw interrupted;
      } catch (IOException failed) {
        cut = failed;
      } catch (SdkException failed) {
        cut = S3Failures.of(bucket.address(key) + " cannot be read", failed);
      }
      resume(open, cut);
    }
    return -1;
  }

  private void resume(ResponseInputStream<GetObjectResponse> broken, IOException cut)
      throws IOException {
    broken.abort();
    IOException last = cut;
    while (resumesLeft > 0) {
      resumesLeft--;
      try {
        ResponseInputStream<GetObjectResponse> rest = bucket.rest(key, position, tag);
        if (rest != null) {
          if (position > 0) {
            checkBegin(bucket, key, position, rest);
          }
          body = rest;
          return;
        }
        last = new IOException("it is shorter now");
      } catch (NoSuchFileException | InterruptedIOException refused) {
        throw refused;
      } catch (IOException again) {
        again.addSuppressed(last);
        last = again;
      }
    }
    throw new IOException(
        String.format(
            Locale.ROOT,
            "%s was cut off after %d bytes, again and again: %s",
            bucket.address(key),
            position,
            last.getMessage()),
        last);
  }

  @Override
  public void close() throws IOException {
    ResponseInputStream<GetObjectResponse> open = body;
    body = null;
    if (open != null && position < end) {
      // Without reading the rest.
      open.abort();
    } else if (open != null) {
      open.close();
    }
  }
}
