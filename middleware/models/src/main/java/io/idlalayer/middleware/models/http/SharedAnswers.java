package io.idlalayer.middleware.models.http;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Computes an answer once for all callers that ask the same question within a short time. Callers
 * get the kept answer until it reaches its maximum age, counted from the moment the first caller
 * asked; no caller gets an older answer. Errors go to the callers that wait, and are not kept. The
 * number of kept answers is bounded. Safe from any thread.
 *
 * @param <K> key that identifies a question
 * @param <V> answers; immutable, because threads share them
 */
final class SharedAnswers<K, V> {
  private final long mostAgeNanos;
  private final int most;
  private final Predicate<? super V> kept;
  private final LongSupplier nanoClock;

  /** The latest questions, the oldest first; guarded by the map itself. */
  private final Map<K, Asked<V>> asked = new LinkedHashMap<>();

  /**
   * @param most most answers that are kept, above 0
   * @param kept whether an answer is small enough to be kept
   * @param nanoClock a monotonic clock, such as {@link System#nanoTime}
   */
  SharedAnswers(long mostAgeNanos, int most, Predicate<? super V> kept, LongSupplier nanoClock) {
    this.mostAgeNanos = mostAgeNanos;
    this.most = most;
    this.kept = kept;
    this.nanoClock = nanoClock;
  }

  /** Computes the answer to a question, in bounded time. */
  @FunctionalInterface
  interface Question<V> {
    V ask() throws IOException;
  }

  /** A question that a caller has asked, with its answer once it is known. */
  private static final class Asked<V> {
    final long atNanos;
    final CompletableFuture<V> answer = new CompletableFuture<>();

    Asked(long atNanos) {
      this.atNanos = atNanos;
    }
  }

  /**
   * Returns the recent answer that another call has computed, or else computes it.
   *
   * @throws IOException if the question fails
   */
  V answer(K key, Question<V> question) throws IOException {
    while (true) {
      Asked<V> mine = new Asked<>(nanoClock.getAsLong());
      Asked<V> first = enter(key, mine);
      if (first == mine) {
        return ask(key, mine, question);
      }
      try {
        return await(first);
      } catch (ExecutionException failed) {
        Throwable why = failed.getCause();
        if (why instanceof InterruptedIOException) {
          // The interruption concerns the thread that asked; the store has not answered.
          continue;
        }
        throw rethrown(why);
      }
    }
  }

  /**
   * Returns the question of another call if it is recent enough; otherwise registers the question
   * of this call for later ones.
   */
  private Asked<V> enter(K key, Asked<V> mine) {
    synchronized (asked) {
      Asked<V> known = asked.get(key);
      if (known != null && isFresh(known, mine.atNanos)) {
        return known;
      }
      // The last one asked is at the end.
      asked.remove(key);
      asked.put(key, mine);
      Iterator<Asked<V>> oldest = asked.values().iterator();
      while (oldest.hasNext()) {
        if (isFresh(oldest.next(), mine.atNanos) && asked.size() <= most) {
          break;
        }
        oldest.remove();
      }
      return mine;
    }
  }

  private boolean isFresh(Asked<V> of, long nowNanos) {
    return nowNanos - of.atNanos <= mostAgeNanos;
  }

  private V ask(K key, Asked<V> mine, Question<V> question) throws IOException {
    boolean keep = false;
    try {
      V answer = question.ask();
      keep = kept.test(answer);
      mine.answer.complete(answer);
      return answer;
    } catch (Throwable failed) {
      forget(key, mine);
      mine.answer.completeExceptionally(failed);
      throw failed;
    } finally {
      if (!keep) {
        forget(key, mine);
      }
    }
  }

  private void forget(K key, Asked<V> mine) {
    synchronized (asked) {
      asked.remove(key, mine);
    }
  }

  private V await(Asked<V> first) throws IOException, ExecutionException {
    try {
      return first.answer.get();
    } catch (InterruptedException interrupted) {
      Thread.currentThread().interrupt();
      throw (InterruptedIOException)
          new InterruptedIOException("interrupted while another thread reads the answer")
              .initCause(interrupted);
    }
  }

  private static IOException rethrown(@Nullable Throwable why) {
    if (why instanceof IOException told) {
      return told;
    }
    if (why instanceof Error error) {
      throw error;
    }
    return new IOException("another thread, which reads the answer, has failed: " + why, why);
  }
}
