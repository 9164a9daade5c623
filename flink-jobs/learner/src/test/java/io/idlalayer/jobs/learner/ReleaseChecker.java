package io.idlalayer.jobs.learner;

import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.Status;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.manifest.Pin;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.GateSettings.Action;
import io.idlalayer.modelcontroller.gate.GateSettings.AfterPublishing;
import io.idlalayer.modelcontroller.gate.GateSettings.ContinueFrom;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * What {@code docs/release-gate.md} promises, checked against what an outsider sees: the decision
 * topic, the versions and their pin, what each update trained from, and how good each model really
 * is. The promises:
 *
 * <ul>
 *   <li>a model that was refused, or gave way to a newer one, is never published, also after a
 *       restart
 *   <li>only a worse model is called worse; one that is much worse is not let through once its
 *       samples were compared
 *   <li>an update continues the model that the last event said
 *   <li>a pin that people have set stays until they take it away or a newer version ends it
 *   <li>the learner pins nothing unless it is to roll back, and then a version that it has not left
 *   <li>what serves is what an event has just said
 *   <li>after a start it is known what serves, and a model that waited waits again
 *   <li>a model waits no longer than it may
 *   <li>a model that was given up does not count as published at the end of the input
 *   <li>in the end nothing waits, no version serves that is known to be much worse, and it is known
 *       what serves
 * </ul>
 */
final class ReleaseChecker {
  /** How good a model is. */
  enum Grade {
    /** It predicts every label. */
    GOOD,
    /** It predicts half of them. */
    FAIR,
    /** It predicts none. */
    BAD;

    /** The file of a model that says so. */
    byte[] file() {
      return name().getBytes(StandardCharsets.UTF_8);
    }

    /** The grade that the files of a model say. */
    static Grade of(Map<String, byte[]> files) {
      return valueOf(new String(files.get(LearnerHistory.GRADE), StandardCharsets.UTF_8));
    }
  }

  /** A model without a single success against one without a failure is found by then. */
  private static final int ENOUGH = 25;

  private static final double MUCH = 0.9;

  private static final long SLACK_MILLIS = 1_000;

  private static final Pattern COMPARED = Pattern.compile("worse by .* than version (\\d+) on .*");
  private static final Pattern CONTINUES = Pattern.compile(".*the next update continues (.*)");
  private static final Pattern VERSION = Pattern.compile("version (\\d+)");
  private static final Pattern BY_THE_GATE =
      Pattern.compile(
          "version (?<left>\\d+) is .*; version (?<now>\\d+) (?<how>serves again|has taken its"
              + " place).*");
  private static final Pattern IN_PLACE =
      Pattern.compile("version (?<now>\\d+) serves in place of version (?<left>\\d+)(?<rest>.*)");

  private final FakeModels models;
  private final GateSettings gate;
  private final int trusted;
  private final Function<String, AssertionError> violation;

  /** The last training of each update. */
  private final Map<Long, Trained> trainings = new HashMap<>();

  private Memory memory = Memory.NONE;
  private int versions;
  private int pinnings;

  /** Versions that the learner has left since people acted last. */
  private final Set<Long> left = new HashSet<>();

  private boolean peopleHaveActed;

  private @Nullable Start start;
  private boolean rolledBackAtStart;
  private long heldSinceMillis = Long.MAX_VALUE;

  /** A model that was trained. */
  record Trained(long update, List<Long> lineage, Grade grade, List<Long> base) {}

  /**
   * What a learner remembers.
   *
   * @param head what the next update continues; null before the first
   * @param newest the model that was accepted last; null before the first
   * @param gone models that must not be published any more
   */
  record Memory(@Nullable List<Long> head, @Nullable Trained newest, Set<Trained> gone) {
    static final Memory NONE = new Memory(null, null, Set.of());

    /** The update that was accepted last, 0 for none. */
    private long accepted() {
      return newest == null ? 0 : newest.update();
    }

    private Memory continuing(List<Long> other) {
      return new Memory(other, newest, gone);
    }

    private Memory without(Trained model) {
      Set<Trained> more = new HashSet<>(gone);
      more.add(model);
      return new Memory(head, newest, more);
    }
  }

