package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.produce.Topics;
import io.idlalayer.jobs.report.RunReport;
import io.idlalayer.jobs.report.RunView;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import org.deeplearning4j.nn.conf.ComputationGraphConfiguration;
import org.deeplearning4j.nn.conf.NeuralNetConfiguration;
import org.deeplearning4j.nn.conf.graph.ElementWiseVertex;
import org.deeplearning4j.nn.conf.layers.DenseLayer;
import org.deeplearning4j.nn.conf.layers.OutputLayer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.nd4j.autodiff.samediff.SDVariable;
import org.nd4j.autodiff.samediff.SameDiff;
import org.nd4j.linalg.activations.Activation;
import org.nd4j.linalg.api.buffer.DataType;
import org.nd4j.linalg.factory.Nd4j;
import org.nd4j.linalg.learning.config.Adam;
import org.nd4j.weightinit.impl.XavierInitScheme;

/**
 * One job, a broker of its own, two applications: a regression by a SameDiff graph, and a
 * classifier of two partitions, a residual graph of layers whose tensors are placed.
 */
final class SeveralApplicationsIT {
  @TempDir Path folder;

  private ApplicationSettings application(String name, String rest, String training, String tensors)
      throws Exception {
    return ApplicationFiles.read(
        folder.resolve(name + ".yaml"),
        """
        name: %s
        input: {format: csv, columns: [a, b, y], features: [a, b], label: y, %s
        training: {epochs: 8%s}
        update: {rule: count, count: 300}
        memory: {hot-bytes: 128MiB, hot-plan: on, tensors: {fast-bytes: %s}}
        selection: {newborns: open}
        """
            .formatted(name, rest, training, tensors));
  }

  /** Two inputs, two classes, and a way around the layer in the middle. */
  private static ComputationGraphConfiguration side() {
    return new NeuralNetConfiguration.Builder()
        .updater(new Adam(0.01))
        .activation(Activation.TANH)
        .graphBuilder()
        .addInputs("in")
        .addLayer("first", new DenseLayer.Builder().nIn(2).nOut(16).build(), "in")
        .addLayer("block", new DenseLayer.Builder().nIn(16).nOut(16).build(), "first")
        .addVertex("sum", new ElementWiseVertex(ElementWiseVertex.Op.Add), "first", "block")
        .addLayer(
            "sides",
            new OutputLayer.Builder().nIn(16).nOut(2).activation(Activation.SOFTMAX).build(),
            "sum")
        .setOutputs("sides")
        .build();
  }

  private static SameDiff slope() {
    SameDiff graph = SameDiff.create();
    SDVariable in = graph.placeHolder("in", DataType.FLOAT, -1, 2);
    SDVariable hidden =
        graph.nn.tanh(
            in.mmul(graph.var("w1", new XavierInitScheme('c', 2, 16), DataType.FLOAT, 2, 16)));
    hidden
        .mmul(graph.var("w2", new XavierInitScheme('c', 16, 1), DataType.FLOAT, 16, 1))
        .add("y", graph.var("b", Nd4j.zeros(1, 1)));
    return graph;
  }

  /** The newest model is read from its files alone and tells the difference of two samples. */
  private static void assertServed(ModelStore models, String application, String kind)
      throws Exception {
    var files = models.load(models.current(application, 0).orElseThrow());
    assertThat(new String(files.get("spec.json"), StandardCharsets.UTF_8)).contains(kind);
    try (Dl4jModel model = Dl4jModel.load(new ModelArtifact(files))) {
      double[][] predictions =
          model.predict(
              List.of(Sample.of(new double[] {9, 1}, 1), Sample.of(new double[] {1, 9}, 0)));
      int last = predictions[0].length - 1;
      assertThat(predictions[0][last]).isGreaterThan(predictions[1][last]);
    }
  }

