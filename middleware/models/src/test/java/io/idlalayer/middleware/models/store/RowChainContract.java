package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Versions that need the rows of versions before them. */
public abstract class RowChainContract {
  protected static final String FULL = ModelManifest.FULL_ROWS;
  protected static final String DELTA = ModelManifest.ROW_CHANGES;

  @TempDir protected Path root;
  @TempDir protected Path elsewhere;
  protected ModelStore store;
  protected ModelPublisher publisher;
  protected final List<ModelCheckpoint> versions = new ArrayList<>();

  /** A store of a folder, or in it. */
  protected abstract ModelStore open(Path folder) throws IOException;

  /** The file of a version, or in one, that the store names so. */
  protected abstract Path file(Path folder, String location);

  /** The file with the pointer. */
  protected abstract Path pointer(Path folder, ModelPublisher publisher);

  @BeforeEach
  void openStore() throws IOException {
    store = open(root);
    publisher = store.claim("app", 0);
  }

  protected final Path rows(String content) throws IOException {
    return Files.writeString(elsewhere.resolve("rows"), content);
  }

  protected final ModelCheckpoint publish(String kind) throws IOException {
    int next = versions.size();
    ModelCheckpoint parent = next == 0 ? null : versions.get(next - 1);
    ModelCheckpoint done = publisher.publish(Drafts.withRows(parent, kind, rows("rows-" + next)));
    versions.add(done);
    return done;
  }

  protected final void publishAll(String... kinds) throws IOException {
    for (String kind : kinds) {
      publish(kind);
    }
  }

  @Test
  void publish_changesOfWhatIsNotThere_isRefusedAndThePointerStays() throws IOException {
    publishAll(FULL, DELTA);
    Files.writeString(file(root, versions.get(0).file(ModelManifest.ROWS_FILE)), "damaged");
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
    Files.delete(file(root, versions.get(1).file(ModelManifest.ROWS_FILE)));
    publisher = store.claim("app", 0);
    assertThat(store.current("app", 0)).contains(versions.get(0));
    Files.writeString(file(root, versions.get(1).file(ModelManifest.ROWS_FILE)), "rows-1");
    Files.delete(pointer(root, publisher));
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
}