  /** What there was when a learner was started. */
  private record Start(
      @Nullable AcceptedModel model, boolean trustedReadable, long serving, @Nullable Pin pin) {}

  /**
   * @param trusted how many trusted samples there are, 0 for none
   */
  ReleaseChecker(
      FakeModels models,
      GateSettings gate,
      int trusted,
      Function<String, AssertionError> violation) {
    this.models = models;
    this.gate = gate;
    this.trusted = trusted;
    this.violation = violation;
  }

  /** What the learner remembers now, which a checkpoint keeps. */
  Memory memory() {
    return memory;
  }

  /**
   * A learner is opened from a checkpoint.
   *
   * @param model in state
   */
  void started(Memory kept, @Nullable AcceptedModel model, boolean trustedReadable) {
    look();
    memory = kept;
    long serving = models.outOfReach ? 0 : models.serving();
    start = new Start(model, trustedReadable, serving, models.holding());
    rolledBackAtStart = false;
    heldSinceMillis = Long.MAX_VALUE;
  }

  /** An update trains, from the model with a lineage. */
  void trains(long update, List<Long> base) {
    List<Long> head = memory.head();
    require(
        base.equals(head == null ? List.of() : head),
        "update %d trains from %s, and should from %s".formatted(update, base, head));
  }

  void trained(Trained model) {
    trainings.put(model.update(), model);
  }

  void peopleActed() {
    peopleHaveActed = true;
    left.clear();
  }

  void said(DecisionEvent event, long nowMillis) {
    look();
    UpdateRecord update = event.update();
    String message = event.message();
    switch (event.type()) {
      case STAGED -> staged(Objects.requireNonNull(update).number());
      case HELD -> held(Objects.requireNonNull(update).number(), message, event.status());
      case WORSE -> worse(message);
      case ROLLED_BACK -> rolledBack(message);
      case RESTORED -> restored(event.status());
      case FINISHED -> finished(message);
      default -> {}
    }
    waits(event, nowMillis);
  }

  private void staged(long update) {
    Trained model = Objects.requireNonNull(trainings.get(update), "nothing was trained");
    trains(update, model.base());
    memory = new Memory(model.lineage(), model, memory.gone());
  }

  private void held(long update, String message, Status status) {
    require(gate.action() == Action.HOLD, "a model is held");
    Trained model = Objects.requireNonNull(trainings.get(update));
    memory = memory.without(model);
    Matcher continued = CONTINUES.matcher(message);
    if (!continued.matches()) {
      require(message.endsWith("a newer one takes its place"), message);
      return;
    }
    require(model.grade() != Grade.GOOD, "update %d is good and is refused".formatted(update));
    Matcher version = VERSION.matcher(continued.group(1));
    boolean inService = gate.continueFrom() == ContinueFrom.IN_SERVICE;
    require(version.matches() == inService, message);
    if (inService) {
      long number = Long.parseLong(version.group(1));
      // A pin for good changes what serves, and not what is learned.
      boolean pinned = status.pinned() != null;
      require(
          pinned || number == Objects.requireNonNull(status.gate()).inServiceVersion(), message);
      memory = memory.continuing(models.version(number).lineage());
    }
  }

  private void worse(String message) {
    require(
        gate.action() == Action.WARN || gate.afterPublishing() != AfterPublishing.OFF,
        "nobody asked whether a model is worse");
    Matcher compared = COMPARED.matcher(message.replaceFirst("^.*? is worse", "worse"));
    require(compared.find(), message);
    someIsBad(Long.parseLong(compared.group(1)), memory.accepted());
  }

  /**
   * One of the models that were made after a version, up to that of an update, is bad. What people
   * have chosen may be of a branch that a restart has left, where updates have other numbers.
   */
  private void someIsBad(long baseline, long update) {
    long from = update(models.version(baseline));
    boolean bad =
        trainings.values().stream()
            .anyMatch(
                each ->
                    each.grade() != Grade.GOOD && each.update() > from && each.update() <= update);
    require(bad || from >= update - 1, "no model after version %d is bad".formatted(baseline));
  }

  private static long update(FakeModels.Version version) {
    return version.manifest().counts().get("updateNumber");
  }

