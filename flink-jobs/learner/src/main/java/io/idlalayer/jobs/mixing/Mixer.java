package io.idlalayer.jobs.mixing;

import io.idlalayer.jobs.settings.mixing.MixingSettings;
import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Decides when the contributions of an application's learners become a model, and which ones. This
 * class only decides; {@link MixWork} reads, computes and publishes. {@link Transition} is the
 * table of its states:
 *
 * <pre>
 *         GATHER               FIRE             COMPUTE                PUBLISH, WITHHOLD
 *   IDLE ---------&gt; GATHERING ------&gt; MIXING ---------&gt; PUBLISHING ------------------&gt; IDLE
 *                                     |   \                 ^
 *                                     |    \ TEST           | PASS
 *                                     |     '-----&gt; TESTING -- REFUSE --&gt; IDLE
 *                                     '-- GIVE_UP --&gt; IDLE
 * </pre>
 *
 * <p>With a release gate each mixed model is tested before it is published; {@link CandidateGate}
 * has the states of the test. The contributions of a refused model wait again: the next round takes
 * them too, unless their learners have contributed newer ones, which contain them.
 *
 * <p>A round waits until every learner that took part in one of the last three has contributed, but
 * not longer than {@link RoundTimes} says. The first round does not wait: the first contribution is
 * the first model, from which all other learners continue.
 *
 * <p>A version names the incarnation of each learner and the learner's last contribution that the
 * version contains. When a learner has started again, a round without contributions makes a version
 * that names its new incarnation.
 *
 * <p>The snapshot must be in keyed state before a round that {@link #poll} has returned is carried
 * out. Confined to one thread.
 */
public final class Mixer {
  private static final StateFormat FORMAT = StateFormat.first("mixer");

  /** A round waits for each learner that took part in one of this number of last rounds. */
  private static final int REMEMBERED_ROUNDS = 3;

  /** The states of the mixer of one application. */
  public enum State {
    /** There is nothing to mix. */
    IDLE,
    /** A contribution waits for contributions of other learners. */
    GATHERING,
    /** A round is fired, and its model is computed. */
    MIXING,
    /** The model is in state, and is compared with the model in service. */
    TESTING,
    /** The model is in state, and is published. */
    PUBLISHING
  }

  /** All transitions between states. */
  enum Transition {
    GATHER(State.IDLE, State.GATHERING),
    FIRE(State.GATHERING, State.MIXING),
    COMPUTE(State.MIXING, State.PUBLISHING),
    /** The contribution that was to be the first model cannot be read. */
    GIVE_UP(State.MIXING, State.IDLE),
    TEST(State.MIXING, State.TESTING),
    PASS(State.TESTING, State.PUBLISHING),
    /** The model is worse than the model in service, and is given up. */
    REFUSE(State.TESTING, State.IDLE),
    PUBLISH(State.PUBLISHING, State.IDLE),
    /** The version in service has learned more, so the model is stored only for learners. */
    WITHHOLD(State.PUBLISHING, State.IDLE);

    private final Set<State> from;
    private final State to;

    Transition(State from, State to) {
      this.from = EnumSet.of(from);
      this.to = to;
    }
  }

  private final int partitions;
  private final RoundTimes times;
  private final RecentLengths lengths = new RecentLengths();
  private final SortedMap<Integer, Member> members = new TreeMap<>();

  /** Partitions whose learners have said something in this attempt of the job. */
  private final Set<Integer> started = new TreeSet<>();

  private final Deque<Set<Integer>> lastContributors = new ArrayDeque<>();
  private State state = State.IDLE;
  private long round;
  private @Nullable MixRound fired;

  /**
   * Partitions whose contributions the tested model contains, with the lengths of their progress;
   * empty if no model is tested.
   */
  private SortedMap<Integer, Double> tested = new TreeMap<>();

  /** The verdict on the model that is being published; null if it was not tested. */
  private @Nullable CandidateVerdict verdict;

  /** Whether a learner has started whose incarnation no version names yet. */
  private boolean naming;

  /** Whether the last version does not serve, because another version has learned more. */
  private boolean behind;

  private long publishedVersion;
  private boolean goesOn;
  private long gatheringSinceMillis;

  /**
   * @param partitions number of learners of the application
   */
  public Mixer(int partitions, MixingSettings settings) {
    this.partitions = partitions;
    times = new RoundTimes(settings);
  }

  private void move(Transition transition) {
    if (!transition.from.contains(state)) {
      throw new IllegalStateException(
          "a mixer cannot %s while it is %s".formatted(transition, state));
    }
    state = transition.to;
  }

  public State state() {
    return state;
  }

  /** Returns the last version that was published; 0 before the first. */
  public long publishedVersion() {
    return publishedVersion;
  }

  /** Returns the version as which the last stored model was published; 0 if it was withheld. */
  long servingVersion() {
    return behind ? 0 : publishedVersion;
  }

  /**
   * Returns whether the state continues from an earlier state. For a mixer that begins anew this is
   * false, and earlier publications make no difference to it.
   */
  public boolean goesOn() {
    return goesOn || publishedVersion > 0;
  }

  /** Returns the round that is fired and not published yet; null if there is none. */
  public @Nullable MixRound fired() {
    return fired;
  }

  /** Handles a message of a learner. */
  public void receive(MixingRecord record, long nowMillis) {
    Member member =
        members.computeIfAbsent(record.partition(), any -> new Member(record.incarnation()));
    member.incarnation = record.incarnation();
    started.add(record.partition());
    if (record.hello()) {
      boolean joins = member.contained == null && record.round() > 0;
      if (joins) {
        member.joined = record;
      }
      naming |= round() > 0 && (unnamed(member) || (joins && behind));
    } else if (round() > 0 && record.round() == 0 && member.contained == null) {
      // The contribution was not trained from a mixed model. The learner joins when a version names
      // it.
      naming |= unnamed(member);
    } else {
      member.waiting = record;
      member.again = false;
    }
    gather(nowMillis);
  }

  private static boolean unnamed(Member member) {
    return !member.named.equals(member.incarnation);
  }

  /** Returns the number of the last round that was fired. */
  private long round() {
    MixRound running = fired;
    return running == null ? round : running.number();
  }

  private void gather(long nowMillis) {
    if (state == State.IDLE && (naming || anyFresh())) {
      move(Transition.GATHER);
      gatheringSinceMillis = nowMillis;
    }
  }

  private boolean anyFresh() {
    return members.values().stream().anyMatch(Member::fresh);
  }

  /**
   * Returns a round to carry out; null if none is due. From then on the round is in the snapshot.
   *
   * @param nowMillis milliseconds of a clock that is never set back
   */
  public @Nullable MixRound poll(long nowMillis) {
    if (state != State.GATHERING) {
      return null;
    }
    boolean complete = complete();
    if (!complete && round > 0 && nowMillis < dueMillis()) {
      return null;
    }
    if (complete && lastContributors.stream().anyMatch(each -> each.size() > 1)) {
      times.completed(nowMillis - gatheringSinceMillis);
    }
    List<MixRound.Taken> taken = new ArrayList<>();
    if (anyFresh()) {
      members.values().forEach(each -> take(each, taken));
    }
    MixRound next = new MixRound(round + 1, taken, times.waitMillis(), lengths.median());
    move(Transition.FIRE);
    fired = next;
    return next;
  }

  /**
   * Adds the contribution of a member to the contributions of a round. A first contribution is not
   * added if the round already has one.
   */
  private void take(Member member, List<MixRound.Taken> taken) {
    MixingRecord contribution = member.waiting;
    boolean again = member.again;
    member.waiting = null;
    member.again = false;
    if (contribution == null) {
      return;
    }
    if (round == 0 && !taken.isEmpty()) {
      return;
    }
    taken.add(
        new MixRound.Taken(
            contribution,
            round == 0 ? MixRound.From.NOTHING : member.from(contribution),
            member.rowsBehind(contribution),
            again));
  }

  private boolean complete() {
    Set<Integer> expected = new TreeSet<>();
    lastContributors.forEach(expected::addAll);
    if (!anyFresh()) {
      // The round only has to name learners. All learners start at about the same time, so one
      // round names them all.
      return members.size() == partitions && members.values().stream().allMatch(Mixer::unnamed);
    }
    return expected.stream()
        .allMatch(each -> members.containsKey(each) && members.get(each).fresh());
  }

  private long dueMillis() {
    return gatheringSinceMillis + times.waitMillis();
  }

  /** Returns when to poll again, at the latest; Long.MAX_VALUE if there is nothing to wait for. */
  public long nextPollMillis() {
    return state == State.GATHERING ? dueMillis() : Long.MAX_VALUE;
  }

  /**
   * Records that the model of the fired round is computed. It must be in state together with the
   * snapshot before it is published.
   *
   * @param contained partitions whose contributions the model contains, with the lengths of their
   *     progress
   */
  public void computed(SortedMap<Integer, Double> contained) {
    move(Transition.COMPUTE);
    contain(contained);
  }

  /**
   * Records that the model of the fired round is computed, and is to be tested before it is
   * published. It must be in state together with the snapshot before it is shown to learners.
   *
   * @param contained partitions whose contributions the model contains, with the lengths of their
   *     progress
   */
  public void tests(SortedMap<Integer, Double> contained) {
    move(Transition.TEST);
    tested = new TreeMap<>(contained);
  }

  /** Records that the tested model is to be published. */
  public void passed(CandidateVerdict found) {
    if (!found.passes()) {
      throw new IllegalArgumentException("the model is worse");
    }
    move(Transition.PASS);
    verdict = found;
    SortedMap<Integer, Double> contained = tested;
    tested = new TreeMap<>();
    contain(contained);
  }

  /** Records that the tested model is given up. Its contributions wait for the next round. */
  public void refused(long nowMillis) {
    move(Transition.REFUSE);
    MixRound done = required();
    round = done.number();
    Set<Integer> fresh = new TreeSet<>();
    for (MixRound.Taken each : done.taken()) {
      if (tested.containsKey(each.record().partition())) {
        waitAgain(each);
        if (!each.again()) {
          fresh.add(each.record().partition());
        }
      }
    }
    tested = new TreeMap<>();
    remember(fresh);
    over(nowMillis);
  }

  /**
   * Records that contributions of the fired round could not be read now. They wait for the next
   * round.
   */
  public void unread(Set<Integer> partitions) {
    // The first contribution of all is the first model. If it cannot be read, another learner's
    // contribution can replace it.
    if (round > 0) {
      required().taken().stream()
          .filter(each -> partitions.contains(each.record().partition()))
          .forEach(this::waitAgain);
    }
  }

  private void waitAgain(MixRound.Taken taken) {
    Member member = members.get(taken.record().partition());
    if (member != null && member.waiting == null) {
      member.waiting = taken.record();
      member.again = true;
    }
  }

  private void contain(SortedMap<Integer, Double> contained) {
    MixRound done = required();
    for (MixRound.Taken each : done.taken()) {
      int partition = each.record().partition();
      Double length = contained.get(partition);
      Member member = members.get(partition);
      if (length == null || member == null) {
        continue;
      }
      member.contained = each.record();
      member.containedIn = done.number();
      lengths.add(length);
    }
    round = done.number();
    remember(contained.keySet());
  }

  /** Remembers which learners took part in a round; none took part if it only named learners. */
  private void remember(Set<Integer> contributors) {
    if (!contributors.isEmpty()) {
      lastContributors.addLast(new TreeSet<>(contributors));
      if (lastContributors.size() > REMEMBERED_ROUNDS) {
        lastContributors.removeFirst();
      }
    }
  }

  /** Returns the learners that took part in the fired round or in one of the last rounds. */
  public Set<Integer> recentContributors() {
    Set<Integer> recent = new TreeSet<>();
    lastContributors.forEach(recent::addAll);
    required().taken().stream()
        .filter(each -> !each.again())
        .forEach(each -> recent.add(each.record().partition()));
    return recent;
  }

  /**
   * Returns, for each learner, the digest of its contribution in the last model that was not
   * refused and is not being tested.
   */
  SortedMap<Integer, String> contained() {
    SortedMap<Integer, String> digests = new TreeMap<>();
    members.forEach(
        (partition, member) -> {
          MixingRecord contained = member.contained;
          if (contained != null) {
            digests.put(partition, contained.digest());
          }
        });
    return digests;
  }

  /**
   * Returns the incarnation of each learner that has sent a message in this attempt of the job. For
   * other learners, a restored state has only incarnations that do not exist any more.
   */
  public SortedMap<Integer, String> incarnations() {
    SortedMap<Integer, String> incarnations = new TreeMap<>();
    members.forEach(
        (partition, member) -> {
          if (started.contains(partition)) {
            incarnations.put(partition, member.incarnation);
          }
        });
    return incarnations;
  }

  /** Returns the verdict on the model that is being published; null if it was not tested. */
  public @Nullable CandidateVerdict verdict() {
    return verdict;
  }

  private MixRound required() {
    MixRound running = fired;
    if (running == null) {
      throw new IllegalStateException("no round is fired");
    }
    return running;
  }

  /** Records that there is no first model, because its contribution cannot be read. */
  public void givenUp(long nowMillis) {
    if (round > 0) {
      throw new IllegalStateException("there is a model already");
    }
    move(Transition.GIVE_UP);
    over(nowMillis);
  }

  /**
   * Returns the entries of the fired round's model about each learner, in the order of partitions.
   */
  public List<Contributor> names() {
    MixRound running = required();
    List<Contributor> names = new ArrayList<>();
    members.forEach(
        (partition, member) -> {
          MixingRecord contained = member.contained;
          long rows = 0;
          for (MixRound.Taken each : running.taken()) {
            boolean own = each.record().partition() == partition;
            if (own && tested.containsKey(partition)) {
              contained = each.record();
            }
            rows += own && each.record().equals(contained) ? each.rows() : 0;
          }
          names.add(Contributor.of(partition, member, contained, rows));
        });
    return names;
  }

  /**
   * Records that the model of the fired round is published.
   *
   * @param names entries of the version about each learner
   */
  public void published(long version, List<Contributor> names, long nowMillis) {
    move(Transition.PUBLISH);
    publishedVersion = version;
    behind = false;
    stored(names, nowMillis);
  }

  /**
   * Records that the model of the fired round is stored for learners only, because the version in
   * service has learned more.
   *
   * @param names entries of the version about each learner
   */
  public void withheld(List<Contributor> names, long nowMillis) {
    move(Transition.WITHHOLD);
    behind = true;
    stored(names, nowMillis);
  }

  private void stored(List<Contributor> names, long nowMillis) {
    for (Contributor each : names) {
      Member member = members.get(each.partition());
      if (member != null) {
        member.named = each.incarnation();
      }
    }
    over(nowMillis);
  }

  private void over(long nowMillis) {
    fired = null;
    verdict = null;
    naming = round > 0 && members.values().stream().anyMatch(Mixer::unnamed);
    gather(nowMillis);
  }

  /**
   * Returns whether every contribution is in a version, and a version names every learner that has
   * started.
   */
  public boolean idle() {
    return state == State.IDLE;
  }

  /** Returns the encoded state. */
  public byte[] snapshot() {
    List<byte[]> each = members.values().stream().map(Member::snapshot).toList();
    List<byte[]> contributors = new ArrayList<>();
    for (Set<Integer> set : lastContributors) {
      byte[] bytes = new byte[set.size()];
      int i = 0;
      for (int partition : set) {
        bytes[i++] = (byte) partition;
      }
      contributors.add(bytes);
    }
    StateWriter out =
        FORMAT
            .writer()
            .putText(1, state.name())
            .putLong(2, round)
            .putBoolean(3, naming)
            .putLong(4, publishedVersion)
            .putInts(5, members.keySet().stream().mapToInt(Integer::intValue).toArray())
            .putList(6, each)
            .putList(7, contributors)
            .putLongs(8, times.snapshot())
            .putDoubles(9, lengths.snapshot());
    MixRound running = fired;
    if (running != null) {
      out.putBytes(10, running.encode());
    }
    out.putBoolean(11, behind);
    CandidateVerdict found = verdict;
    if (found != null) {
      out.putBytes(12, found.encode());
    }
    return out.putInts(13, tested.keySet().stream().mapToInt(Integer::intValue).toArray())
        .putDoubles(14, tested.values().stream().mapToDouble(Double::doubleValue).toArray())
        .bytes();
  }

  /**
   * Restores the state from a {@link #snapshot}. A round that was fired must be carried out again.
   *
   * @param nowMillis milliseconds of the clock for {@link #poll}
   */
  public void restore(byte[] snapshot, long nowMillis) {
    StateReader in = FORMAT.reader(snapshot);
    state = State.valueOf(in.getText(1));
    round = in.getLong(2);
    naming = in.getBoolean(3);
    publishedVersion = in.getLong(4);
    int[] keys = in.getInts(5);
    List<byte[]> each = in.getList(6);
    if (keys.length != each.size()) {
      throw in.refused("it has %d partitions and %d members".formatted(keys.length, each.size()));
    }
    members.clear();
    started.clear();
    for (int i = 0; i < keys.length; i++) {
      members.put(keys[i], Member.restore(each.get(i)));
    }
    lastContributors.clear();
    for (byte[] bytes : in.getList(7)) {
      Set<Integer> set = new TreeSet<>();
      for (byte partition : bytes) {
        set.add((int) partition);
      }
      lastContributors.addLast(set);
    }
    times.restore(in.getLongs(8));
    lengths.restore(in.getDoubles(9));
    fired = in.has(10) ? MixRound.decode(in.getBytes(10)) : null;
    behind = in.getBoolean(11);
    tested.clear();
    int[] contained = in.getInts(13);
    double[] testedLengths = in.getDoubles(14, contained.length);
    for (int i = 0; i < contained.length; i++) {
      tested.put(contained[i], testedLengths[i]);
    }
    verdict = in.has(12) ? CandidateVerdict.decode(in.getBytes(12)) : null;
    goesOn = true;
    gatheringSinceMillis = nowMillis;
  }
}
