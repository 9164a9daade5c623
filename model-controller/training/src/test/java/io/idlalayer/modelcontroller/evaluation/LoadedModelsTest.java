package io.idlalayer.modelcontroller.evaluation;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.quality.ScoredBatch;
import io.idlalayer.modelcontroller.quality.ScoringBatch;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

final class LoadedModelsTest {
  private final List<String> log = new ArrayList<>();
  private final LoadedModels models = new LoadedModels(this::load);
  private boolean failing;

  private static ModelArtifact artifact(int number) {
    return new ModelArtifact(new TreeMap<>(Map.of("number", new byte[] {(byte) number})));
  }

  private TaskModel load(ModelArtifact artifact) {
    int number = artifact.files().get("number")[0];
    if (number > 100) {
      throw new IllegalArgumentException("number " + number);
    }
    log.add("load " + number);
    return new TaskModel() {
      @Override
      public double[][] predict(List<Sample> samples) {
        if (failing && number == 2) {
          throw new IllegalStateException("broken");
        }
        return samples.stream().map(each -> new double[] {number}).toArray(double[][]::new);
      }

      @Override
      public float[] losses(List<Sample> samples, double[][] predictions) {
        float[] losses = new float[samples.size()];
        for (int i = 0; i < losses.length; i++) {
          losses[i] = 100 * number + (float) predictions[i][0];
        }
        return losses;
      }

      @Override
      public double counted(double label) {
        return Math.min(label, number);
      }

      @Override
      public void close() {
        log.add("free " + number);
      }
    };
  }

  private static ScoringBatch batch() {
    Sample sample = new Sample("a", new double[] {1}, new int[0], 1);
    return new ScoringBatch(new long[] {1}, List.of(sample), new double[1], new double[1]);
  }

  @Test
  void score_withARival_bothScoreTheBatch() {
    models.serve(artifact(1), new Rival(artifact(2), 7, 5));
    ScoredBatch scored = models.score(batch());
    assertThat(scored.predicted()).containsExactly(1);
    assertThat(scored.rival().comparison()).isEqualTo(7);
    assertThat(scored.rival().model()).isEqualTo(5);
    assertThat(scored.rival().predicted()).containsExactly(2);
  }

  @Test
  void score_withARival_countsBothLossesAsTheModelDoes() {
    models.serve(artifact(3), new Rival(artifact(2), 7, 5));
    ScoredBatch scored = models.score(batch());
    assertThat(scored.losses()).containsExactly(303);
    assertThat(scored.rival().losses()).containsExactly(302);
  }

  @Test
  void score_aTarget_comesBackAsTheLossesCountIt() {
    models.serve(artifact(3), null);
    Sample sample = Sample.of(new double[] {1}, 50);
    ScoredBatch scored =
        models.score(
            new ScoringBatch(new long[1], List.of(sample), new double[] {40}, new double[1]));
    assertThat(scored.targets()).containsExactly(3);
    assertThat(scored.batch().noChange()).containsExactly(3);
    assertThat(scored.batch().samples()).containsExactly(sample);
  }

  @Test
  void serve_theModelBeforeIsTheRival_isNotLoadedAgain() {
    ModelArtifact first = artifact(1);
    models.serve(first, null);
    models.serve(artifact(2), new Rival(first, 1, 1));
    models.serve(artifact(3), new Rival(first, 2, 1));
    assertThat(models.score(batch()).rival().predicted()).containsExactly(1);
    models.serve(artifact(4), null);
    models.close();
    assertThat(log)
        .containsExactly(
            "load 1", "load 2", "free 2", "load 3", "free 3", "free 1", "load 4", "free 4");
  }

  @Test
  void score_theRivalFails_theModelScoresOnWithoutIt() {
    models.serve(artifact(1), new Rival(artifact(2), 1, 1));
    failing = true;
    for (int i = 0; i < 2; i++) {
      ScoredBatch scored = models.score(batch());
      assertThat(scored.failure()).isEmpty();
      assertThat(scored.rival()).isNull();
    }
    models.close();
    assertThat(log).containsExactly("load 1", "load 2", "free 2", "free 1");
  }

  @Test
  void serve_theRivalDoesNotLoad_thereIsNone() {
    models.serve(artifact(1), new Rival(artifact(101), 1, 1));
    assertThat(models.broken()).isNull();
    assertThat(models.score(batch()).rival()).isNull();
  }

  @Test
  void serve_theModelDoesNotLoad_everyBatchSaysWhy() {
    models.serve(artifact(101), new Rival(artifact(1), 1, 1));
    assertThat(models.broken()).contains("number 101");
    assertThat(models.score(batch()).failure()).contains("number 101");
    models.close();
    assertThat(log).containsExactly("load 1", "free 1");
  }
}
