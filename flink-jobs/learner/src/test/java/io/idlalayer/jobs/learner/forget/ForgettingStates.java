package io.idlalayer.jobs.learner.forget;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.datacontroller.settings.ForgetSettings;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** What a learner needs to forget samples, for the test of its formats. */
public final class ForgettingStates {
  private ForgettingStates() {}

  static DataSettings settings(int anchors) {
    return DataSettings.defaults().with(new ForgetSettings(400_000, anchors));
  }

  /** A batch of new samples; the event of sample 7 is s7. */
  static TrainingBatch batch(long update, long... ids) {
    List<TrainingRow> rows = new ArrayList<>();
    for (long id : ids) {
      Sample sample = new Sample("s" + id, new double[] {id}, new int[0], 1);
      rows.add(new TrainingRow(id, 1_000 + id, sample, Float.NaN, true));
    }
    return new TrainingBatch(update, rows);
  }

  static ModelArtifact artifact(int content) {
    return new ModelArtifact(new TreeMap<>(Map.of("model.zip", new byte[] {(byte) content})));
  }

  private static Forgetting forgetting() {
    Forgetting forgetting = new Forgetting(settings(4));
    forgetting.begin(Anchor.BEGINNING, 0);
    forgetting.training(batch(1, 1, 2, 3));
    forgetting.accepted(Anchor.BEGINNING);
    forgetting.training(batch(2, 3, 400, 70_000));
    forgetting.accepted(new Anchor(1, artifact(1), 5, "digest"));
    forgetting.request("s1", 1, 2, 1_000);
    RetrainingPlan plan = forgetting.plan();
    forgetting.finish(plan, new RetrainedUpdates(plan.updates(), List.of()), "details");
    forgetting.training(batch(3, 70_001));
    forgetting.accepted(new Anchor(2, artifact(2), 6, "other digest"));
    forgetting.request("s400", 400, 3, 2_000);
    return forgetting;
  }

  public static byte[] example() {
    return forgetting().snapshot();
  }

  public static byte[] exampleAnchors() {
    return forgetting().anchorsSnapshot();
  }

  public static byte[] readAndWritten(byte[] bytes) {
    Forgetting forgetting = new Forgetting(settings(4));
    forgetting.restore(bytes, exampleAnchors());
    return forgetting.snapshot();
  }

  public static byte[] readAndWrittenAnchors(byte[] bytes) {
    Forgetting forgetting = new Forgetting(settings(4));
    forgetting.restore(example(), bytes);
    return forgetting.anchorsSnapshot();
  }
}
