package io.idlalayer.jobs.learner.mixing;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.middleware.state.StateWriter;
import io.idlalayer.modelcontroller.mixing.NetworkFile;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * The state that a learner keeps about the model that it learns together with other learners.
 * Immutable; arrays are not copied.
 *
 * @param round round of the version that the learner adopted last; 0 if there is none
 * @param adopted parameters of this version; null if there is none
 * @param version number of the learner's last contribution; 0 if there is none
 * @param digest digest of the last contribution; "" if there is none, or if it was given up
 * @param contributed parameters of the last contribution, if the learner has contributed since it
 *     adopted a version; else null
 * @param uses how often the learner had used each shared row for its last contribution; empty if
 *     {@code contributed} is null, and if rows are not shared
 * @param givenUp number of new samples that the learner had trained when it joined the others;
 *     their model was given up
 * @param start the model with which the first training begins; null if the learner has trained, or
 *     has adopted no version
 */
record MixedBase(
    long round,
    float @Nullable [] adopted,
    long version,
    String digest,
    float @Nullable [] contributed,
    int[] uses,
    long givenUp,
    @Nullable ModelArtifact start) {
  private static final int[] NO_USES = {};

  static final MixedBase NONE = new MixedBase(0, null, 0, "", null, NO_USES, 0, null);

  private static final StateFormat FORMAT = StateFormat.first("mixed base");

  MixedBase contributing(long newVersion, String newDigest, float[] parameters, int[] rowUses) {
    return new MixedBase(round, adopted, newVersion, newDigest, parameters, rowUses, givenUp, null);
  }

  MixedBase adopting(long newRound, float[] parameters, @Nullable ModelArtifact first) {
    return new MixedBase(newRound, parameters, version, digest, null, NO_USES, givenUp, first);
  }

  /** Earlier contributions are given up too: no version will ever contain them. */
  MixedBase givingUp(long samples) {
    return new MixedBase(round, adopted, version, "", null, NO_USES, samples, start);
  }

  MixedBase trained() {
    return new MixedBase(round, adopted, version, digest, contributed, uses, givenUp, null);
  }

  /**
   * Returns this learner's parameters in a version that contains its last contribution; null if
   * there are none.
   */
  float @Nullable [] anchor() {
    return contributed == null ? adopted : contributed;
  }

  byte[] snapshot(boolean open) {
    StateWriter out =
        FORMAT
            .writer()
            .putLong(1, round)
            .putLong(2, version)
            .putText(3, digest)
            .putLong(4, givenUp)
            .putInts(5, uses);
    float[] mixed = adopted;
    if (mixed != null) {
      out.putBytes(6, NetworkFile.bytes(mixed));
    }
    float[] last = contributed;
    if (last != null) {
      out.putBytes(7, NetworkFile.bytes(last));
    }
    ModelArtifact first = start;
    if (first != null) {
      out.putTexts(8, List.copyOf(first.files().keySet()))
          .putList(9, List.copyOf(first.files().values()));
    }
    return out.putBoolean(10, open).bytes();
  }

  static boolean open(byte[] snapshot) {
    return FORMAT.reader(snapshot).getBoolean(10);
  }

  static MixedBase restore(byte[] snapshot) {
    StateReader in = FORMAT.reader(snapshot);
    ModelArtifact first = null;
    if (in.has(8)) {
      SortedMap<String, byte[]> files = new TreeMap<>();
      List<String> names = in.getTexts(8);
      List<byte[]> contents = in.getList(9);
      for (int i = 0; i < names.size(); i++) {
        files.put(names.get(i), contents.get(i));
      }
      first = new ModelArtifact(files);
    }
    return new MixedBase(
        in.getLong(1),
        in.has(6) ? NetworkFile.floats(in.getBytes(6)) : null,
        in.getLong(2),
        in.getText(3),
        in.has(7) ? NetworkFile.floats(in.getBytes(7)) : null,
        in.getInts(5),
        in.getLong(4),
        first);
  }
}
