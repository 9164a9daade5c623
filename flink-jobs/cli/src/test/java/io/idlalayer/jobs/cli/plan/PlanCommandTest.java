package io.idlalayer.jobs.cli.plan;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.jobs.capacityplan.CapacityPlan;
import io.idlalayer.jobs.capacityplan.CapacityPlanFile;
import io.idlalayer.jobs.capacityplan.PlanBasis;
import io.idlalayer.jobs.cli.FakeNetworks;
import io.idlalayer.jobs.cli.IdlaRun;
import io.idlalayer.jobs.settings.ApplicationFileReader;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.modelcontroller.training.EngineChoice;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

final class PlanCommandTest {
  private static final String NVME = "nvme:reads=3GB/s,writes=2GB/s,latency=80us,price=0.1";

  @TempDir Path folder;
  private final IdlaRun idla = new IdlaRun();

  static Stream<Path> examples() throws IOException {
    try (Stream<Path> files = Files.list(Path.of("../../examples"))) {
      return files.filter(file -> file.toString().endsWith(".yaml")).sorted().toList().stream();
    }
  }

  @ParameterizedTest
  @MethodSource("examples")
  void plan_everyExample_isWhole(Path example) throws Exception {
    JsonNode plan = json(example, "--device", NVME, "--dram-price 2 --processes 1,2 --link 10GbE");
    assertThat(plan.at("/measured/label").asText()).isEqualTo("REAL");
    assertThat(plan.at("/measured/stepSeconds").asDouble()).isPositive();
    assertThat(plan.at("/measured/peakBytes").asLong()).isPositive();
    assertThat(plan.at("/predicted/label").asText()).isEqualTo("SIMULATED");
    assertThat(plan.at("/predicted/needsSlowMemory").asBoolean()).isFalse();
    JsonNode row = plan.at("/predicted/rows/0");
    if (EngineChoice.loadLibrary()) {
      // Convolutions in plain Java are too slow for the images.
      assertThat(row.at("/update/keepsUp").asBoolean()).isTrue();
    }
    assertThat(row.at("/update/p99WaitSeconds").asDouble())
        .isGreaterThanOrEqualTo(row.at("/update/meanWaitSeconds").asDouble());
    assertThat(row.at("/monthPrice").asDouble()).isPositive();
    boolean tables = Files.readString(example).contains("embeddings:");
    assertThat(plan.at("/remarks").toString().contains("is not known before there are data"))
        .isEqualTo(tables);
    assertThat(plan.at("/forecast/built").asBoolean()).isFalse();
    assertThat(plan.at("/forecast/processes")).hasSize(2);
    assertThat(plan.at("/forecast/processes/1/mixSeconds").asDouble()).isPositive();
  }

  /** The command, which keeps its plan in a work directory of the test. */
  private String plan() {
    return "plan --work-dir " + folder.resolve("work");
  }

  private JsonNode json(Object... parts) throws IOException {
    Object[] all = Stream.concat(Stream.of(plan() + " --format json"), Stream.of(parts)).toArray();
    return new ObjectMapper().readTree(idla.printed(all));
  }

  private Path app(String more) throws IOException {
    return Files.writeString(
        folder.resolve("app.yaml"),
        """
        name: wide
        input: {format: binary, features: [{name: x, width: 256}], label: y, classes: 2}
        model: {type: mlp, hidden: [512, 512, 512]}
        training: {mini-batch: 256, epochs: 1, updater: adam, learning-rate: 0.001}
        """
            + more);
  }

  @Test
  void plan_ofANetworkThatNeedsNoSlowMemory_saysSo() throws Exception {
    String text = idla.printed(plan(), app(""));
    assertThat(text)
        .contains("measured on this machine (REAL)")
        .contains("This network needs no slow memory")
        .contains("Predicted (SIMULATED)")
        .doesNotContain("Micro-batches");
  }

