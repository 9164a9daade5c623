package io.idlalayer.modelcontroller.training;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.memory.device.DeviceKind;
import io.idlalayer.middleware.placement.PlacementName;
import io.idlalayer.middleware.placement.engine.PlacedMemory;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.memory.TensorDevices;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import io.idlalayer.modelcontroller.engine.memory.TensorPlacement;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelruntime.artifact.ModelArtifact;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.nio.ByteBuffer;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Trainers of several learners share the fast bytes of one application. */
final class SharedTrainersTest {
  private static final ModelSpec MLP = Trainings.mlp(Trainings.classes(2, 2), Trainings.ADAM);
  private static final long FAST_BYTES = 8192;
  private static final int UPDATES = 3;

  @TempDir Path directory;

  private TensorSettings whole() {
    return new TensorSettings(FAST_BYTES, directory, 1 << 22, PlacementName.CACHED_ARRAYS);
  }

  /** Counts the fast bytes of memories that are open at the same time. */
  private static final class Counted implements TensorPlacement {
    private final TensorPlacement each;
    private final AtomicInteger devices = new AtomicInteger();
    private final AtomicLong bytes = new AtomicLong();

    Counted(TensorPlacement each) {
      this.each = each;
    }

    @Override
    public TensorDevices devices() {
      TensorDevices made = each.devices();
      devices.incrementAndGet();
      return new TensorDevices() {
        private boolean counted;

        @Override
        public PlacedMemory open() {
          PlacedMemory opened = made.open();
          if (!counted) {
            counted = true;
            bytes.addAndGet(
                opened.memory().use(opened.memory().first(DeviceKind.FAST)).budgetBytes());
          }
          return opened;
        }

        @Override
        public void close() {
          made.close();
        }
      };
    }
  }

  private static NetworkTrainer trainer(@Nullable TensorShares shares, int learner) {
    TensorShares.Tenant tenant = shares == null ? null : shares.tenant("app-" + learner);
    return new NetworkTrainer(
        MLP, false, new TapeEngine(MLP, MachineKernels.best(), tenant, new NetworkForms()));
  }

  private static TrainingRequest request(@Nullable ModelArtifact base, int learner, int update) {
    List<TrainingRow> rows = new ArrayList<>();
    for (Sample sample : Trainings.separable(60, 31L * learner + update)) {
      rows.add(Trainings.row(rows.size(), sample));
    }
    return new TrainingRequest(base, new TrainingBatch(update, rows), 7 + update);
  }

  private static List<Map<String, ByteBuffer>> bytes(List<ModelArtifact> models) {
    List<Map<String, ByteBuffer>> contents = new ArrayList<>();
    for (ModelArtifact model : models) {
      Map<String, ByteBuffer> files = new TreeMap<>();
      model.files().forEach((name, bytes) -> files.put(name, ByteBuffer.wrap(bytes)));
      contents.add(files);
    }
    return contents;
  }

  /** The models of a learner that trains alone, without placement. */
  private static List<ModelArtifact> alone(int learner) throws Exception {
    List<ModelArtifact> models = new ArrayList<>();
    try (NetworkTrainer trainer = trainer(null, learner)) {
      for (int update = 0; update < UPDATES; update++) {
        ModelArtifact base = update == 0 ? null : models.get(update - 1);
        models.add(trainer.train(request(base, learner, update)).model());
      }
    }
    return models;
  }

  @Test
  void train_byTurnsInOnePart_givesEachItsOwnModelWithinTheBudget() throws Exception {
    Counted devices = new Counted(whole());
    TensorShares shares = new TensorShares("app", 1, devices);
    shares.enter();
    int learners = 3;
    List<NetworkTrainer> trainers = new ArrayList<>();
    List<List<ModelArtifact>> wanted = new ArrayList<>();
    for (int learner = 0; learner < learners; learner++) {
      trainers.add(trainer(shares, learner));
      wanted.add(alone(learner));
    }
    @Nullable ModelArtifact[] bases = new ModelArtifact[learners];
    for (int update = 0; update < UPDATES; update++) {
      for (int learner = 0; learner < learners; learner++) {
        TrainingResult result =
            trainers.get(learner).train(request(bases[learner], learner, update));
        bases[learner] = result.model();
        assertThat(bytes(List.of(result.model())))
            .isEqualTo(bytes(List.of(wanted.get(learner).get(update))));
        assertThat(result.traffic()).isNotNull();
      }
    }
    trainers.forEach(NetworkTrainer::close);
    shares.leave();
    assertThat(devices.devices).hasValue(1);
    assertThat(devices.bytes).hasValue(FAST_BYTES);
  }

  @Test
  void train_otherFastBytesBetweenTrainings_keepsEveryBit() throws Exception {
    TensorShares shares = new TensorShares("app", 1, whole());
    shares.enter();
    TensorGrant grant = new TensorGrant(1024);
    List<ModelArtifact> wanted = alone(0);
    long[] sizes = {3 * FAST_BYTES, FAST_BYTES / 2, 16 * FAST_BYTES};
    try (NetworkTrainer trainer = granted(shares, grant)) {
      ModelArtifact base = null;
      for (int update = 0; update < UPDATES; update++) {
        grant.want(sizes[update]);
        TrainingResult result = trainer.train(request(base, 0, update));
        base = result.model();
        assertThat(bytes(List.of(base))).isEqualTo(bytes(List.of(wanted.get(update))));
        assertThat(grant.heldBytes()).isEqualTo(sizes[update]);
        assertThat(grant.refusal()).isEmpty();
        assertThat(Objects.requireNonNull(result.traffic()).fastBytes()).isEqualTo(sizes[update]);
      }
    }
    shares.leave();
  }

