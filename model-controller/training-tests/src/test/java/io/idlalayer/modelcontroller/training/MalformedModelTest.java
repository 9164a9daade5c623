package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.modelloader.serve.Dl4jModel;
import io.idlalayer.modelloader.serve.Dl4jModelLoader;
import io.idlalayer.modelruntime.artifact.BoundedBytes;
import io.idlalayer.modelruntime.artifact.FeatureScaler;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.io.Serializable;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Model files that were manipulated on purpose. */
@Tag("natives")
final class MalformedModelTest {
  private static final ModelSpec SPEC = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
  private static ModelArtifact good;

  /** Shows that it was deserialised. */
  private static final class Bomb implements Serializable {
    private static final long serialVersionUID = 1L;
    static final AtomicInteger EXPLODED = new AtomicInteger();

    private void readObject(ObjectInputStream in) throws IOException {
      EXPLODED.incrementAndGet();
    }
  }

  @BeforeAll
  static void train() throws Exception {
    try (Trainer trainer = Trainings.dl4j(SPEC)) {
      good =
          trainer
              .train(new TrainingRequest(null, Trainings.batch(1, Trainings.separable(64, 1)), 3))
              .model();
    }
  }

  private static byte[] network() {
    return java.util.Objects.requireNonNull(good.files().get(ModelArtifact.NETWORK_FILE));
  }

  private static ModelArtifact with(String name, byte[] content) {
    TreeMap<String, byte[]> files = new TreeMap<>(good.files());
    files.put(name, content);
    return new ModelArtifact(files);
  }

  private static void assertRefused(Map<String, byte[]> entries, String why) throws IOException {
    byte[] zip = ModelZips.zip(entries);
    assertThatThrownBy(() -> Dl4jModel.load(with(ModelArtifact.NETWORK_FILE, zip)))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining(why);
  }

  private static Map<String, byte[]> entries() throws IOException {
    return ModelZips.entries(network());
  }

  @Test
  void load_javaObjectInTheZip_isRefusedByNameAndNeverDeserialised() throws Exception {
    ByteArrayOutputStream bomb = new ByteArrayOutputStream();
    try (ObjectOutputStream out = new ObjectOutputStream(bomb)) {
      out.writeObject(new Bomb());
    }
    for (String name : List.of("preprocessor.bin", "normalizer.bin", "x/../configuration.json")) {
      Map<String, byte[]> entries = entries();
      entries.put(name, bomb.toByteArray());
      assertRefused(entries, "model.zip has an entry '" + name + "'");
    }
    assertThat(Bomb.EXPLODED.get()).isZero();
  }

  @Test
  void load_entryMissing_isRefused() throws IOException {
    for (String name : List.of("configuration.json", "coefficients.bin")) {
      Map<String, byte[]> entries = entries();
      entries.remove(name);
      assertRefused(entries, "has no " + name);
    }
    Map<String, byte[]> entries = entries();
    entries.remove("updaterState.bin");
    assertRefused(entries, "numbers of state, but 0 are stored");
  }

  @Test
  void load_entryTwice_isRefused() throws IOException {
    Map<String, byte[]> entries = entries();
    entries.put("coefficients.biN", entries.get("coefficients.bin"));
    byte[] zip = ModelZips.zip(entries);
    // ISO-8859-1 keeps every byte.
    byte[] twice =
        new String(zip, StandardCharsets.ISO_8859_1)
            .replace("coefficients.biN", "coefficients.bin")
            .getBytes(StandardCharsets.ISO_8859_1);
    assertThatThrownBy(() -> Dl4jModel.load(with(ModelArtifact.NETWORK_FILE, twice)))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining("two entries coefficients.bin");
  }

