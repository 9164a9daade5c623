package io.idlalayer.modelcontroller.engine;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.update.Penalty;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.kernel.update.UpdaterStep;
import io.idlalayer.modelcontroller.engine.memory.DramTensors;
import io.idlalayer.modelcontroller.engine.tape.FloatMemory;
import io.idlalayer.modelcontroller.engine.tape.RepeatableKernel;
import io.idlalayer.modelcontroller.engine.tape.TapeKernel;
import io.idlalayer.modelcontroller.training.MachineKernels;
import io.idlalayer.modelcontroller.training.TestNetworks;
import io.idlalayer.modelcontroller.training.Trainings;
import io.idlalayer.modelloader.network.LibraryNetworks;
import io.idlalayer.modelloader.serve.PredictingNetwork;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.lang.reflect.Proxy;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.TimeZone;
import java.util.concurrent.atomic.AtomicInteger;
import org.deeplearning4j.nn.multilayer.MultiLayerNetwork;
import org.deeplearning4j.util.ModelSerializer;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

final class EngineNetworksTest {
  private static final KernelLibrary KERNELS = MachineKernels.best();
  private static final int INPUTS = 4;
  private static final ModelSpec SPEC = spec(0.01);

  private static ModelSpec spec(double learningRate) {
    return new ModelSpec(
        new SampleSchema(
            List.of(),
            List.of(new SampleSchema.DenseFeature("x", INPUTS, 1)),
            List.of(),
            new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("0", "1", "2")),
            null),
        new ModelSpec.Network.Mlp(List.of(8)),
        new ModelSpec.Fit(32, 1, ModelSpec.Updater.ADAM, learningRate, 0),
        true);
  }

  private static float[] features(int rows) {
    SplittableRandom random = new SplittableRandom(rows);
    float[] values = new float[rows * INPUTS];
    for (int i = 0; i < values.length; i++) {
      values[i] = (float) random.nextDouble();
    }
    return values;
  }

  private static float[] labels(int rows) {
    float[] values = new float[rows * 3];
    for (int row = 0; row < rows; row++) {
      values[row * 3 + row % 3] = 1;
    }
    return values;
  }

  @Test
  void memory_isFreedWithTheNetworks() throws Exception {
    long before = FloatMemory.liveBytes();
    EngineNetworks networks = new EngineNetworks(SPEC, KERNELS);
    for (int i = 1; i <= 5; i++) {
      try (EngineNetwork network = networks.create(i)) {
        // More numbers of rows than tapes are kept.
        for (int rows = 1; rows <= 40; rows++) {
          network.fit(features(rows), labels(rows), rows, null, null, null);
          network.output(features(3 * rows), 3 * rows);
        }
        networks.decode(network.encode()).close();
      }
    }
    assertThat(FloatMemory.liveBytes()).isEqualTo(before);
  }

  @Test
  void errorsOfTheInput_areThoseOfThreeRowsInOneStep_andChangeNothing() throws Exception {
    ModelSpec spec = TestNetworks.dlrm(Trainings.ADAM);
    int width = spec.inputWidth();
    int count = width - spec.vectorColumns();
    float[] features = Arrays.copyOf(features(3 * width), 3 * width);
    EngineNetworks networks = new EngineNetworks(spec, KERNELS);
    try (EngineNetwork one = networks.create(1);
        EngineNetwork other = networks.create(1)) {
      float[] errors = new float[3 * count];
      double loss = one.fit(features, labels(3), 3, null, errors, null);
      assertThat(other.fit(features, labels(3), 3, null, null, null)).isEqualTo(loss);
      assertThat(one.encode()).isEqualTo(other.encode());
      assertThat(errors).isNotEqualTo(new float[3 * count]);
      assertThatThrownBy(() -> one.fit(features, labels(3), 3, null, new float[count], null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("3 rows have " + 3 * count + " errors");
      features[0] = Float.NaN;
      float[] before = errors.clone();
      assertThat(one.fit(features, labels(3), 3, null, errors, null)).isNaN();
      assertThat(errors).isEqualTo(before);
    }
    try (EngineNetwork without = new EngineNetworks(SPEC, KERNELS).create(1)) {
      assertThatThrownBy(() -> without.fit(features(2), labels(2), 2, null, new float[2], null))
          .isInstanceOf(IllegalArgumentException.class)
          .hasMessageContaining("2 rows have 0 errors");
    }
  }

  @Test
  void predictions_ofManyRows_areThoseOfEachRow() {
    try (EngineNetwork network = new EngineNetworks(SPEC, KERNELS).create(1)) {
      float[] features = features(2_500);
      float[] all = network.output(features, 2_500);
      for (int row : new int[] {0, 1, 1_023, 1_024, 2_047, 2_499}) {
        float[] one =
            network.output(Arrays.copyOfRange(features, row * INPUTS, (row + 1) * INPUTS), 1);
        for (int k = 0; k < 3; k++) {
          assertThat(all[row * 3 + k])
              .as("row %d", row)
              .isCloseTo(one[k], org.assertj.core.api.Assertions.within(1e-6f));
        }
      }
    }
  }

  @Test
  void aFeatureThatIsNotFinite_makesItsRowNan_andTrainsNothing() throws Exception {
    try (EngineNetwork network = new EngineNetworks(SPEC, KERNELS).create(1)) {
      byte[] before = network.encode();
      float[] features = features(3);
      features[INPUTS + 2] = Float.NaN;
      float[] outputs = network.output(features, 3);
      assertThat(Arrays.copyOfRange(outputs, 3, 6)).containsOnly(Float.NaN);
      assertThat(outputs[0]).isFinite();
      assertThat(outputs[8]).isFinite();
      assertThat(network.fit(features, labels(3), 3, null, null, null)).isNaN();
      assertThat(network.encode()).isEqualTo(before);
      assertThat(network.finite()).isTrue();
    }
  }

  @Test
  void parametersThatExplode_areNotFinite() throws InterruptedException {
    ModelSpec spec = spec(1e30);
    try (EngineNetwork network = new EngineNetworks(spec, KERNELS).create(1)) {
      for (int i = 0; i < 5; i++) {
        network.fit(features(8), labels(8), 8, null, null, null);
      }
      assertThat(network.finite()).isFalse();
    }
  }

  @Test
  void aFile_isReadAlsoWithAnotherLearningRate_whichTakesEffect() throws Exception {
    byte[] file;
    try (EngineNetwork network = new EngineNetworks(SPEC, KERNELS).create(1)) {
      network.fit(features(8), labels(8), 8, null, null, null);
      file = network.encode();
    }
    try (EngineNetwork same = new EngineNetworks(SPEC, KERNELS).decode(file);
        EngineNetwork faster = new EngineNetworks(spec(0.1), KERNELS).decode(file)) {
      assertThat(same.output(features(2), 2)).isEqualTo(faster.output(features(2), 2));
      assertThat(same.encode()).isEqualTo(file);
      same.fit(features(8), labels(8), 8, null, null, null);
      faster.fit(features(8), labels(8), 8, null, null, null);
      assertThat(same.output(features(2), 2)).isNotEqualTo(faster.output(features(2), 2));
    }
  }

  @Tag("natives")
  @Test
  void aFileOfDeeplearning4jsOwnSerializer_isRead() throws Exception {
    java.io.ByteArrayOutputStream bytes = new java.io.ByteArrayOutputStream();
    float[] expected;
    try (var network = Trainings.initialised(SPEC, 3)) {
      MultiLayerNetwork layers =
          ((io.idlalayer.modelloader.network.StackedNetwork) network).layers();
      ModelSerializer.writeModel(layers, bytes, true);
      expected = network.output(features(4), 4);
    }
    EngineNetworks networks = new EngineNetworks(SPEC, KERNELS);
    try (EngineNetwork read = networks.decode(bytes.toByteArray())) {
      float[] found = read.output(features(4), 4);
      for (int i = 0; i < expected.length; i++) {
        assertThat(found[i]).isCloseTo(expected[i], org.assertj.core.api.Assertions.within(1e-6f));
      }
      // A damaged file does not get through the quick way either.
      byte[] damaged = read.encode();
      damaged[damaged.length / 2] ^= 0x55;
      assertThatThrownBy(() -> networks.decode(damaged))
          .isInstanceOf(MalformedModelException.class);
    }
  }

  @Test
  void tested_takesTheMemoryOfTheParametersOnly_andPredictsTheSame() throws Exception {
    EngineNetworks networks = new EngineNetworks(SPEC, KERNELS);
    try (EngineNetwork trained = networks.create(1)) {
      trained.fit(features(8), labels(8), 8, null, null, null);
      byte[] file = trained.encode();
      // Its activations come with the first prediction and stay.
      float[] expected = trained.output(features(5), 5);
      // The second one is read the quick way, and so is one of another count of iterations.
      for (EngineNetworks reader : List.of(new EngineNetworks(SPEC, KERNELS), networks)) {
        long before = FloatMemory.liveBytes();
        try (PredictingNetwork tested = reader.tested(file)) {
          long parameters = Float.BYTES * (INPUTS * 8L + 8 + 8 * 3 + 3);
          assertThat(FloatMemory.liveBytes() - before).isBetween(parameters, 2 * parameters);
          assertThat(tested.output(features(5), 5)).isEqualTo(expected);
        }
        assertThat(FloatMemory.liveBytes()).isEqualTo(before);
      }
      byte[] damaged = file.clone();
      damaged[damaged.length / 2] ^= 0x55;
      assertThatThrownBy(() -> networks.tested(damaged))
          .isInstanceOf(MalformedModelException.class);
      byte[] otherState = file.clone();
      otherState[file.length - 300] ^= 0x55;
      try (PredictingNetwork tested = networks.tested(otherState)) {
        assertThat(tested.output(features(5), 5)).as("state is not read").isEqualTo(expected);
      }
      assertThatThrownBy(() -> networks.decode(otherState))
          .isInstanceOf(MalformedModelException.class);
    }
  }

  @Test
  void forms_thatLearnersShare_areReadOnce() throws Exception {
    NetworkForms forms = new NetworkForms();
    EngineNetworks trainer = new EngineNetworks(SPEC, KERNELS, DramTensors::new, forms);
    EngineNetworks tests = new EngineNetworks(SPEC, KERNELS, DramTensors::new, forms);
    try (EngineNetwork first = trainer.create(1);
        EngineNetwork second = trainer.create(2)) {
      List<NetworkForm> known = forms.latestFirst();
      assertThat(known).as("their seeds differ").hasSize(2);
      for (EngineNetwork each : List.of(first, second)) {
        byte[] file = each.encode();
        try (PredictingNetwork tested = tests.tested(file);
            EngineNetwork decoded = tests.decode(file)) {
          assertThat(tested.output(features(5), 5)).isEqualTo(each.output(features(5), 5));
          assertThat(decoded.encode()).isEqualTo(file);
        }
      }
      assertThat(forms.latestFirst()).containsExactlyElementsOf(known);
      for (long seed = 3; seed <= 20; seed++) {
        trainer.create(seed).close();
      }
      assertThat(forms.latestFirst()).hasSize(16).doesNotContainAnyElementsOf(known);
      try (PredictingNetwork forgotten = tests.tested(first.encode())) {
        assertThat(forgotten.output(features(5), 5)).isEqualTo(first.output(features(5), 5));
      }
      assertThat(forms.latestFirst()).hasSize(16);
    }
  }

  @Test
  void encode_inAnotherTimeZone_givesTheSameBytes() throws Exception {
    TimeZone here = TimeZone.getDefault();
    try (EngineNetwork network = new EngineNetworks(SPEC, KERNELS).create(77)) {
      byte[] file = network.encode();
      TimeZone.setDefault(TimeZone.getTimeZone("Pacific/Auckland"));
      assertThat(network.encode()).isEqualTo(file);
    } finally {
      TimeZone.setDefault(here);
    }
  }

  @Test
  void forms_ofOtherSeeds_areKnownAndOthersAreNot() throws Exception {
    NetworkForms forms = new NetworkForms();
    EngineNetworks.plan(SPEC, false, forms);
    try (EngineNetwork network = new EngineNetworks(SPEC, KERNELS).create(77);
        EngineNetwork faster = new EngineNetworks(spec(0.1), KERNELS).create(1)) {
      network.fit(features(8), labels(8), 8, null, null, null);
      byte[] file = network.encode();
      NetworkForm found = forms.of(NetworkForm.entries(file));
      assertThat(found).isNotNull();
      assertThat(found.values(NetworkForm.entries(file))).isNotNull();
      try (EngineNetwork read =
          new EngineNetworks(SPEC, KERNELS, DramTensors::new, forms).decode(file)) {
        assertThat(read.encode()).isEqualTo(file);
      }
      assertThat(forms.latestFirst()).hasSize(2);
      assertThat(forms.of(NetworkForm.entries(file))).isSameAs(found);
      assertThat(forms.of(NetworkForm.entries(faster.encode()))).as("another rate").isNull();
      assertThat(forms.latestFirst()).hasSize(2);
    }
  }

  @Test
  void tooLarge_aParameterOfMoreThanAGibibyte_onlyIfItIsPlaced() throws Exception {
    NetworkPlan small = StoredNetwork.form(spec(0.01), INPUTS).plan();
    NetworkPlan.Parameters wide =
        new NetworkPlan.Parameters(
            "wide.W", 0, (1 << 28) + 1, new UpdaterStep.None(), Penalty.NONE, List.of(), true);
    NetworkPlan large = new NetworkPlan(INPUTS, INPUTS, small.nodes(), List.of(wide), List.of(), 0);
    assertThat(EngineNetworks.tooLarge(large, 32, true).orElseThrow())
        .contains("wide.W has 268,435,457 parameters", "at most 268,435,456");
    assertThat(EngineNetworks.tooLarge(large, 32, false)).isEmpty();
    assertThat(EngineNetworks.tooLarge(small, 32, true)).isEmpty();
  }

  /** Numbers of a file, in one piece. */
  private record Given(float[] values) implements NetworkForm.Numbers {
    @Override
    public long length() {
      return values.length;
    }

    @Override
    public void read(Taker taker) throws IOException {
      taker.take(values, values.length);
    }
  }

  @Tag("natives")
  @Test
  void values_ofManyIterations_areReadTheQuickWay() throws Exception {
    NetworkForms forms = new NetworkForms();
    EngineNetworks.plan(SPEC, false, forms);
    NetworkForm form = forms.latestFirst().get(0);
    int length = form.plan().parameterLength();
    Given parameters = new Given(Arrays.copyOf(features(length), length));
    Given state = new Given(new float[form.plan().stateLength()]);
    for (int count : new int[] {999_999_999, 1_000_000_000, Progress.MOST_ITERATIONS}) {
      byte[] file = form.encode(count, parameters, state);
      NetworkForm.Values read = form.values(NetworkForm.entries(file));
      assertThat(read).as("at %d", count).isNotNull();
      assertThat(read.iterations()).isEqualTo(count);
      assertThat(read.parameters()).isEqualTo(parameters.values());
      assertThat(form.parameters(NetworkForm.entries(file))).isEqualTo(parameters.values());
      assertThat(forms.of(NetworkForm.entries(file))).isSameAs(form);
      MultiLayerNetwork restored =
          ModelSerializer.restoreMultiLayerNetwork(new ByteArrayInputStream(file), true);
      try {
        assertThat(restored.getLayerWiseConfigurations().getIterationCount()).isEqualTo(count);
        assertThat(restored.params().data().asFloat()).isEqualTo(parameters.values());
      } finally {
        LibraryNetworks.free(restored);
      }
    }
  }

  @Test
  void values_ofACountThatIsNoInt_areOfAnotherForm() throws Exception {
    NetworkForms forms = new NetworkForms();
    EngineNetworks.plan(SPEC, false, forms);
    NetworkForm form = forms.latestFirst().get(0);
    Given parameters = new Given(new float[form.plan().parameterLength()]);
    byte[] file = form.encode(77, parameters, new Given(new float[form.plan().stateLength()]));
    Map<String, byte[]> entries = new HashMap<>(NetworkForm.entries(file));
    String configuration = new String(entries.get("configuration.json"), StandardCharsets.UTF_8);
    for (String count : List.of("2147483648", "-2147483649", "99999999999", "", "7x")) {
      entries.put(
          "configuration.json",
          configuration
              .replace("\"iterationCount\" : 77", "\"iterationCount\" : " + count)
              .getBytes(StandardCharsets.UTF_8));
      assertThat(form.isOf(entries)).as(count).isFalse();
      assertThat(form.values(entries)).as(count).isNull();
    }
  }

  /** Counts its kernels until they are closed. */
  private record CountedKernel(TapeKernel kernel, AtomicInteger open) implements RepeatableKernel {
    @Override
    public void run() {
      kernel.run();
    }

    @Override
    public void close() {
      kernel.close();
      open.decrementAndGet();
    }
  }

  /** Returns the kernels of a stack of dense layers, which fail when a number of them are open. */
  private static KernelLibrary faultyKernels(AtomicInteger open, int most) {
    return (KernelLibrary)
        Proxy.newProxyInstance(
            KernelLibrary.class.getClassLoader(),
            new Class<?>[] {KernelLibrary.class},
            (library, method, arguments) -> {
              if (open.get() == most) {
                throw new IllegalStateException("no kernels are left");
              }
              TapeKernel made = (TapeKernel) method.invoke(KERNELS, arguments);
              open.incrementAndGet();
              return new CountedKernel(made, open);
            });
  }

  @Test
  void steps_ofALibraryThatFails_closeTheKernelsThatItMade() throws Exception {
    NetworkPlan plan = EngineNetworks.plan(SPEC, false, new NetworkForms());
    AtomicInteger open = new AtomicInteger();
    int failed = 0;
    for (int most = 0; ; most++) {
      try {
        EngineNetworks.steps(plan, faultyKernels(open, most), 32, 1_024, 1);
        break;
      } catch (IllegalStateException expected) {
        failed++;
        assertThat(open).as("after %d kernels", most).hasValue(0);
      }
    }
    assertThat(open).hasValue(0);
    assertThat(failed).as("kernels of a training and of a test").isGreaterThan(5);
  }
}
