package io.idlalayer.middleware.placement.engine;

import static io.idlalayer.middleware.memory.object.Tiers.FAST;
import static io.idlalayer.middleware.memory.object.Tiers.SLOW;
import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.memory.clock.RealClock;
import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.memory.object.PinnedException;
import io.idlalayer.middleware.memory.object.TieredMemory.VerifyReport;
import io.idlalayer.middleware.memory.object.Tiers;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.PolicyCase;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import io.idlalayer.middleware.placement.api.PlacementPolicy;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Threads whose kernels share weights: reading them all the time, updating them in between, with
 * temporaries of their own, hints, and a fast device that holds a fraction.
 */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
public abstract class SharedWeightsContract {
  private static final int THREADS = 3;
  private static final int WEIGHTS = 6;
  private static final int WIDTH = 256;
  protected static final long FAST_BYTES = 1024;
  protected static final long SLOW_BYTES = 1 << 15;

  private final AtomicLong updates = new AtomicLong();

  /** The policies to try. */
  protected abstract List<PolicyCase> policies();

  /** Rounds of kernels of each thread. */
  protected int rounds() {
    return 1_500;
  }

  /** The memory that the threads share. */
  protected PlacedMemory memory(PlacementPolicy policy) {
    return PlacedTiers.of(policy, FAST_BYTES, SLOW_BYTES, new RealClock());
  }

  private List<PolicyCase> moderate() {
    return policies().stream().filter(policy -> !policy.allFast()).toList();
  }

  private static void fill(ByteBuffer out, int value) {
    while (out.hasRemaining()) {
      out.put((byte) value);
    }
  }

  private static int same(ByteBuffer in) {
    byte first = in.get(0);
    while (in.hasRemaining()) {
      assertThat(in.get()).isEqualTo(first);
    }
    return first;
  }

  private void run(PlacedMemory memory, List<MemObject> weights, long seed)
      throws InterruptedException {
    SplittableRandom random = new SplittableRandom(seed);
    for (int i = 0; i < rounds(); i++) {
      MemObject weight = weights.get(random.nextInt(WEIGHTS));
      MemObject other = weights.get(random.nextInt(WEIGHTS));
      MemObject made =
          memory.create(new AllocationRequest(32L + random.nextInt(WIDTH), Hint.AUTO, i % 16));
      memory.run(
          new KernelEvent(i % 16, "forward", List.of(weight, other), List.of(made)),
          arguments -> fill(arguments.bytes(made), same(arguments.bytes(weight))));
      memory.softEvict(random.nextBoolean() ? weight : made);
      memory.run(
          new KernelEvent(i % 16 + 16, "update", List.of(made), List.of(weight)),
          arguments -> {
            same(arguments.bytes(made));
            ByteBuffer bytes = arguments.bytes(weight);
            fill(bytes, same(bytes.duplicate()) + 1);
            updates.incrementAndGet();
          });
      between(memory, weight, random);
      memory.retire(made);
    }
  }

  /** Uses the tiered memory without the engine's knowledge. */
  protected void between(PlacedMemory memory, MemObject weight, SplittableRandom random)
      throws InterruptedException {
    try {
      switch (random.nextInt(8)) {
        case 0 -> Tiers.demote(memory.memory(), weight);
        case 1 -> Tiers.promote(memory.memory(), weight);
        case 2 -> memory.memory().defragment(FAST);
        case 3 -> Tiers.read(memory.memory(), weight);
        default -> memory.stats();
      }
    } catch (PinnedException e) {
      // A kernel of another thread uses it.
      Thread.onSpinWait();
    }
  }

  @ParameterizedTest
  @MethodSource("moderate")
  void kernelsThatShareWeights_neitherTearNorStarve(PolicyCase policy) throws Exception {
    updates.set(0);
    ExecutorService threads = Executors.newFixedThreadPool(THREADS);
    try (PlacedMemory memory = memory(policy.create())) {
      List<MemObject> weights = new ArrayList<>();
      for (int i = 0; i < WEIGHTS; i++) {
        MemObject weight = memory.create(new AllocationRequest(WIDTH, Hint.AUTO, 0));
        memory.run(
            new KernelEvent(0, "fill", List.of(), List.of(weight)),
            arguments -> fill(arguments.bytes(weight), 0));
        weights.add(weight);
      }
      List<Future<?>> running = new ArrayList<>();
      for (int thread = 0; thread < THREADS; thread++) {
        long seed = thread;
        running.add(
            threads.submit(
                () -> {
                  run(memory, weights, seed);
                  return null;
                }));
      }
      for (Future<?> each : running) {
        each.get();
      }
      int sum = 0;
      for (MemObject weight : weights) {
        sum += Tiers.read(memory.memory(), weight)[0];
        memory.retire(weight);
      }
      // Every update was seen by the next one: none was lost, modulo the bytes' overflow.
      assertThat((sum - updates.get()) % 256).isZero();
      assertThat(updates).hasValue((long) THREADS * rounds());
      assertThat(memory.memory().verify(true).problems()).isEmpty();
      if (policy.name().equals(PlacementName.CACHED_ARRAYS.key())) {
        ended(memory);
      }
    } finally {
      threads.shutdownNow();
    }
  }

  private static void ended(PlacedMemory memory) {
    assertThat(memory.memory().objects()).isEmpty();
    assertThat(memory.memory().verify()).isEqualTo(new VerifyReport(List.of(), 0, 0));
    assertThat(memory.memory().use(FAST).occupiedBytes()).isZero();
    assertThat(memory.memory().use(SLOW).occupiedBytes()).isZero();
  }
}
