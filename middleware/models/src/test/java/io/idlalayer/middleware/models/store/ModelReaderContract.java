package io.idlalayer.middleware.models.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.models.manifest.Alias;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.testkit.Tries;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What reading is, wherever the models are. */
public abstract class ModelReaderContract {
  private static final String FULL = ModelManifest.FULL_ROWS;
  private static final String DELTA = ModelManifest.ROW_CHANGES;

  @TempDir Path root;
  @TempDir Path elsewhere;
  private ModelStore store;
  private ModelPublisher publisher;
  private final List<ModelCheckpoint> versions = new ArrayList<>();

  /** A reader of a folder that has read nothing yet. */
  protected abstract ModelReader open(Path folder) throws IOException;

  /** Where messages say that a folder is. */
  protected abstract String addressOf(Path folder) throws IOException;

  /** What publishes into the folder. */
  protected ModelStore writer(Path folder) throws IOException {
    return new ModelStore(folder, InstantSource.system());
  }

  /** The file of a version, or in one, that the writer names so. */
  protected Path file(Path folder, String location) {
    return Path.of(location);
  }

  /** The folder of application "app", partition 0. */
  protected Path partition(Path folder) {
    return folder.resolve("app/0");
  }

  /** The file with the pointer. */
  protected Path pointer(Path folder, ModelPublisher publisher) {
    return Drafts.pointer(folder.resolve("app/0"), publisher);
  }

  /** How many versions are published while others are read. */
  protected int publications() {
    return 150;
  }

  /** Whether each publisher has a pointer of its own. */
  protected boolean publishersHavePointers() {
    return true;
  }

  private ModelReader reader() throws IOException {
    return open(root);
  }

  @BeforeEach
  void claim() throws IOException {
    store = writer(root);
    publisher = store.claim("app", 0);
  }

  private Path pointer() {
    return pointer(root, publisher);
  }

