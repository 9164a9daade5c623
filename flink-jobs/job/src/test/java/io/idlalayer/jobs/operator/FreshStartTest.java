package io.idlalayer.jobs.operator;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.learner.FakeLearnerState;
import io.idlalayer.jobs.learner.state.LastingFailureException;
import io.idlalayer.jobs.learner.state.LearnerState;
import io.idlalayer.jobs.lineage.Submissions;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.store.Drafts;
import io.idlalayer.middleware.models.store.ModelStore;
import java.io.IOException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

final class FreshStartTest {
  private static final LearnerKey KEY = new LearnerKey("demo", 0);

  @TempDir Path folder;
  private final LearnerState state = new FakeLearnerState();
  private ModelStore models;

  @BeforeEach
  void open() {
    models = new ModelStore(folder, InstantSource.system());
  }

  private void publish() throws IOException {
    models
        .claim("demo", 0)
        .publish(Drafts.of("demo", 0, null, new TreeMap<>(), Map.of(), Map.of()));
  }

  private void submit(String job, boolean fresh) throws IOException {
    new Submissions(List.of())
        .add(models, "demo", new Submissions.Submission(job, null, fresh, null, 0, null));
  }

  @Test
  void require_noModels_mayBegin() {
    FreshStart.require(state, models, models, KEY, "job-1");
  }

  @Test
  void require_modelsAndState_continues() throws Exception {
    publish();
    state.put(LearnerState.Slot.IDENTITY, new byte[] {1});
    FreshStart.require(state, models, models, KEY, "job-1");
  }

  @Test
  void require_modelsWithoutState_isRefused() throws Exception {
    publish();
    submit("job-1", false);
    assertThatThrownBy(() -> FreshStart.require(state, models, models, KEY, "job-1"))
        .isInstanceOf(LastingFailureException.class)
        .hasMessageContaining("demo/0 has published models in " + folder)
        .hasMessageContaining("-s");
  }

  @Test
  void require_modelsOfThisJobBeforeItsFirstCheckpoint_mayBeginAgain() throws Exception {
    submit("job-1", true);
    publish();
    FreshStart.require(state, models, models, KEY, "job-1");
    assertThatThrownBy(() -> FreshStart.require(state, models, models, KEY, "job-2"))
        .isInstanceOf(LastingFailureException.class);
  }
}