  private void rolledBack(String message) {
    Matcher byGate = BY_THE_GATE.matcher(message);
    Matcher inPlace = IN_PLACE.matcher(message);
    if (byGate.matches()) {
      rolledBackByTheGate(byGate, message);
    } else {
      require(inPlace.matches(), message);
      rolledBackInPlace(inPlace, message);
    }
  }

  private void rolledBackByTheGate(Matcher parts, String message) {
    long worse = Long.parseLong(parts.group("left"));
    long now = Long.parseLong(parts.group("now"));
    Matcher compared = COMPARED.matcher(message.replaceFirst("^.*? is worse", "worse"));
    require(compared.find(), message);
    if (grade(models.version(worse)) == Grade.GOOD) {
      someIsBad(Long.parseLong(compared.group(1)), memory.accepted());
    }
    if (parts.group("how").equals("has taken its place")) {
      require(now > worse, message);
      return;
    }
    left.add(worse);
    Pin pin = models.pinnings.get(models.pinnings.size() - 1).after();
    boolean peopleSince = pin == null || pin.by().equals(FakeModels.PEOPLE);
    require(
        models.serving() == now || models.newest() > worse || peopleSince,
        "version %d serves when this is said: %s".formatted(models.serving(), message));
    boolean newest = memory.accepted() == update(models.version(worse));
    if (gate.continueFrom() == ContinueFrom.IN_SERVICE && newest) {
      memory = memory.continuing(models.version(now).lineage());
    }
  }

  private void rolledBackInPlace(Matcher parts, String message) {
    rolledBackAtStart = start != null;
    long now = Long.parseLong(parts.group("now"));
    List<Long> lineage = models.version(now).lineage();
    if (parts.group("rest").contains("is not published")) {
      Trained newest = memory.newest();
      if (newest != null) {
        memory = memory.without(newest);
      }
    }
    Matcher continued = CONTINUES.matcher(message.replaceFirst("continues it.*", "continues it"));
    require(continued.matches(), message);
    boolean inService = gate.continueFrom() == ContinueFrom.IN_SERVICE;
    Matcher version = VERSION.matcher(continued.group(1));
    if (!version.matches()) {
      require(inService && continued.group(1).equals("it"), message);
      memory = memory.continuing(lineage);
    } else if (inService) {
      require(Long.parseLong(version.group(1)) == now, message);
      memory = memory.continuing(lineage);
    }
  }

  /** The first that is said after a start from state. */
  private void restored(Status status) {
    Start at = Objects.requireNonNull(start, "it was started before");
    start = null;
    Status.Gate now = Objects.requireNonNull(status.gate());
    if (at.serving() == 0) {
      return;
    }
    require(
        now.inServiceVersion() == at.serving(),
        "version %d served at the start, and it says %d"
            .formatted(at.serving(), now.inServiceVersion()));
    AcceptedModel model = at.model();
    boolean pending = model != null && !model.published() && !model.withheld();
    require(
        !pending || rolledBackAtStart || !wasLeft(model, at.pin()),
        "a model that was published and left is published again");
    if (!pending || rolledBackAtStart) {
      require(!now.held(), "a model is held that does not wait");
      return;
    }
    FakeModels.Version serves = models.version(at.serving());
    Pin pin = at.pin();
    boolean own = model.lineage().parentDigest().equals(serves.digest());
    boolean putBack =
        pin != null
            && pin.until() > 0
            && model.publishedVersion() <= pin.until()
            && model.publishedVersion() > serves.number();
    boolean holds = gate.action() == Action.HOLD && at.trustedReadable() && (own || putBack);
    require(now.held() == holds, holds ? "a model that waited is published" : "it is held");
  }

  /**
   * Whether a version was made of a model, and a pin has left it. One whose parent was left too is
   * published again all the same, unless the next update continues what serves.
   */
  private boolean wasLeft(AcceptedModel model, @Nullable Pin pin) {
    return pin != null
        && !pin.left(model.publishedVersion())
        && models.list().stream()
            .anyMatch(
                each ->
                    pin.left(each.number())
                        && each.number() > model.publishedVersion()
                        && model.madeAs(each.manifest()));
  }