  private static List<String> digests(List<ModelCheckpoint> checkpoints) {
    return checkpoints.stream().map(ModelCheckpoint::digest).toList();
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
  void read_publishedVersions_areAsPublished() throws IOException {
    ModelReader reader = reader();
    assertThat(reader.current("app", 0)).isEmpty();
    assertThat(reader.current("other", 3)).isEmpty();
    assertThat(reader.list("other", 3)).isEmpty();
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    ModelCheckpoint current = reader.current("app", 0).orElseThrow();
    assertThat(current.manifest()).isEqualTo(second.manifest());
    assertThat(current.digest()).isEqualTo(second.digest());
    assertThat(current.location()).isEqualTo(addressOf(root) + "/app/0/v0000000002");
    assertThat(Drafts.text(reader.load(current))).isEqualTo("two");
    assertThat(digests(reader.list("app", 0))).containsExactly(first.digest(), second.digest());
    assertThat(reader.applications()).containsExactly(java.util.Map.entry("app", List.of(0)));
    assertThat(reader.problems("app", 0)).isEmpty();
    assertThat(reader.problems("app", 0, ModelReader.Scrutiny.LENGTHS)).isEmpty();
    assertThat(reader.manifest(current))
        .isEqualTo(Files.readAllBytes(file(root, second.file("manifest.json"))));
  }

  private long serving(ModelReader reader) throws IOException {
    return reader.serving("app", 0).orElseThrow().checkpoint().manifest().version();
  }

  @Test
  void serving_theCurrentVersionIsDamaged_isThePinnedOneIfThePinHolds() throws IOException {
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    Files.writeString(file(root, second.file("manifest.json")), "{".repeat(1_000));
    assertThatThrownBy(() -> reader().serving("app", 0)).isInstanceOf(CorruptModelException.class);
    store.pin(first, 1, "only before the second");
    assertThatThrownBy(() -> reader().serving("app", 0)).isInstanceOf(CorruptModelException.class);
    store.pin(first, 2, "the second is broken");
    assertThat(serving(reader())).isEqualTo(1);
    store.pin(first, 0, "for good");
    assertThat(serving(reader())).isEqualTo(1);
    Files.writeString(pointer(), "{");
    assertThat(serving(reader())).as("whatever the pointer says").isEqualTo(1);
    assertThat(reader().problems("app", 0)).anyMatch(problem -> problem.contains("current.json"));
    store.pin(first, 2, "until something newer comes");
    assertThatThrownBy(() -> reader().serving("app", 0)).isInstanceOf(CorruptModelException.class);
  }

  @Test
  void serving_aVersionIsPinned_isThatOneWhateverIsPublished() throws IOException {
    ModelReader reader = reader();
    assertThat(reader.serving("app", 0)).isEmpty();
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    assertThat(reader.serving("app", 0).orElseThrow().pin()).isNull();
    assertThat(reader.pin("app", 0)).isEmpty();
    Pin pin = store.pin(first, 0, "two is slow");
    assertThat(reader.serving("app", 0).orElseThrow().pin()).isEqualTo(pin);
    publisher.publish(Drafts.of(3, "three"));
    assertThat(serving(reader)).isEqualTo(1);
    assertThat(reader.current("app", 0).orElseThrow().manifest().version()).isEqualTo(3);
    assertThat(store.unpin("app", 0)).isTrue();
    assertThat(store.unpin("app", 0)).isFalse();
    assertThat(serving(reader)).isEqualTo(3);
    assertThat(reader.problems("app", 0)).isEmpty();
  }

  @Test
  void serving_rolledBack_endsWithTheNextVersion() throws IOException {
    ModelReader reader = reader();
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    publisher.rollBack(1, first.digest(), 2, "two is worse");
    assertThat(serving(reader)).isEqualTo(1);
    Pin pin = reader.pin("app", 0).orElseThrow();
    assertThat(pin.until()).isEqualTo(2);
    assertThat(pin.reason()).isEqualTo("two is worse");
    publisher.publish(Drafts.of(3, "three"));
    assertThat(serving(reader)).isEqualTo(3);
  }

  @Test
  void serving_thePinIsDamagedOrLies_isRefused() throws IOException {
    ModelReader reader = reader();
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    store.pin(first, 0, "why not");
    Path file = partition(root).resolve("pin.json");
    String good = Files.readString(file);
    for (String bad :
        List.of("", "{}", good.substring(9), good.replace(first.digest(), "0".repeat(64)))) {
      Files.writeString(file, bad);
      assertThatThrownBy(() -> reader.serving("app", 0)).isInstanceOf(CorruptModelException.class);
      assertThat(reader.problems("app", 0)).hasSize(1);
    }
    Files.writeString(file, good.replace("\"version\" : 1", "\"version\" : 7"));
    assertThatThrownBy(() -> reader.serving("app", 0)).hasMessageContaining("version 7");
    Files.writeString(file, good);
    assertThat(serving(reader)).isEqualTo(1);
  }

  @Test
  void aliased_namesMove_areFollowed() throws IOException {
    ModelReader reader = reader();
    assertThat(reader.aliases("app", 0)).isEmpty();
    assertThatThrownBy(() -> reader.aliased("app", 0, "champion"))
        .isInstanceOf(UnknownAliasException.class)
        .hasMessageContaining("no version of it has one");
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    ModelCheckpoint second = publisher.publish(Drafts.of(2, "two"));
    Alias champion = store.alias("champion", second);
    store.alias("shadow", second);
    assertThat(reader.aliases("app", 0)).containsOnlyKeys("champion", "shadow");
    assertThat(reader.aliases("app", 0)).containsEntry("champion", champion);
    assertThat(reader.aliased("app", 0, "champion").digest()).isEqualTo(second.digest());
    store.alias("champion", first);
    assertThat(reader.aliased("app", 0, "champion").digest()).isEqualTo(first.digest());
    assertThat(reader.aliased("app", 0, "shadow").digest()).isEqualTo(second.digest());
    assertThat(serving(reader)).as("a name is not a pin").isEqualTo(2);
    assertThat(store.removeAlias("app", 0, "champion")).isTrue();
    assertThat(store.removeAlias("app", 0, "champion")).isFalse();
    assertThatThrownBy(() -> reader.aliased("app", 0, "champion"))
        .isInstanceOf(UnknownAliasException.class)
        .hasMessage("app/0 has no alias 'champion'; its aliases are shadow");
    store.removeAlias("app", 0, "shadow");
    assertThat(reader.aliases("app", 0)).isEmpty();
    assertThat(reader.problems("app", 0)).isEmpty();
  }

  @Test
  void aliased_theFileIsDamagedOrLies_isRefusedAndNothingElseIs() throws IOException {
    ModelReader reader = reader();
    ModelCheckpoint first = publisher.publish(Drafts.of(1, "one"));
    publisher.publish(Drafts.of(2, "two"));
    store.alias("champion", first);
    Path file = partition(root).resolve("aliases.json");
    String good = Files.readString(file);
    for (String bad :
        List.of(
            "",
            "{}",
            good.substring(9),
            good.replace("\"formatVersion\" : 1", "\"formatVersion\" : 2"),
            good.replace("champion", "../champion"),
            good.replace("champion", "7"),
            good.replace("\"version\" : 1", "\"version\" : 0"),
            good.replace("\"version\" : 1", "\"version\" : 7"),
            good.replace(first.digest(), "0".repeat(64)))) {
      Files.writeString(file, bad);
      assertThatThrownBy(() -> reader.aliased("app", 0, "champion"))
          .as(bad)
          .isInstanceOf(CorruptModelException.class);
      assertThat(reader.problems("app", 0)).as(bad).hasSize(1);
      assertThat(serving(reader)).isEqualTo(2);
    }
    Files.writeString(file, good);
    assertThat(reader.aliased("app", 0, "champion").digest()).isEqualTo(first.digest());
  }

  @Test
  void read_emptyAndLargeFile_areWhole() throws IOException {
    java.util.TreeMap<String, byte[]> files = new java.util.TreeMap<>();
    byte[] large = new byte[(3 << 20) + 17];
    new java.util.SplittableRandom(5).nextBytes(large);
    files.put("empty.bin", new byte[0]);
    files.put("model.zip", large);

    publisher.publish(Drafts.of("app", files));
    ModelReader reader = reader();
    java.util.SortedMap<String, byte[]> read = reader.load(reader.current("app", 0).orElseThrow());
    assertThat(read.get("empty.bin")).isEmpty();
    assertThat(read.get("model.zip")).isEqualTo(large);
  }

  @Test
  void current_noPointer_isRefusedIfThereAreVersions() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    Files.delete(pointer());
    assertThatThrownBy(() -> reader().current("app", 0))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining(addressOf(root) + "/app/0 has versions")
        .hasMessageContaining("current.json of its publisher is missing");
  }

