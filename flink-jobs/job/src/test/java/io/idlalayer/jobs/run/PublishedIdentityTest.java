package io.idlalayer.jobs.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.learner.state.StoredIdentityTest;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** A changed application file on models that were published with another one. */
final class PublishedIdentityTest {
  @TempDir Path folder;

  private ApplicationSettings read(String text) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), text);
  }

  @ParameterizedTest
  @MethodSource("io.idlalayer.jobs.learner.state.StoredIdentityTest#changes")
  void check_changedFile_isRefusedBeforeTheJobIsSubmitted(String text, String says)
      throws Exception {
    ApplicationSettings before = read(StoredIdentityTest.BEFORE);
    publish(before);
    ApplicationSettings now = read(text);
    Path models = folder.resolve("models");
    PublishedIdentity.check(List.of(before), models);
    assertThatThrownBy(() -> PublishedIdentity.check(List.of(now), models))
        .isInstanceOf(SettingsChangedException.class)
        .hasMessageContaining(says);
  }

  @ParameterizedTest
  @MethodSource("io.idlalayer.jobs.learner.state.StoredIdentityTest#changesOfFeatures")
  void check_otherFeatures_areTaken(String text, String says) throws Exception {
    publish(read(StoredIdentityTest.BEFORE));
    assertThatCode(() -> PublishedIdentity.check(List.of(read(text)), folder.resolve("models")))
        .as(says)
        .doesNotThrowAnyException();
  }

  private void publish(ApplicationSettings application) throws Exception {
    TreeMap<String, String> attributes = new TreeMap<>();
    attributes.put(SettingsIdentity.ATTRIBUTE, SettingsIdentity.of(application).json());
    TreeMap<String, byte[]> files = new TreeMap<>();
    files.put("model.zip", new byte[] {1});
    new ModelStore(folder.resolve("models"), InstantSource.system())
        .claim(application.name(), 0)
        .publish(Drafts.of(application.name(), 0, null, attributes, files, Map.of()));
  }

  @Test
  void check_severalChanges_areSaidAtOnce() throws Exception {
    publish(read(StoredIdentityTest.BEFORE));
    ApplicationSettings now =
        read(
            StoredIdentityTest.BEFORE
                .replace("partitions: 2", "partitions: 4")
                .replace("[8, 4]", "[16]")
                .replace("\"no\", \"yes\"", "\"never\", \"ever\""));
    assertThatThrownBy(() -> PublishedIdentity.check(List.of(now), folder.resolve("models")))
        .hasMessageContainingAll("input.classes", "model.hidden", "partitions: 2 before, 4 now");
  }

  @Test
  void check_nothingPublished_hasNothingToCompare() throws Exception {
    assertThatCode(
            () ->
                PublishedIdentity.check(
                    List.of(read(StoredIdentityTest.BEFORE)), folder.resolve("nowhere")))
        .doesNotThrowAnyException();
  }

  @Test
  void startedOver_comparesWithTheNewSettingsFromThenOn() throws Exception {
    Path models = folder.resolve("models");
    ApplicationSettings before = read(StoredIdentityTest.BEFORE);
    publish(before);
    ApplicationSettings now = read(StoredIdentityTest.BEFORE.replace("[8, 4]", "[16]"));
    PublishedIdentity.startedOver(List.of(now), models);
    PublishedIdentity.check(List.of(now), models);
    assertThatThrownBy(() -> PublishedIdentity.check(List.of(before), models))
        .hasMessageContaining("model.hidden: [16] before, [8, 4] now");
    assertThat(new ModelStore(models, InstantSource.system()).problems("app", 0)).isEmpty();
  }

  /** What was started over is compared with the features that it has gone on with. */
  @Test
  void startedOver_featuresChangeStepByStep_areComparedWithTheLastOnes() throws Exception {
    Path models = folder.resolve("models");
    String a = StoredIdentityTest.BEFORE.replace("[a, {name: b, scale: 2}, c]", "[a]");
    a = a.replace("  categorical: [{name: site, buckets: 16}]\n", "");
    PublishedIdentity.startedOver(List.of(read(a)), models);
    PublishedIdentity.check(List.of(read(a.replace("[a]", "[a, c]"))), models);
    PublishedIdentity.check(List.of(read(a.replace("[a]", "[c]"))), models);
    ApplicationSettings other = read(a);
    assertThatThrownBy(() -> PublishedIdentity.check(List.of(other), models))
        .hasMessageContaining("none of the features from before is left");
  }
}