  @Test
  void plan_withLittleMemory_comparesDevicesAndNamesTheCheapest() throws Exception {
    String slow = "slow:reads=200MB/s,writes=50MB/s,latency=100us,price=0.01";
    JsonNode plan =
        json(
            app(""),
            "--memory 4MiB,1GiB --device",
            NVME,
            "--device",
            slow,
            "--dram-price 1000 --target 500%");
    assertThat(plan.at("/predicted/rows")).hasSize(3);
    double fast = plan.at("/measured/stepSeconds").asDouble();
    double nvme = plan.at("/predicted/rows/0/stepSeconds/cached-arrays").asDouble();
    double other = plan.at("/predicted/rows/1/stepSeconds/cached-arrays").asDouble();
    assertThat(nvme).isGreaterThan(fast);
    assertThat(other).isGreaterThan(nvme);
    for (int row = 0; row < 2; row++) {
      JsonNode each = plan.at("/predicted/rows/" + row);
      assertThat(each.at("/boundSeconds").asDouble())
          .isBetween(fast * (1 - 1e-9), each.at("/stepSeconds/cached-arrays").asDouble());
    }
    assertThat(plan.at("/predicted/rows/2/device").isNull()).isTrue();
    // A gibibyte of DRAM for 1,000, four mebibytes for 3.91 and a little for the device.
    assertThat(plan.at("/predicted/rows/2/monthPrice").asDouble()).isEqualTo(1000);
    assertThat(plan.at("/predicted/rows/0/monthPrice").asDouble()).isBetween(3.9, 4.0);
    assertThat(plan.at("/predicted/verdict").asText()).contains("the cheapest");
    assertThat(plan.at("/remarks").toString()).contains("Micro-batches are not built");
    String text =
        idla.printed(
            plan(), app(""), "--memory 4MiB --device", NVME, "--processes 2 --link 2x10GbE");
    assertThat(text)
        .contains("cached-arrays")
        .contains("Such a ring is not built")
        .contains("Neither is built")
        .contains("bw-aware")
        .contains("in 2 parts");
  }

  @Test
  void plan_targetThatNothingMeets_isSaid() throws Exception {
    String text =
        idla.printed(
            plan(),
            app(""),
            "--memory 4MiB --device slow:reads=1MB/s,writes=1MB/s --target 1% --dram-price 1");
    // Everything in fast memory is always among the rows.
    assertThat(text).contains("Target: the cheapest").contains("of fast memory alone");
  }

  @Test
  void plan_budgetBelowTheLargestKernel_isPlannedAndSaid() throws Exception {
    String text = idla.printed(plan(), app(""), "--memory 300KiB --device", NVME);
    assertThat(text).containsAnyOf("less than the largest kernel", "find no place");
  }

  @Test
  void plan_withFastBytes_plansThem() throws Exception {
    Path slow = Files.createDirectory(folder.resolve("slow"));
    Path app = app("memory: {tensors: {fast-bytes: 5MiB, slow-directory: '%s'}}%n".formatted(slow));
    JsonNode plan = json(app);
    assertThat(plan.at("/measured/devices/slow/readBytesPerSecond").asDouble()).isPositive();
    assertThat(plan.at("/predicted/devices/slow/measured").asBoolean()).isTrue();
    assertThat(plan.at("/predicted/rows").findValuesAsText("fastBytes")).contains("5242880");
    assertThat(slow).isEmptyDirectory();
    Files.delete(slow);
    idla.assertUsage("memory.tensors.slow-directory", "plan", app);
    assertThat(idla.err()).contains("--device");
  }

  @Test
  void plan_eventsFasterThanTraining_saysWhatItKeepsUpWith() throws Exception {
    assertThat(idla.printed(plan(), app(""), "--events-per-second 1000000"))
        .contains("keeps up with");
  }

  @Test
  void plan_wrongOptionsAndFile_areAllSaidAtOnce() throws Exception {
    Path app = Files.writeString(folder.resolve("bad.yaml"), "name: x\nfoo: 1\n");
    idla.assertUsage(
        "--memory: '4Gb' is not a size",
        "plan",
        app,
        "--memory 4Gb,0MiB,NaN,-1GiB",
        "--device a:reads=0GB/s,writes=x,latency=-1us,price=-3,size=4",
        "--device a:reads=1GB/s,writes=1GB/s --device b:reads=1GB/s,reads=2GB/s",
        "--device dram:reads=1GB/s,writes=1GB/s --device :",
        "--dram-price NaN --processes 0,2,1.5 --target 0% --events-per-second 0 --link 3GbE,4");
    assertThat(idla.err())
        .contains("--memory: '0MiB' must be above 0")
        .contains("--memory: 'NaN' is not a size")
        .contains("--memory: '-1GiB' must be above 0")
        .contains("--device a: reads: '0GB/s' must be above 0")
        .contains("--device a: writes: 'x' is not a speed")
        .contains("--device a: latency: '-1us' must be between")
        .contains("--device a: price: '-3' is not a price")
        .contains("--device a: 'size=4' is none of latency=, price=, reads=, writes=")
        .contains("--device a is given twice")
        .contains("--device b: reads is given twice")
        .contains("--device b: writes is missing")
        .contains("--device dram: dram is the fast memory")
        .contains("--device ':': a device is written NAME:")
        .contains("--dram-price: 'NaN'")
        .contains("--processes: '0' is not a whole number")
        .contains("--processes: '1.5' is not a whole number")
        .contains("--target: '0%' must be above 0%")
        .contains("--events-per-second: '0'")
        .contains("--link: '3GbE,4' is no link")
        .contains("foo: unknown key");
    idla.assertUsage("several processes need --link", "plan", app(""), "--processes 2");
    idla.assertUsage("--link goes with --processes", "plan", app(""), "--link 10GbE");
    idla.assertUsage("none.yaml: does not exist", "plan", folder.resolve("none.yaml"));
  }

