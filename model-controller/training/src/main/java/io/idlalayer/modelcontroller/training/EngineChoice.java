package io.idlalayer.modelcontroller.training;

import io.idlalayer.middleware.embedding.batch.RowBatch;
import io.idlalayer.middleware.embedding.plan.IdVectors;
import io.idlalayer.middleware.embedding.settings.RowSettings;
import io.idlalayer.middleware.embedding.store.InMemoryRowStore;
import io.idlalayer.middleware.embedding.table.RowTables;
import io.idlalayer.middleware.primitive.Nanos;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.TrainingBatch;
import io.idlalayer.middleware.sample.TrainingRow;
import io.idlalayer.modelcontroller.cost.MeasuredTraining;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.StepShapes;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.WrongConfigurationException;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.KernelRefusedException;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.kernel.plain.JavaKernels;
import io.idlalayer.modelcontroller.engine.memory.DramTensors;
import io.idlalayer.modelcontroller.engine.memory.TensorGrant;
import io.idlalayer.modelcontroller.engine.memory.TensorRehearsal;
import io.idlalayer.modelcontroller.engine.memory.TensorSettings;
import io.idlalayer.modelcontroller.engine.memory.TensorShares;
import io.idlalayer.modelloader.natives.KernelRuntime;
import io.idlalayer.modelloader.serve.TaskModel;
import io.idlalayer.modelruntime.artifact.EngineName;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.input.EmbeddingPlans;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Chooses the engine that trains and tests the networks of an application, and says why.
 * Thread-safe.
 */
public final class EngineChoice {
  /** The reason why other engines do not train a network with tables. */
  public static final String NO_TABLES = "only iDlaLayer's engine trains tables";

  private static final String REFUSAL_ADVICE =
      "; change this layer, or set training.engine to auto, which then trains with kernels in plain"
          + " Java";

  /** Largest number of warm-up trainings; after these, the code of small networks is compiled. */
  private static final int MOST_WARM_UPS = 20;

  /** Time in nanoseconds after which a warm-up starts no third or later training. */
  private static final long WARM_UP_NANOS = 1_000_000_000L;

  /**
   * If the first warm-up training takes longer than this time, in nanoseconds, there is no further
   * warm-up training, because the start of the job would take too long.
   */
  private static final long LONGEST_FIRST_NANOS = 10_000_000_000L;

  private static final int MADE_UP_ROWS = 256;

  private static final int MADE_UP_IDS = 10;

  private static final int SMALL_WIDTH = 16;

  /**
   * Largest number of slow kernels that a warning names. The warning must be short, because it is
   * part of each status.
   */
  private static final int MOST_NAMED = 10;

  private final ModelSpec spec;
  private final @Nullable TensorShares shares;
  private final @Nullable KernelLibrary kernels;
  private final String reason;
  private final List<String> warnings;
  private final NetworkForms forms;

  /**
   * The plan by which the product's own engine trains the network; null if another engine trains
   * it.
   */
  private final @Nullable NetworkPlan plan;

  /**
   * The chosen engine in words.
   *
   * @param name name and version
   * @param threads number of threads of the kernels; the last bits of results depend on this number
   * @param reason why the product's own engine with oneDNN is not used; "" if it is used, or if the
   *     settings name another engine
   * @param warnings sentences that name parts of the training that are slow or have no effect
   */
  public record Description(String name, int threads, String reason, List<String> warnings) {
    public Description {
      warnings = List.copyOf(warnings);
    }
  }

  private EngineChoice(
      ModelSpec spec,
      @Nullable TensorShares shares,
      @Nullable KernelLibrary kernels,
      String reason,
      List<String> warnings,
      NetworkForms forms,
      @Nullable NetworkPlan plan) {
    this.spec = spec;
    this.shares = shares;
    this.kernels = kernels;
    this.reason = reason;
    this.warnings = warnings;
    this.forms = forms;
    this.plan = plan;
  }

  /**
   * Chooses the engine for a specification, and loads its library.
   *
   * @param shares memory in which tensors are placed during trainings; null if tensors are not
   *     placed. Only the product's own engine can place tensors
   * @throws IllegalArgumentException if the engine in the settings cannot train the network; or if
   *     tensors are to be placed or tables are to be trained, and the product's own engine cannot
   *     train the network
   */
  public static EngineChoice of(EngineName wanted, ModelSpec spec, @Nullable TensorShares shares) {
    return of(wanted, spec, shares, OneDnnKernels::new);
  }

