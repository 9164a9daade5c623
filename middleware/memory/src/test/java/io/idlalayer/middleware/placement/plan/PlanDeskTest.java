package io.idlalayer.middleware.placement.plan;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.placement.api.TaskGraph;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Supplier;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class PlanDeskTest {
  private static final long END_MILLIS = 10_000;

  private static final TaskGraph STEP = Plans.chain(12);
  private static final PlanDevices DEVICES = Plans.devices(STEP.peakBytes() / 2);

  @TempDir Path folder;

  private final AtomicInteger planned = new AtomicInteger();
  private final Planner counted =
      Plans.planner(
          "counted",
          (graph, devices) -> {
            planned.incrementAndGet();
            return Plans.autoVm().plan(graph, devices);
          });

  private PlanRequest request(TaskGraph graph) {
    return PlanRequest.of(List.of(counted), graph, DEVICES);
  }

  private static PlanDesk direct(Path folder) {
    return PlanDesk.on(Runnable::run, folder, () -> 0);
  }

  private static List<Thread> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .filter(thread -> thread.getName().equals("tensor-plans"))
        .toList();
  }

  @Test
  void ask_stepThatDoesNotFit_isPlannedOnceAndFollowed() {
    try (PlanDesk desk = direct(null)) {
      PlanDecision decision = desk.ask(request(STEP)).orElseThrow();
      assertThat(decision.planner()).isEqualTo("counted");
      assertThat(decision.nanos()).isLessThan(decision.unplannedNanos());
      int plans = planned.get();
      assertThat(desk.ask(request(STEP))).contains(decision);
      assertThat(planned).hasValue(plans);
    }
  }

  /** Asks the desk, while it plans, what the step follows. */
  private static Planner late(
      PlanDesk[] desk, List<PlanDecision> meanwhile, PlanRequest[] request) {
    return new Plans.Candidates(
        "late",
        true,
        () -> {
          desk[0].ask(request[0]).ifPresent(meanwhile::add);
          throw PlanRefusedException.passing("the solver was killed");
        });
  }

  @Test
  void ask_plannerThatTakesLong_theOthersPlanIsFollowedMeanwhileAndAfterItsFailure() {
    PlanDesk[] desks = new PlanDesk[1];
    PlanRequest[] request = new PlanRequest[1];
    List<PlanDecision> meanwhile = new ArrayList<>();
    Planner late = late(desks, meanwhile, request);
    request[0] = PlanRequest.of(List.of(counted, late), STEP, DEVICES);
    try (PlanDesk desk = direct(folder)) {
      desks[0] = desk;
      PlanDecision last = desk.ask(request[0]).orElseThrow();
      assertThat(meanwhile).hasSize(1);
      assertThat(meanwhile.get(0).planner()).isEqualTo("counted");
      assertThat(meanwhile.get(0).refused()).containsEntry("late", "it is still searching");
      assertThat(last.planner()).isEqualTo("counted");
      assertThat(last.plan()).isEqualTo(meanwhile.get(0).plan());
      assertThat(last.refused()).containsEntry("late", "the solver was killed");
    }
    // What may pass is tried again by the next process.
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void ask_plannerThatTakesLongAlone_nothingIsDecidedMeanwhile() {
    PlanDesk[] desks = new PlanDesk[1];
    PlanRequest[] request = new PlanRequest[1];
    List<PlanDecision> meanwhile = new ArrayList<>();
    Planner late = late(desks, meanwhile, request);
    request[0] = PlanRequest.of(List.of(late), STEP, DEVICES);
    try (PlanDesk desk = direct(null)) {
      desks[0] = desk;
      assertThat(desk.ask(request[0]).orElseThrow().follows()).isFalse();
      assertThat(meanwhile).isEmpty();
    }
  }

  @Test
  void replan_measurementsThatNeverRest_takeABoundedShareOfTheTime() {
    long[] nanos = {0};
    Planner slow =
        Plans.planner(
            "slow",
            (graph, devices) -> {
              planned.incrementAndGet();
              nanos[0] += 100;
              return PlacementPlan.NONE;
            });
    try (PlanDesk desk = PlanDesk.on(Runnable::run, null, () -> nanos[0])) {
      PlanRequest request = PlanRequest.of(List.of(slow), STEP, DEVICES);
      desk.ask(request);
      assertThat(desk.replan(request)).isTrue();
      assertThat(desk.replan(request)).as("at once again").isFalse();
      assertThat(desk.ask(request)).as("the decision that holds").isPresent();
      for (int i = 0; i < 10_000; i++) {
        nanos[0] += 1;
        desk.replan(request);
      }
    }
    assertThat(100L * planned.get()).isLessThan(nanos[0] / 10).isGreaterThan(nanos[0] / 40);
  }

  @Test
  void replan_stepThatIsPlannedAnew_hasNoDecisionMeanwhile() {
    List<Runnable> work = new ArrayList<>();
    try (PlanDesk desk = PlanDesk.on(work::add, null, () -> 0)) {
      assertThat(desk.ask(request(STEP))).isEmpty();
      work.remove(0).run();
      assertThat(desk.ask(request(STEP))).isPresent();
      assertThat(desk.replan(request(STEP))).isTrue();
      assertThat(desk.ask(request(STEP))).isEmpty();
      work.remove(0).run();
      assertThat(desk.ask(request(STEP))).isPresent();
      assertThat(work).isEmpty();
    }
  }

  @Test
  void ask_afterARestart_readsTheFolder() throws Exception {
    PlanDecision decision;
    try (PlanDesk desk = direct(folder)) {
      decision = desk.ask(request(STEP)).orElseThrow();
    }
    int plans = planned.get();
    try (PlanDesk desk = direct(folder)) {
      assertThat(desk.ask(request(STEP))).contains(decision);
    }
    assertThat(planned).hasValue(plans);
    try (var files = Files.list(folder)) {
      Files.write(files.findFirst().orElseThrow(), new byte[] {1});
    }
    try (PlanDesk desk = direct(folder)) {
      assertThat(desk.ask(request(STEP))).contains(decision);
    }
    assertThat(planned).hasValueGreaterThan(plans);
  }

  /** A planner whose search ends after 100 ns, and that takes some nanoseconds each time. */
  private Planner timed(long[] now, long nanos, Supplier<PlacementPlan> plan) {
    return new Planner() {
      @Override
      public String name() {
        return "timed";
      }

      @Override
      public long longestNanos() {
        return 100;
      }

      @Override
      public PlacementPlan plan(TaskGraph graph, PlanDevices devices) {
        planned.incrementAndGet();
        now[0] += nanos;
        return plan.get();
      }
    };
  }

  @Test
  void ask_plannerThatLacksTime_isAskedAgainAfterARestart() {
    Supplier<PlacementPlan> refusing =
        () -> {
          throw new PlanRefusedException("it has found no plan");
        };
    for (Supplier<PlacementPlan> plan :
        List.of(refusing, () -> PlacementPlan.NONE, () -> Plans.autoVm().plan(STEP, DEVICES))) {
      planned.set(0);
      for (int start = 1; start <= 2; start++) {
        long[] now = {0};
        try (PlanDesk desk = PlanDesk.on(Runnable::run, folder, () -> now[0])) {
          PlanRequest request = PlanRequest.of(List.of(timed(now, 100, plan)), STEP, DEVICES);
          PlanDecision decision = desk.ask(request).orElseThrow();
          assertThat(desk.ask(request)).contains(decision);
        }
        assertThat(planned).hasValue(start);
      }
      assertThat(folder).isEmptyDirectory();
    }
  }

  @Test
  void ask_plannerThatRefusesInTime_isNotAskedAgainAfterARestart() {
    for (int start = 1; start <= 2; start++) {
      long[] now = {0};
      try (PlanDesk desk = PlanDesk.on(Runnable::run, folder, () -> now[0])) {
        PlanRequest request =
            PlanRequest.of(
                List.of(
                    timed(
                        now,
                        99,
                        () -> {
                          throw new PlanRefusedException("the step is too large");
                        })),
                STEP,
                DEVICES);
        assertThat(desk.ask(request).orElseThrow().refused())
            .containsEntry("timed", "the step is too large");
      }
    }
    assertThat(planned).hasValue(1);
  }

  @Test
  void ask_interruptedPlanner_decidesNothing() {
    Planner interrupted =
        Plans.planner(
            "interrupted",
            (graph, devices) -> {
              Thread.currentThread().interrupt();
              throw new PlanRefusedException("it was interrupted");
            });
    try (PlanDesk desk = direct(folder)) {
      assertThat(desk.ask(PlanRequest.of(List.of(interrupted), STEP, DEVICES))).isEmpty();
      assertThat(Thread.interrupted()).isTrue();
    }
    assertThat(folder).isEmptyDirectory();
  }

  @Test
  void key_timesAndNames_doNotCount() {
    PlanKey key = request(STEP).key();
    long[] others = new long[STEP.kernels().size()];
    assertThat(request(STEP.timed(others)).key()).isEqualTo(key);
    List<TaskGraph.Tensor> renamed = new ArrayList<>();
    for (TaskGraph.Tensor tensor : STEP.tensors()) {
      renamed.add(
          new TaskGraph.Tensor(
              "7/" + tensor.name(), tensor.bytes(), tensor.kind(), tensor.mutable()));
    }
    assertThat(request(new TaskGraph(STEP.kernels(), renamed)).key()).isEqualTo(key);
    assertThat(request(Plans.chain(13)).key()).isNotEqualTo(key);
    assertThat(PlanRequest.of(List.of(counted), STEP, Plans.devices(1 << 20)).key())
        .isNotEqualTo(key);
    assertThat(PlanRequest.of(List.of(Plans.autoVm()), STEP, DEVICES).key()).isNotEqualTo(key);
    assertThat(key.digest())
        .isEqualTo(request(STEP).key().digest())
        .isNotEqualTo(request(Plans.chain(13)).key().digest());
  }

  @Test
  void ask_fileOfAnotherBudget_isPlannedAnew() throws Exception {
    PlanRequest other = PlanRequest.of(List.of(counted), STEP, Plans.devices(STEP.peakBytes() / 3));
    PlanFolder files = PlanFolder.open(folder);
    try (PlanDesk desk = direct(folder)) {
      desk.ask(other);
      Files.copy(files.file(other.key()), files.file(request(STEP).key()));
    }
    int plans = planned.get();
    try (PlanDesk desk = direct(folder)) {
      assertThat(desk.ask(request(STEP))).isPresent();
      assertThat(planned).hasValueGreaterThan(plans);
    }
  }

  @Test
  void ask_errorInAPlanner_isADecisionWithoutAPlan() {
    Planner broken =
        Plans.planner(
            "broken",
            (graph, devices) -> {
              planned.incrementAndGet();
              throw new LinkageError("no such class");
            });
    try (PlanDesk desk = direct(null)) {
      PlanRequest request = PlanRequest.of(List.of(broken), STEP, DEVICES);
      for (int i = 0; i < 3; i++) {
        PlanDecision decision = desk.ask(request).orElseThrow();
        assertThat(decision.follows()).isFalse();
        assertThat(decision.refused().get("auto")).contains("no such class");
      }
      assertThat(planned).hasValue(1);
    }
  }

  @Test
  void ask_plannerThatRefuses_saysWhy() {
    Planner refusing =
        Plans.planner(
            "refusing",
            (graph, devices) -> {
              throw new PlanRefusedException("the step is too large");
            });
    try (PlanDesk desk = direct(null)) {
      PlanDecision decision =
          desk.ask(PlanRequest.of(List.of(refusing, counted), STEP, DEVICES)).orElseThrow();
      assertThat(decision.planner()).isEqualTo("counted");
      assertThat(decision.refused()).containsEntry("refusing", "the step is too large");
    }
  }

  @Test
  void ask_plannerThatFails_costsItsPlanOnly() {
    Planner failing =
        Plans.planner(
            "failing",
            (graph, devices) -> {
              throw new IllegalStateException("no");
            });
    Planner none = Plans.planner("none", (graph, devices) -> PlacementPlan.NONE);
    try (PlanDesk desk = direct(null)) {
      PlanDecision decision =
          desk.ask(PlanRequest.of(List.of(failing, none, counted), STEP, DEVICES)).orElseThrow();
      assertThat(decision.planner()).isEqualTo("counted");
      assertThat(decision.refused().get("failing")).contains("no");
      assertThat(decision.refused()).containsEntry("none", "it finds no plan");
      PlanDecision without =
          desk.ask(PlanRequest.of(List.of(failing), STEP, DEVICES)).orElseThrow();
      assertThat(without.follows()).isFalse();
      assertThat(without.plan()).isEqualTo(PlacementPlan.NONE);
    }
  }

  @Test
  void open_ownThread_plansInTheBackgroundAndEndsWithTheDesk() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CountDownLatch end = new CountDownLatch(1);
    Planner slow =
        Plans.planner(
            "slow",
            (graph, devices) -> {
              begun.countDown();
              assertThat(Thread.currentThread().isDaemon()).isTrue();
              assertThat(Thread.currentThread().getPriority()).isEqualTo(Thread.MIN_PRIORITY);
              try {
                end.await();
              } catch (InterruptedException closing) {
                Thread.currentThread().interrupt();
              }
              return PlacementPlan.NONE;
            });
    try (PlanDesk desk = PlanDesk.open(null)) {
      PlanRequest request = PlanRequest.of(List.of(slow), STEP, DEVICES);
      assertThat(desk.ask(request)).isEmpty();
      begun.await();
      assertThat(desk.ask(request)).isEmpty();
      assertThat(threads()).hasSize(1);
    }
    for (Thread each : threads()) {
      // The executor ends a moment before its thread does.
      each.join(END_MILLIS);
    }
    assertThat(threads()).isEmpty();
  }

  @Test
  void ask_closedDesk_plansNothing() {
    PlanDesk desk = direct(null);
    desk.close();
    desk.close();
    assertThat(desk.ask(request(STEP))).isEmpty();
    assertThat(planned).hasValue(0);
  }
}
