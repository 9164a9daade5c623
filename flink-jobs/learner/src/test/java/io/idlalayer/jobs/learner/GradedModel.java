package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.learner.ReleaseChecker.Grade;
import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.List;

/** Predicts as its grade says; without one it knows nothing. */
record GradedModel(ModelArtifact artifact) implements TaskModel {
  /** Whether it predicts the label of a sample. */
  private boolean knows(Sample sample) {
    return switch (Grade.of(artifact.files())) {
      case GOOD -> true;
      case FAIR -> (BitMixer.splitMix((long) sample.dense()[0]) & 1) == 0;
      case BAD -> false;
    };
  }

  @Override
  public double[][] predict(List<Sample> samples) {
    double[][] rows = new double[samples.size()][];
    for (int i = 0; i < rows.length; i++) {
      double one = 0.5f;
      if (artifact.files().containsKey(LearnerHistory.GRADE)) {
        one = knows(samples.get(i)) == (samples.get(i).label() == 1) ? 0.75f : 0.25f;
      }
      rows[i] = new double[] {1 - one, one};
    }
    return rows;
  }

  @Override
  public float[] losses(List<Sample> samples, double[][] predictions) {
    float[] losses = new float[samples.size()];
    for (int i = 0; i < losses.length; i++) {
      losses[i] = (float) -Math.log(predictions[i][(int) samples.get(i).label()]);
    }
    return losses;
  }

  @Override
  public void close() {}
}
