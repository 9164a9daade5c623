package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions that need the rows of versions before them. */
final class RowChainTest {
  private static final String FULL = ModelManifest.FULL_ROWS;
  private static final String DELTA = ModelManifest.ROW_CHANGES;

  @TempDir Path root;
  @TempDir Path elsewhere;
  private ModelStore store;
  private ModelPublisher publisher;
  private final List<ModelCheckpoint> versions = new ArrayList<>();

  @BeforeEach
  void open() throws IOException {
    store = new ModelStore(root, InstantSource.system());
    publisher = store.claim("app", 0);
  }

  private Path rows(String content) throws IOException {
    return Files.writeString(elsewhere.resolve("rows"), content);
  }

  private ModelCheckpoint publish(String kind) throws IOException {
    int next = versions.size();
    ModelCheckpoint parent = next == 0 ? null : versions.get(next - 1);
    ModelCheckpoint done = publisher.publish(Drafts.withRows(parent, kind, rows("rows-" + next)));
    versions.add(done);
    return done;
  }

  private void publishAll(String... kinds) throws IOException {
    for (String kind : kinds) {
      publish(kind);
    }
  }

  @Test
  void chain_changesAfterAll_beginsAtTheLastVersionWithAll() throws IOException {
    publishAll(FULL, DELTA, FULL, DELTA, DELTA);
    assertThat(store.chain(versions.get(4))).isEqualTo(versions.subList(2, 5));
    assertThat(store.chain(versions.get(2))).containsExactly(versions.get(2));
    assertThat(store.chain(publisher.publish(Drafts.of(9, "none")))).isEmpty();
    try (InputStream in = store.open(versions.get(3))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("rows-3");
    }
    assertThat(store.load(versions.get(4))).containsOnlyKeys("model.zip");
    store.verify(versions.get(4));
    assertThat(store.problems("app", 0)).isEmpty();
  }

  @Test
  void open_rowsOfTheSameLengthChanged_failsAtTheirEnd() throws IOException {
    publishAll(FULL, DELTA);
    Files.writeString(versions.get(0).file(ModelManifest.ROWS_FILE), "rows-9");
    assertThatThrownBy(() -> store.verify(versions.get(1)))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("SHA-256")
        .hasMessageContaining("v0000000001");
    try (InputStream in = store.open(versions.get(0))) {
      assertThatThrownBy(() -> in.transferTo(OutputStream.nullOutputStream()))
          .isInstanceOf(CorruptModelException.class);
    }
    assertThat(store.problems("app", 0)).hasSize(1);
  }

  @Test
  void chain_versionMissingOrExchanged_saysWhich() throws IOException {
    publishAll(FULL, DELTA, DELTA);
    Path second = versions.get(1).directory();
    Path third = versions.get(2).directory();
    Files.delete(third.resolve(ModelManifest.ROWS_FILE));
    assertThatThrownBy(() -> store.chain(versions.get(2)))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining(third.toString());
    Files.writeString(third.resolve(ModelManifest.ROWS_FILE), "rows-2");
    store.verify(versions.get(2));
    String manifest = Files.readString(second.resolve("manifest.json"));
    Files.writeString(second.resolve("manifest.json"), manifest + " ");
    assertThatThrownBy(() -> store.chain(versions.get(2)))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("version 3 needs the rows")
        .hasMessageContaining("digest");
    Files.writeString(second.resolve("manifest.json"), manifest);
    Files.move(second, elsewhere.resolve("moved"), StandardCopyOption.ATOMIC_MOVE);
    assertThatThrownBy(() -> store.chain(versions.get(2)))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("version 2 is not there");
    assertThat(store.problems("app", 0)).hasSize(1);
  }

  @Test
  void publish_changesOfWhatIsNotThere_isRefusedAndThePointerStays() throws IOException {
    publishAll(FULL, DELTA);
    Files.writeString(versions.get(0).file(ModelManifest.ROWS_FILE), "damaged");
    assertThatThrownBy(() -> publish(DELTA)).isInstanceOf(CorruptModelException.class);
    assertThat(store.current("app", 0)).contains(versions.get(1));
    assertThatThrownBy(
            () -> publisher.chain(versions.get(1).manifest().version(), "another digest"))
        .isInstanceOf(CorruptModelException.class);
    publish(FULL);
    assertThat(store.current("app", 0).orElseThrow().manifest().version()).isEqualTo(3);
  }

  /** The pointer is rebuilt to the newest version that can be served. */
  @Test
  void claim_chainOfTheNewestIncomplete_pointsToAnOlderOne() throws IOException {
    publishAll(FULL, FULL, DELTA, DELTA);
    Files.delete(versions.get(1).file(ModelManifest.ROWS_FILE));
    publisher = store.claim("app", 0);
    assertThat(store.current("app", 0)).contains(versions.get(0));
    Files.writeString(versions.get(1).file(ModelManifest.ROWS_FILE), "rows-1");
    Files.delete(Drafts.pointer(root.resolve("app/0"), publisher));
    store.claim("app", 0);
    assertThat(store.current("app", 0)).contains(versions.get(3));
  }

  @Test
  void cleanUp_keptVersionNeedsOlderOnes_keepsThose() throws IOException {
    publishAll(FULL, DELTA, FULL, DELTA, DELTA);
    assertThat(publisher.cleanUp(1, Set.of()).removed()).isEqualTo(2);
    assertThat(store.list("app", 0)).isEqualTo(versions.subList(2, 5));
    store.verify(versions.get(4));
    publish(FULL);
    assertThat(publisher.cleanUp(1, Set.of(4L)).removed()).isEqualTo(1);
    assertThat(store.list("app", 0))
        .containsExactly(versions.get(2), versions.get(3), versions.get(5));
    assertThat(publisher.cleanUp(1, Set.of()).removed()).isEqualTo(2);
    assertThat(store.problems("app", 0)).isEmpty();
  }

  /** Whatever step of a publication fails, the version before stays, whole. */
  @Test
  void publish_anyStepFails_leavesTheVersionBefore() throws IOException {
    ModelCheckpoint first = publish(FULL);
    boolean failed = true;
    for (int step = 0; failed; step++) {
      for (FaultyFileOperations.Fate fate : FaultyFileOperations.Fate.values()) {
        FaultyFileOperations disk = new FaultyFileOperations(Integer.MAX_VALUE, fate, false);
        ModelStore faulty =
            new ModelStore(root, InstantSource.system(), PublisherIdentity.ofThisProcess(), disk);
        ModelPublisher claimed = faulty.claim("app", 0);
        disk.failAfter(step);
        try {
          claimed.publish(Drafts.withRows(first, DELTA, rows("more")));
          failed = disk.failed();
        } catch (IOException expected) {
          failed = true;
        }
        ModelCheckpoint current = store.current("app", 0).orElseThrow();
        store.verify(current);
        assertThat(store.problems("app", 0)).isEmpty();
      }
    }
    assertThat(store.list("app", 0)).hasSizeGreaterThan(1);
  }
}