  /** Readers follow the publisher that came last, whatever the one before left. */
  @Test
  void current_severalPublishers_isTheLastOnes() throws IOException {
    publisher.publish(Drafts.of(1, "one"));
    byte[] old = Files.readAllBytes(pointer());
    Path oldPointer = pointer();
    publisher = store.claim("app", 0);
    publisher.publish(Drafts.of(2, "two"));
    if (publishersHavePointers()) {
      Files.write(oldPointer, old);
    }
    assertThat(reader().current("app", 0).orElseThrow().manifest().version()).isEqualTo(2);
  }

  @Test
  void problems_lengthsOnly_passOverContents() throws IOException {
    ModelCheckpoint published = publisher.publish(Drafts.of(1, "content"));
    Files.writeString(file(root, published.file("model.zip")), "cOntent");
    assertThat(reader().problems("app", 0, ModelReader.Scrutiny.LENGTHS)).isEmpty();
    assertThat(reader().problems("app", 0))
        .singleElement(org.assertj.core.api.InstanceOfAssertFactories.STRING)
        .contains("SHA-256");
    Files.writeString(file(root, published.file("model.zip")), "longer than it was");
    assertThat(reader().problems("app", 0, ModelReader.Scrutiny.LENGTHS))
        .singleElement(org.assertj.core.api.InstanceOfAssertFactories.STRING)
        .contains("has 18 bytes");
  }

  private interface Damage {
    void to(Path version) throws IOException;
  }

  private void assertRefused(Damage damage, String reason) throws IOException {
    ModelCheckpoint published = publisher.publish(Drafts.of(1, "content of the model"));
    damage.to(file(root, published.location()));
    assertThatThrownBy(() -> reader().load(reader().current("app", 0).orElseThrow()))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining(reason);
  }

