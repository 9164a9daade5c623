package io.idlalayer.jobs.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.run.InputPlan;
import io.idlalayer.jobs.run.RunMonitor;
import io.idlalayer.jobs.run.RunOutcome;
import io.idlalayer.jobs.settings.ApplicationSettings;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A run of one application in this process that learns from a file. */
final class FileRun {
  private FileRun() {}

  /** Learns from a whole file, on a broker of its own. */
  static RunOutcome whole(ApplicationSettings application, Path work, Path file, RunMonitor monitor)
      throws Exception {
    return run(application, work, null, file, Long.MAX_VALUE, monitor);
  }

  /**
   * Learns from a file until its end.
   *
   * @param servers null for a broker of its own
   * @param most records
   */
  static RunOutcome run(
      ApplicationSettings application,
      Path work,
      @Nullable String servers,
      Path file,
      long most,
      RunMonitor monitor)
      throws Exception {
    InputPlan input = new InputPlan(application, InputSource.file(file, application), most, 0);
    EmbeddedRun.Plan plan = new EmbeddedRun.Plan(List.of(application), work, servers, input);
    RunOutcome outcome = new EmbeddedRun(plan, monitor).run(() -> false);
    assertThat(outcome.finished()).as(application.name()).isTrue();
    return outcome;
  }
}
