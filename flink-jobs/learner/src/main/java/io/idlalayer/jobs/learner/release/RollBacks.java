package io.idlalayer.jobs.learner.release;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.learner.publish.Publication;
import io.idlalayer.jobs.learner.publish.PublishedModels;
import io.idlalayer.jobs.learner.publish.ServedVersion;
import io.idlalayer.jobs.learner.release.ReleaseCycle.Transition;
import io.idlalayer.jobs.learner.state.DecisionLog;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.LearnerTime;
import io.idlalayer.jobs.learner.state.StateSaver;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.models.manifest.CorruptModelException;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.middleware.models.store.AlreadyPinnedException;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.Executor;
import java.util.concurrent.RejectedExecutionException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Puts the baseline in service in place of a worse version, and handles the outcome. Called by the
 * operator's thread.
 */
final class RollBacks {
  private static final Logger LOG = LoggerFactory.getLogger(RollBacks.class);

  private final LearnerKey key;
  private final PublishedModels models;
  private final Executor pinning;
  private final ReleaseGate gate;
  private final ServiceWatch service;
  private final Publication publication;
  private final EventCounters counters;
  private final StateSaver state;
  private final DecisionLog log;
  private final Continuation continuation;

  /**
   * @param models the place where pins are set
   * @param pinning runs tasks that set pins, without delay
   */
  RollBacks(
      LearnerKey key,
      PublishedModels models,
      Executor pinning,
      ReleaseParts parts,
      Continuation continuation) {
    this.key = key;
    this.models = models;
    this.pinning = pinning;
    gate = parts.gate();
    service = parts.service();
    publication = parts.publication();
    counters = parts.counters();
    state = parts.state();
    log = parts.log();
    this.continuation = continuation;
  }

  /**
   * Starts to put the baseline in service, on another thread. This reads all files of the baseline,
   * which takes long on a slow medium, and events must not wait for it. The trainer thread is not
   * used, because a training or a publication can occupy it for minutes.
   */
  void begin(LearnerTime now, GivenUpUpdates updates) {
    ServedVersion from = gate.requireInService();
    ServedVersion to = gate.requireBaseline();
    String found = "version %d is %s".formatted(from.version(), gate.describe());
    CompletableFuture<Void> pin;
    try {
      pin = pinning(from, to, found);
    } catch (RejectedExecutionException closing) {
      LOG.debug("{} is closing and starts no rollback", key, closing);
      return;
    }
    RollBack begun = new RollBack(from, to, found, gate.foundWorseMillis(), pin);
    gate.pins(begun);
    follow(begun, now, updates);
  }

  /**
   * Sets a pin, unless a user has replaced the version and the learner has not handled that yet.
   */
  private CompletableFuture<Void> pinning(ServedVersion from, ServedVersion to, String found) {
    PublishedModels.ServedFiles chosen = service.unheeded();
    Pin ofPeople = chosen == null ? null : chosen.pin();
    return ofPeople != null && ofPeople.forbids(to.version(), from.version())
        ? CompletableFuture.failedFuture(new AlreadyPinnedException(ofPeople))
        : CompletableFuture.runAsync(() -> pin(to, from.version(), found), pinning);
  }

  /** Sets the pin that puts the baseline in service. Called by a separate thread. */
  private void pin(ServedVersion to, long left, String found) {
    try {
      models.rollBack(to.version(), to.digest(), left, found);
    } catch (IOException failed) {
      throw new CompletionException(failed);
    }
  }

  /**
   * Handles the outcome of setting a pin, if it is known. If the process dies before it has handled
   * the outcome, the next start finds the pin.
   */
  void follow(RollBack rollBack, LearnerTime now, GivenUpUpdates updates) {
    if (!rollBack.pin().isDone()) {
      return;
    }
    boolean newerServes = gate.inServiceVersion() != rollBack.from().version();
    try {
      rollBack.pin().join();
    } catch (CompletionException failed) {
      if (!(failed.getCause() instanceof IOException cause)) {
        throw failed;
      }
      pinFailed(rollBack, newerServes, cause, now);
      return;
    }
    service.outdated();
    if (newerServes) {
      goOnWithNewer(Transition.OVERTAKE);
      say(rollBack, "version %d has taken its place".formatted(gate.inServiceVersion()), now);
      return;
    }
    counters.rolledBack();
    if (publication.idle()) {
      settle(rollBack, now, updates);
    } else {
      goOnWithNewer(Transition.ROLL_BACK_OLDER);
    }
    log.serves(rollBack.to().version(), rollBack.to().digest());
    say(
        rollBack,
        "version %d serves again, %d ms after that was found"
            .formatted(rollBack.to().version(), now.millis() - rollBack.foundAtMillis()),
        now);
  }

  /** Handles a rollback of the newest model, after which no model is being published. */
  private void settle(RollBack rollBack, LearnerTime now, GivenUpUpdates updates) {
    ServedVersion continued = continuation.of(rollBack.to());
    if (continued != null) {
      continuation.goBackTo(continued, now, updates);
    }
    publication.rollBack(continued);
    gate.rolledBack();
    continuation.forgetRows();
    state.save(Transition.ROLL_BACK);
    continuation.scoreNewest();
  }

  /**
   * Handles a rollback while a newer model is being published or has replaced the rolled-back
   * version.
   */
  private void goOnWithNewer(Transition how) {
    gate.rolledBackOlder(how);
    state.save(how);
    continuation.scoreAnew();
  }

  private void pinFailed(
      RollBack rollBack, boolean newerServes, IOException failed, LearnerTime now) {
    boolean pinned = failed instanceof AlreadyPinnedException;
    // A damaged or missing version does not come back, and a user's pin stays; other failures
    // are tried again.
    boolean forGood = pinned || failed instanceof CorruptModelException;
    if (!gate.failedBefore()) {
      String problem = "%s; version %d cannot be put in service again: %s";
      // The message of another exception is sometimes only a file name.
      String why = forGood ? failed.getMessage() : failed.toString();
      log.say(
          DecisionEvent.Type.WORSE,
          now,
          null,
          problem.formatted(rollBack.found(), rollBack.to().version(), why));
    }
    boolean left = failed instanceof AlreadyPinnedException by && !by.forGood();
    if (left && newerServes) {
      gate.pinFailed(Transition.YIELD_TO_NEWER, now.millis());
      continuation.scoreAnew();
    } else if (left && !publication.idle()) {
      gate.pinFailed(Transition.YIELD, now.millis());
      continuation.scoreAnew();
    } else {
      gate.pinFailed(forGood ? Transition.GIVE_UP_PIN : Transition.RETRY_PIN, now.millis());
    }
  }

  private void say(RollBack rollBack, String consequence, LearnerTime now) {
    log.say(DecisionEvent.Type.ROLLED_BACK, now, null, rollBack.found() + "; " + consequence);
  }
}
