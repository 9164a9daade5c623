package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.models.manifest.ModelManifest;
import io.idlalayer.middleware.models.store.ModelDraft;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Stores a mixed model that is not published yet, so that learners score the model, and stores the
 * verdict on the model. A verdict is stored before it is carried out, under the digest of its model
 * and the baseline. So an attempt of the job that compares the same two models again carries out
 * the same verdict. For one thread at a time, which must not be the operator's thread.
 */
public final class CandidateWork {
  private static final String BASELINE = "baseline-";
  private static final String DIGEST = "mixing.candidate";
  private static final String BASELINE_VERSION = "mixing.baseline";

  private final String application;
  private final MixingPlace place;
  private final boolean tables;

  /**
   * @param tables whether models also have rows, which come from the contributions
   */
  public CandidateWork(String application, MixingPlace place, boolean tables) {
    this.application = application;
    this.place = place;
    this.tables = tables;
  }

  /**
   * Returns the verdict that is stored on a model that was compared with the same baseline; empty
   * if there is none.
   *
   * @param names entries of the model about each learner
   */
  public Optional<CandidateVerdict> earlier(
      MixState candidate, Baseline baseline, List<Contributor> names) throws IOException {
    String digest = digest(candidate, baseline, names);
    for (ModelManifest each : place.verdicts()) {
      if (digest.equals(each.attributes().get(DIGEST))) {
        return CandidateVerdict.of(each);
      }
    }
    return Optional.empty();
  }

  /**
   * Stores a model and its baseline for learners.
   *
   * @param names entries of the model about each learner
   */
  public void offer(MixRound round, MixState candidate, Baseline baseline, List<Contributor> names)
      throws IOException {
    SortedMap<String, byte[]> files = new TreeMap<>(candidate.files());
    baseline.files().forEach((name, content) -> files.put(BASELINE + name, content));
    SortedMap<String, String> attributes = new TreeMap<>();
    attributes.put(DIGEST, digest(candidate, baseline, names));
    attributes.put(BASELINE_VERSION, String.valueOf(baseline.version()));
    baseline
        .contained()
        .forEach((partition, digest) -> attributes.put(inBaselineKey(partition), digest));
    place.store(
        MixingPlace.Kind.CANDIDATE,
        draft(MixingPlace.Kind.CANDIDATE, round, candidate, names, attributes, files));
  }

  private static String inBaselineKey(int partition) {
    return String.format(Locale.ROOT, "mixing.%d.baseline", partition);
  }

  /**
   * Returns the digest of a learner's contribution that the baseline of an offered model contains;
   * "" if it contains none.
   *
   * @param offered manifest of the offered model
   */
  public static String inBaseline(ModelManifest offered, int partition) {
    return offered.attributes().getOrDefault(inBaselineKey(partition), "");
  }

  /** Returns the version with which an offered model is compared; 0 if it is not known. */
  public static long baselineVersion(ModelManifest offered) {
    String text = offered.attributes().getOrDefault(BASELINE_VERSION, "");
    return text.matches("[0-9]{1,18}") ? Long.parseLong(text) : 0;
  }

  /**
   * Stores a verdict.
   *
   * @param names entries of the model about each learner
   */
  public void record(
      MixRound round,
      MixState candidate,
      Baseline baseline,
      CandidateVerdict verdict,
      List<Contributor> names)
      throws IOException {
    SortedMap<String, Long> counts = new TreeMap<>();
    SortedMap<String, Double> metrics = new TreeMap<>();
    SortedMap<String, String> attributes = new TreeMap<>();
    verdict.putInto(counts, metrics, attributes);
    attributes.put(DIGEST, digest(candidate, baseline, names));
    ModelDraft plain =
        draft(MixingPlace.Kind.VERDICT, round, candidate, names, attributes, new TreeMap<>());
    counts.putAll(plain.counts());
    place.store(
        MixingPlace.Kind.VERDICT,
        new ModelDraft(
            application,
            plain.partition(),
            plain.minimumVersion(),
            plain.parentVersion(),
            plain.parentDigest(),
            plain.inputOffsets(),
            counts,
            metrics,
            plain.attributes(),
            plain.files()));
  }

  private ModelDraft draft(
      MixingPlace.Kind kind,
      MixRound round,
      MixState candidate,
      List<Contributor> names,
      SortedMap<String, String> attributes,
      SortedMap<String, byte[]> files) {
    SortedMap<String, Long> counts = new TreeMap<>();
    SortedMap<String, String> all = new TreeMap<>(attributes);
    new MixedVersion(round.number(), round.waitMillis(), names, candidate.notes())
        .putInto(counts, all);
    return new ModelDraft(
        application,
        place.partition(kind),
        1,
        0,
        "",
        new TreeMap<>(),
        counts,
        new TreeMap<>(),
        all,
        files);
  }

  /** Returns the files of the model that was offered. */
  public static SortedMap<String, byte[]> candidate(SortedMap<String, byte[]> offered) {
    SortedMap<String, byte[]> files = new TreeMap<>(offered);
    files.keySet().removeIf(name -> name.startsWith(BASELINE));
    return files;
  }

  /** Returns the files of the baseline of the model that was offered. */
  public static SortedMap<String, byte[]> baseline(SortedMap<String, byte[]> offered) {
    SortedMap<String, byte[]> files = new TreeMap<>();
    offered.forEach(
        (name, content) -> {
          if (name.startsWith(BASELINE)) {
            files.put(name.substring(BASELINE.length()), content);
          }
        });
    return files;
  }

  /**
   * Returns a digest of the files of a model and of its baseline, with their names. If the models
   * have tables, the digest includes the contributions that contain their rows. Learners without a
   * contribution are left out, because it depends on timing which of them the mixer knows.
   */
  private String digest(MixState candidate, Baseline baseline, List<Contributor> names) {
    MessageDigest digest;
    try {
      digest = MessageDigest.getInstance("SHA-256");
    } catch (NoSuchAlgorithmException impossible) {
      throw new IllegalStateException("every Java runtime has SHA-256", impossible);
    }
    add(candidate.files(), digest);
    add(baseline.files(), digest);
    if (tables) {
      SortedMap<Integer, String> contained = new TreeMap<>();
      names.forEach(each -> contained.put(each.partition(), each.digest()));
      addContributions(contained, digest);
      addContributions(baseline.contained(), digest);
    }
    return HexFormat.of().formatHex(digest.digest());
  }

  private static void addContributions(
      SortedMap<Integer, String> contributions, MessageDigest digest) {
    SortedMap<String, byte[]> texts = new TreeMap<>();
    contributions.forEach(
        (partition, contribution) -> {
          if (!contribution.isEmpty()) {
            texts.put(String.valueOf(partition), contribution.getBytes(StandardCharsets.UTF_8));
          }
        });
    add(texts, digest);
  }

  private static void add(SortedMap<String, byte[]> files, MessageDigest digest) {
    digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(files.size()).array());
    for (Map.Entry<String, byte[]> file : files.entrySet()) {
      for (byte[] part :
          new byte[][] {file.getKey().getBytes(StandardCharsets.UTF_8), file.getValue()}) {
        digest.update(ByteBuffer.allocate(Integer.BYTES).putInt(part.length).array());
        digest.update(part);
      }
    }
  }
}
