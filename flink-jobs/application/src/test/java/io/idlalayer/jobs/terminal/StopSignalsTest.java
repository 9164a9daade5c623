package io.idlalayer.jobs.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.testkit.ChildProcess;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Real signals, sent to a process of its own. */
final class StopSignalsTest {
  /** Waits to be asked to end, and then ends as a run does: after a while, or never. */
  static final class Waiting {
    private Waiting() {}

    public static void main(String[] args) throws InterruptedException {
      Runtime.getRuntime().addShutdownHook(new Thread(() -> say("hook")));
      try (StopSignals signals = new StopSignals()) {
        say("ready");
        while (!signals.received()) {
          LockSupport.parkNanos(1_000_000);
        }
        say("saving");
        if (args.length > 0) {
          new CountDownLatch(1).await();
        }
        say("saved");
      }
    }

    private static void say(String what) {
      System.out.println(what);
      System.out.flush();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"INT", "TERM", "HUP"})
  void firstSignal_endsCleanly_andHooksRunOnlyAfterwards(String signal) throws Exception {
    try (ChildProcess child = ChildProcess.start(Waiting.class)) {
      assertThat(child.line()).isEqualTo("ready");
      child.signal(signal);
      assertThat(child.end()).isEqualTo("saving\nsaved\nhook\n");
      assertThat(child.exitCode()).isZero();
    }
  }

  @Test
  void secondSignal_endsAtOnce_withoutHooks() throws Exception {
    try (ChildProcess child = ChildProcess.start(Waiting.class, "for ever")) {
      assertThat(child.line()).isEqualTo("ready");
      child.signal("INT");
      assertThat(child.line()).isEqualTo("saving");
      child.signal("INT");
      assertThat(child.end()).isEmpty();
      assertThat(child.exitCode()).isEqualTo(130);
    }
  }
}
