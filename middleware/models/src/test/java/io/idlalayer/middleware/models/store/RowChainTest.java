package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
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
  void publish_changesOfWhatIsNotThere_isRefusedAndThePointerStays() throws IOException {
    publishAll(FULL, DELTA);
    Files.writeString(Path.of(versions.get(0).file(ModelManifest.ROWS_FILE)), "damaged");
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
    Files.delete(Path.of(versions.get(1).file(ModelManifest.ROWS_FILE)));
    publisher = store.claim("app", 0);
    assertThat(store.current("app", 0)).contains(versions.get(0));
    Files.writeString(Path.of(versions.get(1).file(ModelManifest.ROWS_FILE)), "rows-1");
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

  @Test
  void cleanUp_aVersionWithAnAliasNeedsOlderOnes_keepsThose() throws IOException {
    publishAll(FULL, DELTA, DELTA, FULL, FULL);
    store.alias("champion", versions.get(2));
    assertThat(publisher.cleanUp(1, Set.of()).removed()).isEqualTo(1);
    store.verify(store.aliased("app", 0, "champion"));
  }

  /** The chain is needed too if the name is given while a link of it is on its way out. */
  @Test
  void cleanUp_aVersionGetsAnAliasWhileItsChainIsRenamed_bringsTheChainBack() throws IOException {
    publishAll(FULL, DELTA, FULL, FULL);
    FakeFileOperations disk = new FakeFileOperations();
    ModelPublisher claimed =
        new ModelStore(root, InstantSource.system(), PublisherIdentity.ofThisProcess(), disk)
            .claim("app", 0);
    disk.beforeMove =
        (from, to) -> {
          if (from.endsWith("v0000000001")) {
            disk.beforeMove = (again, somewhere) -> {};
            try {
              store.alias("champion", versions.get(1));
            } catch (IOException failed) {
              throw new java.io.UncheckedIOException(failed);
            }
          }
        };
    claimed.cleanUp(1, Set.of());
    store.verify(store.aliased("app", 0, "champion"));
    assertThat(store.problems("app", 0)).isEmpty();
  }

  /** A publisher that crashed between renaming a version and looking who needs it. */
  @Test
  void cleanUp_aVersionWasRenamedBeforeACrash_comesBackIfItIsNeeded() throws IOException {
    publishAll(FULL, DELTA, FULL, FULL);
    store.alias("champion", versions.get(1));
    Path folder = root.resolve("app/0");
    Files.move(folder.resolve("v0000000001"), folder.resolve(StoreLayout.deleting(1)));
    Files.move(folder.resolve("v0000000003"), folder.resolve(StoreLayout.deleting(3)));
    assertThatThrownBy(() -> store.verify(store.aliased("app", 0, "champion")))
        .isInstanceOf(CorruptModelException.class);
    publisher.cleanUp(1, Set.of());
    store.verify(store.aliased("app", 0, "champion"));
    assertThat(store.list("app", 0))
        .containsExactly(versions.get(0), versions.get(1), versions.get(3));
    assertThat(StoreLayout.entries(folder))
        .noneMatch(each -> StoreLayout.fileName(each).startsWith(StoreLayout.DELETING));
    store.removeAlias("app", 0, "champion");
    assertThat(publisher.cleanUp(1, Set.of()).removed()).isEqualTo(2);
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
