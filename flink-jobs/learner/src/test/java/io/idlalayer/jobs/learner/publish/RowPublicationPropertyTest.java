package io.idlalayer.jobs.learner.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.RowPublicationWorld;
import io.idlalayer.middleware.embedding.serve.ServedRows;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.serve.LoadRequest;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.Stream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.jspecify.annotations.Nullable;

/**
 * Whatever happens to a learner and to its model folder, each version that loads has the rows that
 * the learner had at that instant, bit for bit, and a learner always publishes one that loads.
 */
public final class RowPublicationPropertyTest {
  private static final int IDS = 40;

  /** A history on a folder of its own. */
  private static final class History {
    final SplittableRandom random;
    final Path folder;
    final RowPublicationWorld world;
    final List<LoadRequest.Loaded<ServedRows>> loaded = new ArrayList<>();
    long days;

    History(long seed) throws IOException {
      random = new SplittableRandom(seed);
      folder = Files.createTempDirectory("published");
      world = new RowPublicationWorld(folder, IDS, random.nextInt(1, 3), random.nextInt(1, 4_000));
    }

    void update() throws Exception {
      if (random.nextInt(4) == 0) {
        world.expire();
      }
      world.accept(world.samples(random, random.nextInt(5) == 0 ? 60 : 4), random.nextLong());
      published(world.settle());
    }

    void failedUpdate() throws Exception {
      world.failing = true;
      world.accept(world.samples(random, 4), random.nextLong());
      assertThat(world.settle()).isNull();
      world.failing = false;
      if (random.nextBoolean()) {
        published(world.retry());
      }
    }

    /** A version that was just published loads, from scratch and from any before. */
    void published(@Nullable ModelCheckpoint version) throws Exception {
      assertThat(version).isNotNull();
      float[] right = world.expected.get(version.digest());
      ServedRows rows = world.load(version, null);
      assertThat(world.columns(rows)).containsExactly(right);
      for (LoadRequest.Loaded<ServedRows> before : loaded) {
        assertThat(world.columns(world.load(version, before))).containsExactly(right);
      }
      LoadRequest.Loaded<ServedRows> last = loaded.isEmpty() ? null : loaded.get(loaded.size() - 1);
      loaded.add(
          new LoadRequest.Loaded<>(
              version, random.nextBoolean() ? world.load(version, last) : rows));
      assertThat(world.models.current("app", 0)).contains(version);
    }

    /** Nothing that loads is wrong, whatever is damaged, and nothing that was loaded changes. */
    void check() throws IOException {
      for (ModelCheckpoint version : world.models.list("app", 0)) {
        float[] right = world.expected.get(version.digest());
        List<LoadRequest.Loaded<ServedRows>> from = new ArrayList<>(loaded);
        from.add(null);
        for (LoadRequest.Loaded<ServedRows> before : from) {
          try {
            assertThat(world.columns(world.load(version, before))).containsExactly(right);
          } catch (CorruptModelException refused) {
            assertThat(refused.getMessage()).contains("v00000000");
          }
        }
      }
      for (LoadRequest.Loaded<ServedRows> each : loaded) {
        assertThat(world.columns(each.model()))
            .containsExactly(world.expected.get(each.checkpoint().digest()));
      }
    }

    /** Something happens to the model folder behind everybody's back. */
    void damage() throws IOException {
      List<ModelCheckpoint> versions = world.models.list("app", 0);
      if (versions.isEmpty()) {
        return;
      }
      ModelCheckpoint one = versions.get(random.nextInt(versions.size()));
      ModelCheckpoint other = versions.get(random.nextInt(versions.size()));
      Path rows = Path.of(one.file(ModelManifest.ROWS_FILE));
      switch (random.nextInt(5)) {
        case 0 -> delete(folder.resolve("app"));
        case 1 -> delete(Path.of(one.location()));
        case 2 -> Files.deleteIfExists(rows);
        case 3 -> {
          if (Files.exists(Path.of(other.file(ModelManifest.ROWS_FILE)))) {
            write(rows, Files.readAllBytes(Path.of(other.file(ModelManifest.ROWS_FILE))));
          }
        }
        default -> {
          if (Files.exists(rows)) {
            byte[] bytes = Files.readAllBytes(rows);
            bytes[random.nextInt(bytes.length)] ^= (byte) (1 << random.nextInt(8));
            write(rows, bytes);
          }
        }
      }
    }

    private void write(Path file, byte[] bytes) throws IOException {
      Files.write(file, bytes);
      // No two changes within one tick of the medium's clock.
      Files.setLastModifiedTime(file, FileTime.fromMillis(86_400_000 * ++days));
    }
  }

  public static void delete(Path folder) throws IOException {
    try (Stream<Path> all = Files.walk(folder)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
  }

  @Property(tries = 20)
  void publish_anyHistory_versionsHaveTheLearnersRows(@ForAll long seed) throws Exception {
    History history = new History(seed);
    for (int step = 0; step < 14; step++) {
      switch (history.random.nextInt(12)) {
        case 0 -> history.failedUpdate();
        case 1 -> history.world.save();
        case 2 -> {
          if (history.world.restart()) {
            ModelCheckpoint again = history.world.settle();
            if (again != null) {
              history.published(again);
            }
          }
        }
        case 3 -> {
          history.damage();
          history.check();
        }
        case 4 ->
            history.world.refuse(
                history.world.samples(history.random, 4),
                history.random.nextLong(),
                history.random.nextBoolean());
        case 5 -> history.world.rollBack(history.random);
        default -> history.update();
      }
    }
    history.check();
    assertThat(history.folder.resolve(".rows/app/0"))
        .satisfiesAnyOf(
            temporary -> assertThat(temporary).doesNotExist(),
            temporary -> assertThat(temporary).isEmptyDirectory());
    delete(history.folder);
  }
}
