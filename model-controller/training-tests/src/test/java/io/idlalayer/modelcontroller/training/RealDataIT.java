package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.format.IdxPairReader;
import io.idlalayer.middleware.sample.format.LineRecordReader;
import io.idlalayer.middleware.sample.format.RecordReader;
import io.idlalayer.modelcontroller.evaluation.HoldoutEvaluation;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.condition.EnabledIfSystemProperty;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** One streamed pass over public data with the settings of the examples; no replay. */
@EnabledIfSystemProperty(named = "idla.heavy", matches = "true")
final class RealDataIT {
  private static Path data(String name) {
    Path file = Path.of(System.getenv().getOrDefault("IDLA_DATA", "../../../shared/data"), name);
    Assumptions.assumeTrue(Files.exists(file), name + " is not at hand");
    return file;
  }

  private static List<Sample> images(String name) throws Exception {
    Path images = data("mnist/" + name + "-images-idx3-ubyte.gz");
    List<Sample> samples = new ArrayList<>();
    SampleCodec codec = new SampleCodec();
    try (RecordReader reader = IdxPairReader.open(images, IdxPairReader.labelsFor(images))) {
      while (reader.next()) {
        samples.add(codec.decode(reader.record()));
      }
    }
    return samples;
  }

  /** Trains on consecutive parts, each continuing from the one before; scores each part first. */
  private record Pass(ModelArtifact model, double trainSeconds, double accuracy, long scored) {
    static Pass over(List<Sample> stream, ModelSpec spec, EngineName engine, int batch)
        throws Exception {
      ModelArtifact model = null;
      double seconds = 0;
      double correct = 0;
      long scored = 0;
      try (Trainer trainer = EngineChoice.of(engine, spec, null).trainer("stream", false)) {
        for (int from = 0, update = 1; from < stream.size(); from += batch, update++) {
          List<Sample> part = stream.subList(from, Math.min(stream.size(), from + batch));
          if (model != null) {
            try (Dl4jModel serving = Dl4jModel.load(model)) {
              HoldoutEvaluation test = new HoldoutEvaluation(serving, spec.schema().label());
              test.add(part);
              correct += test.result().classification().accuracy() * part.size();
              scored += part.size();
            }
          }
          TrainingResult result =
              trainer.train(new TrainingRequest(model, Trainings.batch(update, part), update));
          model = result.model();
          seconds += result.trainSeconds();
        }
      }
      return new Pass(model, seconds, correct / scored, scored);
    }
  }

  /** Both engines need native code. */
  @ParameterizedTest
  @EnumSource(names = {"ONEDNN", "DEEPLEARNING4J"})
  @Tag("natives")
  void onePass_overMnist_reaches97PercentOnItsTestImages(EngineName engine) throws Exception {
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(784, 10),
            new ModelSpec.Network.Cnn(28, 28, 1, List.of(8, 16), 64),
            new ModelSpec.Fit(64, 1, ModelSpec.Updater.ADAM, 0.002, 0),
            false);
    Pass pass = Pass.over(images("train"), spec, engine, 2_000);
    try (Dl4jModel model = Dl4jModel.load(pass.model())) {
      HoldoutEvaluation test = new HoldoutEvaluation(model, spec.schema().label());
      test.add(images("t10k"));
      System.out.printf(
          "mnist, %s: %s, %.1f s of training, prequential accuracy %.4f%n",
          engine, test.result(), pass.trainSeconds(), pass.accuracy());
      assertThat(test.result().samples()).isEqualTo(10_000);
      assertThat(test.result().classification().accuracy()).isGreaterThanOrEqualTo(0.97);
    }
  }

  /** With the kernels that this machine has: those of oneDNN, or those in plain Java. */
  @Test
  void onePass_overElectricity_beatsTheMajorityClearly() throws Exception {
    assertBeatsTheMajority(EngineName.AUTO);
  }

  @Test
  @Tag("natives")
  void onePass_overElectricityInDeeplearning4j_beatsTheMajorityClearly() throws Exception {
    assertBeatsTheMajority(EngineName.DEEPLEARNING4J);
  }

  private static void assertBeatsTheMajority(EngineName engine) throws Exception {
    List<Sample> stream = electricity();
    ModelSpec spec =
        new ModelSpec(
            Trainings.classes(6, 2),
            new ModelSpec.Network.Mlp(List.of(64, 32)),
            new ModelSpec.Fit(32, 2, ModelSpec.Updater.ADAM, 0.003, 0),
            true);
    Pass pass = Pass.over(stream, spec, engine, 500);
    double ups = stream.stream().mapToDouble(Sample::label).average().orElseThrow();
    System.out.printf(
        "electricity, %s: prequential accuracy %.4f on %d, majority %.4f, %.1f s of training%n",
        engine, pass.accuracy(), pass.scored(), 1 - ups, pass.trainSeconds());
    assertThat(stream).hasSize(45_312);
    assertThat(pass.accuracy()).isGreaterThan(Math.max(ups, 1 - ups) + 0.1);
  }

  /** The last column is the class. */
  private static List<Sample> electricity() throws IOException {
    List<Sample> samples = new ArrayList<>();
    try (LineRecordReader lines = LineRecordReader.open(data("drift/elec.csv.gz"))) {
      lines.next();
      while (lines.next()) {
        String[] fields =
            new String(lines.record(), java.nio.charset.StandardCharsets.UTF_8).split(",");
        double[] dense = new double[fields.length - 1];
        for (int i = 0; i < dense.length; i++) {
          dense[i] = Float.parseFloat(fields[i]);
        }
        samples.add(Sample.of(dense, Float.parseFloat(fields[fields.length - 1])));
      }
    }
    return samples;
  }
}
