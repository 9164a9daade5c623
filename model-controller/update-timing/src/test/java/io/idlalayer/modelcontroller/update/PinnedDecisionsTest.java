package io.idlalayer.modelcontroller.update;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.modelcontroller.cost.MeasuredUpdate;
import io.idlalayer.modelcontroller.cost.TrainingCostModel;
import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import io.idlalayer.modelcontroller.replay.VirtualRun;
import io.idlalayer.modelcontroller.update.UpdateSettings.Draw;
import io.idlalayer.modelcontroller.update.UpdateSettings.Limits;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelcontroller.update.UpdateSettings.Tuning;
import io.idlalayer.modelcontroller.update.rule.Certificate;
import io.idlalayer.modelcontroller.update.rule.PendingQueue;
import io.idlalayer.modelcontroller.update.rule.RuleCosts;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision;
import io.idlalayer.modelcontroller.update.rule.UpdateDecision.Explanation;
import io.idlalayer.modelcontroller.update.rule.UpdateRule;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Pins every decision of every rule, bit for bit: firing times, batch sizes, charges, denials and
 * the numbers of explanations, on seeded streams of several kinds, against an adversary and through
 * the controller with failures and restores. A hash that changes means that decisions have changed:
 * change it only if that is intended, and say so.
 */
final class PinnedDecisionsTest {
  private static final Map<RuleName, Long> PINNED =
      Map.of(
          RuleName.DLA, -5495533378429425488L,
          RuleName.AREA, 1879892524427075210L,
          RuleName.ADAPTIVE, 7578177056990170726L,
          RuleName.DLA_RANDOM, -4673822972551599004L,
          RuleName.BEST_EFFORT, 659613184435452084L,
          RuleName.SPECULATIVE, 4798206277696965672L,
          RuleName.PERIODIC, -4388040781710640183L,
          RuleName.COUNT, 7591157649772698641L,
          RuleName.MANUAL, -5559519366246542486L,
          RuleName.PAPER, 2135023634885201136L);

  private static final List<ScheduleCosts> COSTS =
      List.of(
          new ScheduleCosts(0, 0.3, 30),
          new ScheduleCosts(0.02, 0.5, 10),
          new ScheduleCosts(0.3, 2, 3));

  private final Digest digest = new Digest();

  @ParameterizedTest
  @EnumSource(RuleName.class)
  void decisions_seededStreams_areThoseThatWerePinned(RuleName rule) {
    for (Tuning tuning : tunings(rule)) {
      UpdateSettings settings = UpdateSettings.of(rule, 10).with(tuning);
      for (ScheduleCosts costs : COSTS) {
        for (ArrivalTrace trace : streams()) {
          for (Machine machine : Machine.values()) {
            replayed(settings, costs, trace, machine);
          }
        }
        for (long seed = 1; seed <= 4; seed++) {
          watched(settings, costs, seed);
        }
      }
      for (long seed = 1; seed <= 6; seed++) {
        controlled(settings, seed);
      }
    }
    assertThat(digest.value()).as(rule.key()).isEqualTo(PINNED.get(rule));
  }

  private static List<Tuning> tunings(RuleName rule) {
    Tuning plain = Tuning.defaults().withPeriodSeconds(7).withCount(9);
    return switch (rule) {
      case DLA, AREA ->
          List.of(plain, Tuning.defaults().withZeta(0.5).withOmega(1.5).withIncludeNewest(true));
      case ADAPTIVE -> List.of(plain, Tuning.defaults().withRho(2.5));
      case DLA_RANDOM ->
          List.of(plain.withSeed(5), Tuning.defaults().withDraw(Draw.UPDATE).withSeed(7));
      default -> List.of(plain);
    };
  }

  /** Poisson, bursts, uploads of many at one time, heavy tails, dense and sparse by turns. */
  private static List<ArrivalTrace> streams() {
    List<ArrivalTrace> streams = new ArrayList<>();
    for (int kind = 0; kind < 5; kind++) {
      SplittableRandom random = new SplittableRandom(100 + kind);
      ArrivalTrace.Builder builder = new ArrivalTrace.Builder();
      double now = 0;
      for (int i = 0; i < 500; i++) {
        double unit = 1 - random.nextDouble();
        double gap = -Math.log(unit);
        int count = 1;
        switch (kind) {
          case 1 -> gap = i % 40 == 0 ? 60 * gap : 0.1 * gap;
          case 2 -> {
            gap *= 8;
            count = random.nextInt(3) == 0 ? 1 + random.nextInt(200) : 1 + random.nextInt(3);
          }
          case 3 -> gap = 0.4 / Math.sqrt(unit * unit * unit) - 0.3;
          case 4 -> gap *= (i / 120) % 2 == 0 ? 0.05 : 5;
          default -> {}
        }
        now += gap;
        builder.add((long) (now * 1e9), count);
      }
      streams.add(builder.build());
    }
    return streams;
  }

  private void replayed(
      UpdateSettings settings, ScheduleCosts costs, ArrivalTrace trace, Machine machine) {
    RuleOutcome outcome =
        new VirtualRun(settings, costs, machine)
            .listener(
                (at, samples) -> {
                  digest.add(at);
                  digest.add(samples);
                })
            .run("pinned", trace);
    digest.add(outcome.cost());
    digest.add(outcome.updates());
    digest.add(outcome.restarts());
  }

