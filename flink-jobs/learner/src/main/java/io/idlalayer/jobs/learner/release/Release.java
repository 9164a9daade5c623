package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.Finding;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.jobs.learner.release.ReleaseCycle.State;
import io.idlalayer.jobs.learner.release.ReleaseCycle.Transition;
import io.idlalayer.jobs.learner.state.DecisionLog;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.learner.state.StateChange;
import io.idlalayer.jobs.learner.state.StateSaver;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.models.manifest.Pin;
import java.io.IOException;
import java.util.Set;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Publishes, holds or refuses new models, and puts older versions in service, as the release gate
 * and users decide. It carries out the decisions of {@link ReleaseGate} about an accepted model
 * before and after its publication, lets {@link RollBacks} put an older version in service, and
 * follows the pins of users. {@link ReleaseCycle} has the state of the newest model; each step is
 * one of its transitions and saves its state. The operator's thread calls all methods.
 */
public final class Release {
  private static final Logger LOG = LoggerFactory.getLogger(Release.class);

  private final LearnerKey key;
  private final PublishedModels models;
  private final ReleaseGate gate;
  private final TrustedWatch trusted;
  private final ServiceWatch service;
  private final Publication publication;
  private final EventCounters counters;
  private final Scoring scoring;
  private final VersionRows rows;
  private final StateSaver state;
  private final DecisionLog log;
  private final Continuation continuation;
  private final RollBacks rollBacks;

  /**
   * @param models the place where versions are published and pins are set
   * @param pinning runs tasks that set pins, without delay
   */
  public Release(LearnerKey key, PublishedModels models, Executor pinning, ReleaseParts parts) {
    this.key = key;
    this.models = models;
    gate = parts.gate();
    trusted = parts.trusted();
    service = parts.service();
    publication = parts.publication();
    counters = parts.counters();
    scoring = parts.scoring();
    rows = parts.rows();
    state = parts.state();
    log = parts.log();
    continuation = new Continuation(key, parts);
    rollBacks = new RollBacks(key, models, pinning, parts, continuation);
  }

  // ---- started --------------------------------------------------------------------------------

  /**
   * Finds the version in service, and continues with a model whose release a restart has
   * interrupted.
   */
  public void start(LearnerTime now) {
    rows.begin(publication.model());
    if (gate.compares()) {
      findInService(now);
    }
    AcceptedModel model = publication.model();
    boolean pending = publication.interrupted();
    boolean held = pending && admitted(now);
    if (model != null) {
      continuation.score(model);
      if (pending) {
        sayIfTrustedUnreadable(model, now);
      }
    }
    publication.resume(counters.nextVersion(), held, now.millis());
  }

  private void findInService(LearnerTime now) {
    InService.Found found;
    try {
      found =
          new InService(key, models, rows)
              .find(publication.model(), publication.interrupted())
              .orElse(null);
    } catch (IOException unreadable) {
      LOG.warn(
          "{}: the version in service cannot be read, so the next model is not compared with it",
          key,
          unreadable);
      return;
    }
    if (found == null) {
      return;
    }
    gate.restored(found.serves(), found.ofThisLineage() && found.rowsKnown());
    boolean continues = gate.continuesInService() && found.rowsKnown();
    switch (found.standing()) {
      case IN_ORDER -> {}
      case WITHHELD -> gate.gaveUpNewest(Transition.FIND);
      case PUT_BACK -> {
        if (continues) {
          continueInService(found, now);
        } else {
          gate.gaveUpNewest(Transition.FIND);
          continuation.warnOfLostRows(found.serves(), found.rowsKnown(), found.left());
        }
      }
      case LEFT_UNRECORDED -> leaveAgain(found, continues, now);
    }
  }

  private void continueInService(InService.Found found, LearnerTime now) {
    ServedVersion served = found.serves();
    String unpublished =
        publication.interrupted()
            ? ", and the model that was made from version %d is not published"
                .formatted(found.left())
            : "";
    giveUpNewest(served);
    say(
        DecisionEvent.Type.ROLLED_BACK,
        null,
        "version %d serves in place of version %d; the next update continues it%s"
            .formatted(served.version(), found.left(), unpublished),
        now);
  }

  private void leaveAgain(InService.Found found, boolean continues, LearnerTime now) {
    ServedVersion served = found.serves();
    if (!continues) {
      continuation.warnOfLostRows(served, found.rowsKnown(), found.left());
    }
    giveUpNewest(continues ? served : null);
    say(
        DecisionEvent.Type.ROLLED_BACK,
        null,
        "version %d serves in place of version %d, whose model is not published again; the next"
                .formatted(served.version(), found.left())
            + " update continues version %d".formatted(continues ? served.version() : found.left()),
        now);
  }