  @Test
  void current_damagedVersion_isRefusedWithTheReason() throws IOException {
    assertRefused(
        version -> Files.writeString(version.resolve("model.zip"), "content of the mOdel"),
        "SHA-256");
    assertRefused(
        version -> Files.writeString(version.resolve("model.zip"), "short"), "has 5 bytes");
    assertRefused(version -> Files.delete(version.resolve("spec.json")), "spec.json is missing");
    assertRefused(
        version -> Files.writeString(version.resolve("more"), "x"), "not in its manifest");
    assertRefused(version -> Files.delete(version.resolve("manifest.json")), "is not there");
    assertRefused(
        version -> {
          Path manifest = version.resolve("manifest.json");
          Files.writeString(
              manifest,
              Files.readString(manifest).replace("\"partition\" : 0", "\"partition\" :  0"));
        },
        "whose manifest has");
    assertRefused(
        version -> Files.writeString(version.resolve("manifest.json"), "{"), "cannot be read");
  }

  @Test
  void current_flippedByteOfTheManifest_isRefused() throws IOException {
    ModelCheckpoint published = publisher.publish(Drafts.of(1, "x"));
    Path manifest = file(root, published.file("manifest.json"));
    byte[] good = Files.readAllBytes(manifest);
    int stride = Tries.choose(17, 3);
    for (int i = 0; i < good.length; i += stride) {
      byte[] bad = good.clone();
      bad[i] ^= 1;
      Files.write(manifest, bad);
      assertThatThrownBy(() -> reader().current("app", 0))
          .isInstanceOf(CorruptModelException.class);
    }
  }

  @Test
  void current_damagedPointer_isRefused() throws IOException {
    publisher.publish(Drafts.of(1, "x"));
    Path pointer = pointer();
    for (String garbage : List.of("", "{}", "[]", "{\"formatVersion\":1,\"version\":1}", "null")) {
      Files.writeString(pointer, garbage);
      assertThatThrownBy(() -> reader().current("app", 0))
          .as(garbage)
          .isInstanceOf(CorruptModelException.class);
    }
    Files.writeString(pointer, "{\"formatVersion\":1,\"version\":99,\"digest\":\"00\"}");
    assertThatThrownBy(() -> reader().current("app", 0)).hasMessageContaining("version 99");
  }

  @Test
  void read_damagedText_namesThePlaceInOneLine() throws IOException {
    ModelCheckpoint published = publisher.publish(Drafts.of(1, "x"));
    Files.writeString(pointer(), "{\n \"formatVersion\": 1,\n \"version\": one}");
    assertThatThrownBy(() -> reader().current("app", 0))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageEndingWith("it is not what is expected at line 3, column 13");
    Files.writeString(file(root, published.file("manifest.json")), "{\"formatVersion\": []}");
    assertThatThrownBy(() -> reader().read("app", 0, 1))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("manifest.json cannot be read")
        .hasMessageNotContaining("\n");
  }

  @Test
  void applications_fileWithANumberForAName_isNoPartition() throws IOException {
    publisher.publish(Drafts.of(1, "x"));
    Files.writeString(partition(root).resolveSibling("5"), "a note");
    assertThat(reader().applications()).containsExactly(java.util.Map.entry("app", List.of(0)));
  }

  @Test
  void read_manifestWithoutWhatItNeeds_isRefused() throws IOException {
    ModelCheckpoint published = publisher.publish(Drafts.of(1, "x"));
    Path file = file(root, published.file("manifest.json"));
    String good = Files.readString(file);
    for (String field :
        List.of("counts", "metrics", "attributes", "files", "inputOffsets", "parentDigest")) {
      Files.writeString(file, good.replace("\"" + field + "\"", "\"other\""));
      assertThatThrownBy(() -> reader().read("app", 0, 1))
          .as(field)
          .isInstanceOf(CorruptModelException.class);
    }
    Files.writeString(file, good.replace("\"model.zip\"", "\"../model.zip\""));
    assertThatThrownBy(() -> reader().read("app", 0, 1)).isInstanceOf(CorruptModelException.class);
  }