  @Test
  void load_zipBomb_isRefusedAfterAsManyBytesAsAllowed() throws Exception {
    Map<String, byte[]> entries = entries();
    entries.put("updaterState.bin", new byte[64 << 20]);
    byte[] zip = ModelZips.zip(entries);
    assertThat(zip.length).isLessThan(1 << 20);
    Dl4jModelLoader loader = new Dl4jModelLoader(1 << 20);
    ModelArtifact bomb = with(ModelArtifact.NETWORK_FILE, zip);
    assertThatThrownBy(() -> Dl4jModel.load(bomb, 1 << 20))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining("larger than 1048576 bytes");
    assertThatThrownBy(() -> new Dl4jModelLoader(0)).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> Dl4jModel.load(good, 100))
        .hasMessageContaining("more than the 100 that are allowed");
    loader.dispose(Dl4jModel.load(good, 1 << 20));
  }

  @Test
  void load_arrayThatClaimsToBeHuge_isRefusedBeforeAnythingIsAllocated() throws IOException {
    for (long claimed : new long[] {1L << 40, Long.MAX_VALUE, -1, 0, 1L << 31}) {
      byte[] good = entries().get("coefficients.bin");
      // Behind a text of 18 bytes, a length and a text of 6: rank, and the first dimension.
      int dimension = 18 + 8 + 6 + 8;
      // Before the type of 7 bytes and the values.
      int parameters = 2 * 16 + 16 + 16 * 2 + 2;
      int length = good.length - Float.BYTES * parameters - 7 - 8;
      for (int at : new int[] {18, dimension, length}) {
        byte[] array = good.clone();
        ByteBuffer.wrap(array).putLong(at, claimed);
        Map<String, byte[]> entries = entries();
        entries.put("coefficients.bin", array);
        assertRefused(entries, "coefficients.bin");
      }
    }
  }

  @Test
  void load_configurationOfAnotherSize_isRefusedBeforeItIsBuilt() throws IOException {
    Map<String, byte[]> entries = entries();
    String json = new String(entries.get("configuration.json"), StandardCharsets.UTF_8);
    String huge = json.replaceAll("\"n(in|out|In|Out)\" : 16\\b", "\"n$1\" : 2000000000");
    assertThat(huge).isNotEqualTo(json);
    entries.put("configuration.json", huge.getBytes(StandardCharsets.UTF_8));
    assertRefused(entries, "parameters, but");
  }

  @Test
  void load_configurationNamingAForeignClass_isRefusedByName() throws IOException {
    Map<String, byte[]> entries = entries();
    String json = new String(entries.get("configuration.json"), StandardCharsets.UTF_8);
    String foreign =
        json.replaceFirst(
            "\"@class\" : \"org.deeplearning4j[^\"]*\"",
            "\"@class\" : \"javax.naming.InitialContext\"");
    assertThat(foreign).isNotEqualTo(json);
    entries.put("configuration.json", foreign.getBytes(StandardCharsets.UTF_8));
    assertRefused(entries, "names the class 'javax.naming.InitialContext'");
  }

  @Test
  void load_fileMissingOrTooMuchInIt_isRefused() {
    for (String name : good.served().keySet()) {
      TreeMap<String, byte[]> files = new TreeMap<>(good.files());
      files.remove(name);
      assertThatThrownBy(() -> Dl4jModel.load(new ModelArtifact(files)))
          .isInstanceOf(MalformedModelException.class)
          .hasMessageContaining(name);
      for (String garbage : List.of("", "null", "[]", "{}", "\u0000")) {
        assertThatThrownBy(
                () -> Dl4jModel.load(with(name, garbage.getBytes(StandardCharsets.UTF_8))))
            .as(name + " is " + garbage)
            .isInstanceOf(MalformedModelException.class);
      }
    }
  }

  @Test
  void load_scalerOfAnotherWidth_isRefused() throws Exception {
    byte[] narrow = FeatureScaler.empty(1, true, false).encode();
    assertThatThrownBy(() -> Dl4jModel.load(with(ModelArtifact.SCALER_FILE, narrow)))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining("scaler.json scales 1 values, and spec.json names 2");
  }

  @Test
  void predict_afterClose_isRefused() throws Exception {
    Dl4jModel model = Dl4jModel.load(good);
    model.close();
    model.close();
    assertThatThrownBy(() -> model.predict(List.of(Sample.of(new double[2], 0))))
        .isInstanceOf(IllegalStateException.class)
        .hasMessageContaining("closed");
  }

  @Test
  void write_moreThanAnArrayHolds_isRefusedInWords() throws IOException {
    try (BoundedBytes bytes = new BoundedBytes("model.zip", 10)) {
      bytes.write(new byte[10]);
      assertThatThrownBy(() -> bytes.write(1))
          .isInstanceOf(IOException.class)
          .hasMessageContaining("model.zip would have more than 10 bytes")
          .hasMessageContaining("2 GiB");
      assertThat(bytes.toByteArray()).hasSize(10);
    }
  }
}