  /**
   * Chooses the engine for a specification.
   *
   * @param oneDnn loads the kernels of the product's own engine
   */
  public static EngineChoice of(
      EngineName wanted,
      ModelSpec spec,
      @Nullable TensorShares shares,
      Supplier<KernelLibrary> oneDnn) {
    boolean tables = !spec.embeddings().uses().isEmpty();
    if (wanted == EngineName.DEEPLEARNING4J) {
      if (tables) {
        throw new IllegalArgumentException(NO_TABLES);
      }
      return deeplearning4j(spec, "");
    }
    NetworkForms forms = new NetworkForms();
    String obstacle;
    try {
      NetworkPlan plan = plan(spec, shares != null, forms);
      return own(wanted, spec, shares, plan, forms, oneDnn);
    } catch (WrongConfigurationException wrong) {
      throw new IllegalArgumentException(wrong.getMessage(), wrong);
    } catch (UncompilableException unknown) {
      obstacle = String.valueOf(unknown.getMessage());
    } catch (OutOfMemoryError tooLittle) {
      obstacle = "there is no memory to build the network: " + tooLittle.getMessage();
    }
    if (wanted == EngineName.ONEDNN) {
      throw new IllegalArgumentException(obstacle);
    }
    if (tables) {
      throw new IllegalArgumentException(NO_TABLES + ", and it cannot train this: " + obstacle);
    }
    if (shares != null) {
      throw new IllegalArgumentException(
          "only iDlaLayer's engine places tensors (memory.tensors), and it cannot train this: "
              + obstacle);
    }
    return deeplearning4j(spec, obstacle);
  }

  /**
   * Loads the library of the product's own engine, so that a later choice of an engine need not
   * wait for it: the first start of an installation unpacks 70 MB. Failures are left to that
   * choice, which explains them.
   *
   * @return whether this machine has the library
   */
  public static boolean loadLibrary() {
    try {
      var unused = new OneDnnKernels();
      return true;
    } catch (LinkageError | RuntimeException failed) {
      return false;
    }
  }

  private static EngineChoice deeplearning4j(ModelSpec spec, String reason) {
    NetworkLibrary library =
        NetworkLibrary.find().orElseThrow(() -> new IllegalArgumentException(missing(reason)));
    List<String> warnings = library.warnings(spec);
    return new EngineChoice(spec, null, null, reason, warnings, new NetworkForms(), null);
  }

  private static EngineChoice own(
      EngineName wanted,
      ModelSpec spec,
      @Nullable TensorShares shares,
      NetworkPlan plan,
      NetworkForms forms,
      Supplier<KernelLibrary> oneDnn) {
    String why;
    try {
      KernelLibrary kernels = oneDnn.get();
      List<String> slow = EngineNetworks.slowKernels(plan, kernels, spec.fit().miniBatch());
      List<String> warnings = slow.isEmpty() ? List.of() : List.of(warning(slow));
      return new EngineChoice(spec, shares, kernels, "", warnings, forms, plan);
    } catch (LinkageError missing) {
      why = "oneDNN cannot be loaded on this machine: " + missing.getMessage();
      if (wanted == EngineName.ONEDNN) {
        throw new IllegalArgumentException(why, missing);
      }
    } catch (KernelRefusedException refused) {
      why = "oneDNN refuses this network: " + refused.getMessage();
      if (wanted == EngineName.ONEDNN) {
        throw new IllegalArgumentException(why + REFUSAL_ADVICE, refused);
      }
    }
    return new EngineChoice(spec, shares, new JavaKernels(), why, List.of(), forms, plan);
  }

  private static String warning(List<String> slow) {
    int more = slow.size() - MOST_NAMED;
    return "oneDNN has only its slow reference implementation for %s%s"
        .formatted(
            String.join(", ", slow.subList(0, Math.min(slow.size(), MOST_NAMED))),
            more <= 0 ? "" : " and %,d more".formatted(more));
  }

  /**
   * Returns the reason why the product's own engine cannot train an application's networks; empty
   * if it can.
   *
   * @param placed whether tensors are to be placed
   */
  public static Optional<String> obstacle(ModelSpec spec, boolean placed) {
    try {
      plan(spec, placed, new NetworkForms());
      return Optional.empty();
    } catch (UncompilableException unknown) {
      return Optional.of(String.valueOf(unknown.getMessage()));
    }
  }

  private static String missing(String obstacle) {
    return obstacle.isEmpty()
        ? NetworkLibrary.missing()
        : "iDlaLayer's engine cannot train this: %s; and %s"
            .formatted(obstacle, NetworkLibrary.missing());
  }

  /**
   * Returns what is wrong with the network of a specification; empty if the product's own engine
   * can train it, or a library on the class path can.
   *
   * @param wanted the engine in the settings; if the settings name the library, the library must
   *     know the network. If the product's own engine knows the network, a missing library is no
   *     problem
   */
  public static Optional<String> problem(EngineName wanted, ModelSpec spec) {
    String obstacle = "";
    try {
      plan(spec, false, new NetworkForms());
    } catch (WrongConfigurationException wrong) {
      return Optional.of(String.valueOf(wrong.getMessage()));
    } catch (UncompilableException unknown) {
      obstacle = String.valueOf(unknown.getMessage());
    }
    boolean asked = wanted == EngineName.DEEPLEARNING4J && spec.embeddings().uses().isEmpty();
    if (obstacle.isEmpty() && !asked) {
      return Optional.empty();
    }
    Optional<NetworkLibrary> library = NetworkLibrary.find();
    if (library.isPresent()) {
      return library.get().problem(spec);
    }
    return obstacle.isEmpty() ? Optional.empty() : Optional.of(missing(obstacle));
  }

