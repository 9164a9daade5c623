package io.idlalayer.jobs.learner.mixing;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.learner.LearnerSimulation;
import io.idlalayer.jobs.learner.publish.Finding;
import io.idlalayer.jobs.mixing.Baseline;
import io.idlalayer.jobs.mixing.CandidateScores;
import io.idlalayer.jobs.mixing.CandidateVerdict;
import io.idlalayer.jobs.mixing.CandidateWork;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixRound;
import io.idlalayer.jobs.mixing.MixState;
import io.idlalayer.jobs.mixing.MixingMessage;
import io.idlalayer.jobs.mixing.MixingPlace;
import io.idlalayer.jobs.settings.LearnerKey;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.models.manifest.ModelCheckpoint;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelcontroller.gate.GateSettings;
import io.idlalayer.modelcontroller.gate.Metric;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

/** What a learner says of mixed models that are not published yet. */
final class GateShareTest {
  private static final String ME = "me";
  private static final MixState MODEL = model(0, 0, 0, 0);
  private static final MixState FLAWED = model(1, 0, 0, 0);

  private final MemoryMixing place = new MemoryMixing(manifest -> {});
  private final CandidateWork work =
      new CandidateWork(
          LearnerSimulation.settings(
                  UpdateSettings.of(UpdateSettings.RuleName.MANUAL, 10), DataSettings.defaults())
              .name(),
          place,
          false);
  private final List<MixingMessage> said = new ArrayList<>();
  private final List<Sample> waiting = new ArrayList<>();

  /** The first event of partition 0 makes a model worse. */
  private final CandidateTruth truth = new CandidateTruth(1, 3, new First());

  private GateShare share = share(new ComparedRows(null));

  private long nowMillis;

  /** Chooses the first of all choices but one, so that there is an event that spoils a model. */
  private static final class First extends Random {
    private static final long serialVersionUID = 1L;

    @Override
    public int nextInt(int bound) {
      return bound == 4 ? 1 : 0;
    }
  }

  private final class Candidates implements MixedModels {
    @Override
    public String incarnation() {
      return ME;
    }

    @Override
    public List<ModelCheckpoint> newest() {
      return place.newest();
    }

    @Override
    public Optional<ModelCheckpoint> candidate() {
      return place.newest(MixingPlace.Kind.CANDIDATE);
    }

    @Override
    public Optional<ModelCheckpoint> verdict() {
      return place.newest(MixingPlace.Kind.VERDICT);
    }

    @Override
    public SortedMap<String, byte[]> load(ModelCheckpoint version) {
      return place.load(version);
    }
  }

  private GateShare share(ComparedRows rows) {
    return new GateShare(
        new LearnerKey("app", 1),
        new Candidates(),
        ME,
        Runnable::run,
        new GateShare.Parts(
            new GateSettings(
                GateSettings.Action.HOLD,
                GateSettings.AfterPublishing.OFF,
                Metric.ACCURACY,
                0.01,
                10,
                1,
                GateSettings.ContinueFrom.NEWEST,
                null),
            truth::scorer,
            most -> waiting.subList(0, Math.min(most, waiting.size())),
            rows),
        said::add);
  }

  private static MixState model(float... parameters) {
    return new MixState(
        TinyNetwork.files(parameters),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        new TreeMap<>(),
        List.of());
  }

  private static MixRound round(long number) {
    return new MixRound(number, List.of(), 1_000, 0);
  }

  private static List<Contributor> naming(String incarnation, String digest) {
    return List.of(new Contributor(1, incarnation, 4, digest, 10, 10, new TreeMap<>(), false));
  }

  private void offer(long number, String incarnation) throws IOException {
    work.offer(
        round(number),
        FLAWED,
        new Baseline(3, MODEL.files(), new TreeMap<>()),
        naming(incarnation, "mine"));
  }

  /** Looks until everything that is there was read and said; returns the last refusal. */
  private CandidateVerdict look(String contribution) {
    CandidateVerdict refusal = null;
    for (int i = 0; i < 6; i++) {
      nowMillis += CandidateWatch.SETTLED_MILLIS;
      CandidateVerdict now = share.poll(contribution, nowMillis);
      refusal = now == null ? refusal : now;
    }
    return refusal;
  }

  private List<CandidateScores> scores() {
    return said.stream().map(CandidateScores.class::cast).toList();
  }

  @Test
  void poll_candidate_isScoredOnWaitingAndArrivingSamples() throws IOException {
    waiting.addAll(CandidateTruth.samples(3));
    share.arrived(CandidateTruth.samples(1).get(0));
    offer(7, ME);
    look("");
    assertThat(scores()).hasSize(1);
    assertThat(scores().get(0).round()).isEqualTo(7);
    assertThat(scores().get(0).incarnation()).isEqualTo(ME);
    assertThat(scores().get(0).differences()).containsExactly(1, 1, 1);
    CandidateTruth.samples(2).forEach(share::arrived);
    look("");
    assertThat(scores()).hasSize(2);
    assertThat(scores().get(1).differences()).containsExactly(1, 1);
  }

  @Test
  void poll_candidateWithoutSamples_isAnsweredOnce() throws IOException {
    offer(7, ME);
    look("");
    assertThat(scores()).singleElement().satisfies(it -> assertThat(it.differences()).isEmpty());
  }

  @Test
  void poll_candidateWhoseRowsAreNotKnown_isNotScoredAndThatIsSaidOnce() throws IOException {
    share = share(new ComparedRows(ComparedRowsTest.tables(new InMemoryRowStore())));
    waiting.addAll(CandidateTruth.samples(3));
    offer(7, ME);
    look("");
    CandidateTruth.samples(5).forEach(share::arrived);
    look("");
    assertThat(scores())
        .singleElement()
        .satisfies(
            it -> {
              assertThat(it.differences()).isEmpty();
              assertThat(it.problem()).contains("does not know any more which rows");
            });
  }

