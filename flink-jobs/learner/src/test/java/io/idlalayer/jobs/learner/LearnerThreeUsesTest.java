package io.idlalayer.jobs.learner;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.TensorUse;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.memory.FastBudget;
import io.idlalayer.middleware.cache.budget.FastUse;
import io.idlalayer.middleware.cache.policy.PolicyName;
import io.idlalayer.middleware.embedding.plan.RowUpdater;
import io.idlalayer.middleware.embedding.settings.Expiry;
import io.idlalayer.middleware.embedding.settings.RowPolicyName;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.SplittableRandom;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * Samples, rows and tensors of one learner in one budget of DRAM: its cache, its tables and its
 * placed network are real, and so are the bytes that they get; time passes with the events.
 */
final class LearnerThreeUsesTest {
  private static final long BYTES = 256 << 10;
  private static final long LEAST_TENSOR_BYTES = 16 << 10;
  private static final FastBudget BUDGET = new FastBudget(BYTES, BYTES, List.of(FastUse.values()));
  private static final Pattern CHANGES =
      Pattern.compile(
          "samples (\\d+) to (\\d+) KiB, rows (\\d+) to (\\d+) KiB, tensors (\\d+) to (\\d+) KiB");
  private static final int MOST_EVENTS = 10_000;
  private static final int IDS = 900;
  private static final long SLOW_BYTES = 16 << 20;

  @TempDir Path folder;

  private static ApplicationSettings settings(@Nullable FastBudget budget) {
    RowSettings rows = new RowSettings(BYTES, RowPolicyName.FREQUENCY, 1, 1_000, Expiry.NEVER);
    ApplicationSettings plain =
        TablesWorld.settings(
            rows,
            RowUpdater.ADAGRAD,
            new ModelSpec.Network.WideAndDeep(List.of(96, 96)),
            RowIndex.OPEN,
            RowIndex.OPEN);
    if (budget == null) {
      return plain;
    }
    return LearnerSettings.with(
        plain,
        new ApplicationSettings.Memory(
            null,
            budget.initialBytes(),
            PolicyName.ADAPTIVE,
            false,
            plain.memory().tensors(),
            rows.resizable(budget.initialBytes(), budget.mostBytes()),
            null,
            plain.memory().lending(),
            budget));
  }

  private static List<Sample> stream() {
    SplittableRandom random = new SplittableRandom(3);
    List<Sample> stream = new ArrayList<>();
    for (int i = 0; i < MOST_EVENTS; i++) {
      long[] keys = new long[4];
      Arrays.setAll(keys, k -> 2 + random.nextInt(IDS));
      stream.add(
          new Sample(
              "e" + i,
              new double[] {(float) random.nextDouble()},
              new int[0],
              new IdLists(keys, new int[] {1, keys.length}),
              keys[0] % 2));
    }
    return stream;
  }

  private static TablesWorld world(@Nullable TensorShares placed) throws InterruptedException {
    TablesWorld world = new TablesWorld(settings(placed == null ? null : BUDGET), stream());
    if (placed != null) {
      world.close();
      world.placed = placed;
      world.tensors = new TensorGrant(LEAST_TENSOR_BYTES);
      world.start();
    }
    world.millisPerEvent = 1_000;
    return world;
  }

  private static void learnTo(TablesWorld world, int position) throws InterruptedException {
    while (world.position < position) {
      world.step();
    }
    for (int i = 0; i < 10; i++) {
      world.work();
    }
  }

  /** Returns the placement of tensors in the trainings up to now. */
  private static List<TensorUse> trainings(TablesWorld world) {
    return world.events.stream()
        .map(DecisionEvent::update)
        .filter(Objects::nonNull)
        .map(UpdateRecord::training)
        .filter(Objects::nonNull)
        .map(UpdateRecord.Training::tensors)
        .filter(Objects::nonNull)
        .toList();
  }

  /** The load gains most from tensors, whose equal part is too small for a step. */
  @Test
  void learn_tensorsSaveMost_movesTheBytesOfAllThreeAndNoBit() throws Exception {
    TensorShares shares =
        new TensorShares(
            "app",
            1,
            new TensorSettings(BUDGET.initialBytes(), folder, SLOW_BYTES, PlacementName.AUTO));
    shares.enter();
    TablesWorld world = world(shares);
    TensorGrant grant = Objects.requireNonNull(world.tensors);
    world.afterTick =
        () ->
            assertThat(world.cache.limitBytes() + grant.heldBytes())
                .isLessThanOrEqualTo(BYTES - BUDGET.leastBytes());
    // Steps of other sizes are rehearsed on another thread.
    while (world.said(DecisionEvent.Type.MEMORY).isEmpty()) {
      world.step();
    }
    learnTo(world, world.position + 200);

    DecisionEvent moved = world.said(DecisionEvent.Type.MEMORY).get(0);
    Matcher changes = CHANGES.matcher(moved.message());
    assertThat(changes.find()).as(moved.message()).isTrue();
    for (int use = 0; use < FastUse.values().length; use++) {
      assertThat(changes.group(2 * use + 1))
          .as(moved.message())
          .isNotEqualTo(changes.group(2 * use + 2));
    }
    List<TensorUse> trainings = trainings(world);
    TensorUse before = trainings.get(0);
    TensorUse after = trainings.get(trainings.size() - 1);
    assertThat(before.fast().bytes()).isEqualTo(TensorGrant.rounded(BUDGET.initialBytes()));
    assertThat(before.arguments().misses()).isPositive();
    assertThat(after.fast().bytes()).isGreaterThan(before.fast().bytes());
    assertThat(after.arguments().misses()).isZero();
    Status status = world.last().status();
    assertThat(status.hotSamples().donatedBytes()).isLessThan(BUDGET.initialBytes());
    assertThat(status.hotSamples().misses())
        .as("samples pay for it")
        .isGreaterThan(moved.status().hotSamples().misses());

    TablesWorld fixed = world(null);
    learnTo(fixed, world.position);
    assertThat(world.content()).isNotEmpty().isEqualTo(fixed.content());
    world.close();
    fixed.close();
    shares.leave();
  }
}