  private Path rows(String name, int count, boolean regression) throws Exception {
    SplittableRandom random = new SplittableRandom(9);
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < count; i++) {
      double a = random.nextDouble() * 10;
      double b = random.nextDouble() * 10;
      String y =
          regression ? String.format(Locale.ROOT, "%.4f", 100 + 3 * a - b) : a > b ? "1" : "0";
      text.append(String.format(Locale.ROOT, "%.6f,%.6f,%s%n", a, b, y));
    }
    Path file = folder.resolve(name + ".csv");
    Files.writeString(file, text.append("1,2\n"));
    return file;
  }

  private static void produce(ApplicationSettings application, Path file, String servers)
      throws Exception {
    new InputProducer(application, servers)
        .send(InputSource.file(file, application), new InputProducer.Request(Long.MAX_VALUE, 0));
    new LearnerRequest(application, servers).end("all of it");
  }

  @Test
  @Tag("natives")
  void run_severalApplications_eachLearnsItsOwnEvents() throws Exception {
    slope().save(folder.resolve("slope.fb").toFile(), false);
    Files.writeString(folder.resolve("side.json"), side().toJson());
    ApplicationSettings regression =
        application(
            "slope",
            "task: regression}\n"
                + "model: {type: samediff, file: slope.fb, features: in, output: y, standardize:"
                + " on}",
            ", learning-rate: 0.01",
            "0");
    ApplicationSettings classes =
        application(
            "side",
            "classes: 2}\npartitions: 2\n"
                + "model: {type: dl4j-json, file: side.json, standardize: on}",
            "",
            "1MiB");
    List<ApplicationSettings> both = List.of(regression, classes);
    try (EmbeddedBroker broker = EmbeddedBroker.start(folder.resolve("kafka"), 0)) {
      String servers = broker.bootstrapServers();
      Topics.ensure(both, servers);
      produce(regression, rows("slope", 2_000, true), servers);
      produce(classes, rows("side", 2_000, false), servers);
      boolean[] done = {false};
      RunMonitor monitor =
          new FakeMonitor() {
            @Override
            public void event(RunView view, DecisionEvent event) {
              done[0] =
                  view.learners().size() == 3
                      && view.learners().stream()
                          .allMatch(each -> !each.status().input().ends().isEmpty());
            }
          };
      Path work = folder.resolve("work");
      RunOutcome outcome =
          new EmbeddedRun(new EmbeddedRun.Plan(both, work, servers, null), monitor)
              .run(() -> done[0]);
      var report = RunReport.of(outcome.view(), 1);
      assertThat(report.get("balance").get("holds").asBoolean()).as(report.toString()).isTrue();
      assertThat(report.get("samples").get("received").asLong()).isEqualTo(4_002);
      assertThat(report.get("samples").get("malformed").asLong()).isEqualTo(2);
      assertThat(report.get("applications")).hasSize(2);
      for (RunView.Learner learner : outcome.view().learners()) {
        boolean placed = learner.application().equals("side");
        assertThat(learner.updates())
            .isNotEmpty()
            .allMatch(update -> (update.requireTraining().tensors() != null) == placed)
            .allMatch(
                update -> !placed || update.requireTraining().tensors().arguments().hits() > 0);
      }
      ModelStore models = new ModelStore(work.resolve("models"), InstantSource.system());
      assertThat(models.applications().get("side")).containsExactly(0, 1);
      assertThat(models.current("slope", 0)).isPresent();
      assertServed(models, "side", side().getNetworkOutputs().get(0));
      assertServed(models, "slope", "samediff");
      double error =
          outcome.view().learners().stream()
              .filter(learner -> learner.application().equals("slope"))
              .findFirst()
              .orElseThrow()
              .updates()
              .stream()
              .mapToDouble(update -> update.requireTraining().meanLossAfter())
              .min()
              .orElseThrow();
      assertThat(error).as("squared error, the target's variance is about 83").isLessThan(40);
    }
  }
}