  @Test
  void earlier_sameNetworkWithRowsOfOtherContributions_isAnotherModel() throws IOException {
    CandidateWork withRows = new CandidateWork("app", place, true);
    CandidateVerdict worse = new CandidateVerdict(CandidateVerdict.Outcome.WORSE, 3, 90, 0.5);
    Baseline baseline = new Baseline(3, MODEL.files(), new TreeMap<>(Map.of(1, "first")));
    withRows.record(round(7), FLAWED, baseline, worse, naming(ME, "mine"));
    assertThat(withRows.earlier(FLAWED, baseline, naming("next", "mine"))).contains(worse);
    List<Contributor> withIdle = new ArrayList<>(naming(ME, "mine"));
    withIdle.add(new Contributor(2, "idle", 0, "", 0, 0, new TreeMap<>(), true));
    assertThat(withRows.earlier(FLAWED, baseline, withIdle)).contains(worse);
    assertThat(withRows.earlier(FLAWED, baseline, naming(ME, "other"))).isEmpty();
    Baseline other = new Baseline(3, MODEL.files(), new TreeMap<>(Map.of(1, "second")));
    assertThat(withRows.earlier(FLAWED, other, naming(ME, "mine"))).isEmpty();
  }

  @Test
  void poll_candidateOfAnEarlierStart_isNotScored() throws IOException {
    waiting.addAll(CandidateTruth.samples(3));
    offer(7, "before");
    look("");
    assertThat(said).isEmpty();
  }

  @Test
  void poll_candidateIsOfferedAgain_isNotScoredTwice() throws IOException {
    waiting.addAll(CandidateTruth.samples(3));
    offer(7, ME);
    look("");
    offer(7, ME);
    look("");
    assertThat(said).hasSize(1);
  }

  @Test
  void poll_verdict_endsTheComparisonAndSaysWhoseContributionIsRefused() throws IOException {
    waiting.addAll(CandidateTruth.samples(3));
    offer(7, ME);
    look("mine");
    CandidateVerdict worse = new CandidateVerdict(CandidateVerdict.Outcome.WORSE, 3, 90, 0.5);
    work.record(
        round(7),
        FLAWED,
        new Baseline(3, MODEL.files(), new TreeMap<>()),
        worse,
        naming(ME, "mine"));
    assertThat(look("another")).isNull();
    assertThat(look("")).isNull();
    assertThat(look("mine")).isEqualTo(worse);
    CandidateTruth.samples(5).forEach(share::arrived);
    look("");
    assertThat(said).hasSize(1);
    assertThat(work.earlier(FLAWED, new Baseline(9, MODEL.files(), new TreeMap<>()), List.of()))
        .contains(worse);
    assertThat(work.earlier(MODEL, new Baseline(3, MODEL.files(), new TreeMap<>()), List.of()))
        .isEmpty();
    assertThat(work.earlier(FLAWED, new Baseline(3, FLAWED.files(), new TreeMap<>()), List.of()))
        .isEmpty();
  }

  @Test
  void finding_isThatOfThisLearnerWhileComparing_andThenTheVerdictOfAll() throws IOException {
    assertThat(share.finding()).isEqualTo(Finding.NONE);
    waiting.addAll(CandidateTruth.samples(3));
    offer(7, ME);
    look("mine");
    assertThat(share.compares()).isTrue();
    assertThat(share.finding()).isEqualTo(new Finding(3, 3, 1));
    CandidateVerdict worse = new CandidateVerdict(CandidateVerdict.Outcome.WORSE, 3, 90, 0.5);
    work.record(
        round(7),
        FLAWED,
        new Baseline(3, MODEL.files(), new TreeMap<>()),
        worse,
        naming(ME, "mine"));
    look("mine");
    assertThat(share.compares()).isFalse();
    assertThat(share.finding()).isEqualTo(new Finding(3, 90, 0.5));
  }

  @Test
  void finding_afterARestart_isTheNewestVerdict() throws IOException {
    CandidateVerdict good = new CandidateVerdict(CandidateVerdict.Outcome.GOOD, 3, 90, -0.5);
    work.record(
        round(9),
        FLAWED,
        new Baseline(3, MODEL.files(), new TreeMap<>()),
        good,
        naming("before", ""));
    look("");
    assertThat(share.finding()).isEqualTo(new Finding(3, 90, -0.5));
    assertThat(share.compares()).isFalse();
  }

  @Test
  void poll_verdictOfAnEarlierAttempt_doesNotEndTheComparison() throws IOException {
    CandidateVerdict worse = new CandidateVerdict(CandidateVerdict.Outcome.WORSE, 3, 90, 0.5);
    work.record(
        round(9),
        FLAWED,
        new Baseline(3, MODEL.files(), new TreeMap<>()),
        worse,
        naming("before", "lost"));
    waiting.addAll(CandidateTruth.samples(3));
    offer(7, ME);
    look("");
    look("");
    CandidateTruth.samples(5).forEach(share::arrived);
    look("");
    assertThat(said).hasSize(2);
  }

  @Test
  void poll_verdictThatPasses_refusesNothing() throws IOException {
    work.record(
        round(7),
        FLAWED,
        new Baseline(3, MODEL.files(), new TreeMap<>()),
        new CandidateVerdict(CandidateVerdict.Outcome.UNDECIDED, 3, 1, 0.5),
        naming("any", "mine"));
    assertThat(look("mine")).isNull();
  }
}