  /** Drives a rule by hand; the next sample answers the last commit. */
  private void watched(UpdateSettings settings, ScheduleCosts costs, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    RuleCosts ruleCosts = RuleCosts.of(costs);
    Certificate certificate = new Certificate(ruleCosts);
    UpdateRule rule = UpdateRules.of(settings, certificate, random.nextBoolean());
    PendingQueue pending = new PendingQueue();
    rule.rearm(pending, ruleCosts, 0);
    long now = 0;
    for (int round = 0; round < 60; round++) {
      int count = random.nextInt(4) == 0 ? 1 + random.nextInt(50) : 1;
      pending.add(now, count);
      certificate.arrived(now, count);
      rule.arrived(pending, now, count);
      long due = rule.nextFiringNanos(pending);
      digest.add(due);
      digest.add(rule.charge(pending, now));
      digest.add(rule.threshold());
      if (due <= now || (random.nextInt(3) > 0 && due != UpdateRule.NEVER)) {
        now = Math.max(now, due);
        while (rule.nextFiringNanos(pending) <= now) {
          int batch = rule.batchSize(pending, now);
          digest.add(batch);
          digest.add(rule.firing(pending, now));
          certificate.updateStarted(pending, batch, now);
          rule.updateStarted(pending, batch, now);
          pending.removeOldest(batch);
          rule.rearm(pending, ruleCosts, now);
        }
        digest.add(rule.denials());
        now += random.nextInt(4) > 0 ? 1 : (long) (random.nextDouble() * 20e9);
      } else {
        now += (long) (random.nextDouble() * 2e9);
      }
    }
  }

  /** The whole controller: trainings of a length of their own, failures, urgency, restores. */
  private void controlled(UpdateSettings plain, long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    UpdateSettings settings = seed % 3 == 0 ? plain.with(new Limits(40, 25, 2)) : plain;
    UpdateController controller = new UpdateController(settings, new TrainingCostModel());
    List<Long> waiting = new ArrayList<>();
    long now = 1_000_000_000L;
    long endNanos = Long.MAX_VALUE;
    int training = 0;
    for (int step = 0; step < 400; step++) {
      long next = now + (long) (-Math.log(1 - random.nextDouble()) * 0.3e9);
      UpdateDecision decision;
      if (endNanos <= next) {
        now = endNanos;
        endNanos = Long.MAX_VALUE;
        if (random.nextInt(10) == 0) {
          decision = controller.trainingDropped(now, 0, false);
        } else {
          double seconds = (0.2 + 0.003 * training) * (0.9 + 0.2 * random.nextDouble());
          decision =
              controller.trainingEnded(
                  now, training, training / 3, MeasuredUpdate.trained(seconds));
        }
      } else if (controller.nextFiringNanos() <= next) {
        now = Math.max(now, controller.nextFiringNanos());
        decision = controller.evaluate(now);
      } else {
        now = next;
        int count = random.nextInt(5) == 0 ? 1 + random.nextInt(30) : 1;
        for (int i = 0; i < count; i++) {
          waiting.add(now);
        }
        decision = controller.arrived(now, count);
      }
      if (endNanos == Long.MAX_VALUE && step % 50 == 49) {
        decision = controller.urgency(1 + random.nextInt(3), now);
      }
      if (endNanos == Long.MAX_VALUE && step % 70 == 69) {
        UpdateController restored = new UpdateController(settings, new TrainingCostModel());
        restored.restore(controller.snapshot());
        restored.rebuild(now, arrivals -> waiting.forEach(arrivals::arrived));
        controller = restored;
        decision = controller.evaluate(now);
      }
      add(decision.explanation());
      if (decision instanceof UpdateDecision.Train train) {
        training = train.samples();
        digest.add(training);
        controller.trainingStarted(training, training / 3, now);
        waiting.subList(0, training).clear();
        endNanos = now + (long) ((0.2 + 0.003 * training) * 1e9);
      } else if (decision instanceof UpdateDecision.Restart) {
        digest.add("restart");
      }
    }
  }

  private void add(Explanation why) {
    digest.add(why.reason());
    digest.add(why.pending());
    digest.add(why.charge().sampleSeconds());
    digest.add(why.charge().thresholdSampleSeconds());
    digest.add(why.predicted().mean());
    digest.add(why.predicted().low());
    digest.add(why.predicted().high());
    digest.add(why.nextFiringNanos());
    digest.add(why.guarantee().certifiedRatio());
    digest.add(why.charge().virtualWaitingSampleSeconds());
    digest.add(why.basis().costs().updateCost());
    digest.add(why.basis().costs().secondsPerSample());
    digest.add(why.basis().costs().fixedSeconds());
    digest.add(why.basis().costs().weight());
    digest.add(why.basis().urgency());
    digest.add(why.guarantee().guardDenials());
    digest.add(why.guarantee().delayedUpdates());
  }

  /** FNV-1a over 64-bit words. */
  private static final class Digest {
    private long value = 0xCBF29CE484222325L;

    void add(long word) {
      for (int shift = 0; shift < Long.SIZE; shift += Byte.SIZE) {
        value = (value ^ ((word >>> shift) & 0xFF)) * 0x100000001B3L;
      }
    }

    void add(double number) {
      add(Double.doubleToLongBits(number));
    }

    void add(String text) {
      text.chars().forEach(c -> add((long) c));
    }

    long value() {
      return value;
    }
  }
}
