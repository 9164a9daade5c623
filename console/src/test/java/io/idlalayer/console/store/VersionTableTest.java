package io.idlalayer.console.store;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.console.server.ConsoleJson;
import io.idlalayer.console.store.VersionTable.Descent;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.models.store.PublisherIdentity;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.time.InstantSource;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class VersionTableTest {
  @TempDir Path folder;
  private ModelStore store;
  private ModelPublisher publisher;

  @BeforeEach
  void open() throws IOException {
    store = new ModelStore(folder, InstantSource.system());
    publisher = store.claim("clicks", 0);
  }

  private ModelCheckpoint publish(long parent) throws IOException {
    return publisher.publish(
        Drafts.of(
            "clicks",
            0,
            parent == 0 ? null : store.read("clicks", 0, parent),
            Map.of("rule", "dla"),
            Map.of("model.zip", new byte[] {1, 2, 3}),
            Map.of()));
  }

  private VersionTable read() throws IOException {
    return VersionTable.read(store, "clicks", 0);
  }

  @Test
  void branchesThatTheCurrentVersionDoesNotDescendFrom_areAbandoned() throws IOException {
    publish(0);
    publish(1);
    publish(2);
    publish(1);
    VersionTable models = read();
    assertThat(models.current()).isEqualTo(4);
    assertThat(models.serving()).isEqualTo(4);
    assertThat(models.problem()).isEmpty();
    assertThat(models.versions())
        .extracting(VersionTable.Version::version)
        .containsExactly(4L, 3L, 2L, 1L);
    assertThat(models.versions())
        .extracting(VersionTable.Version::descent)
        .containsExactly(Descent.CURRENT, Descent.ABANDONED, Descent.ABANDONED, Descent.CURRENT);
    VersionTable.Version newest = models.versions().get(0);
    assertThat(newest.parent()).isEqualTo(1);
    assertThat(newest.bytes()).isEqualTo(3);
    assertThat(newest.attributes()).containsEntry("rule", "dla");
    assertThat(newest.digest()).isEqualTo(store.read("clicks", 0, 4).digest());
  }

  @Test
  void aPin_saysWhatServes() throws IOException {
    publish(0);
    publish(1);
    store.pin(store.read("clicks", 0, 1), 0, "better");
    VersionTable models = read();
    assertThat(models.current()).isEqualTo(2);
    assertThat(models.serving()).isEqualTo(1);
    assertThat(models.pin().reason()).isEqualTo("better");
  }

  @Test
  void aPinThatHasEnded_isNone() throws IOException {
    publish(0);
    publish(1);
    store.pin(store.read("clicks", 0, 1), 2, "until something newer comes");
    assertThat(read().serving()).isEqualTo(1);
    publish(2);
    assertThat(read().serving()).isEqualTo(3);
    assertThat(read().pin()).isNull();
  }

  @Test
  void whatIsDamaged_isAProblemAndTheRestIsShown() throws IOException {
    publish(0);
    publish(1);
    Files.write(folder.resolve("clicks/0/pin.json"), "{".getBytes(StandardCharsets.UTF_8));
    VersionTable models = read();
    assertThat(models.problem()).contains("pin.json");
    assertThat(models.current()).isEqualTo(2);
    assertThat(models.versions()).hasSize(2);
  }

  @Test
  void damagedVersions_areSaidOfEachAndAreNoOtherProblem() throws IOException {
    publish(0);
    publish(1);
    publish(2);
    publish(3);
    Files.write(file(1, "model.zip"), new byte[2]);
    Files.writeString(file(2, "manifest.json"), "{");
    Files.writeString(file(3, "foreign.txt"), "?");
    VersionTable models = read();
    assertThat(models.problem()).isEmpty();
    assertThat(models.versions())
        .extracting(VersionTable.Version::version)
        .containsExactly(4L, 3L, 2L, 1L);
    assertThat(models.versions().get(0).damaged()).isEmpty();
    assertThat(models.versions().get(1).damaged()).contains("foreign.txt is not in its manifest");
    assertThat(models.versions().get(2).damaged()).contains("manifest.json");
    assertThat(models.versions().get(3).damaged())
        .contains("model.zip has 2 bytes, its manifest says 3");
  }

  @Test
  void belowAManifestThatCannotBeRead_nothingIsCalledAbandoned() throws IOException {
    publish(0);
    publish(1);
    publish(2);
    publish(2);
    publish(4);
    publish(4);
    Files.writeString(file(4, "manifest.json"), "{");
    VersionTable models = read();
    assertThat(models.current()).isEqualTo(6);
    assertThat(models.versions())
        .extracting(VersionTable.Version::version)
        .containsExactly(6L, 5L, 4L, 3L, 2L, 1L);
    assertThat(models.versions())
        .extracting(VersionTable.Version::descent)
        .containsExactly(
            Descent.CURRENT,
            Descent.ABANDONED,
            Descent.CURRENT,
            Descent.UNKNOWN,
            Descent.UNKNOWN,
            Descent.UNKNOWN);
    VersionTable.Version unreadable = models.versions().get(2);
    assertThat(unreadable.damaged()).contains("manifest.json");
    assertThat(unreadable.parent()).isNull();
    assertThat(unreadable.createdAtMillis()).isNull();
    assertThat(unreadable.digest()).isNull();
    assertThat(unreadable.bytes()).isNull();
  }

  @Test
  void belowAVersionThatIsNotStoredAnyMore_nothingIsCalledAbandoned() throws IOException {
    publish(0);
    publish(1);
    publish(2);
    deleteVersion(file(2, "manifest.json").getParent());
    assertThat(read().versions())
        .extracting(VersionTable.Version::descent)
        .containsExactly(Descent.CURRENT, Descent.UNKNOWN);
  }

  @Test
  void whichVersionIsCurrentCannotBeRead_noneIsCalledAbandoned() throws IOException {
    publish(0);
    publish(1);
    try (Stream<Path> places = Files.list(folder.resolve("clicks/0"))) {
      for (Path place : places.filter(it -> it.toString().contains("publisher-")).toList()) {
        Files.writeString(place.resolve("current.json"), "{");
      }
    }
    assertThat(read().current()).isZero();
    assertThat(read().problem()).contains("current.json");
    assertThat(read().versions())
        .extracting(VersionTable.Version::descent)
        .containsExactly(Descent.UNKNOWN, Descent.UNKNOWN);
  }

  private Path file(int version, String name) {
    return folder.resolve("clicks/0/v%010d".formatted(version)).resolve(name);
  }

  @Test
  void aliases_areNamesOfVersions() throws IOException {
    publish(0);
    publish(1);
    store.alias("champion", store.read("clicks", 0, 1));
    assertThat(read().aliases()).hasSize(1);
    assertThat(read().aliases().get("champion").version()).isEqualTo(1);
    Files.writeString(folder.resolve("clicks/0/aliases.json"), "{");
    assertThat(read().aliases()).isEmpty();
    assertThat(read().problem()).contains("aliases.json");
  }

  /**
   * The answer that the page's browser tests are given; {@code -Didlalayer.write-models} writes it
   * anew.
   */
  @Test
  void theModelsOfTheBrowserTests_areAnAnswerOfTheServer() throws IOException {
    AtomicLong millis = new AtomicLong(1_795_417_000_000L);
    Path root = folder.resolve("page");
    String written;
    try (ModelStore pages =
        new ModelStore(
            root,
            () -> Instant.ofEpochMilli(millis.addAndGet(1_000)),
            new PublisherIdentity("somebody", "here"))) {
      ModelPublisher of = pages.claim("clicks", 0);
      for (long parent : new long[] {0, 419, 420, 421, 422, 423, 422, 425}) {
        of.publish(
            new ModelDraft(
                "clicks",
                0,
                419,
                parent,
                parent == 0 ? "" : pages.read("clicks", 0, parent).digest(),
                new TreeMap<>(),
                new TreeMap<>(Map.of("newSamples", parent % 100)),
                new TreeMap<>(Map.of("meanLossAfter", 0.25)),
                new TreeMap<>(Map.of("rule", "adaptive", "reason", "waiting costs more")),
                new TreeMap<>(Map.of("model.zip", new byte[32_664], "spec.json", new byte[761]))));
      }
      Path versions = root.resolve("clicks/0");
      deleteVersion(versions.resolve("v0000000419"));
      Files.write(versions.resolve("v0000000421/model.zip"), new byte[12]);
      Files.writeString(versions.resolve("v0000000420/manifest.json"), "{");
      pages.pin(pages.read("clicks", 0, 422), 0, "by hand: the newest ones look worse");
      pages.alias("champion", pages.read("clicks", 0, 422));
      pages.alias("shadow", pages.read("clicks", 0, 426));
      written =
          ConsoleJson.mapper()
              .writerWithDefaultPrettyPrinter()
              .writeValueAsString(VersionTable.read(pages, "clicks", 0))
              .replace(versions + "/", "");
    }
    Path page = Path.of("src/main/web/e2e/models.json");
    if (System.getProperty("idlalayer.write-models") != null) {
      Files.writeString(page, written + "\n");
    }
    assertThat(Files.readString(page)).isEqualTo(written + "\n");
  }

  private static void deleteVersion(Path version) throws IOException {
    try (Stream<Path> files = Files.list(version)) {
      for (Path each : files.toList()) {
        Files.delete(each);
      }
    }
    Files.delete(version);
  }

  @Test
  void nothingPublished_isAnEmptyList() throws IOException {
    VersionTable models = VersionTable.read(store, "views", 0);
    assertThat(models.versions()).isEmpty();
    assertThat(models.current()).isZero();
    assertThat(models.pin()).isNull();
  }
}
