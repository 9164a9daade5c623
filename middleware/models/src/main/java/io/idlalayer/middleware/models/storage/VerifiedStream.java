package io.idlalayer.middleware.models.storage;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.security.MessageDigest;
import java.util.Locale;

/**
 * A stream of a version's file that verifies the file while it is read. At its end, length and
 * digest are compared with the manifest, so a caller that reads the stream to its end has read
 * exactly the published bytes. For one thread.
 */
public final class VerifiedStream extends FilterInputStream {
  private final String path;
  private final ModelFile expected;
  private final MessageDigest digest = Digests.sha256();
  private long bytes;
  private boolean ended;

  public VerifiedStream(InputStream in, String path, ModelFile expected) {
    super(in);
    this.path = path;
    this.expected = expected;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
  }

  @Override
  public int read(byte[] into, int from, int length) throws IOException {
    int count = next(into, from, length);
    if (count > 0) {
      digest.update(into, from, count);
      bytes += count;
    } else if (count < 0 && !ended) {
      end();
    }
    if (bytes > expected.bytes()) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT,
              "%s has more than %d bytes, as its manifest says",
              path,
              expected.bytes()));
    }
    return count;
  }

  private int next(byte[] into, int from, int length) throws IOException {
    try {
      return super.read(into, from, length);
    } catch (NoSuchFileException deleted) {
      throw new CorruptModelException(path + " was deleted while it was read");
    }
  }

  private void end() throws CorruptModelException {
    ended = true;
    if (bytes != expected.bytes()) {
      throw new CorruptModelException(
          String.format(
              Locale.ROOT, "%s has %d bytes, its manifest says %d", path, bytes, expected.bytes()));
    }
    if (!Digests.text(digest).equals(expected.sha256())) {
      throw new CorruptModelException(path + " does not have the SHA-256 of its manifest");
    }
  }

  /** Skips bytes by reading them, because the digest includes them. */
  @Override
  public long skip(long count) throws IOException {
    long left = count;
    byte[] passed = new byte[(int) Math.min(8192, Math.max(0, count))];
    while (left > 0) {
      int read = read(passed, 0, (int) Math.min(passed.length, left));
      if (read < 0) {
        break;
      }
      left -= read;
    }
    return count - left;
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
