package io.idlalayer.jobs.run;

import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.jobs.produce.InputSource;
import io.idlalayer.jobs.produce.LearnerRequest;
import io.idlalayer.jobs.report.RunView;
import java.io.IOException;
import java.util.Locale;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Sends an input on a separate thread, and then an end of input with an id that only this feed
 * uses. The process that follows the run waits for this end only.
 */
final class InputFeed implements AutoCloseable {
  private static final long CLOSE_MILLIS = 10_000;

  private final InputPlan plan;
  private final String servers;
  private final String end = "end-" + UUID.randomUUID();
  private final Thread thread;
  private volatile @Nullable Exception failure;
  private volatile InputProducer.@Nullable Sent labels;
  private volatile InputProducer.@Nullable Sent sent;
  private boolean limitSaid;
  private boolean said;

  public InputFeed(InputPlan plan, String servers) {
    this.plan = plan;
    this.servers = servers;
    thread = new Thread(this::run, "input-" + plan.application().name());
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  private void run() {
    try {
      InputSource ownLabels = plan.labels();
      if (ownLabels != null) {
        labels =
            new InputProducer(plan.application().ofLabels(), servers)
                .send(ownLabels, new InputProducer.Request(Long.MAX_VALUE, 0));
      }
      InputProducer.Sent done =
          new InputProducer(plan.application(), servers)
              .send(plan.input(), new InputProducer.Request(plan.limit(), plan.eventsPerSecond()));
      new LearnerRequest(plan.application(), servers).end(end);
      sent = done;
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException failed) {
      failure = failed;
    }
  }

  /**
   * Returns whether every learner of the application has learned everything that this feed sent.
   */
  boolean learned(RunView view) {
    return view.reached(end, plan.application().name(), plan.application().partitions());
  }

  /**
   * Reports the length of a generated input, and how much of a file was sent. Each is reported
   * once.
   *
   * @throws IOException with the reason, if the input could not be sent completely
   */
  void check(RunMonitor monitor) throws IOException {
    Exception failed = failure;
    if (failed != null) {
      throw new IOException(
          "the input %s stopped: %s".formatted(plan.input().name(), failed.getMessage()), failed);
    }
    InputProducer.Sent done = sent;
    boolean generated = plan.input().content().isEmpty();
    if (!limitSaid && generated && plan.limit() < Long.MAX_VALUE) {
      monitor.expectsInAll(plan.limit());
    }
    limitSaid = true;
    if (done != null && !said) {
      said = true;
      InputProducer.Sent before = labels;
      if (!generated) {
        monitor.expects(records(done, before));
      }
      InputSource ownLabels = plan.labels();
      if (before != null && ownLabels != null) {
        monitor.phase(said(before, ownLabels.name()));
      }
      monitor.phase(said(done, plan.input().name()));
      if (isEmpty(done) && (before == null || isEmpty(before))) {
        monitor.nothingToSend();
      }
    }
  }

  /**
   * Returns the number of records that this run has sent. Returns 0 if earlier runs have sent some
   * of the records, because this process does not know how many of them are learned.
   */
  private static long records(InputProducer.Sent events, InputProducer.@Nullable Sent labels) {
    long before = events.before() + (labels == null ? 0 : labels.before());
    return before > 0 ? 0 : events.records() + (labels == null ? 0 : labels.records());
  }

  private static boolean isEmpty(InputProducer.Sent done) {
    return done.records() == 0 && done.before() == 0;
  }

  private static String said(InputProducer.Sent done, String name) {
    if (isEmpty(done)) {
      return name + " holds no records";
    }
    if (done.records() == 0) {
      return String.format(
          Locale.ROOT, "nothing new: all %,d records of %s were sent before", done.before(), name);
    }
    return String.format(
        Locale.ROOT,
        "%,d records of %s sent%s%s",
        done.records(),
        name,
        done.before() == 0
            ? ""
            : String.format(Locale.ROOT, ", after %,d that were sent before", done.before()),
        done.shortened() == 0
            ? ""
            : String.format(
                Locale.ROOT, "; %,d were too long and are in the dead letters", done.shortened()));
  }

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join(CLOSE_MILLIS);
  }
}
