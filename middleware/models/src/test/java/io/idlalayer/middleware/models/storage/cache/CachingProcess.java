package io.idlalayer.middleware.models.storage.cache;

import io.idlalayer.middleware.models.manifest.ModelManifest.ModelFile;
import io.idlalayer.middleware.models.storage.Digests;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.InstantSource;
import java.util.Arrays;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * A process that reads a file through a cache. It prints "begun" behind the first block, "waiting"
 * when it waits for another process, and at its end the counts.
 */
final class CachingProcess {
  private static final long LOOK_NANOS = 5_000_000;
  private static final int SLOWER = 100;

  private CachingProcess() {}

  /**
   * @param arguments the cache's folder, the file at its source, and a file without which the
   *     source gives nothing behind the first block
   */
  public static void main(String[] arguments) throws IOException {
    Path source = Path.of(arguments[1]);
    Path go = Path.of(arguments[2]);
    byte[] content = Files.readAllBytes(source);
    ModelFile file = new ModelFile("model.zip", content.length, Digests.sha256(content));
    VersionCache cache =
        new VersionCache(
            VersionCacheSettings.of(Path.of(arguments[0])),
            InstantSource.system(),
            telling(),
            CacheOperations.system());
    try (InputStream in =
        cache.open(file, "source", from -> Files.newInputStream(source), 0, true)) {
      byte[] read = in.readNBytes(CopyFormat.BLOCK_BYTES);
      tell("begun");
      while (cache.counts().misses() > 0 && !Files.exists(go)) {
        LockSupport.parkNanos(LOOK_NANOS);
      }
      byte[] rest = in.readAllBytes();
      boolean equal =
          Arrays.equals(read, Arrays.copyOf(content, read.length))
              && Arrays.equals(rest, Arrays.copyOfRange(content, read.length, content.length));
      tell(
          "equal %s, hits %d, misses %d"
              .formatted(equal, cache.counts().hits(), cache.counts().misses()));
    }
  }

  private static void tell(String line) {
    System.out.println(line);
    System.out.flush();
  }

  private static Pauses telling() {
    Pauses real = Pauses.system();
    AtomicBoolean told = new AtomicBoolean();
    return new Pauses() {
      @Override
      public long nanoTime() {
        // On a busy machine, another process of the test may need long to start.
        return real.nanoTime() / SLOWER;
      }

      @Override
      public void pause(Duration time) throws InterruptedException {
        if (!told.getAndSet(true)) {
          tell("waiting");
        }
        real.pause(time);
      }
    };
  }
}