  private void finished(String message) {
    Trained newest = memory.newest();
    boolean givenUp =
        newest != null
            && (memory.gone().contains(newest)
                || models.versions.stream()
                    .anyMatch(each -> left.contains(each.number()) && isMadeOf(each, newest)));
    require(
        peopleHaveActed || !givenUp || !message.endsWith("everything is trained and published"),
        "the model of update %d was given up".formatted(memory.accepted()));
  }

  /**
   * Tells whether a version was made by a training. Their numbers alone do not tell: updates are
   * counted anew from the checkpoint of a restart.
   */
  private static boolean isMadeOf(FakeModels.Version version, Trained training) {
    return training.update() == update(version) && training.lineage().equals(version.lineage());
  }

  private void waits(DecisionEvent event, long nowMillis) {
    Status.Gate now = event.status().gate();
    if (now == null || !now.held()) {
      heldSinceMillis = Long.MAX_VALUE;
      return;
    }
    require(gate.action() == Action.HOLD, "a model is held");
    if (heldSinceMillis == Long.MAX_VALUE || event.type() == DecisionEvent.Type.STAGED) {
      heldSinceMillis = nowMillis;
    }
    require(
        trusted > 0 || nowMillis - heldSinceMillis <= gate.waitSeconds() * 1_000 + SLACK_MILLIS,
        "a model has waited for %d ms".formatted(nowMillis - heldSinceMillis));
  }

  /** Looks at what has changed in the store. */
  private void look() {
    for (; versions < models.versions.size(); versions++) {
      published(models.versions.get(versions));
    }
    for (; pinnings < models.pinnings.size(); pinnings++) {
      pinned(models.pinnings.get(pinnings));
    }
  }

  private void published(FakeModels.Version version) {
    ModelManifest manifest = version.manifest();
    for (Trained gone : memory.gone()) {
      require(
          gone.update() != update(version) || !gone.lineage().equals(version.lineage()),
          "the model of update %d is published as version %d, though it was refused"
              .formatted(gone.update(), version.number()));
    }
    long compared = manifest.counts().getOrDefault("comparedSamples", 0L);
    if (compared >= ENOUGH) {
      Grade with = grade(models.version(manifest.counts().get("comparedWith")));
      require(
          grade(version) != Grade.BAD || with != Grade.GOOD,
          "version %d is bad and was let through after %d samples"
              .formatted(version.number(), compared));
    }
  }

  private static Grade grade(FakeModels.Version version) {
    return Grade.of(version.files());
  }

  private void pinned(FakeModels.Pinning pinning) {
    Pin after = pinning.after();
    if (after == null || after.by().equals(FakeModels.PEOPLE)) {
      return;
    }
    require(
        gate.afterPublishing() == AfterPublishing.ROLL_BACK, "the learner pins a version unasked");
    Pin before = pinning.before();
    boolean ofPeople =
        before != null
            && before.by().equals(FakeModels.PEOPLE)
            && before.holds(pinning.newest())
            && before.version() != after.version();
    require(!ofPeople, "the pin of people, %s, is replaced by %s".formatted(before, after));
    require(
        !left.contains(after.version()),
        "version %d, which was left, is to serve again".formatted(after.version()));
  }

  /** The input has ended, everything works, and some minutes have passed. */
  void end(List<DecisionEvent> events) {
    look();
    Status status = new ArrayList<>(events).get(events.size() - 1).status();
    Status.Gate now = Objects.requireNonNull(status.gate());
    require(!now.held(), "a model is held for ever");
    require(
        peopleHaveActed
            || gate.afterPublishing() != AfterPublishing.ROLL_BACK
            || now.samples() < ENOUGH
            || now.difference() < MUCH,
        "version %d is much worse and serves on".formatted(now.inServiceVersion()));
    require(
        now.inServiceVersion() == models.serving() || models.serving() > status.modelVersion(),
        "version %d serves, and it says %d".formatted(models.serving(), now.inServiceVersion()));
  }

  private void require(boolean holds, String otherwise) {
    if (!holds) {
      throw violation.apply(otherwise);
    }
  }
}
