package io.idlalayer.modelstore.s3;

import io.idlalayer.middleware.models.store.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelManifest;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import software.amazon.awssdk.regions.Region;

/**
 * A process that publishes version after version, each made from the one before, until it is
 * killed. Says each one that the store has acknowledged. Arguments: endpoint, address, a folder.
 */
final class EndlessPublisher {
  private static final int FULL_EVERY = 4;
  private static final int KEEP = 3;

  /** Above the size from which a file is sent in parts. */
  private static final int ROWS_BYTES = 9 << 20;

  private EndlessPublisher() {}

  public static void main(String[] arguments) throws IOException {
    S3Settings settings = S3Settings.of(URI.create(arguments[0]), Region.of("test-1"));
    Path rows = Path.of(arguments[2]).resolve("rows");
    try (ModelStore store =
        new ModelStore(
            S3Bucket.open(arguments[1], settings),
            InstantSource.system(),
            PublisherIdentity.ofThisProcess())) {
      ModelPublisher publisher = store.claim("app", 0);
      ModelCheckpoint parent = store.current("app", 0).orElse(null);
      while (true) {
        long next = parent == null ? 1 : parent.manifest().version() + 1;
        boolean full = next % FULL_EVERY == 1;
        byte[] content = content(next);
        byte[] large = new byte[full ? ROWS_BYTES : content.length];
        System.arraycopy(content, 0, large, 0, content.length);
        Files.write(rows, large);
        TreeMap<String, byte[]> files = new TreeMap<>();
        files.put("model.zip", content);
        files.put("spec.json", content);
        parent =
            publisher.publish(
                new ModelDraft(
                    "app",
                    0,
                    next,
                    parent == null ? 0 : parent.manifest().version(),
                    parent == null ? "" : parent.digest(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    new TreeMap<>(),
                    new TreeMap<>(
                        Map.of(
                            ModelManifest.ROWS,
                            full ? ModelManifest.FULL_ROWS : ModelManifest.ROW_CHANGES)),
                    files,
                    new TreeMap<>(Map.of(ModelManifest.ROWS_FILE, rows))));
        System.out.println(parent.manifest().version());
        publisher.cleanUp(KEEP, Set.of());
      }
    }
  }

  /** What each file of a version begins with; the number may be lower than that of the version. */
  static byte[] content(long version) {
    return "version %d".formatted(version).getBytes(StandardCharsets.UTF_8);
  }
}
