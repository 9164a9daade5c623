package io.idlalayer.jobs.embedded;

import io.idlalayer.jobs.storage.FolderProbe;
import io.idlalayer.jobs.storage.StorageFault;
import io.idlalayer.jobs.terminal.LogFile;
import java.io.PrintStream;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.IntConsumer;
import org.apache.kafka.common.utils.Exit;
import org.jspecify.annotations.Nullable;

/**
 * Ends the process with a message when its Kafka broker cannot continue. Kafka halts the process
 * when its only log folder fails, or after another fault that it cannot survive. Without this
 * class, Kafka reports the reason in its log at most. Any thread of Kafka calls this class.
 */
final class BrokerEnd implements Exit.Procedure {
  private static final int FAILED = 1;

  /** Time limit for the check of a folder, in seconds. A hung network file system never answers. */
  private static final long LOOK_SECONDS = 5;

  /** Thread that starts the broker; null when the broker has started. */
  private volatile @Nullable Thread starter;

  /** Whether Kafka wanted to end the process while the broker started. */
  private volatile boolean gaveUp;

  private final Path folder;
  private final String again;
  private final PrintStream err;
  private final Function<List<Path>, Optional<StorageFault>> look;
  private final IntConsumer halt;

  /**
   * @param folder folder of the broker's log
   * @param again what the user has to do when the cause is gone, such as "run the same command
   *     again"
   * @param look finds what is wrong with folders
   * @param halt ends the process with an exit code
   */
  BrokerEnd(
      Path folder,
      String again,
      PrintStream err,
      Function<List<Path>, Optional<StorageFault>> look,
      IntConsumer halt) {
    this.folder = folder;
    this.again = again;
    this.err = err;
    this.look = look;
    this.halt = halt;
  }

  /**
   * Makes the process print a sentence on standard error when Kafka ends the process. Until {@link
   * #started} is called, a fault in the calling thread does not end the process. Kafka then throws
   * most faults as exceptions, and {@link #gaveUp} tells whether there was another fault.
   */
  static BrokerEnd announce(Path folder, String again) {
    BrokerEnd end =
        new BrokerEnd(
            folder, again, System.err, new FolderProbe()::look, Runtime.getRuntime()::halt);
    end.starting();
    Exit.setHaltProcedure(end);
    Exit.setExitProcedure(end);
    return end;
  }

  /**
   * Declares that the calling thread starts the broker. Faults during the start reach this thread
   * as exceptions.
   */
  void starting() {
    starter = Thread.currentThread();
  }

  /**
   * Returns whether Kafka wanted to end the process while the broker started. The broker cannot
   * work then.
   */
  boolean gaveUp() {
    return gaveUp;
  }

  /**
   * Returns why the broker does not start: the problem with its folder or, if the folder has no
   * problem, the message of the failure.
   */
  String whyNotStarted(Exception failed) {
    return looked()
        .map(fault -> "its log folder " + fault.sentence(continued()))
        .orElseGet(() -> String.valueOf(failed.getMessage()));
  }

  private String continued() {
    return again + "; it continues from the last checkpoint";
  }

  /** Declares that the broker has started: from now on, a fault in any thread ends the process. */
  void started() {
    starter = null;
  }

  /**
   * Prints the reason and ends the process with exit code 1. Shutdown hooks do not run, because
   * they would wait for the broker. If a second thread of Kafka calls this method, it waits until
   * the first thread has printed its reason. In the thread that starts the broker, the method
   * returns instead of ending the process.
   */
  @Override
  public void execute(int status, @Nullable String message) {
    if (Thread.currentThread() == starter) {
      gaveUp = true;
    } else {
      end(message);
    }
  }

  private synchronized void end(@Nullable String message) {
    err.println("error: " + sentence(message));
    err.flush();
    halt.accept(FAILED);
  }

  private String sentence(@Nullable String message) {
    Optional<StorageFault> fault = looked();
    if (fault.isPresent()) {
      return "the embedded broker has ended this process, because its log folder "
          + fault.get().sentence(continued());
    }
    String reason = message == null ? "a fault that it does not name" : message;
    String log = LogFile.where();
    return "the embedded broker (folder %s) has ended this process, because of %s; %s, then %s"
        .formatted(
            folder, reason, log.isEmpty() ? "read the messages before this one" : log, continued());
  }

  private Optional<StorageFault> looked() {
    CompletableFuture<Optional<StorageFault>> answer = new CompletableFuture<>();
    Thread thread = new Thread(() -> answer.complete(look.apply(List.of(folder))), "broker-end");
    thread.setDaemon(true);
    thread.start();
    try {
      return answer.get(LOOK_SECONDS, TimeUnit.SECONDS);
    } catch (TimeoutException | ExecutionException late) {
      return Optional.empty();
    } catch (InterruptedException ending) {
      Thread.currentThread().interrupt();
      return Optional.empty();
    }
  }
}
