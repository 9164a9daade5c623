package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ManifestCodec;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import io.idlalayer.middleware.models.storage.folder.FileOperations;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.time.InstantSource;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What gets its name by a rename is on the disk before it, with its name in its folder. */
final class SyncOrderTest {
  @TempDir Path root;

  /** Knows what a power cut would leave. */
  private static final class Disk implements FileOperations {
    private final FileOperations real = FileOperations.system();
    private final Set<Path> synced = new HashSet<>();
    private final Set<Path> named = new HashSet<>();
    private int versions;
    private int pointers;

    @Override
    public void createFolder(Path folder) throws IOException {
      real.createFolder(folder);
    }

    @Override
    public void write(Path file, byte[] content) throws IOException {
      real.write(file, content);
      synced.add(file);
    }

    @Override
    public void write(Map<Path, byte[]> files) throws IOException {
      real.write(files);
      synced.addAll(files.keySet());
    }

    @Override
    public long copy(Path from, Path to, MessageDigest digest) throws IOException {
      synced.add(to);
      return real.copy(from, to, digest);
    }

    @Override
    public void syncFolder(Path folder) throws IOException {
      real.syncFolder(folder);
      try (Stream<Path> entries = Files.list(folder)) {
        entries.forEach(named::add);
      }
    }

    @Override
    public void move(Path from, Path to) throws IOException {
      if (StoreLayout.versionNamed(StoreLayout.fileName(to)) > 0) {
        try (Stream<Path> files = Files.list(from)) {
          assertThat(files).hasSizeGreaterThan(1).allMatch(synced::contains, "is synced");
        }
        try (Stream<Path> files = Files.list(from)) {
          assertThat(files).allMatch(named::contains, "is in a synced folder");
        }
        versions++;
      } else if (to.endsWith(StoreLayout.POINTER)) {
        assertThat(synced).contains(from);
        long version = ManifestCodec.pointer(Files.readAllBytes(from), from).version();
        Path partition = to.getParent().getParent();
        assertThat(named).contains(partition.resolve(StoreLayout.version(version)));
        pointers++;
      }
      real.move(from, to);
    }

    @Override
    public void delete(Path file) throws IOException {
      real.delete(file);
    }
  }

  @Test
  void publish_namesVersionAndPointer_onceTheyAreOnTheDisk() throws IOException {
    Disk disk = new Disk();
    ModelStore store =
        new ModelStore(root, InstantSource.system(), PublisherIdentity.ofThisProcess(), disk);
    ModelPublisher publisher = store.claim("app", 0);
    for (int i = 1; i <= 4; i++) {
      publisher.publish(Drafts.of(i, "content-" + i));
    }
    assertThat(disk.versions).isEqualTo(4);
    assertThat(disk.pointers).isEqualTo(4);
    assertThat(Drafts.text(store.load(store.current("app", 0).orElseThrow())))
        .isEqualTo("content-4");
  }
}