  /**
   * Records in state that the newest model does not serve.
   *
   * @param continued version that the next update continues from; null for the newest model
   */
  private void giveUpNewest(@Nullable ServedVersion continued) {
    counters.rolledBack();
    if (continued != null) {
      continuation.putRowsBack(continued);
    }
    publication.rollBack(continued);
    gate.gaveUpNewest(Transition.CONTINUE);
    state.save(Transition.CONTINUE);
  }

  // ---- accepted -------------------------------------------------------------------------------

  /**
   * Returns whether a model whose training has finished can be accepted now. It cannot be accepted
   * while a publication or a rollback is under way, because it is then unknown from which version
   * the next model continues, and with which version it is compared. If a held model looks worse,
   * the new model can replace it.
   */
  public boolean acceptsModels() {
    return publication.held()
        ? gate.doubtful()
        : gate.state() != State.PINNING && !publication.undecided();
  }

  /**
   * Passes an accepted model to the release gate before its publication.
   *
   * @return whether the gate holds the model
   */
  public boolean accepted(AcceptedModel model, LearnerTime now) {
    if (publication.held()) {
      counters.heldModel();
      sayCompared(DecisionEvent.Type.HELD, "a newer one takes its place", now);
    }
    boolean held = admitted(now);
    continuation.forgetRows();
    sayIfTrustedUnreadable(model, now);
    return held;
  }

  /** Passes the newest model to the gate; returns whether the gate holds it. */
  private boolean admitted(LearnerTime now) {
    return trusted.problem().isEmpty() && gate.accepted(now.millis());
  }

  /**
   * Returns whether the next update trains from the version in service after a refusal or a
   * rollback.
   */
  public boolean continuesInService() {
    return gate.continuesInService();
  }

  /**
   * Sets the model that scores new samples. If a comparison of the model has begun, it also scores
   * the samples that wait.
   */
  public void score(AcceptedModel model) {
    continuation.score(model);
  }

  /**
   * Reports that a model that will be published cannot be compared because the trusted samples are
   * unreadable.
   */
  private void sayIfTrustedUnreadable(AcceptedModel model, LearnerTime now) {
    if (gate.compares() && !trusted.problem().isEmpty()) {
      say(
          DecisionEvent.Type.UNCOMPARED,
          model.update(),
          "the new model is published and not compared, since trusted samples cannot be read: "
              + trusted.problem(),
          now);
    }
  }

  // ---- published ------------------------------------------------------------------------------

  /** Returns the versions that possibly have to serve again and must not be deleted. */
  public Set<Long> neededVersions() {
    return gate.neededVersions();
  }

  /** Records that a model is published and serves as a version. */
  public void published(AcceptedModel model, ModelCheckpoint done) {
    long update = model.update().number();
    service.outdated();
    if (scoring.published(model, done.manifest().version())) {
      state.save(StateChange.Other.COMPARED);
    }
    gate.published(
        new ServedVersion(done.manifest().version(), done.digest(), update, model.artifact()));
    rows.published(update, done.digest());
    continuation.forgetRows();
  }

  /** Returns whether new models are compared with the version in service. */
  public boolean compares() {
    return gate.compares();
  }

  /** Returns whether no rollback is under way. */
  public boolean idle() {
    return gate.state() != State.PINNING;
  }

  /**
   * Returns a sentence that says which version serves after everything that should be published is
   * published.
   */
  public String served() {
    return gate.state() == State.GIVEN_UP
        ? "everything is trained; version %d serves, since the newest model is worse"
            .formatted(gate.inServiceVersion())
        : "everything is trained and published";
  }

  // ---- looked at ------------------------------------------------------------------------------

  /**
   * Carries out the decisions of the gate and of users.
   *
   * @param updates gives up trainings that continue from a given-up model
   */
  public void poll(LearnerTime now, GivenUpUpdates updates) {
    if (trusted.poll(now)) {
      scoring.trust(trusted.samples());
      gate.trust(trusted.samples().size());
    }
    heedGate(now, updates);
    heedPeople(now, updates);
  }

