package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelloader.onnx.OnnxModel;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.assertj.core.data.Offset;

/** What networks that began with a file predict, before and after trainings. */
final class StartedNetworks {
  static final Offset<Double> CLOSE = within(1e-5);

  private StartedNetworks() {}

  static double[] softmax(double[] logits) {
    double most = Arrays.stream(logits).max().orElseThrow();
    double[] shares = Arrays.stream(logits).map(each -> Math.exp(each - most)).toArray();
    double sum = Arrays.stream(shares).sum();
    return Arrays.stream(shares).map(each -> each / sum).toArray();
  }

  static double[][] predict(ModelArtifact artifact, List<Sample> samples) throws IOException {
    try (Dl4jModel model = Dl4jModel.load(artifact)) {
      return model.predict(samples);
    }
  }

  static void close(double[][] found, double[][] expected) {
    for (int i = 0; i < expected.length; i++) {
      assertThat(found[i]).hasSameSizeAs(expected[i]);
      for (int k = 0; k < expected[i].length; k++) {
        double unit = Math.max(1, Math.abs(expected[i][k]));
        assertThat(found[i][k] / unit).isCloseTo(expected[i][k] / unit, CLOSE);
      }
    }
  }

  /** Trains some updates, and checks what comes out of them as ONNX. */
  static ModelArtifact trained(StartingNetwork start, ModelSpec spec, List<List<Sample>> batches)
      throws Exception {
    ModelArtifact model = start.artifact();
    try (Trainer trainer =
        EngineChoice.of(EngineName.ONEDNN, spec, null, JavaKernels::new).trainer("app", false)) {
      for (int update = 0; update < batches.size(); update++) {
        List<TrainingRow> rows = new ArrayList<>();
        List<Sample> batch = batches.get(update);
        for (int i = 0; i < batch.size(); i++) {
          rows.add(new TrainingRow(1_000L * update + i, 0, batch.get(i), Float.NaN, true));
        }
        model =
            trainer.train(new TrainingRequest(model, new TrainingBatch(update, rows), 1)).model();
      }
    }
    assertThat(model.files()).containsEntry(ModelArtifact.START_FILE, start.start().encode());
    return model;
  }

  /** Trains updates, and checks that the model goes out as ONNX and comes back. */
  static void returns(
      StartingNetwork start, ModelSpec spec, List<List<Sample>> batches, List<Sample> samples)
      throws Exception {
    ModelArtifact trained = trained(start, spec, batches);
    String output = spec.outputWidth() == 1 ? OnnxModel.PREDICTION : OnnxModel.PROBABILITIES;
    byte[] onnx = OnnxModel.of(trained, "app");
    close(predict(trained, samples), OnnxRuntime.run(onnx, samples, output));
    // The file that was written begins another lineage, with the same predictions.
    Path again = Files.write(Files.createTempFile("again", ".onnx"), onnx);
    try {
      close(
          predict(StartingNetwork.read(again, spec).artifact(), samples),
          OnnxRuntime.run(onnx, samples, output));
    } finally {
      Files.delete(again);
    }
  }
}
