package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdPooling;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.stream.LongStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A learner whose tables begin with the rows of a file. */
final class StartedTablesTest {
  private static final int IDS = 40;
  private static final int DIM = 3;

  @TempDir Path folder;

  private static ApplicationSettings settings() {
    return LearnerSettings.withTables(
        LearnerSimulation.settings(
            UpdateSettings.of(UpdateSettings.RuleName.COUNT, 10)
                .with(UpdateSettings.Tuning.defaults().withCount(12)),
            DataSettings.defaults()),
        List.of(new IdFeature("user", 1, RowIndex.number(IDS))),
        new ModelSpec.Network.Mlp(List.of(4)),
        new ModelSpec.Fit(8, 1, ModelSpec.Updater.ADAM, 0.01, 0),
        new ModelSpec.Embeddings(
            List.of(new ModelSpec.Table("user", DIM)),
            List.of(new ModelSpec.Use(0, IdPooling.MEAN)),
            new ModelSpec.RowFit(RowUpdater.ADAGRAD, 0.05, 0.1)),
        RowSettings.DEFAULT);
  }

  private static List<Sample> stream(int seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<Sample> stream = new ArrayList<>();
    for (int i = 0; i < TablesWorld.EVENTS; i++) {
      long user = 2L + random.nextInt(IDS);
      stream.add(
          new Sample(
              "e" + i,
              new double[] {(float) random.nextDouble()},
              new int[0],
              IdLists.single(user),
              user % 2));
    }
    return stream;
  }

  /** Returns the rows of all ids, of missing and of unknown ones. */
  private static RowBatch rows(TablesWorld world, ApplicationSettings settings) {
    List<IdLists> all = LongStream.range(0, IDS + 2L).mapToObj(key -> IdLists.single(key)).toList();
    return TablesWorld.tables(world.checkpoint().state(), settings).look(all);
  }

  private static float[] numbers(RowBatch rows) {
    float[] numbers = new float[(IDS + 2) * DIM];
    for (int key = 0; key < IDS + 2; key++) {
      rows.fill(IdLists.single(key), numbers, key * DIM);
    }
    return numbers;
  }

  @Test
  void start_withTheTablesOfAFile_hasItsRowsAlsoAfterARestart() throws Exception {
    ApplicationSettings plain = settings();
    TablesWorld other = new TablesWorld(plain, stream(1));
    other.finishAll();
    RowBatch learned = rows(other, plain);
    AcceptedModel model = Objects.requireNonNull(TablesWorld.accepted(other.written()));
    Path file = folder.resolve("net.onnx");
    Files.write(file, OnnxModel.of(model.artifact(), "other", learned));
    float[] expected = numbers(learned);
    other.close();

    ApplicationSettings settings = plain.startingWith(file.toString());
    TablesWorld begun = new TablesWorld(settings, stream(2));
    assertThat(numbers(rows(begun, settings))).containsExactly(expected);
    TablesWorld.Checkpoint first = begun.checkpoint();
    for (int i = 0; i < 100; i++) {
      begun.step();
    }
    begun.work();
    assertThat(begun.update()).isPositive();
    assertThat(numbers(rows(begun, settings))).isNotEqualTo(expected);

    Files.delete(file);
    begun.kill(first);
    assertThat(numbers(rows(begun, settings))).containsExactly(expected);
    begun.finishAll();
    assertThat(begun.update()).isPositive();
    assertThat(begun.written().get(Slot.START)).isNull();
    begun.close();
  }
}