  private void heedGate(LearnerTime now, GivenUpUpdates updates) {
    RollBack under = gate.rollBack();
    if (under != null) {
      rollBacks.follow(under, now, updates);
      return;
    }
    AcceptedModel model = publication.model();
    endComparisonWithoutRows(model, now);
    boolean published = model != null && publication.idle() && model.published();
    switch (gate.look(now.millis(), published)) {
      case NOTHING -> {}
      case RELEASE -> {
        gate.released();
        publish(gate.finding());
      }
      case RELEASE_UNCOMPARED -> {
        gate.released();
        say(
            DecisionEvent.Type.UNCOMPARED,
            model == null ? null : model.update(),
            "the new model could not be compared on all trusted samples, since scoring them failed"
                + " or stopped; it is published",
            now);
        publish(gate.finding());
      }
      case REFUSE -> refuse(now, updates);
      case WARN -> {
        gate.told();
        sayCompared(DecisionEvent.Type.WORSE, "it serves on", now);
      }
      case SETTLE -> gate.told();
      case ROLL_BACK -> rollBacks.begin(now, updates);
    }
  }

  private void endComparisonWithoutRows(@Nullable AcceptedModel model, LearnerTime now) {
    boolean held = gate.held();
    if (!gate.endUnless(rows::known)) {
      return;
    }
    say(
        DecisionEvent.Type.UNCOMPARED,
        model == null ? null : model.update(),
        "so many rows have changed that the newest model cannot be compared with an older one",
        now);
    gate.ended();
    if (held) {
      publish(Finding.NONE);
    }
  }

  /** Publishes the held model, as the gate has decided. */
  private void publish(Finding finding) {
    publication.release(finding, counters.nextVersion());
  }

  private void refuse(LearnerTime now, GivenUpUpdates updates) {
    gate.refuses();
    ServedVersion back = continuation.of(gate.requireInService());
    String next =
        back == null
            ? "the next update continues it"
            : "the next update continues version " + back.version();
    counters.heldModel();
    sayCompared(DecisionEvent.Type.HELD, "it is not published; " + next, now);
    if (back != null) {
      continuation.goBackTo(back, now, updates);
    }
    publication.refuse(back);
    gate.refused();
    state.save(Transition.REFUSE);
    continuation.scoreNewest();
  }

  // ---- pinned by people -----------------------------------------------------------------------

  /** Follows a pin that a user has set or removed. */
  private void heedPeople(LearnerTime now, GivenUpUpdates updates) {
    if (gate.state() == State.PINNING) {
      // The learner's own pin is not a user's.
      return;
    }
    if (service.poll(now) != null) {
      log.changed();
    }
    // A pending publication, or the release of a held model, can end the pin.
    PublishedModels.ServedFiles serves = publication.idle() ? service.takeUnheeded() : null;
    AcceptedModel model = publication.model();
    if (serves == null
        || model == null
        || serves.checkpoint().digest().equals(gate.inServiceDigest())) {
      return;
    }
    long newest = counters.modelVersion();
    Pin pin = serves.pin();
    if (pin == null && serves.checkpoint().manifest().version() == newest) {
      gate.unpinned(InService.servedVersion(serves, model));
    } else if (pin != null && pin.until() > 0 && pin.holds(newest)) {
      followPeople(InService.servedVersion(serves, model), pin, model, now, updates);
    }
  }

  private void followPeople(
      ServedVersion to, Pin pin, AcceptedModel model, LearnerTime now, GivenUpUpdates updates) {
    long before = gate.inServiceVersion();
    long known = model.publishedVersion();
    boolean rowsKnown = rows.known(to);
    boolean replaced =
        gate.continuesInService() && !to.digest().equals(model.lineage().publishedDigest());
    if (replaced) {
      continuation.warnOfLostRows(to, rowsKnown, known);
    }
    ServedVersion continued = replaced && rowsKnown ? to : null;
    counters.rolledBack();
    if (continued != null) {
      continuation.goBackTo(continued, now, updates);
    }
    publication.rollBack(continued);
    gate.followedPeople(to, rowsKnown);
    continuation.forgetRows();
    state.save(Transition.FOLLOW_PEOPLE);
    continuation.scoreNewest();
    say(
        DecisionEvent.Type.ROLLED_BACK,
        null,
        "version %d serves in place of version %d (%s, says %s); the next update continues version"
                .formatted(to.version(), before, pin.reason(), pin.by())
            + " %d".formatted(continued == null ? known : to.version()),
        now);
  }

  // ---- said -----------------------------------------------------------------------------------

  private void sayCompared(DecisionEvent.Type type, String consequence, LearnerTime now) {
    AcceptedModel model = publication.model();
    UpdateRecord about = model == null ? null : model.update();
    say(type, about, "the new model is %s; %s".formatted(gate.describe(), consequence), now);
  }

  private void say(
      DecisionEvent.Type type, @Nullable UpdateRecord about, String message, LearnerTime now) {
    log.say(type, now, about, message);
  }
}
