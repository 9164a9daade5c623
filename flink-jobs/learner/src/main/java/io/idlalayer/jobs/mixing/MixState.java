package io.idlalayer.jobs.mixing;

import io.idlalayer.middleware.state.StateFormat;
import io.idlalayer.middleware.state.StateReader;
import io.idlalayer.modelcontroller.mixing.ModelMix;
import io.idlalayer.modelcontroller.mixing.NetworkFile;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * The mixed model of an application, with everything that the next round needs to continue it. All
 * of this is durable state, so no file has to exist longer than its checkpoint. Immutable; the
 * arrays are not copied.
 *
 * @param files files of the model; empty before the first
 * @param contributed for each partition the parameters of the contribution that the model contains
 * @param uses for each partition, how often its learner had used each shared row for the
 *     contribution; empty if rows are not shared
 * @param own for each partition, the parts that its learner adds in addition to its progress
 * @param attributes attributes of the next manifest, from the manifests of contributions
 * @param metrics metrics of the next manifest
 * @param notes sentences to report about the last round
 */
public record MixState(
    SortedMap<String, byte[]> files,
    SortedMap<Integer, float[]> contributed,
    SortedMap<Integer, int[]> uses,
    SortedMap<Integer, ModelMix.Own> own,
    SortedMap<String, String> attributes,
    SortedMap<String, Double> metrics,
    List<String> notes) {
  /** The state before the first round. */
  public static final MixState NOTHING =
      new MixState(
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          new TreeMap<>(),
          List.of());

  private static final StateFormat FORMAT = StateFormat.first("mixed model");

  public MixState {
    notes = List.copyOf(notes);
  }

  /** Returns whether there is a model. */
  public boolean present() {
    return !files.isEmpty();
  }

  /** Returns this state with more sentences to report. */
  MixState noting(List<String> told) {
    List<String> more = new ArrayList<>(notes);
    more.addAll(told);
    return new MixState(files, contributed, uses, own, attributes, metrics, more);
  }

  /** Returns the encoded state. */
  public byte[] encode() {
    List<byte[]> parameters = new ArrayList<>();
    contributed.values().forEach(each -> parameters.add(NetworkFile.bytes(each)));
    return FORMAT
        .writer()
        .putTexts(1, List.copyOf(files.keySet()))
        .putList(2, List.copyOf(files.values()))
        .putInts(3, partitions(contributed))
        .putList(4, parameters)
        .putInts(5, partitions(own))
        .putList(6, own.values().stream().map(ModelMix.Own::scaler).toList())
        .putList(7, own.values().stream().map(ModelMix.Own::mixture).toList())
        .putLongs(8, own.values().stream().mapToLong(ModelMix.Own::rows).toArray())
        .putTexts(9, List.copyOf(attributes.keySet()))
        .putTexts(10, List.copyOf(attributes.values()))
        .putTexts(11, List.copyOf(metrics.keySet()))
        .putDoubles(12, metrics.values().stream().mapToDouble(Double::doubleValue).toArray())
        .putTexts(13, notes)
        .putInts(14, partitions(uses))
        .putList(15, uses.values().stream().map(MixState::bytes).toList())
        .bytes();
  }

  private static byte[] bytes(int[] numbers) {
    ByteBuffer bytes = ByteBuffer.allocate(Integer.BYTES * numbers.length);
    bytes.asIntBuffer().put(numbers);
    return bytes.array();
  }

  private static int[] numbers(byte[] bytes) {
    int[] numbers = new int[bytes.length / Integer.BYTES];
    ByteBuffer.wrap(bytes).asIntBuffer().get(numbers);
    return numbers;
  }

  private static int[] partitions(SortedMap<Integer, ?> of) {
    return of.keySet().stream().mapToInt(Integer::intValue).toArray();
  }

  /**
   * Decodes what {@link #encode} has written.
   *
   * @throws io.idlalayer.middleware.state.UnreadableStateException if the bytes are not an encoded
   *     state
   */
  public static MixState decode(byte[] bytes) {
    StateReader in = FORMAT.reader(bytes);
    MixState state =
        new MixState(
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            new TreeMap<>(),
            in.getTexts(13));
    List<String> names = in.getTexts(1);
    List<byte[]> contents = in.getList(2);
    for (int i = 0; i < names.size(); i++) {
      state.files.put(names.get(i), contents.get(i));
    }
    int[] partitions = in.getInts(3);
    List<byte[]> parameters = in.getList(4);
    for (int i = 0; i < partitions.length; i++) {
      state.contributed.put(partitions[i], NetworkFile.floats(parameters.get(i)));
    }
    int[] users = in.getInts(14);
    List<byte[]> uses = in.getList(15);
    for (int i = 0; i < users.length; i++) {
      state.uses.put(users[i], numbers(uses.get(i)));
    }
    int[] owners = in.getInts(5);
    List<byte[]> scalers = in.getList(6);
    List<byte[]> mixtures = in.getList(7);
    long[] rows = in.getLongs(8);
    for (int i = 0; i < owners.length; i++) {
      state.own.put(owners[i], new ModelMix.Own(scalers.get(i), mixtures.get(i), rows[i]));
    }
    List<String> keys = in.getTexts(9);
    List<String> values = in.getTexts(10);
    for (int i = 0; i < keys.size(); i++) {
      state.attributes.put(keys.get(i), values.get(i));
    }
    List<String> measures = in.getTexts(11);
    double[] numbers = in.getDoubles(12);
    for (int i = 0; i < measures.size(); i++) {
      state.metrics.put(measures.get(i), numbers[i]);
    }
    return state;
  }
}
