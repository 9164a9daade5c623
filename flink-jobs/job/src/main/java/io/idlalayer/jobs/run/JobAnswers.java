package io.idlalayer.jobs.run;

import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** Waits for what Flink answers, and says in words what went wrong. */
final class JobAnswers {
  private JobAnswers() {}

  /**
   * Waits for an answer.
   *
   * @throws IOException if it is a failure, or does not come in time
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

  /** The innermost cause: what a person wants to read. */
  static Throwable rootCause(Throwable failed) {
    Throwable root = failed;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    return root;
  }
}