  /**
   * Returns the file of an untrained network.
   *
   * @throws IllegalArgumentException if the network cannot be built, or neither the product's own
   *     engine nor a library on the class path knows it
   */
  public static byte[] newFile(ModelSpec spec) throws IOException {
    try {
      return EngineNetworks.newFile(spec, 1);
    } catch (WrongConfigurationException wrong) {
      throw new IllegalArgumentException(wrong.getMessage(), wrong);
    } catch (UncompilableException unknown) {
      try (TrainingEngine library = NetworkLibrary.onClassPath().engine(spec);
          TrainableNetwork network = library.create(1)) {
        return network.encode();
      }
    }
  }

  private static NetworkPlan plan(ModelSpec spec, boolean placed, NetworkForms forms)
      throws UncompilableException {
    try {
      return EngineNetworks.plan(spec, placed, forms);
    } catch (IllegalArgumentException unbuildable) {
      throw new UncompilableException(
          "the network cannot be built: " + unbuildable.getMessage(), unbuildable);
    }
  }

  /**
   * Returns the device that has too few bytes for the tensors of a training; empty if the bytes
   * suffice.
   *
   * @param part the part of the tensor memory that one training has
   * @param batch most rows of a training, at least 1
   * @param heldOut whether a trainer has a second network
   */
  public Optional<TensorRehearsal.Shortage> shortage(
      TensorSettings part, long batch, boolean heldOut) throws InterruptedException {
    NetworkPlan known = plan;
    KernelLibrary own = kernels;
    if (known == null || own == null) {
      return Optional.empty();
    }
    int miniBatch = spec.fit().miniBatch();
    return TensorRehearsal.shortage(
        EngineNetworks.steps(known, own, miniBatch, batch, heldOut ? 2 : 1), part);
  }

  /** Returns the steps of a training; empty if another engine trains the network. */
  public Optional<StepShapes> steps() {
    NetworkPlan known = plan;
    KernelLibrary own = kernels;
    return known == null || own == null
        ? Optional.empty()
        : Optional.of(new StepShapes(spec, known, own));
  }

  public Description description() {
    KernelLibrary own = kernels;
    String name = own == null ? NetworkLibrary.onClassPath().name() : own.name();
    return new Description(
        name, own instanceof JavaKernels ? 1 : KernelRuntime.threads(), reason, warnings);
  }

  /**
   * Trains a new network on made-up rows and tests it, so that libraries are loaded and code is
   * compiled before the first real training. The method trains twice, and then repeats trainings
   * for about a second. If tensors are to be placed, a small network is trained instead of the real
   * network, which possibly does not fit into DRAM, and the devices of one part of the tensor
   * memory are acquired.
   *
   * @param nanoTime the time, in nanoseconds
   * @return the fastest training after the first; null if there was no second training because the
   *     first took more than ten seconds, or if a small network was trained
   * @throws TrainingFailedException if the network cannot be trained on the made-up rows
   */
  public @Nullable MeasuredTraining warmUp(LongSupplier nanoTime)
      throws TrainingFailedException, InterruptedException {
    if (shares == null) {
      return trainMadeUpRows(nanoTime);
    }
    ModelSpec.Network small = new ModelSpec.Network.Mlp(List.of(SMALL_WIDTH));
    ModelSpec standIn = new ModelSpec(spec.schema(), small, spec.fit(), spec.standardize());
    var unused =
        new EngineChoice(standIn, null, kernels, reason, warnings, new NetworkForms(), null)
            .trainMadeUpRows(nanoTime);
    shares.prepare();
    return null;
  }

