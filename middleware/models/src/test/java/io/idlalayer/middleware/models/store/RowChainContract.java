package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.storage.ModelSource;
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

  private void write(ModelCheckpoint version, String rows) throws IOException {
    Files.writeString(file(root, version.file(ModelManifest.ROWS_FILE)), rows);
  }

  /** Whatever is wrong with a link of a chain, the versions that need it are refused. */
  @Test
  void verify_linkDamagedCutMissingExchangedOrRepeated_refusesAllThatNeedIt() throws IOException {
    publishAll(FULL, DELTA, DELTA, DELTA);
    for (String wrong : List.of("rows-2", "rows-0", "rowz-1", "rows-", "rows-11", "")) {
      write(versions.get(1), wrong);
      store.verify(versions.get(0));
      for (int needs = 1; needs < 4; needs++) {
        ModelCheckpoint version = versions.get(needs);
        assertThatThrownBy(() -> store.verify(version))
            .as("version %d with '%s' in version 2", version.manifest().version(), wrong)
            .isInstanceOf(CorruptModelException.class);
      }
    }
    write(versions.get(1), "rows-1");
    store.verify(versions.get(3));
    write(versions.get(1), "rows-2");
    write(versions.get(2), "rows-1");
    assertThatThrownBy(() -> store.verify(versions.get(3)))
        .as("exchanged")
        .isInstanceOf(CorruptModelException.class);
    write(versions.get(1), "rows-1");
    Files.delete(file(root, versions.get(2).file(ModelManifest.ROWS_FILE)));
    assertThatThrownBy(() -> store.verify(versions.get(3)))
        .as("skipped")
        .isInstanceOf(CorruptModelException.class);
    store.verify(versions.get(1));
  }

  /** A manifest of another place in the chain is none of this one. */
  @Test
  void verify_manifestsExchangedOrRepeated_refusesThem() throws IOException {
    publishAll(FULL, DELTA, DELTA);
    Path second = file(root, versions.get(1).file(ModelSource.MANIFEST));
    Path third = file(root, versions.get(2).file(ModelSource.MANIFEST));
    byte[] ofSecond = Files.readAllBytes(second);
    byte[] ofThird = Files.readAllBytes(third);
    Files.write(second, ofThird);
    assertThatThrownBy(() -> store.verify(versions.get(2)))
        .as("repeated")
        .isInstanceOf(CorruptModelException.class);
    Files.write(third, ofSecond);
    assertThatThrownBy(() -> store.current("app", 0))
        .as("exchanged")
        .isInstanceOf(CorruptModelException.class);
    Files.write(second, ofSecond);
    Files.write(third, ofThird);
    store.verify(store.current("app", 0).orElseThrow());
  }

  /** Tables may be as large as a disk, and a worse model serves meanwhile. */
  @Test
  void rollBack_ofAModelWithTables_readsNoRowsButTheirLengths() throws IOException {
    publishAll(FULL, DELTA, DELTA);
    ModelCheckpoint back = versions.get(1);
    write(versions.get(0), "rows-");
    assertThatThrownBy(() -> publisher.rollBack(2, back.digest(), 3, "worse"))
        .isInstanceOf(CorruptModelException.class);
    assertThat(store.pin("app", 0)).isEmpty();
    write(versions.get(0), "rowz-0");
    publisher.rollBack(2, back.digest(), 3, "worse");
    assertThat(store.pin("app", 0).orElseThrow().version()).isEqualTo(2);
    Path network = file(root, versions.get(0).file("model.zip"));
    Files.writeString(network, new StringBuilder(Files.readString(network)).reverse());
    assertThatThrownBy(() -> publisher.rollBack(1, versions.get(0).digest(), 3, "worse, too"))
        .isInstanceOf(CorruptModelException.class);
    assertThat(store.pin("app", 0).orElseThrow().version()).isEqualTo(2);
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
