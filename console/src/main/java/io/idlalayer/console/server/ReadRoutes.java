package io.idlalayer.console.server;

import com.fasterxml.jackson.databind.ObjectMapper;
import io.idlalayer.console.history.Learners;
import io.idlalayer.console.history.SampleHistory;
import io.idlalayer.console.subscribers.ReportedSubscribers;
import io.idlalayer.console.whatif.KeptPlans;
import io.idlalayer.console.whatif.WhatIf;
import io.idlalayer.middleware.models.manifest.ApplicationPartition;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.sample.text.NumberNotation;
import io.javalin.config.RoutesConfig;
import io.javalin.http.Context;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.ThreadMXBean;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** The requests by which the page reads data. */
final class ReadRoutes {
  private static final int MOST_UPDATES = 10_000;
  private static final int MOST_NOTES = 2_000;
  private static final int MOST_LETTERS = 1_000;
  private static final int LONGEST_ID = 1_024;
  private static final int LARGE_ANSWERS = 8;
  private static final long PATIENCE_SECONDS = 5;

  /**
   * Largest number of requests that wait for the budget. It is limited so that threads are left for
   * other requests.
   */
  private static final int WAITING = 8;

  private static final ThreadMXBean THREADS = ManagementFactory.getThreadMXBean();

  private final ObjectMapper json;
  private final Supplier<ConsoleInfo> console;
  private final Learners learners;
  private final ConsoleData data;
  private final Function<ApplicationPartition, ReportedSubscribers> subscribers;
  private final WhatIf whatIf;
  private final KeptPlans plans;
  private final EventBroadcast broadcast;

  /**
   * Permits for large answers, which have megabytes. Their number bounds the memory of such
   * answers.
   */
  private final Semaphore large = new Semaphore(LARGE_ANSWERS);

  private final Semaphore waiting = new Semaphore(WAITING);
  private final Budgets budgets;

  /**
   * Budgets of processor time for expensive answers.
   *
   * @param large budget of answers that are large, or that read files and topics
   * @param whatIf budget of what-if comparisons
   */
  record Budgets(WorkBudget large, WorkBudget whatIf) {
    private static final double SHARE = 0.2;
    private static final Duration AT_ONCE = Duration.ofSeconds(5);

    /** Returns budgets of a fifth of a processor each. */
    static Budgets ofThisMachine() {
      return new Budgets(
          new WorkBudget(SHARE, AT_ONCE, System::nanoTime),
          new WorkBudget(SHARE, AT_ONCE, System::nanoTime));
    }
  }

  ReadRoutes(
      ObjectMapper json, ConsoleServer.Content content, EventBroadcast broadcast, Budgets budgets) {
    this.json = json;
    this.console = content.console();
    this.learners = content.learners();
    this.data = content.data();
    this.subscribers = content.subscribers();
    this.whatIf = new WhatIf(learners, data::update);
    this.plans = content.plans();
    this.broadcast = broadcast;
    this.budgets = budgets;
  }

  void add(RoutesConfig routes) {
    routes.get("/", PageFiles::index);
    routes.get("/api/console", request -> send(request, console.get()));
    routes.get("/api/learners", request -> large(request, () -> Optional.of(learners.learners())));
    String learner = "/api/learners/{application}/{partition}";
    routes.get(
        learner + "/history", request -> large(request, () -> learners.table(name(request))));
    routes.get(
        learner + "/updates",
        request ->
            large(request, () -> learners.updates(name(request), limit(request, MOST_UPDATES))));
    routes.get(
        learner + "/events",
        request -> large(request, () -> learners.notes(name(request), limit(request, MOST_NOTES))));
    routes.get(learner + "/moves", request -> large(request, () -> learners.moves(name(request))));
    routes.get(learner + "/plan", request -> large(request, () -> learners.plan(name(request))));
    routes.get(learner + "/samples", this::sample);
    routes.get(learner + "/models", this::models);
    routes.get(learner + "/subscribers", this::subscribers);
    routes.get(learner + "/what-if", this::whatIf);
    routes.get("/api/applications/{application}/dead-letters", this::letters);
    routes.get("/api/applications/{application}/capacity", this::capacity);
    routes.get("/api/stream", this::stream);
    routes.get("/{file}", PageFiles::file);
  }

  /** Returns the name of the learner in the path of a request. */
  static String name(Context request) throws RefusedException {
    return request.pathParam("application") + "/" + partition(request);
  }

  static int partition(Context request) throws RefusedException {
    String text = request.pathParam("partition");
    if (!text.matches("[0-9]{1,6}")) {
      throw new RefusedException(404, "a partition is a number");
    }
    return Integer.parseInt(text);
  }

  private static int limit(Context request, int most) throws RefusedException {
    String text = request.queryParam("limit");
    if (text == null) {
      return most;
    }
    if (!text.matches("[0-9]{1,9}")) {
      throw new RefusedException(400, "limit is a number");
    }
    return Math.min(most, Integer.parseInt(text));
  }

  private static <T> T found(Optional<T> known) throws RefusedException {
    return known.orElseThrow(
        () -> new RefusedException(404, "there is no such learner, or it has sent no event yet"));
  }

  private void send(Context request, Object answer) throws IOException {
    request.contentType("application/json");
    request.result(json.writeValueAsBytes(answer));
  }

