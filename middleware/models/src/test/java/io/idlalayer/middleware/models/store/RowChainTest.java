package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.StoreLayout;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Versions that need the rows of versions before them, in a folder. */
final class RowChainTest extends RowChainContract {
  @Override
  protected ModelStore open(Path folder) {
    return new ModelStore(folder, InstantSource.system());
  }

  @Override
  protected Path file(Path folder, String location) {
    return Path.of(location);
  }

  @Override
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return Drafts.pointer(folder.resolve("app/0"), publisher);
  }

  /** The versions that it needs stay too. */
  @Test
  void cleanUp_aVersionGetsAnAliasWhileItIsRenamed_comesBackAndItsChainStays() throws IOException {
    publishAll(FULL, DELTA, FULL, FULL);
    FakeFileOperations disk = new FakeFileOperations();
    ModelPublisher claimed =
        new ModelStore(root, InstantSource.system(), PublisherIdentity.ofThisProcess(), disk)
            .claim("app", 0);
    disk.beforeAMoveOf("v0000000002", () -> store.alias("champion", versions.get(1)));
    claimed.cleanUp(1, Set.of());
    store.verify(store.aliased("app", 0, "champion"));
    assertThat(store.list("app", 0))
        .containsExactly(versions.get(0), versions.get(1), versions.get(3));
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
