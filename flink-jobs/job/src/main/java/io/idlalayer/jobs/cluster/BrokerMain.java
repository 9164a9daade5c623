package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.recovery.WorkDirectory;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Runs a broker as a process of its own: {@code BrokerMain WORK-DIR PORT [HOST]}. Its log is in
 * {@code WORK-DIR/kafka}; it holds the work directory until it is terminated.
 */
public final class BrokerMain {
  private BrokerMain() {}

  public static void main(String[] args) throws Exception {
    WorkDirectory work = WorkDirectory.open(Path.of(args[0]));
    Path folder = work.path().resolve("kafka");
    int port = Integer.parseInt(args[1]);
    EmbeddedBroker broker =
        args.length > 2
            ? EmbeddedBroker.start(folder, port, args[2])
            : EmbeddedBroker.start(folder, port);
    CountDownLatch stopped = new CountDownLatch(1);
    Runtime.getRuntime()
        .addShutdownHook(
            new Thread(
                () -> {
                  broker.close();
                  stopped.countDown();
                },
                "stop"));
    stopped.await();
    work.close();
  }
}
