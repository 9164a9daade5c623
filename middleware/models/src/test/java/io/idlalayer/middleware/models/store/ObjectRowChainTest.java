package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Versions that need the rows of versions before them, in an object store. */
final class ObjectRowChainTest extends RowChainContract {
  @Override
  protected ModelStore open(Path folder) {
    return new ModelStore(
        new FolderBucket(folder), InstantSource.system(), PublisherIdentity.ofThisProcess());
  }

  @Override
  protected Path file(Path folder, String location) {
    return new FolderBucket(folder).file(location);
  }

  @Override
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return folder.resolve("app/0/current.json");
  }

  /** A clean-up may end at any request: with its process, or because the store does not answer. */
  @ParameterizedTest
  @EnumSource
  void cleanUp_aRequestFails_noVersionLacksTheRowsThatItNeeds(FaultyBucket.Fate fate)
      throws IOException {
    Path full = Files.createDirectories(elsewhere.resolve("full"));
    ModelPublisher first = open(full).claim("app", 0);
    ModelCheckpoint parent = null;
    for (String kind : new String[] {FULL, DELTA, DELTA, DELTA, FULL, DELTA}) {
      parent = publishTo(first, parent, kind);
    }
    boolean failed = true;
    for (int at = 0; failed; at++) {
      for (boolean deadly : new boolean[] {true, false}) {
        Path folder = copyOf(full, root.resolve("at-" + at + deadly));
        FaultyBucket bucket = new FaultyBucket(new FolderBucket(folder), at, fate, deadly);
        try {
          new ModelStore(bucket, InstantSource.system(), PublisherIdentity.ofThisProcess())
              .claim("app", 0)
              .cleanUp(1, Set.of());
        } catch (IOException ended) {
          assertThat(ended).hasMessageContaining("no answer to");
        }
        bucket.arrive();
        failed = bucket.failed();
        assertThat(open(folder).problems("app", 0))
            .as("request %d, %s, process ends: %s", at, fate, deadly)
            .isEmpty();
      }
    }
  }

  private static Path copyOf(Path from, Path to) throws IOException {
    try (Stream<Path> all = Files.walk(from)) {
      for (Path each : all.toList()) {
        Files.copy(each, to.resolve(from.relativize(each)));
      }
    }
    return to;
  }

  private ModelCheckpoint publishTo(
      ModelPublisher publisher, @Nullable ModelCheckpoint parent, String kind) throws IOException {
    return publisher.publish(Drafts.withRows(parent, kind, rows("rows of " + kind)));
  }
}
