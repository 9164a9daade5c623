package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateView;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the status and decision topics say of a run so far: for each application partition the last
 * status, which has the totals, and its newest updates by their number. After a restore numbers run
 * again from the checkpoint; the later event replaces the earlier, so what was undone by the
 * restore disappears. Holds at most {@link #UPDATES} updates, or {@link #UPDATES_EACH} of each
 * learner if that is more. Confined to one thread.
 */
public final class RunView {
  /** Most updates that are shown of all learners. */
  public static final int UPDATES = 10_000;

  /** How many of each learner are shown, however many learners there are. */
  public static final int UPDATES_EACH = 100;

  private final SortedMap<String, Learner> learners = new TreeMap<>();
  private long dropped;

  /** One application partition. */
  public static final class Learner {
    private final String application;
    private final SortedMap<Long, UpdateView> updates = new TreeMap<>();
    private Status status;
    private long atMillis;
    private boolean decided;

    private Learner(DecisionEvent first) {
      application = first.application();
      status = first.status();
      atMillis = first.atMillis();
    }

    public String application() {
      return application;
    }

    public Status status() {
      return status;
    }

    /** The newest published updates, ascending by number. */
    public List<UpdateView> updates() {
      return List.copyOf(updates.values());
    }

    /** Whether a status is older than what is known: the two topics are read side by side. */
    private boolean passed(DecisionEvent event) {
      return event.type() == DecisionEvent.Type.STATUS
          && (event.atMillis() < atMillis || (event.atMillis() == atMillis && decided));
    }

    private void status(DecisionEvent event) {
      status = event.status();
      atMillis = event.atMillis();
      decided = event.type() != DecisionEvent.Type.STATUS;
    }

    private void take(DecisionEvent event, int most) {
      // What was numbered higher than the learner's own count was undone by a restore.
      updates.tailMap(event.status().updates() + 1).clear();
      UpdateView update = event.update();
      if (event.type() == DecisionEvent.Type.PUBLISHED && update != null) {
        updates.put(update.number(), update);
      }
      while (updates.size() > most) {
        updates.remove(updates.firstKey());
      }
    }
  }

  private Learner learner(DecisionEvent event) {
    return learners.computeIfAbsent(event.learner(), key -> new Learner(event));
  }

  private int most() {
    return Math.max(UPDATES_EACH, UPDATES / learners.size());
  }

  /**
   * Takes the next event. Statuses come by a topic of their own: one that is older than what is
   * known of its learner is passed over.
   */
  public void add(DecisionEvent event) {
    Learner learner = learner(event);
    if (learner.passed(event)) {
      return;
    }
    learner.status(event);
    learner.take(event, most());
    if (event.type() == DecisionEvent.Type.DROPPED) {
      dropped++;
    }
  }

  /** Takes what earlier runs left: first the statuses, then the newest decisions, oldest first. */
  public void remember(DecisionEvent event) {
    Learner learner = learner(event);
    learner.take(event, most());
    if (event.atMillis() >= learner.atMillis) {
      learner.status(event);
    }
  }

  /** What was followed so far is history: failures are counted from here. */
  public void reopen() {
    for (Learner learner : learners.values()) {
      learner.atMillis = Long.MIN_VALUE;
      learner.updates.tailMap(learner.status.updates() + 1).clear();
    }
    dropped = 0;
  }

  public List<Learner> learners() {
    return List.copyOf(learners.values());
  }

  /** Whether so many learners of an application say that they have reached an end of input. */
  public boolean reached(String end, String application, int expected) {
    return learners.values().stream()
            .filter(learner -> learner.application.equals(application))
            .filter(learner -> learner.status.input().ends().contains(end))
            .count()
        >= expected;
  }

  /** Trainings and publications that failed. */
  public long dropped() {
    return dropped;
  }

  /** The newest updates of all learners, in the order of their publication. */
  public List<UpdateView> updates() {
    List<UpdateView> all = new ArrayList<>();
    learners.values().forEach(learner -> all.addAll(learner.updates.values()));
    all.sort(java.util.Comparator.comparingLong(UpdateView::publishedAtMillis));
    return all;
  }
}