  @Test
  void plan_networkOfAnotherEngine_isRefusedWithTheReason() throws Exception {
    Path app = app("");
    Files.writeString(
        app, Files.readString(app).replace("epochs: 1", "epochs: 1, engine: deeplearning4j"));
    idla.assertUsage(
        "idla plan times the kernels of iDlaLayer's own engine, and deeplearning4j trains this network (training.engine)",
        "plan",
        app);
  }

  /** An application with a network of Deeplearning4j in a file, whose activations are cubes. */
  private Path appWithCubes(Path json) throws Exception {
    Path app = app("");
    ModelSpec like = ApplicationFileReader.read(app, name -> null).model();
    ModelSpec.Network cubes = FakeNetworks.cubes(like, List.of(64, 64));
    Files.writeString(json, ((ModelSpec.Network.Dl4jJson) cubes).json());
    return Files.writeString(
        app,
        """
        name: fromfile
        input: {format: binary, features: [{name: x, width: 256}], label: y, classes: 2}
        model: {type: dl4j-json, file: '%s'}
        training: {mini-batch: 32, epochs: 1}
        """
            .formatted(json));
  }

  @Test
  void plan_networkFromAFileThatTheEngineKnows_isPlanned() throws Exception {
    Path json = folder.resolve("network.json");
    Path app = appWithCubes(json);
    String cubes = Files.readString(json);
    String known = cubes.replace("ActivationCube", "ActivationReLU");
    assertThat(known).isNotEqualTo(cubes);
    Files.writeString(json, known);
    assertThat(json(app).at("/measured/parameterBytes").asLong())
        .isEqualTo(4L * (256 * 64 + 64 + 64 * 64 + 64 + 64 * 2 + 2));
  }

  @Test
  @Tag("natives")
  void plan_networkFromAFileThatOnlyDeeplearning4jKnows_isRefused() throws Exception {
    Path app = appWithCubes(folder.resolve("network.json"));
    idla.assertUsage("trains this network: ", "plan", app);
    assertThat(idla.err()).contains("deeplearning4j");
  }

  @Test
  void plan_whatIsPrinted_isKeptForTheConsole() throws Exception {
    Path app = app("");
    CapacityPlanFile place = new CapacityPlanFile(folder.resolve("work"), "wide");
    JsonNode printed = json(app, "--memory 4MiB --device", NVME);
    assertThat(idla.err()).contains("it is kept in " + place.path());
    assertThat(new ObjectMapper().readTree(place.path().toFile())).isEqualTo(printed);
    CapacityPlan kept = place.read().orElseThrow();
    assertThat(kept.madeAtMillis()).isPositive();
    assertThat(kept.predicted().rows().get(0).bestSeconds())
        .isEqualTo(Collections.min(kept.predicted().rows().get(0).stepSeconds().values()));
    ApplicationSettings settings = ApplicationFileReader.read(app, name -> null);
    assertThat(kept.basis().differences(PlanBasis.of(settings))).isEmpty();
    idla.printed(plan(), app, "--memory 8MiB --device", NVME);
    assertThat(place.read().orElseThrow().predicted().rows().get(0).fastBytes())
        .as("the last plan is kept")
        .isEqualTo(8 << 20);
  }

  @Test
  void plan_workDirectoryThatCannotBeWritten_isAWarningAfterThePlan() throws Exception {
    Path file = Files.writeString(folder.resolve("file"), "x");
    String text = idla.printed("plan", app(""), "--work-dir", file);
    assertThat(text).contains("measured on this machine (REAL)");
    assertThat(idla.err()).contains("warning: the console will not show this plan");
    assertThat(file).hasContent("x");
  }

  @Test
  void plan_ofAnyLocale_isTheSameText() throws Exception {
    Locale before = Locale.getDefault();
    try {
      Locale.setDefault(Locale.GERMANY);
      String text = idla.printed(plan(), app(""), "--memory 1.5GiB --events-per-second 2.5");
      assertThat(text).contains("1.50 GiB").contains("2.50 events a second");
      assertThat(List.of(text.split("\n", -1)))
          .noneMatch(line -> line.matches(".*\\d,\\d\\d? (ms|MiB).*"));
    } finally {
      Locale.setDefault(before);
    }
  }
}
