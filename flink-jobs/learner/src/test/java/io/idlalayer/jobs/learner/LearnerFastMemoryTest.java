package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.state.LearnerState.Slot;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.sample.Sample;
import java.util.List;
import org.junit.jupiter.api.Test;

/** A learner that divides its DRAM while it trains. */
final class LearnerFastMemoryTest {
  private static final long BYTES = 8 << 10;

  private static ApplicationSettings settings(boolean divides) {
    RowSettings rows = new RowSettings(BYTES / 2, RowPolicyName.FREQUENCY, 1, 1_000, Expiry.NEVER);
    ApplicationSettings plain = TablesWorld.settings(rows, RowUpdater.ADAGRAD);
    if (!divides) {
      return plain;
    }
    FastBudget budget = new FastBudget(BYTES, BYTES, List.of(FastUse.SAMPLES, FastUse.ROWS));
    ApplicationSettings.Memory memory = plain.memory();
    return LearnerSettings.with(
        plain,
        new ApplicationSettings.Memory(
            null,
            budget.initialBytes(),
            PolicyName.ADAPTIVE,
            false,
            memory.tensors(),
            rows.resizable(budget.initialBytes(), budget.mostBytes()),
            null,
            memory.lending(),
            budget));
  }

  private static TablesWorld world(boolean divides, List<Sample> stream)
      throws InterruptedException {
    TablesWorld world = new TablesWorld(settings(divides), stream);
    world.millisPerEvent = 4_000;
    return world;
  }

  @Test
  void learn_withMovingMemory_keepsEveryBitAndTheBudget() throws InterruptedException {
    List<Sample> stream = TablesWorld.stream(11);
    TablesWorld fixed = world(false, stream);
    fixed.finishAll();

    TablesWorld moving = world(true, stream);
    moving.afterTick =
        () -> assertThat(moving.cache.limitBytes()).isBetween(BYTES / 16, 15 * BYTES / 16);
    moving.finishAll();

    assertThat(moving.said(DecisionEvent.Type.MEMORY))
        .isNotEmpty()
        .allSatisfy(event -> assertThat(event.message()).contains("samples", "rows", "KiB"));
    assertThat(moving.cache.limitBytes()).isNotEqualTo(BYTES / 2);
    assertThat(moving.content()).isNotEmpty().isEqualTo(fixed.content());
    fixed.close();
    moving.close();
  }

  @Test
  void learn_killedAfterAMove_continuesWithEveryBit() throws InterruptedException {
    List<Sample> stream = TablesWorld.stream(12);
    TablesWorld fixed = world(false, stream);
    fixed.finishAll();

    TablesWorld moving = world(true, stream);
    while (moving.position < TablesWorld.EVENTS) {
      moving.step();
      if (moving.position % 100 == 0) {
        moving.work();
        moving.kill(moving.checkpoint());
      }
    }
    for (int i = 0; i < 10; i++) {
      moving.work();
    }

    assertThat(moving.said(DecisionEvent.Type.MEMORY)).isNotEmpty();
    assertThat(moving.content()).isNotEmpty().isEqualTo(fixed.content());
    fixed.close();
    moving.close();
  }

  @Test
  void restart_afterAMove_beginsWithTheSplitOfBefore() throws InterruptedException {
    TablesWorld world = world(true, TablesWorld.stream(13));
    while (world.cache.limitBytes() == BYTES / 2) {
      world.step();
    }
    long moved = world.cache.limitBytes();
    int said = world.said(DecisionEvent.Type.MEMORY).size();
    TablesWorld.Checkpoint checkpoint = world.checkpoint();
    assertThat(checkpoint.state().get(Slot.FAST_MEMORY)).isNotNull();

    world.kill(checkpoint);
    world.work();

    assertThat(world.cache.limitBytes()).isEqualTo(moved);
    assertThat(world.said(DecisionEvent.Type.MEMORY))
        .hasSize(said + 1)
        .last()
        .satisfies(event -> assertThat(event.message()).contains("as before the restart"));
    world.close();

    TablesWorld fixed = world(false, TablesWorld.stream(13));
    fixed.kill(checkpoint);
    assertThat(fixed.checkpoint().state().get(Slot.FAST_MEMORY))
        .as("without a budget there is no split")
        .isNull();
    fixed.close();
  }
}