  /** Looks up data for a large answer. */
  private interface Looking<T> {
    Optional<T> look() throws RefusedException;
  }

  private <T> void large(Context request, Looking<T> looking)
      throws RefusedException, IOException, InterruptedException {
    inTurn(() -> write(request, found(looking.look())));
  }

  /** Sends an answer; returns when the client has it or has disconnected. */
  private void write(Context request, Object answer) throws IOException {
    byte[] bytes = json.writeValueAsBytes(answer);
    request.contentType("application/json");
    request.outputStream().write(bytes);
    request.outputStream().flush();
  }

  /** Code that creates a large answer. */
  private interface Making {
    void make() throws IOException, RefusedException, InterruptedException;
  }

  private void inTurn(Making making) throws RefusedException, IOException, InterruptedException {
    paid(
        budgets.large(),
        () -> {
          if (!large.tryAcquire(PATIENCE_SECONDS, TimeUnit.SECONDS)) {
            throw tooMany(PATIENCE_SECONDS);
          }
          try {
            making.make();
          } finally {
            large.release();
          }
        });
  }

  /** Waits until the budget allows an answer, creates it, and charges its time. */
  private void paid(WorkBudget budget, Making making)
      throws RefusedException, IOException, InterruptedException {
    if (budget.waitNanos() > 0) {
      waitFor(budget);
    }
    long before = THREADS.getCurrentThreadCpuTime();
    try {
      making.make();
    } finally {
      budget.spent(THREADS.getCurrentThreadCpuTime() - before);
    }
  }

  private void waitFor(WorkBudget budget) throws RefusedException, InterruptedException {
    if (!waiting.tryAcquire()) {
      throw tooMany(seconds(budget.waitNanos()));
    }
    try {
      if (!budget.await(Duration.ofSeconds(PATIENCE_SECONDS))) {
        throw tooMany(seconds(budget.waitNanos()));
      }
    } finally {
      waiting.release();
    }
  }

  /** Returns whole seconds, rounded up and at least 1. */
  private static long seconds(long nanos) {
    return Math.max(1, (long) Math.ceil(nanos / 1e9));
  }

  private static RefusedException tooMany(long retrySeconds) {
    return new RefusedException(
        503,
        "too many requests at a time; try again in %d s".formatted(retrySeconds),
        retrySeconds);
  }

  private void sample(Context request) throws RefusedException, IOException {
    String id = request.queryParam("id");
    if (id == null || id.isEmpty() || id.length() > LONGEST_ID) {
      throw new RefusedException(400, "id names a sample: the event's own id, or #NUMBER");
    }
    Optional<SampleHistory> history = learners.sample(name(request), id);
    send(request, found(history));
  }

  private void models(Context request) throws RefusedException, IOException, InterruptedException {
    int partition = partition(request);
    inTurn(
        () -> {
          try {
            write(request, data.published(request.pathParam("application"), partition));
          } catch (CorruptModelException damaged) {
            throw new RefusedException(409, String.valueOf(damaged.getMessage()));
          } catch (IllegalArgumentException noName) {
            throw new RefusedException(404, String.valueOf(noName.getMessage()));
          }
        });
  }

  private void subscribers(Context request)
      throws RefusedException, IOException, InterruptedException {
    ApplicationPartition of;
    try {
      of = new ApplicationPartition(request.pathParam("application"), partition(request));
    } catch (IllegalArgumentException noName) {
      throw new RefusedException(404, String.valueOf(noName.getMessage()));
    }
    inTurn(() -> write(request, subscribers.apply(of)));
  }

  private void letters(Context request) throws RefusedException, IOException, InterruptedException {
    int limit = limit(request, MOST_LETTERS);
    inTurn(() -> write(request, data.letters(request.pathParam("application")).newest(limit)));
  }

  private void capacity(Context request)
      throws RefusedException, IOException, InterruptedException {
    inTurn(() -> write(request, plans.of(request.pathParam("application"))));
  }

  private void whatIf(Context request) throws RefusedException, IOException, InterruptedException {
    paid(budgets.whatIf(), () -> compare(request));
  }

  private void compare(Context request) throws RefusedException, IOException {
    try {
      WhatIf.Costs costs =
          new WhatIf.Costs(
              number(request, "weight"), number(request, "epsilon"), number(request, "lambda"));
      send(request, found(whatIf.answer(name(request), costs)));
    } catch (WhatIf.BusyException busy) {
      throw new RefusedException(429, String.valueOf(busy.getMessage()));
    } catch (IllegalArgumentException refused) {
      throw new RefusedException(400, String.valueOf(refused.getMessage()));
    }
  }

  private static @Nullable Double number(Context request, String name) throws RefusedException {
    String text = request.queryParam(name);
    if (text == null || text.isEmpty()) {
      return null;
    }
    double number = NumberNotation.PLAIN.read(text);
    if (Double.isNaN(number)) {
      throw new RefusedException(400, name + " is a number");
    }
    return number;
  }

  private void stream(Context request) throws RefusedException, IOException {
    HttpServletResponse answer = request.res();
    boolean listened =
        broadcast.listen(
            () -> {
              answer.setContentType("text/event-stream; charset=utf-8");
              answer.setHeader("X-Accel-Buffering", "no");
              answer.flushBuffer();
              return answer.getOutputStream();
            });
    if (!listened) {
      throw new RefusedException(503, "too many pages listen at a time; close one of them");
    }
  }
}