  @Test
  void load_whileVersionsArePublishedAndDeleted_neverSeesATornOne() throws Exception {
    publisher.publish(Drafts.of(1, "content-1"));
    AtomicBoolean done = new AtomicBoolean();
    Thread writer =
        new Thread(
            () -> {
              try {
                for (int i = 2; i <= publications(); i++) {
                  publisher.publish(Drafts.of(i, "content-" + i));
                  publisher.cleanUp(2, Set.of());
                }
              } catch (IOException failed) {
                throw new java.io.UncheckedIOException(failed);
              } finally {
                done.set(true);
              }
            });
    writer.start();
    long last = 0;
    int seen = 0;
    while (!done.get()) {
      ModelCheckpoint current = reader().current("app", 0).orElseThrow();
      try {
        assertThat(Drafts.text(reader().load(current)))
            .isEqualTo("content-" + current.manifest().version());
        seen++;
      } catch (CorruptModelException gone) {
        // Deleted under us: two newer ones exist, so the pointer must have moved on.
        assertThat(reader().current("app", 0).orElseThrow().manifest().version())
            .isGreaterThan(current.manifest().version());
      }
      assertThat(current.manifest().version()).isGreaterThanOrEqualTo(last);
      last = current.manifest().version();
    }
    writer.join();
    assertThat(seen).isPositive();
  }

  @Test
  void chain_changesAfterAll_beginsAtTheLastVersionWithAll() throws IOException {
    publishAll(FULL, DELTA, FULL, DELTA, DELTA);
    assertThat(digests(reader().chain(versions.get(4)))).isEqualTo(digests(versions.subList(2, 5)));
    assertThat(digests(reader().chain(versions.get(2)))).containsExactly(versions.get(2).digest());
    assertThat(reader().chain(publisher.publish(Drafts.of(9, "none")))).isEmpty();
    try (InputStream in = reader().open(versions.get(3))) {
      assertThat(new String(in.readAllBytes(), StandardCharsets.UTF_8)).isEqualTo("rows-3");
    }
    assertThat(reader().load(versions.get(4))).containsOnlyKeys("model.zip");
    reader().verify(versions.get(4));
    assertThat(reader().problems("app", 0)).isEmpty();
  }

  @Test
  void open_rowsOfTheSameLengthChanged_failsAtTheirEnd() throws IOException {
    publishAll(FULL, DELTA);
    Files.writeString(file(root, versions.get(0).file(ModelManifest.ROWS_FILE)), "rows-9");
    assertThatThrownBy(() -> reader().verify(versions.get(1)))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("SHA-256")
        .hasMessageContaining("v0000000001");
    try (InputStream in = reader().open(versions.get(0))) {
      assertThatThrownBy(() -> in.transferTo(OutputStream.nullOutputStream()))
          .isInstanceOf(CorruptModelException.class);
    }
    assertThat(reader().problems("app", 0)).hasSize(1);
  }

  @Test
  void chain_versionMissingOrExchanged_saysWhich() throws IOException {
    publishAll(FULL, DELTA, DELTA);
    Path second = file(root, versions.get(1).location());
    Path third = file(root, versions.get(2).location());
    Files.delete(third.resolve(ModelManifest.ROWS_FILE));
    assertThatThrownBy(() -> reader().chain(versions.get(2)))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("v0000000003/rows.bin is missing");
    Files.writeString(third.resolve(ModelManifest.ROWS_FILE), "rows-2");
    reader().verify(versions.get(2));
    String manifest = Files.readString(second.resolve("manifest.json"));
    Files.writeString(second.resolve("manifest.json"), manifest + " ");
    assertThatThrownBy(() -> reader().chain(versions.get(2)))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("version 3 needs the rows")
        .hasMessageContaining("digest");
    Files.writeString(second.resolve("manifest.json"), manifest);
    Files.move(second, elsewhere.resolve("moved"), StandardCopyOption.ATOMIC_MOVE);
    assertThatThrownBy(() -> reader().chain(versions.get(2)))
        .isInstanceOf(CorruptModelException.class)
        .hasMessageContaining("version 2 is not there");
    assertThat(reader().problems("app", 0)).hasSize(1);
  }
}
