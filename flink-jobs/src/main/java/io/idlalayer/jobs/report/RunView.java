package io.idlalayer.jobs.report;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateView;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * What the decision topic says of a run so far: for each application partition the last status and
 * every update by its number. After a restore numbers run again from the checkpoint; the later
 * event replaces the earlier, so what was undone by the restore disappears.
 */
public final class RunView {
  private final SortedMap<String, Learner> learners = new TreeMap<>();
  private long dropped;

  /** One application partition. */
  public static final class Learner {
    private final String application;
    private final SortedMap<Long, UpdateView> updates = new TreeMap<>();
    private Status status;

    private Learner(DecisionEvent first) {
      application = first.application();
      status = first.status();
    }

    public String application() {
      return application;
    }

    public Status status() {
      return status;
    }

    /** Published updates, ascending by number. */
    public List<UpdateView> updates() {
      return List.copyOf(updates.values());
    }
  }

  /** Takes the next event of the topic. */
  public void add(DecisionEvent event) {
    Learner learner =
        learners.computeIfAbsent(
            event.application() + "/" + event.partition(), key -> new Learner(event));
    learner.status = event.status();
    // What was numbered higher than the learner's own count was undone by a restore.
    learner.updates.tailMap(event.status().updates() + 1).clear();
    UpdateView update = event.update();
    if (event.type() == DecisionEvent.Type.PUBLISHED && update != null) {
      learner.updates.put(update.number(), update);
    }
    if (event.type() == DecisionEvent.Type.DROPPED) {
      dropped++;
    }
  }

  /** What was followed so far is history: failures are counted from here. */
  public void reopen() {
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

  /** Updates of all learners, in the order of their publication. */
  public List<UpdateView> updates() {
    List<UpdateView> all = new ArrayList<>();
    learners.values().forEach(learner -> all.addAll(learner.updates.values()));
    all.sort(java.util.Comparator.comparingLong(UpdateView::publishedAtMillis));
    return all;
  }
}
