package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.primitive.BitMixer;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A second network of the same shape that is trained only on a part of the samples, the slice. Its
 * loss on a sample outside the slice estimates the part of the loss that training cannot reduce,
 * which is noise and novelty. This is the irreducible loss of Mindermann 2022. There the slice is
 * excluded from the training of the main model; here the served model is trained on every sample.
 */
final class HeldOutModel implements AutoCloseable {
  private static final int SLICES = 8;

  private final TrainableNetwork network;

  HeldOutModel(TrainableNetwork network) {
    this.network = network;
  }

  byte[] encode() throws IOException {
    return network.encode();
  }

  TrainableNetwork network() {
    return network;
  }

  /** Returns whether this network learns from a sample. */
  static boolean slice(long sampleId) {
    return Long.remainderUnsigned(BitMixer.scattered(sampleId), SLICES) == 0;
  }

  /**
   * Returns the loss of this network on each row, before it learns from any of them; NaN for rows
   * on which this network was trained in an earlier update.
   */
  float[] losses(List<TrainingRow> rows, ModelSpec spec, FeatureScaler scaler)
      throws InterruptedException {
    float[] losses = new float[rows.size()];
    Arrays.fill(losses, Float.NaN);
    List<TrainingRow> unseen = new ArrayList<>(rows.size());
    int[] place = new int[rows.size()];
    for (int i = 0; i < losses.length; i++) {
      TrainingRow row = rows.get(i);
      if (row.fresh() || !slice(row.sampleId())) {
        place[unseen.size()] = i;
        unseen.add(row);
      }
    }
    if (!unseen.isEmpty()) {
      Dl4jModel model = new Dl4jModel(spec, scaler, network);
      List<Sample> samples = unseen.stream().map(TrainingRow::sample).toList();
      float[] measured = model.losses(samples, model.predictUnlessInterrupted(samples));
      for (int i = 0; i < measured.length; i++) {
        losses[place[i]] = Float.isFinite(measured[i]) ? measured[i] : Float.NaN;
      }
    }
    return losses;
  }

  @Override
  public void close() {
    network.close();
  }
}
