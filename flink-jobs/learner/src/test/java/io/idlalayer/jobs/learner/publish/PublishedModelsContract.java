package io.idlalayer.jobs.learner.publish;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.FakeLineageTrainer;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a learner may expect of the place where its models are published, real or not. */
public abstract class PublishedModelsContract {
  /** A place with no version of application "app", partition 0. */
  protected abstract PublishedModels open() throws Exception;

  private static ModelDraft draft(long minimumVersion, ModelCheckpoint parent, Long... lineage) {
    return new ModelDraft(
        "app",
        0,
        minimumVersion,
        parent == null ? 0 : parent.manifest().version(),
        parent == null ? "" : parent.digest(),
        new TreeMap<>(Map.of("events-0", 12L)),
        new TreeMap<>(Map.of("trainedNewSamples", (long) lineage.length)),
        new TreeMap<>(Map.of("loss", 0.25)),
        new TreeMap<>(Map.of("branch", "none")),
        new TreeMap<>(Map.of(FakeLineageTrainer.FILE, FakeLineageTrainer.file(List.of(lineage)))));
  }

  @Test
  void current_nothingPublished_isEmpty() throws Exception {
    assertThat(open().current()).isEmpty();
  }

  @Test
  void publish_aVersion_isCurrentWithWhatTheDraftSaid() throws Exception {
    PublishedModels models = open();
    models.claim();
    ModelCheckpoint first = models.publish(draft(1, null, 1L, 2L, 3L));
    ModelManifest manifest = first.manifest();
    assertThat(manifest.application()).isEqualTo("app");
    assertThat(manifest.version()).isEqualTo(1);
    assertThat(manifest.parentVersion()).isZero();
    assertThat(manifest.inputOffsets()).containsExactly(Map.entry("events-0", 12L));
    assertThat(manifest.counts()).containsExactly(Map.entry("trainedNewSamples", 3L));
    assertThat(manifest.metrics()).containsExactly(Map.entry("loss", 0.25));
    assertThat(manifest.attributes()).containsExactly(Map.entry("branch", "none"));
    Optional<ModelCheckpoint> current = models.current();
    assertThat(current).isPresent();
    assertThat(current.get().manifest()).isEqualTo(manifest);
    assertThat(current.get().digest()).isEqualTo(first.digest()).isNotEmpty();
  }

  @Test
  void publish_withoutAClaim_takesThePlaceItself() throws Exception {
    PublishedModels models = open();
    assertThat(models.publish(draft(1, null, 1L)).manifest().version()).isEqualTo(1);
  }

  @Test
  void publish_again_growsAndNamesItsParent() throws Exception {
    PublishedModels models = open();
    ModelCheckpoint first = models.publish(draft(1, null, 1L));
    ModelCheckpoint second = models.publish(draft(2, first, 1L, 2L));
    assertThat(second.manifest().version()).isEqualTo(2);
    assertThat(second.manifest().parentVersion()).isEqualTo(1);
    assertThat(second.manifest().parentDigest()).isEqualTo(first.digest());
    assertThat(second.digest()).isNotEqualTo(first.digest());
    ModelCheckpoint beside = models.publish(draft(2, first, 1L, 3L));
    assertThat(beside.manifest().version())
        .as("a version that is taken is not given again")
        .isEqualTo(3);
    assertThat(models.current().orElseThrow().digest()).isEqualTo(beside.digest());
  }

  @Test
  void publish_aLaterMinimum_isReached() throws Exception {
    PublishedModels models = open();
    ModelCheckpoint first = models.publish(draft(1, null, 1L));
    assertThat(models.publish(draft(7, first, 1L, 2L)).manifest().version()).isEqualTo(7);
    assertThat(models.publish(draft(1, first, 1L, 3L)).manifest().version())
        .as("it only grows, whatever a restored state remembers")
        .isEqualTo(8);
  }

  @Test
  void cleanUp_anyNumber_leavesTheCurrentVersion() throws Exception {
    PublishedModels models = open();
    ModelCheckpoint newest = null;
    for (long version = 1; version <= 4; version++) {
      newest = models.publish(draft(version, newest, version));
    }
    assertThat(models.cleanUp(1, Set.of()).left()).isEmpty();
    assertThat(models.current().orElseThrow().digest()).isEqualTo(newest.digest());
    assertThat(models.publish(draft(5, newest, 5L)).manifest().version()).isEqualTo(5);
  }
}
