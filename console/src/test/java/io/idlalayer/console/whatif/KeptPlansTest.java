package io.idlalayer.console.whatif;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.capacityplan.CapacityPlanFile;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class KeptPlansTest {
  @TempDir Path folder;

  private ApplicationSettings read(String name, String more) throws IOException, SettingsException {
    return ApplicationFiles.read(
        folder.resolve(name + ".yaml"),
        """
        name: %s
        input: {format: csv, columns: [a, label], features: [a], label: label, classes: 2}
        """
                .formatted(name)
            + more);
  }

  private KeptPlans plans(ApplicationSettings application) {
    return new KeptPlans(List.of(application), List.of(Path.of("my apps/clicks.yaml")), folder);
  }

  private CapacityPlanFile file() {
    return new CapacityPlanFile(folder, "clicks");
  }

  @Test
  void of_aKeptPlan_isThePlan() throws Exception {
    ApplicationSettings clicks = read("clicks", "");
    KeptPlans plans = plans(clicks);
    file().write(ExamplePlan.of(clicks));
    KeptPlans.Answer answer = plans.of("clicks");
    assertThat(answer.problem()).isEmpty();
    assertThat(answer.plan()).isEqualTo(ExamplePlan.of(clicks));
  }

  @Test
  void of_noPlan_namesTheCommand() throws Exception {
    KeptPlans.Answer answer = plans(read("clicks", "")).of("clicks");
    assertThat(answer.problem()).contains("no plan of this application yet");
    assertThat(answer.command())
        .isEqualTo("./idla plan 'my apps/clicks.yaml' --work-dir " + folder);
    assertThat(answer.plan()).isNull();
    assertThat(
            new KeptPlans(List.of(read("clicks", "")), List.of(Path.of("a.yaml")), null)
                .of("clicks")
                .command())
        .isEqualTo("./idla plan a.yaml");
  }

  @Test
  void of_aPlanOfOtherSettings_namesThemAndShowsNoNumbers() throws Exception {
    file().write(ExamplePlan.of(read("clicks", "model: {type: mlp, hidden: [8]}\n")));
    KeptPlans.Answer answer =
        plans(read("clicks", "model: {type: mlp, hidden: [9]}\n")).of("clicks");
    assertThat(answer.problem()).contains("other settings");
    assertThat(answer.differences()).containsExactly("model.hidden: [8] before, [9] now");
    assertThat(answer.plan()).isNull();
  }

  @Test
  void of_aDamagedPlanOrOneOfAnotherApplication_isAProblem() throws Exception {
    KeptPlans plans = plans(read("clicks", ""));
    file().write(ExamplePlan.of(read("other", "")));
    assertThat(plans.of("clicks").problem()).contains("of the application other");
    Files.writeString(file().path(), "{");
    assertThat(plans.of("clicks").problem()).contains("cannot be read: clicks.json is damaged");
    assertThat(plans.of("none").problem()).contains("without the file");
  }
}
