package io.idlalayer.jobs.learner.release;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.learner.ManualExecutor;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.ModelDraft;
import io.idlalayer.middleware.models.store.ModelPublisher;
import java.io.IOException;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.RejectedExecutionException;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

final class ServiceWatchTest implements PublishedModels {
  private static final Pin OLDER = pin(3, 7);
  private static final Pin OLDEST = pin(1, 0);

  private final ManualExecutor executor = new ManualExecutor();
  private final ServiceWatch watch =
      new ServiceWatch(new LearnerKey("app", 0), this, this::execute, false);
  private @Nullable Pin stored;
  private boolean fails;
  private boolean closing;
  private int looks;
  private long nowMillis = 1_000;

  private static Pin pin(long version, long until) {
    return new Pin(1, version, "digest", until, "worse", "people", 5);
  }

  private ServiceWatch.@Nullable Found poll() {
    return watch.poll(new LearnerTime(nowMillis));
  }

  private void execute(Runnable task) {
    if (closing) {
      throw new RejectedExecutionException("closing");
    }
    executor.execute(task);
  }

  /** A whole look. */
  private ServiceWatch.@Nullable Found look() {
    nowMillis += ServiceWatch.LOOK_MILLIS;
    assertThat(poll()).as("begins it").isNull();
    assertThat(executor.runOne()).isTrue();
    return poll();
  }

  @Test
  void poll_anotherPinThanBefore_saysSoOnce() {
    assertThat(look()).as("none, as before").isNull();
    stored = OLDER;
    assertThat(look().pin()).isEqualTo(OLDER);
    assertThat(look()).isNull();
    stored = OLDEST;
    assertThat(look().pin()).isEqualTo(OLDEST);
    stored = null;
    assertThat(look().pin()).isNull();
    assertThat(look()).isNull();
  }

  @Test
  void pin_aNewerVersionIsPublished_doesNotHoldAnyMore() {
    stored = OLDER;
    look();
    assertThat(watch.pin(7)).isEqualTo(OLDER);
    assertThat(watch.pin(8)).isNull();
    stored = OLDEST;
    look();
    assertThat(watch.pin(8)).as("until it is unpinned").isEqualTo(OLDEST);
  }

  @Test
  void pin_theNewestVersionIsPinned_isNoOlderOne() {
    stored = OLDEST;
    look();
    assertThat(watch.pin(1)).isNull();
    assertThat(watch.pin(2)).isEqualTo(OLDEST);
  }

  @Test
  void outdated_aLookThatHasBegun_isDroppedAndRepeated() {
    look();
    stored = OLDER;
    nowMillis += ServiceWatch.LOOK_MILLIS;
    poll();
    executor.runOne();
    watch.outdated();
    stored = OLDEST;
    assertThat(poll()).as("of before").isNull();
    assertThat(watch.pin(7)).isNull();
    assertThat(poll()).as("begins anew, without a pause").isNull();
    assertThat(executor.runOne()).isTrue();
    assertThat(poll().pin()).isEqualTo(OLDEST);
  }

  @Test
  void poll_betweenLooks_looksNotAtAll() {
    look();
    nowMillis += ServiceWatch.LOOK_MILLIS - 1;
    for (int i = 0; i < 10; i++) {
      assertThat(poll()).isNull();
    }
    assertThat(executor.busy()).isFalse();
    assertThat(looks).isEqualTo(1);
    nowMillis++;
    poll();
    poll();
    assertThat(executor.runOne()).isTrue();
    assertThat(executor.busy()).as("one look at a time").isFalse();
  }

  @Test
  void poll_thePinCannotBeRead_whatWasKnownStays() {
    stored = OLDER;
    look();
    fails = true;
    assertThat(look()).isNull();
    assertThat(watch.pin(7)).isEqualTo(OLDER);
    fails = false;
    stored = null;
    assertThat(look().pin()).isNull();
    assertThat(watch.pin(7)).isNull();
  }

  @Test
  void poll_theProcessIsClosing_goesOn() {
    closing = true;
    assertThat(poll()).isNull();
    assertThat(poll()).isNull();
  }

  @Override
  public Optional<Pin> pin() throws IOException {
    looks++;
    if (fails) {
      throw new IOException("the medium is away");
    }
    return Optional.ofNullable(stored);
  }

  @Override
  public void claim() {}

  @Override
  public ModelCheckpoint publish(ModelDraft draft) {
    throw new UnsupportedOperationException();
  }

  @Override
  public Optional<ModelCheckpoint> current() {
    return Optional.empty();
  }

  @Override
  public void forget(long before) {}

  @Override
  public ModelPublisher.CleanUp cleanUp(int keep, Set<Long> needed) {
    throw new UnsupportedOperationException();
  }

  @Override
  public void rollBack(long version, String digest, long left, String reason) {}
}
