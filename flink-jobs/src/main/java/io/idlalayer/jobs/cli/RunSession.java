package io.idlalayer.jobs.cli;

import io.idlalayer.jobs.embedded.EmbeddedRun;
import io.idlalayer.jobs.report.DecisionLog;
import io.idlalayer.jobs.report.RunReport;
import java.io.IOException;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * A run in the foreground: progress on the console, Ctrl-C stops it cleanly, a report at the end.
 */
final class RunSession {
  private static final long STOP_SECONDS = 240;

  private final PrintWriter out;
  private final @Nullable Path report;
  private final @Nullable Path decisions;

  RunSession(PrintWriter out, @Nullable Path report, @Nullable Path decisions) {
    this.out = out;
    this.report = report;
    this.decisions = decisions;
  }

  int run(EmbeddedRun.Plan plan) throws IOException, InterruptedException {
    AtomicBoolean stop = new AtomicBoolean();
    CountDownLatch ended = new CountDownLatch(1);
    Thread hook = new Thread(() -> stopCleanly(stop, ended), "stop");
    Runtime.getRuntime().addShutdownHook(hook);
    try (DecisionLog log = decisions == null ? null : new DecisionLog(decisions)) {
      ConsoleMonitor monitor = new ConsoleMonitor(out, log);
      EmbeddedRun.Outcome outcome = new EmbeddedRun(plan, monitor).run(stop::get);
      monitor.end(outcome, plan.workDirectory());
      if (report != null) {
        RunReport.write(RunReport.of(outcome.view(), outcome.wallSeconds()), report);
        out.println("report: " + report);
      }
      if (decisions != null) {
        out.println("decisions: " + decisions + "; try: idla replay --arrivals " + decisions);
      }
      out.flush();
      return Idla.OK;
    } finally {
      ended.countDown();
      if (!stop.get()) {
        Runtime.getRuntime().removeShutdownHook(hook);
      }
    }
  }

  /** Runs when the process is asked to end: asks the run to end first, and waits for it. */
  private void stopCleanly(AtomicBoolean stop, CountDownLatch ended) {
    stop.set(true);
    try {
      boolean clean = ended.await(STOP_SECONDS, TimeUnit.SECONDS);
      out.flush();
      // Halt, because an exit code cannot be given any other way once the JVM shuts down.
      Runtime.getRuntime().halt(clean ? Idla.OK : Idla.FAILED);
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
