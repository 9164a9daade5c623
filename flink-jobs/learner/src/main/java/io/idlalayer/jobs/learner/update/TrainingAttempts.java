package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.HashKey;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.state.UnreadableStateException;
import java.io.IOException;
import java.util.Collection;
import java.util.List;

/**
 * Keeps the record of a learner's training attempts. The operator's thread reads it and sets what
 * is tried next. The thread that gathers rows or trains records the start and the end. If the
 * record cannot be read or written, learning continues, and the problem is reported.
 */
public final class TrainingAttempts {
  /**
   * Number of trainings after a start whose records are synced. If a batch makes the whole machine
   * fail, the state returns to a checkpoint, and the batch trains again soon after the start. So
   * from the second training of such a batch on, its record is synced. The death of a process alone
   * loses no record.
   */
  static final int SYNCED = 1_000;

  private final AttemptStore store;
  private final HashKey hashKey;
  private final Object lock = new Object();
  private Attempt last;
  private Bisection bisection;
  private long trainings;
  private String problem = "";

  /**
   * Opens the record that an earlier process left. If the record says that a training was running,
   * this training counts as failed.
   *
   * @param hashKey key of the hashes of contents in the learner's store
   */
  public TrainingAttempts(AttemptStore store, HashKey hashKey) {
    this.store = store;
    this.hashKey = hashKey;
    Attempt found = Attempt.NONE;
    try {
      found = store.read();
    } catch (IOException | UnreadableStateException unreadable) {
      problem = "the record of trainings cannot be read: " + unreadable;
    }
    last = found.running() ? found.died() : found;
    bisection = last.bisection();
    if (found.running()) {
      write(last, true);
    }
  }

  public Bisection bisection() {
    synchronized (lock) {
      return bisection;
    }
  }

  /** Sets the bisection, which chooses the samples of the next trainings after a failure. */
  public void bisection(Bisection next) {
    synchronized (lock) {
      bisection = next;
    }
  }

  /** Returns the contents of the samples that killed the process when they trained alone. */
  public List<ContentHash> givenUp() {
    synchronized (lock) {
      return last.givenUp();
    }
  }

  /**
   * Records further contents as given up: the contents that given-up samples have after a change of
   * features or classes. The former contents stay recorded, for a later start from a checkpoint
   * before the change.
   */
  public void giveUp(Collection<ContentHash> contents) {
    Attempt more;
    synchronized (lock) {
      more = last.givingUp(contents);
      last = more;
    }
    write(more, true);
  }

  /**
   * Gives up waiting samples whose contents killed the process when they trained alone. Returns the
   * number of these samples.
   */
  public int quarantineIn(DataController data) {
    int given = 0;
    for (ContentHash content : givenUp()) {
      given += data.quarantine(content);
    }
    return given;
  }

  /**
   * Returns why the record could not be read or written since the last call; "" if there was no
   * failure.
   */
  String takeProblem() {
    synchronized (lock) {
      String taken = problem;
      problem = "";
      return taken;
    }
  }

  /**
   * Records that a batch is being prepared or trained. Called by the thread that prepares or trains
   * it. Returns the number to pass to {@link #ended}.
   */
  long begins(TrainingBatch batch) {
    List<ContentHash> fresh =
        batch.rows().stream()
            .filter(TrainingRow::fresh)
            .map(row -> ContentHasher.of(row.sample(), hashKey))
            .toList();
    Attempt begun;
    long number;
    synchronized (lock) {
      begun = last.begins(fresh, bisection);
      last = begun;
      number = ++trainings;
    }
    write(begun, number <= SYNCED || !begun.remembersNothing());
    return number;
  }

  /**
   * Records that a training has ended, whether it succeeded or failed. If a thread that was given
   * up calls this during another training, the call is ignored.
   */
  void ended(long number) {
    Attempt done;
    synchronized (lock) {
      if (number != trainings) {
        return;
      }
      done = last.ended();
      last = done;
    }
    write(done, false);
  }

  private void write(Attempt attempt, boolean durable) {
    try {
      store.write(attempt, durable);
    } catch (IOException failed) {
      synchronized (lock) {
        problem = "the record of trainings cannot be written: " + failed;
      }
    }
  }
}