  private @Nullable MeasuredTraining trainMadeUpRows(LongSupplier nanoTime)
      throws TrainingFailedException, InterruptedException {
    KernelLibrary own = kernels;
    TrainingEngine engine =
        own == null
            ? NetworkLibrary.onClassPath().engine(spec)
            : new TapeEngine(spec, own, null, forms);
    TrainingBatch batch = new TrainingBatch(1, madeUpRows());
    TrainingResult last;
    long fastestNanos = Long.MAX_VALUE;
    try (Trainer trainer = new NetworkTrainer(spec, false, engine)) {
      RowBatch rows = madeUpTables(batch);
      long begin = nanoTime.getAsLong();
      last = trainer.train(new TrainingRequest(null, batch, 1, rows));
      long before = nanoTime.getAsLong();
      // The first training loads libraries, so it takes seconds and does not show how long the next
      // trainings take.
      for (int i = 1;
          i < MOST_WARM_UPS && before - begin < (i == 1 ? LONGEST_FIRST_NANOS : WARM_UP_NANOS);
          i++) {
        last = trainer.train(new TrainingRequest(last.model(), batch, 1, rows));
        long now = nanoTime.getAsLong();
        fastestNanos = Math.min(fastestNanos, Math.max(1, now - before));
        before = now;
      }
    }
    try (TaskModel model = testedModels().load(last.model())) {
      RowBatch rows = last.rows();
      model.predict(
          batch.rows().stream().map(TrainingRow::sample).toList(),
          rows == null ? IdVectors.NONE : rows);
    } catch (MalformedModelException impossible) {
      throw new IllegalStateException("a model that was just trained cannot be read", impossible);
    }
    return fastestNanos == Long.MAX_VALUE
        ? null
        : new MeasuredTraining(batch.rows().size(), Nanos.toSeconds(fastestNanos));
  }

  private @Nullable RowBatch madeUpTables(TrainingBatch batch) {
    if (spec.embeddings().tables().isEmpty()) {
      return null;
    }
    RowTables tables =
        new RowTables(
            EmbeddingPlans.of(spec),
            EmbeddingPlans.rule(spec, 1),
            RowSettings.DEFAULT,
            new InMemoryRowStore());
    return tables.gatherToTrain(
        batch.rows().stream().map(row -> row.sample().ids()).toList(), List.of());
  }

  private List<TrainingRow> madeUpRows() {
    SampleSchema schema = spec.schema();
    int classes = Math.max(1, schema.label().classes().size());
    List<TrainingRow> rows = new ArrayList<>();
    for (int i = 0; i < Math.min(MADE_UP_ROWS, 2 * spec.fit().miniBatch()); i++) {
      double[] dense = new double[schema.denseWidth()];
      for (int k = 0; k < dense.length; k++) {
        dense[k] = (i + k) % 5;
      }
      int[] categorical = new int[schema.categorical().size()];
      long[] keys = new long[schema.ids().size()];
      for (int k = 0; k < keys.length; k++) {
        keys[k] = schema.ids().get(k).index().keyOf(IdLists.UNKNOWN + 1 + i % MADE_UP_IDS);
      }
      Sample sample = new Sample("", dense, categorical, IdLists.single(keys), i % classes);
      rows.add(new TrainingRow(i, i / 3, sample, Float.NaN, true));
    }
    return rows;
  }

  /**
   * Returns a trainer with this engine.
   *
   * @param learner name of the learner, for messages
   */
  public Trainer trainer(String learner, boolean heldOut) {
    return trainer(learner, heldOut, null);
  }

  /**
   * Returns a trainer with this engine.
   *
   * @param learner name of the learner, for messages
   * @param grant the fast bytes that the learner grants to its tensors; null if their number does
   *     not change, or tensors are not placed
   */
  public Trainer trainer(String learner, boolean heldOut, @Nullable TensorGrant grant) {
    return new NetworkTrainer(spec, heldOut, engine(learner, grant));
  }

  /**
   * Returns the chosen engine, without a trainer around it.
   *
   * @param learner name of the learner whose tensors the engine places, if tensors are placed
   */
  public TrainingEngine engine(String learner) {
    return engine(learner, null);
  }

  private TrainingEngine engine(String learner, @Nullable TensorGrant grant) {
    KernelLibrary own = kernels;
    if (own == null) {
      return NetworkLibrary.onClassPath().engine(spec);
    }
    return new TapeEngine(spec, own, shares == null ? null : shares.tenant(learner, grant), forms);
  }

  /**
   * Returns the fewest fast bytes that the tensors of a training need; empty if another engine
   * trains the network.
   *
   * @param part the part of the tensor memory that one training has, with the bytes of the slow
   *     device
   * @param batch most rows of a training, at least 1
   * @param heldOut whether a trainer has a second network
   */
  public OptionalLong leastFastBytes(TensorSettings part, long batch, boolean heldOut)
      throws InterruptedException {
    NetworkPlan known = plan;
    KernelLibrary own = kernels;
    if (known == null || own == null) {
      return OptionalLong.empty();
    }
    int miniBatch = spec.fit().miniBatch();
    return OptionalLong.of(
        TensorRehearsal.leastFastBytes(
            EngineNetworks.steps(known, own, miniBatch, batch, heldOut ? 2 : 1), part));
  }

  /** Returns a loader of models with this engine, for one thread that tests new samples. */
  public TestedModels testedModels() {
    KernelLibrary own = kernels;
    return new TestedModels(
        spec, own == null ? null : new EngineNetworks(spec, own, DramTensors::new, forms));
  }
}
