package io.idlalayer.jobs.embedded;

import io.idlalayer.jobs.produce.InputProducer;
import io.idlalayer.middleware.sample.RecordReader;
import java.io.IOException;
import org.jspecify.annotations.Nullable;

/** Produces an input on a thread of its own. */
public final class InputFeed implements AutoCloseable {
  private static final long CLOSE_MILLIS = 10_000;

  private final InputPlan plan;
  private final InputProducer producer;
  private final Thread thread;
  private volatile @Nullable Exception failure;

  public InputFeed(InputPlan plan, String servers) {
    this.plan = plan;
    producer = new InputProducer(plan.application(), servers);
    thread = new Thread(this::run, "input-" + plan.application().name());
    thread.setDaemon(true);
  }

  public void start() {
    thread.start();
  }

  private void run() {
    try (RecordReader reader = plan.source().open()) {
      producer.send(
          reader,
          new InputProducer.Request(plan.name(), plan.limit(), plan.eventsPerSecond(), true));
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
    } catch (IOException | RuntimeException failed) {
      failure = failed;
    }
  }

  /** Throws what stopped the input, if something did. */
  public void check() throws IOException {
    Exception failed = failure;
    if (failed != null) {
      throw new IOException(
          "the input %s stopped: %s".formatted(plan.name(), failed.getMessage()), failed);
    }
  }

  @Override
  public void close() throws InterruptedException {
    thread.interrupt();
    thread.join(CLOSE_MILLIS);
  }
}
