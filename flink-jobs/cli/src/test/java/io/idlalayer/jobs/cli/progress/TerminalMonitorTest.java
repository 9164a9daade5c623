package io.idlalayer.jobs.cli.progress;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.report.RunView;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** What a run prints to a file or another process, by a clock that the test sets. */
final class TerminalMonitorTest {
  private final StringWriter written = new StringWriter();
  private final RunView view = new RunView();
  private long nanos;

  private TerminalMonitor monitor(TerminalMonitor.Shows shows) {
    return new TerminalMonitor(
        new PrintWriter(written), Screen.Form.LINES, List.of(), shows, () -> nanos);
  }

  private void after(double seconds) {
    nanos += (long) (seconds * TimeUnit.SECONDS.toNanos(1));
  }

  private List<String> lines() {
    return written.toString().lines().toList();
  }

  private void happens(
      TerminalMonitor monitor,
      DecisionEvent.Type type,
      long received,
      @Nullable UpdateRecord update,
      String message) {
    DecisionEvent event =
        DecisionEvent.of(
            type,
            new DecisionEvent.Origin("clicks", 0, 1),
            ExampleEvents.status(ExampleEvents.received(received), 3),
            update,
            message);
    view.add(event);
    monitor.event(view, event);
  }

  private static UpdateRecord update() {
    return ExampleEvents.published(3, new UpdateRecord.Published(3, 20), 10, 44);
  }

  @Test
  void event_ofAnUpdate_isALineOnlyIfAskedFor() {
    TerminalMonitor brief = monitor(new TerminalMonitor.Shows(false));
    happens(brief, DecisionEvent.Type.PUBLISHED, 50, update(), "");
    happens(brief, DecisionEvent.Type.ABORTED, 50, update(), "a larger one is worth more");
    assertThat(lines()).isEmpty();
    happens(brief, DecisionEvent.Type.DROPPED, 50, update(), "the trainer failed");
    assertThat(lines()).containsExactly("   0.0s  clicks: the trainer failed");

    TerminalMonitor verbose = monitor(new TerminalMonitor.Shows(true));
    happens(verbose, DecisionEvent.Type.PUBLISHED, 50, update(), "");
    happens(verbose, DecisionEvent.Type.ABORTED, 50, update(), "a larger one is worth more");
    assertThat(lines()).hasSize(3);
    assertThat(lines().get(1)).startsWith("   0.0s  clicks: version 3: learned 44 new events");
    assertThat(lines().get(2))
        .isEqualTo("   0.0s  clicks: a training was given up: a larger one is worth more");
  }

  @Test
  void tick_withoutATerminal_isALineEveryFiveSeconds() {
    TerminalMonitor monitor = monitor(new TerminalMonitor.Shows(false));
    monitor.tick(view);
    happens(monitor, DecisionEvent.Type.STATUS, 50, null, "");
    after(4.9);
    monitor.tick(view);
    assertThat(lines()).containsExactly("   0.0s  waiting for the first event");
    after(0.1);
    monitor.tick(view);
    assertThat(lines()).hasSize(2);
    assertThat(lines().get(1))
        .startsWith("   5.0s  0 of 50 events learned, 0/s | version 3 serves: ");
  }

  @Test
  void tick_whileTheConsoleStarts_waitsForItsAddress() {
    List<Consumer<String>> consoles = new ArrayList<>();
    TerminalMonitor monitor =
        monitor(new TerminalMonitor.Shows(false, null, (servers, line) -> consoles.add(line)));
    monitor.submitted("broker:9092");
    monitor.tick(view);
    after(3);
    monitor.tick(view);
    assertThat(lines()).isEmpty();
    consoles.get(0).accept("console at http://127.0.0.1:8095/#token=1");
    monitor.tick(view);
    assertThat(lines())
        .containsExactly(
            "   3.0s  console at http://127.0.0.1:8095/#token=1",
            "   3.0s  waiting for the first event");
  }

  @Test
  void tick_ofAConsoleThatDoesNotAnswer_waitsTenSeconds() {
    TerminalMonitor monitor =
        monitor(new TerminalMonitor.Shows(false, null, (servers, line) -> {}));
    monitor.submitted("broker:9092");
    after(9.9);
    monitor.tick(view);
    assertThat(lines()).isEmpty();
    after(0.1);
    monitor.tick(view);
    assertThat(lines()).containsExactly("  10.0s  waiting for the first event");
  }
}
