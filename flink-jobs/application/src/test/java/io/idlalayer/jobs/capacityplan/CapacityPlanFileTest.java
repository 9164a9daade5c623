package io.idlalayer.jobs.capacityplan;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.ApplicationFileReader;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class CapacityPlanFileTest {
  private static final String APP =
      """
      name: clicks
      input: {format: csv, columns: [a, b, y], features: [a, b], label: y, classes: 2}
      model: {type: mlp, hidden: [16]}
      training: {mini-batch: 32}
      """;

  @TempDir Path folder;

  private PlanBasis basis(String app) throws Exception {
    Path file = Files.writeString(folder.resolve("app.yaml"), app);
    return PlanBasis.of(ApplicationFileReader.read(file, name -> null));
  }

  private CapacityPlan plan(long madeAtMillis) throws Exception {
    CapacityPlan.Update update = new CapacityPlan.Update(true, 0.5, 20.0, 0.2, 0.4, 1_000.0);
    return new CapacityPlan(
        CapacityPlan.FORMAT,
        CapacityPlan.VERSION,
        "clicks",
        madeAtMillis,
        basis(APP),
        new CapacityPlan.Measured(
            CapacityPlan.Label.REAL,
            32,
            9,
            0.01,
            4_096,
            512,
            1_024,
            null,
            null,
            Map.of(
                "dram", new CapacityPlan.MeasuredDevice(1e10, 1e10, 100, 100, "dram", "direct"))),
        new CapacityPlan.Predicted(
            CapacityPlan.Label.SIMULATED,
            true,
            100,
            Map.of("nvme", new CapacityPlan.SlowDevice(3e9, 2e9, 80_000, 80_000, 0.1, false)),
            List.of(
                new CapacityPlan.Row(
                    2_048, "nvme", Map.of("auto", 0.02), 0.02, 0.015, update, 1.5, ""),
                new CapacityPlan.Row(4_096, null, Map.of(), null, null, null, null, "no place")),
            0.1,
            null,
            "none of these"),
        new CapacityPlan.Forecast(CapacityPlan.Label.SIMULATED, false, List.of(), 0, List.of()),
        List.of("a remark"));
  }

  @Test
  void read_whatWasWritten_isThePlan() throws Exception {
    CapacityPlanFile file = new CapacityPlanFile(folder.resolve("work"), "clicks");
    assertThat(file.read()).isEmpty();
    file.write(plan(7));
    assertThat(file.read()).contains(plan(7));
    file.write(plan(8));
    assertThat(file.read().orElseThrow().madeAtMillis()).isEqualTo(8);
    assertThat(file.path().getParent()).isDirectoryContaining("glob:**clicks.json");
    try (var files = Files.list(file.path().getParent())) {
      assertThat(files).as("no staged file stays").hasSize(1);
    }
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(folder.resolve("work"))))
        .isEqualTo("rwx------");
  }

  @Test
  void read_damagedOrOtherFiles_saysWhatIsWrong() throws Exception {
    CapacityPlanFile file = new CapacityPlanFile(folder, "clicks");
    file.write(plan(7));
    String whole = Files.readString(file.path());
    for (int length : new int[] {0, 1, whole.length() / 2, whole.length() - 5}) {
      Files.writeString(file.path(), whole.substring(0, length));
      assertThatThrownBy(file::read).isInstanceOf(IOException.class).hasMessageContaining("clicks");
    }
    Files.writeString(file.path(), whole.replace("\"version\" : 1", "\"version\" : 2"));
    assertThatThrownBy(file::read).hasMessageContaining("version 1");
    Files.writeString(file.path(), "{\"format\": \"idla-plan\", \"version\": 1}");
    assertThatThrownBy(file::read).hasMessageContaining("is damaged");
    Files.writeString(file.path(), "[" + " ".repeat(1 << 20) + "]");
    assertThatThrownBy(file::read).hasMessageContaining("more than");
    Files.delete(file.path());
    Files.createDirectory(file.path());
    assertThatThrownBy(file::read).isInstanceOf(IOException.class);
  }

  @Test
  void differences_namesTheKeysOfOtherNumbers() throws Exception {
    PlanBasis planned = basis(APP);
    assertThat(planned.differences(basis(APP))).isEmpty();
    assertThat(planned.differences(basis(APP.replace("name: clicks", "name: other")))).isEmpty();
    assertThat(planned.differences(basis(APP + "kafka: {topic-prefix: x.}\n"))).isEmpty();
    assertThat(planned.differences(basis(APP.replace("[16]", "[16, 8]"))))
        .containsExactly("model.hidden: [16] before, [16, 8] now");
    assertThat(planned.differences(basis(APP.replace("32", "64"))))
        .containsExactly("training.mini-batch: 32 before, 64 now");
    assertThat(planned.differences(basis(APP + "update: {rule: periodic, period: 5s}\n")))
        .contains("update.*: changed")
        .anyMatch(line -> line.startsWith("update.rule: "));
    PlanBasis damaged = new PlanBasis("{", planned.further());
    assertThatThrownBy(() -> damaged.differences(planned))
        .isInstanceOf(IllegalArgumentException.class);
  }
}
