package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.jobs.events.MixingStatus;
import io.idlalayer.jobs.mixing.Contributor;
import io.idlalayer.jobs.mixing.MixedVersion;
import io.idlalayer.middleware.models.manifest.ModelManifest;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Counts, for the learner's status, which contributions since its last start were adopted or came
 * too late. Nothing else uses these numbers. Confined to one thread.
 */
final class AdoptedVersions {
  private final int partition;
  private long version;
  private long atMillis;
  private long adopted;
  private long late;
  private long waitMillis;
  private List<MixingStatus.Part> parts = List.of();
  private @Nullable Double progress;
  private List<String> notes = List.of();

  AdoptedVersions(int partition) {
    this.partition = partition;
  }

  /**
   * Records that a version was adopted.
   *
   * @param number number of the version; 0 if the version does not serve
   */
  void adopted(MixedWatch.Found found, long number, long nowMillis) {
    MixedVersion mixed = found.version();
    version = number;
    atMillis = nowMillis;
    adopted++;
    waitMillis = mixed.waitMillis();
    notes = mixed.notes();
    ModelManifest manifest = found.checkpoint().manifest();
    List<MixingStatus.Part> took = new ArrayList<>();
    for (Contributor each : mixed.contributors()) {
      Double progress = manifest.metrics().get(MixedVersion.progressKey(each.partition()));
      if (each.rows() > 0 || progress != null) {
        took.add(new MixingStatus.Part(each.partition(), each.rows(), each.trained(), progress));
      }
    }
    parts = took;
    progress = manifest.metrics().get(MixedVersion.progressKey(partition));
  }

  /** Records that no version has contained a contribution in time. */
  void late() {
    late++;
  }

  MixingStatus status(MixingCycle.State state, long round) {
    return new MixingStatus(
        MixingStatus.State.valueOf(state.name()),
        round,
        version,
        atMillis,
        adopted,
        late,
        waitMillis,
        parts,
        progress,
        notes);
  }
}