  @Test
  void train_bytesThatTheProcessLacks_keepsTheFormerOnesAndEveryBit() throws Exception {
    TensorShares shares = new TensorShares("app", 1, whole());
    shares.enter();
    TensorGrant grant = new TensorGrant(1024);
    List<ModelArtifact> wanted = alone(0);
    try (NetworkTrainer trainer = granted(shares, grant)) {
      ModelArtifact base = null;
      for (int update = 0; update < UPDATES; update++) {
        grant.want(update == 1 ? 1L << 50 : 2 * FAST_BYTES);
        base = trainer.train(request(base, 0, update)).model();
        assertThat(bytes(List.of(base))).isEqualTo(bytes(List.of(wanted.get(update))));
        assertThat(grant.heldBytes()).isEqualTo(2 * FAST_BYTES);
        assertThat(grant.refusal().isEmpty()).isEqualTo(update != 1);
      }
    }
    shares.leave();
  }

  private static NetworkTrainer granted(TensorShares shares, TensorGrant grant) {
    TensorShares.Tenant tenant = shares.tenant("app-0", grant);
    return new NetworkTrainer(
        MLP, false, new TapeEngine(MLP, MachineKernels.best(), tenant, new NetworkForms()));
  }

  @Test
  void train_inThreads_givesEachItsOwnModelWithinTheBudget() throws Exception {
    int learners = 6;
    int threads = 3;
    Counted devices = new Counted(whole().part(threads, 1));
    TensorShares shares = new TensorShares("app", threads, devices);
    shares.enter();
    ExecutorService executor = Executors.newFixedThreadPool(threads);
    try {
      List<Future<List<ModelArtifact>>> trained = new ArrayList<>();
      for (int thread = 0; thread < threads; thread++) {
        int first = thread;
        trained.add(executor.submit(() -> several(shares, first, learners, threads)));
      }
      for (int thread = 0; thread < threads; thread++) {
        List<ModelArtifact> wanted = new ArrayList<>();
        for (int learner = thread; learner < learners; learner += threads) {
          wanted.addAll(alone(learner));
        }
        assertThat(bytes(trained.get(thread).get(1, TimeUnit.MINUTES))).isEqualTo(bytes(wanted));
      }
    } finally {
      executor.shutdownNow();
    }
    shares.leave();
    assertThat(devices.devices.get()).isLessThanOrEqualTo(threads);
    assertThat(devices.bytes.get()).isLessThanOrEqualTo(FAST_BYTES);
  }

  /** The models of every so-manieth learner, trained by turns on one thread. */
  private static List<ModelArtifact> several(TensorShares shares, int first, int learners, int step)
      throws Exception {
    List<NetworkTrainer> trainers = new ArrayList<>();
    List<List<ModelArtifact>> models = new ArrayList<>();
    for (int learner = first; learner < learners; learner += step) {
      trainers.add(trainer(shares, learner));
      models.add(new ArrayList<>());
    }
    for (int update = 0; update < UPDATES; update++) {
      for (int i = 0; i < trainers.size(); i++) {
        ModelArtifact base = update == 0 ? null : models.get(i).get(update - 1);
        TrainingRequest request = request(base, first + i * step, update);
        models.get(i).add(trainers.get(i).train(request).model());
      }
    }
    trainers.forEach(NetworkTrainer::close);
    return models.stream().flatMap(List::stream).toList();
  }

  /** The others stay open: only the end of a training gives its part to the next one. */
  @Test
  @Timeout(30)
  void train_afterAFailure_thePartIsFree() throws Exception {
    TensorShares shares =
        new TensorShares("app", 1, new TensorSettings(64, directory, 64, PlacementName.ALL_SLOW));
    List<NetworkTrainer> trainers = new ArrayList<>();
    for (int learner = 0; learner < 3; learner++) {
      NetworkTrainer trainer = trainer(shares, learner);
      trainers.add(trainer);
      TrainingRequest request = request(null, learner, 1);
      assertThatThrownBy(() -> trainer.train(request))
          .isInstanceOfSatisfying(
              TrainingFailedException.class,
              failed -> assertThat(failed.kind()).isEqualTo(TrainingFailedException.Kind.NO_SPACE))
          .hasMessageContaining("device slow has no room");
    }
    trainers.forEach(NetworkTrainer::close);
  }

  @Test
  void part_tooSmall_isRefusedAndTheMessageNamesTheSum() {
    TensorSettings settings = whole();
    assertThat(settings.part(3, 1024).fastBytes()).isEqualTo(2688);
    assertThat(settings.part(3, 1024).slowBytes()).isEqualTo(settings.slowBytes());
    assertThatThrownBy(() -> settings.part(3, 4096))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("8,192 fast bytes")
        .hasMessageContaining("3 trainings")
        .hasMessageContaining("4,096 each, 12,288 together");
  }
}
