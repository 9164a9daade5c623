package io.idlalayer.jobs.learner.update;

import io.idlalayer.datacontroller.api.DataController;
import io.idlalayer.middleware.sample.ContentHash;
import io.idlalayer.middleware.sample.ContentHasher;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.middleware.state.UnreadableStateException;
import java.io.IOException;
import java.util.List;

/**
 * What a learner remembers of its trainings. The operator's thread asks it and says what is tried
 * next; whichever thread gathers rows or trains puts down what begins and ends. A record that
 * cannot be read or written stops nothing, but is told.
 */
public final class TrainingAttempts {
  private final AttemptStore store;
  private final Object lock = new Object();
  private Attempt last;
  private Bisection bisection;
  private long trainings;
  private String problem = "";

  /** Opens what an earlier process left; a training that ran then has failed. */
  public TrainingAttempts(AttemptStore store) {
    this.store = store;
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

  /** What is tried from the next training on. */
  public void bisection(Bisection next) {
    synchronized (lock) {
      bisection = next;
    }
  }

  /** Contents that killed the process alone. */
  List<ContentHash> givenUp() {
    synchronized (lock) {
      return last.givenUp();
    }
  }

  /** Gives up waiting samples whose contents killed the process alone. Returns how many. */
  public int quarantineIn(DataController data) {
    int given = 0;
    for (ContentHash content : givenUp()) {
      if (data.quarantine(content)) {
        given++;
      }
    }
    return given;
  }

  /** What went wrong with the record since the last call, "" if nothing. */
  String takeProblem() {
    synchronized (lock) {
      String taken = problem;
      problem = "";
      return taken;
    }
  }

  /**
   * A batch is prepared or trains, on the thread that does it. Returns what {@link #ended} is told.
   */
  long begins(TrainingBatch batch) {
    List<ContentHash> fresh =
        batch.rows().stream()
            .filter(TrainingRow::fresh)
            .map(row -> ContentHasher.of(row.sample()))
            .toList();
    Attempt begun;
    long number;
    synchronized (lock) {
      begun = last.begins(fresh, bisection);
      last = begun;
      number = ++trainings;
    }
    write(begun, true);
    return number;
  }

  /**
   * It has ended, well or not. A thread that was given up may say so when another training runs,
   * and is not heard then.
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
