package io.idlalayer.jobs.learner;

import io.idlalayer.datacontroller.selection.Selection;
import io.idlalayer.datacontroller.settings.DataSettings;
import io.idlalayer.jobs.events.ExampleEvents;
import io.idlalayer.jobs.events.UpdateRecord;
import io.idlalayer.jobs.learner.comparison.ComparisonStates;
import io.idlalayer.jobs.learner.forget.ForgettingStates;
import io.idlalayer.jobs.learner.memory.StoredSplits;
import io.idlalayer.jobs.learner.mixing.MixedBases;
import io.idlalayer.jobs.learner.publish.AcceptedModel;
import io.idlalayer.jobs.learner.publish.IncorporationLatency;
import io.idlalayer.jobs.learner.publish.Lineage;
import io.idlalayer.jobs.learner.publish.UnpublishedArrivals;
import io.idlalayer.jobs.learner.state.EventCounters;
import io.idlalayer.jobs.learner.state.InputPosition;
import io.idlalayer.jobs.learner.state.StoredIdentity;
import io.idlalayer.jobs.learner.update.Attempts;
import io.idlalayer.jobs.learner.update.FiredUpdate;
import io.idlalayer.jobs.settings.SettingsIdentity;
import io.idlalayer.middleware.state.UnreadableStateException;
import io.idlalayer.modelcontroller.update.UpdateSettings;
import io.idlalayer.modelcontroller.update.UpdateSettings.RuleName;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.testkit.StateFormatsContract;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** The states of a learner that are not those of its controllers. */
final class StateFormatsTest extends StateFormatsContract {
  StateFormatsTest() {
    super(UnreadableStateException.class);
  }

  private static final UpdateRecord.Firing FIRING =
      new UpdateRecord.Firing(1500, 2, 1, ExampleEvents.grounds("why"));

  @Override
  protected String sources() {
    return "src/main/java/io/idlalayer/jobs/learner";
  }

  @Override
  protected Stream<PinnedState> states() {
    AcceptedModel model = model();
    return Stream.of(
        new PinnedState(
            "event-counters",
            () -> counters().snapshot(),
            bytes -> {
              EventCounters counters = new EventCounters();
              counters.restore(bytes);
              return counters.snapshot();
            }),
        new PinnedState(
            "input-requests",
            () -> requests().snapshot(),
            bytes -> {
              InputRequests requests = new InputRequests();
              requests.restore(bytes);
              return requests.snapshot();
            }),
        new PinnedState(
            "incorporation-latency",
            () -> latency().snapshot(),
            bytes -> {
              IncorporationLatency latency = new IncorporationLatency();
              latency.restore(bytes);
              return latency.snapshot();
            }),
        new PinnedState(
            "fired-update",
            () -> fired().snapshot(),
            bytes -> FiredUpdate.restore(bytes).snapshot()),
        new PinnedState(
            "accepted-model",
            model::snapshot,
            bytes -> AcceptedModel.restore(bytes, model.artifactSnapshot()).snapshot()),
        new PinnedState(
            "model-artifact",
            model::artifactSnapshot,
            bytes -> AcceptedModel.restore(model.snapshot(), bytes).artifactSnapshot()),
        new PinnedState(
            "unpublished-arrivals",
            () -> new UnpublishedArrivals(new long[] {1000, 1001}).snapshot(),
            bytes -> UnpublishedArrivals.restore(bytes).snapshot()),
        new PinnedState(
            "settings-identity",
            () -> StoredIdentity.snapshot(identity()),
            bytes -> StoredIdentity.snapshot(StoredIdentity.restore(bytes))),
        new PinnedState(
            "comparison-of-versions", ComparisonStates::sums, ComparisonStates::readAndWrittenSums),
        new PinnedState(
            "compared-versions",
            ComparisonStates::versions,
            ComparisonStates::readAndWrittenVersions),
        new PinnedState("mixed-base", MixedBases::example, MixedBases::readAndWritten),
        new PinnedState("forgetting", ForgettingStates::example, ForgettingStates::readAndWritten),
        new PinnedState(
            "anchors", ForgettingStates::exampleAnchors, ForgettingStates::readAndWrittenAnchors),
        new PinnedState("fast-memory", StoredSplits::example, StoredSplits::readAndWritten),
        new PinnedState("training-attempts", Attempts::example, Attempts::readAndWritten));
  }

  private static InputPosition at(int partition, long offset) {
    return new InputPosition("events", partition, offset);
  }

  private static EventCounters counters() {
    EventCounters counters = new EventCounters();
    for (int i = 0; i < 40; i++) {
      counters.received(at(i % 2, i));
    }
    counters.malformed();
    counters.unlabeled(2);
    for (int i = 0; i < 3; i++) {
      counters.duplicate();
    }
    for (int i = 0; i < 4; i++) {
      counters.revived();
    }
    for (int i = 0; i < 5; i++) {
      counters.labelJoined();
    }
    counters.quarantined(6);
    counters.accepted(new Selection(8, new long[] {1, 2, 3}, new long[0], new long[] {2}));
    counters.published(9);
    counters.finish();
    return counters;
  }

  private static InputRequests requests() {
    InputRequests requests = new InputRequests();
    TreeMap<String, Long> after = new TreeMap<>(Map.of("events-0", 7L, "events-1", 8L));
    requests.add(new LearnerEvent.EndOfInput(at(0, 1), "end", after));
    requests.add(new LearnerEvent.UpdateRequest(at(0, 2), after));
    requests.add(new LearnerEvent.RetractionRequest(at(0, 3), "id", new TreeMap<>()));
    requests.reached("first end", 1000);
    requests.finish();
    requests.reached("second end", 1001);
    requests.lost(new LearnerEvent.LostInput(at(1, 4), 9, "retention"));
    requests.reread();
    requests.refused();
    requests.refused();
    return requests;
  }

  private static IncorporationLatency latency() {
    IncorporationLatency latency = new IncorporationLatency();
    latency.add(new long[] {1000, 1500, 1999, 1999}, 2000);
    latency.add(new long[] {1000}, 70_000);
    return latency;
  }

  private static FiredUpdate fired() {
    Selection selection = new Selection(7, new long[] {3, 4}, new long[] {1}, new long[] {4});
    return new FiredUpdate(selection, new long[] {1000, 1001}, FIRING, new byte[] {5})
        .withdrawing(3);
  }

  private static AcceptedModel model() {
    UpdateRecord update =
        UpdateRecord.fired(7, FIRING)
            .trained(new UpdateRecord.Training(5, 0.5, 0.75, 0.625, ExampleEvents.tensors()))
            .published(new UpdateRecord.Published(6, 1600));
    return new AcceptedModel(
        update,
        new ModelArtifact(new TreeMap<>(Map.of("model.zip", new byte[] {1, 2}))),
        new Lineage(
            "parent", "digest", new TreeMap<>(Map.of("events-0", 42L, "events-1", 43L)), 99),
        new byte[0],
        true);
  }

  private static SettingsIdentity identity() {
    return SettingsIdentity.of(
        LearnerSimulation.settings(UpdateSettings.of(RuleName.AREA, 10), DataSettings.defaults()));
  }
}
