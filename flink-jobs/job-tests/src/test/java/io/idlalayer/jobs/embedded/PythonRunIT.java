package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assumptions.assumeThat;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.jobs.demo.DriftingStream;
import io.idlalayer.jobs.run.FakeMonitor;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.store.ModelStore;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelruntime.serve.PlainModel;
import io.idlalayer.modelruntime.serve.PlainModelLoader;
import io.idlalayer.modelruntime.serve.ServingHistories;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The Python package predicts what plain Java does with the models of a run. */
final class PythonRunIT {
  private static final ObjectMapper JSON = new ObjectMapper();
  private static final long EVENTS = 2_000;

  private static final String SCRIPT =
      """
      import json, sys
      from idlalayer import Subscriber
      rows = json.load(open(sys.argv[2], encoding="utf-8"))
      with Subscriber(sys.argv[1], "demo") as subscriber:
          model = subscriber.model()
          histories = model.histories()
          for row in rows:
              arrived = histories.arrived(row["event"])
              histories.label(arrived, row["label"])
              for found, wanted in (
                  (model.predict(arrived), row["inContext"]),
                  (model.predict(row["event"]), row["alone"]),
              ):
                  for value, right in zip(found.values[0], wanted):
                      assert abs(value - right) <= 1e-6, (found, wanted)
      print("predicted", len(rows), "with version", model.version)
      """;

  @TempDir Path folder;

  private Process python(Path output, String... arguments) throws IOException {
    List<String> command = new ArrayList<>(List.of("python3", "-B"));
    command.addAll(List.of(arguments));
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().put("PYTHONPATH", Path.of("../../serving/python/src").toString());
    builder.environment().put("OMP_NUM_THREADS", "1");
    return builder.redirectErrorStream(true).redirectOutput(output.toFile()).start();
  }

  private boolean hasNumpy() throws Exception {
    try {
      Process process = python(folder.resolve("numpy.txt"), "-c", "import numpy");
      return process.waitFor(1, TimeUnit.MINUTES) && process.exitValue() == 0;
    } catch (IOException noPython) {
      return false;
    }
  }

  private void run(Path work) throws Exception {
    Path file = folder.resolve("demo.yaml");
    ApplicationFiles.demo(file, "\nhistory: {labels: 2}\n");
    ApplicationSettings demo = ApplicationFiles.read(file, Files.readString(file));
    InputPlan input =
        new InputPlan(demo, "test", () -> new DriftingStream(3, EVENTS), Long.MAX_VALUE, 1_750);
    assertThat(
            new EmbeddedRun(
                    new EmbeddedRun.Plan(List.of(demo), work, null, input), new FakeMonitor())
                .run(() -> false)
                .finished())
        .isTrue();
  }

  /** Returns events, each with its label and what plain Java predicts with context and without. */
  private static ArrayNode rows(PlainModel model) {
    ServingHistories histories = new ServingHistories(model.spec());
    SplittableRandom random = new SplittableRandom(4);
    ArrayNode rows = JSON.createArrayNode();
    for (int i = 0; i < 60; i++) {
      double[] values = random.doubles(DriftingStream.FEATURES, -2, 2).toArray();
      ObjectNode row = rows.addObject();
      String feature = model.spec().schema().dense().get(0).name();
      put(row.putObject("event").putArray(feature), values);
      Sample plain = Sample.of(values, Sample.NO_LABEL);
      Sample arrived = histories.arrived("any", plain);
      int label = random.nextInt(2);
      histories.label(arrived, label);
      row.put("label", label);
      put(row.putArray("inContext"), model.predict(arrived));
      put(row.putArray("alone"), model.predict(plain));
    }
    return rows;
  }

  private static void put(ArrayNode into, double[] values) {
    for (double value : values) {
      into.add(value);
    }
  }

  @Test
  void predict_withTheModelOfARun_isWhatPlainJavaPredicts() throws Exception {
    assumeThat(hasNumpy()).as("python3 with numpy").isTrue();
    Path work = folder.resolve("work");
    run(work);
    ModelStore store = new ModelStore(work.resolve("models"), InstantSource.system());
    ModelCheckpoint version = store.current("demo", 0).orElseThrow();
    PlainModel model = new PlainModelLoader().load(store, version);
    assertThat(model.spec().members()).isGreaterThan(1);
    Path rows = folder.resolve("rows.json");
    Files.writeString(rows, rows(model).toString());
    Path output = folder.resolve("output.txt");
    Process process =
        python(output, "-c", SCRIPT, work.resolve("models").toString(), rows.toString());
    assertThat(process.waitFor(1, TimeUnit.MINUTES)).isTrue();
    assertThat(Files.readString(output)).contains("predicted 60 with version " + version.version());
    assertThat(process.exitValue()).isZero();
  }
}
