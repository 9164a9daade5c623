package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.Digests;
import java.io.ByteArrayInputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.NoSuchFileException;
import java.util.SplittableRandom;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;

/** A file at its source, which counts how it is read and can fail. */
final class CountedFile implements Origin {
  final byte[] content;
  final ModelFile file;
  final AtomicInteger opens = new AtomicInteger();
  final AtomicLong bytes = new AtomicLong();

  /** What the source has in place of the published content. */
  volatile byte[] stored;

  /** Number of bytes after which the source fails; -1 for never. */
  volatile long failsAfter = -1;

  volatile boolean missing;

  CountedFile(byte[] content) {
    this.content = content;
    stored = content;
    file = new ModelFile("model.zip", content.length, Digests.sha256(content));
  }

  /** A file of random bytes. */
  static CountedFile of(int seed, int bytes) {
    byte[] content = new byte[bytes];
    new SplittableRandom(seed).nextBytes(content);
    return new CountedFile(content);
  }

  CopyName name() {
    return CopyName.of(file).orElseThrow();
  }

  @Override
  public InputStream open(long from) throws IOException {
    if (missing) {
      throw new NoSuchFileException("model.zip");
    }
    opens.incrementAndGet();
    InputStream all = new ByteArrayInputStream(stored);
    all.skipNBytes(from);
    return new FilterInputStream(all) {
      private long at = from;

      @Override
      public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
      }

      @Override
      public int read(byte[] into, int begin, int length) throws IOException {
        long fails = failsAfter;
        if (fails >= 0 && at >= fails) {
          throw new IOException("the connection was reset");
        }
        int most = fails < 0 ? length : (int) Math.min(length, fails - at);
        int count = super.read(into, begin, most);
        at += Math.max(0, count);
        bytes.addAndGet(Math.max(0, count));
        return count;
      }
    };
  }
}
