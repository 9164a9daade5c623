package io.idlalayer.jobs.submission;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.lineage.HashKeyNote;
import io.idlalayer.jobs.lineage.Submissions;
import io.idlalayer.jobs.run.StartOver;
import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.jobs.terminal.UsageException;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.Map;
import java.util.Objects;
import java.util.SortedMap;
import java.util.TreeMap;
import org.apache.flink.configuration.Configuration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class StreamSubmissionTest {
  @TempDir Path folder;

  private ModelStore store() {
    return new ModelStore(folder.resolve("models"), InstantSource.system());
  }

  private ApplicationSettings application(int hidden) throws Exception {
    return application(hidden, "[no, yes]");
  }

  private ApplicationSettings application(int hidden, String classes) throws Exception {
    return ApplicationFiles.read(
            folder.resolve("app.yaml"),
            "name: demo\ninput: {features: [a], label: y, classes: %s}\nmodel: {hidden: [%d]}\n"
                .formatted(classes, hidden))
        .publishingTo(folder.resolve("models").toString());
  }

  private StreamSubmission note(StartOver over, String... flink) throws Exception {
    Configuration user = new Configuration();
    for (int i = 0; i < flink.length; i += 2) {
      user.setString(flink[i], flink[i + 1]);
    }
    return StreamSubmission.note(application(2), user, over);
  }

  private void publish() throws Exception {
    SortedMap<String, String> attributes = new TreeMap<>();
    try (ModelStore store = store()) {
      ApplicationSettings keyed = application(2).with(HashKeyNote.open(store, "demo"));
      attributes.put(SettingsIdentity.ATTRIBUTE, SettingsIdentity.of(keyed).json());
      store.claim("demo", 0).publish(Drafts.of("demo", 0, null, attributes, Map.of(), Map.of()));
    }
  }

  private Submissions noted() throws IOException {
    try (ModelStore store = store()) {
      return Submissions.read(store, "demo");
    }
  }

  private Submissions.Submission newest() throws IOException {
    return Objects.requireNonNull(noted().newest());
  }

  @Test
  void note_noModels_mayBeginFromNothingWithTheKeyBesideThem() throws Exception {
    StreamSubmission submission = note(StartOver.NO);
    assertThat(newest())
        .isEqualTo(new Submissions.Submission(submission.id(), null, true, null, 0, null));
    assertThat(noted().fresh(submission.id())).isTrue();
    try (ModelStore store = store()) {
      assertThat(submission.application())
          .isEqualTo(application(2).with(HashKeyNote.open(store, "demo")));
    }
  }

  @Test
  void note_modelsAndNoState_isRefusedWithEachWayOn() throws Exception {
    publish();
    assertThatThrownBy(() -> note(StartOver.NO))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("demo has published models up to version 1")
        .hasMessageContaining("set execution.state-recovery.path")
        .hasMessageContaining("startOver(\"WORD\")")
        .hasMessageContaining("'start-over' = 'WORD'");
    assertThat(noted().newest()).as("nothing was noted").isNull();
  }

  @Test
  void note_modelsAndAPath_continuesAndMayNotBeginAnew() throws Exception {
    publish();
    StreamSubmission submission =
        note(StartOver.NO, "execution.state-recovery.path", "file:///points/chk-7");
    assertThat(newest())
        .isEqualTo(
            new Submissions.Submission(
                submission.id(), "file:///points/chk-7", false, null, 1, null));
  }

  @Test
  void note_modelsAndHighAvailability_leavesItToTheLearners() throws Exception {
    publish();
    StreamSubmission submission =
        note(
            StartOver.NO,
            "high-availability.type",
            "zookeeper",
            "high-availability.storageDir",
            folder.toUri().toString());
    assertThat(noted().fresh(submission.id())).isFalse();
  }

  @Test
  void note_startOver_takesEffectUntilSomethingWasPublished() throws Exception {
    publish();
    StreamSubmission explained = note(StartOver.once("monday"));
    StreamSubmission run = note(StartOver.once("monday"));
    assertThat(run.id()).isNotEqualTo(explained.id());
    assertThat(noted().fresh(run.id())).isTrue();
    publish();
    assertThatThrownBy(() -> note(StartOver.once("monday"))).isInstanceOf(UsageException.class);
    StreamSubmission next = note(StartOver.once("tuesday"));
    assertThat(noted().fresh(next.id())).isTrue();
  }

  @Test
  void note_startOverAndPath_isRefusedUnlessTheWordWasUsed() throws Exception {
    publish();
    String[] path = {"execution.state-recovery.path", "file:///points/chk-7"};
    assertThatThrownBy(() -> note(StartOver.once("monday"), path))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("leave out one of them");
    note(StartOver.once("monday"));
    StreamSubmission continued = note(StartOver.once("monday"), path);
    assertThat(noted().fresh(continued.id())).isFalse();
  }

  @Test
  void note_changedModel_isRefusedUnlessStartedOver() throws Exception {
    publish();
    ApplicationSettings changed = application(3);
    Configuration path = new Configuration();
    path.setString("execution.state-recovery.path", "file:///points/chk-7");
    assertThatThrownBy(() -> StreamSubmission.note(changed, path, StartOver.NO))
        .isInstanceOf(UsageException.class)
        .hasMessageContaining("model.hidden");
    StreamSubmission anew =
        StreamSubmission.note(changed, new Configuration(), StartOver.once("wider"));
    assertThat(noted().fresh(anew.id())).isTrue();
  }

  @Test
  void note_changedClasses_areAcceptedWithAPathOnly() throws Exception {
    publish();
    ApplicationSettings changed = application(2, "[no, yes, perhaps]");
    assertThatThrownBy(() -> StreamSubmission.note(changed, new Configuration(), StartOver.NO))
        .isInstanceOf(UsageException.class);
    Configuration path = new Configuration();
    path.setString("execution.state-recovery.path", "file:///points/chk-7");
    StreamSubmission submission = StreamSubmission.note(changed, path, StartOver.NO);
    assertThat(newest())
        .isEqualTo(
            new Submissions.Submission(
                submission.id(), "file:///points/chk-7", false, null, 1, null));
    assertThat(noted().fresh(submission.id())).isFalse();
  }
}
