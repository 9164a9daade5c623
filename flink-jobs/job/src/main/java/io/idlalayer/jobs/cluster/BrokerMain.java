package io.idlalayer.jobs.cluster;

import io.idlalayer.jobs.embedded.EmbeddedBroker;
import io.idlalayer.jobs.recovery.WorkDirectory;
import java.nio.file.Path;
import java.util.concurrent.CountDownLatch;

/**
 * Main class of a process that runs a broker: {@code BrokerMain WORK-DIR PORT [HOST]}. The topics
 * of the broker are in {@code WORK-DIR/kafka}. The process holds the lock of the work directory
 * until the process is terminated.
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
