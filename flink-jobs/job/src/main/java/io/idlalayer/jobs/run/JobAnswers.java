package io.idlalayer.jobs.run;

import io.idlalayer.jobs.storage.StorageFault;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for Flink's answers, and describes failures of jobs. */
public final class JobAnswers {
  private JobAnswers() {}

  /**
   * Waits for an answer of Flink.
   *
   * @throws IOException if Flink answers with a failure, or does not answer in time
   */
  static <T> T await(CompletableFuture<T> answer, long seconds)
      throws IOException, InterruptedException {
    try {
      return answer.get(seconds, TimeUnit.SECONDS);
    } catch (ExecutionException | CompletionException failed) {
      throw new IOException("the job does not answer: " + rootCause(failed), failed);
    } catch (TimeoutException late) {
      throw new IOException("the job did not answer within " + seconds + " s", late);
    }
  }

  /**
   * Returns a text about why a job failed: what is wrong with a folder, or else the innermost
   * cause.
   */
  static String words(Throwable failed) {
    return StorageFault.of(failed)
        .map(fault -> fault.sentence("run the same command again"))
        .orElseGet(() -> rootCause(failed).toString());
  }

  /** Returns the innermost cause of a failure, which usually explains the failure best. */
  public static Throwable rootCause(Throwable failed) {
    Throwable root = failed;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root;
  }
}
