package io.idlalayer.modelcontroller.engine;

import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.plan.LayerPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkPlan;
import io.idlalayer.modelcontroller.engine.compile.plan.NetworkTensors;
import io.idlalayer.modelcontroller.engine.compile.write.TapeWriter;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.update.Progress;
import io.idlalayer.modelcontroller.engine.memory.DramTensors;
import io.idlalayer.modelcontroller.engine.memory.TapeGraph;
import io.idlalayer.modelcontroller.engine.memory.TensorMemory;
import io.idlalayer.modelcontroller.engine.tape.Tape;
import io.idlalayer.modelcontroller.engine.tape.Tensor;
import io.idlalayer.modelloader.serve.PredictingNetwork;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import io.idlalayer.modelruntime.artifact.ZipEntries;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Supplier;

/**
 * Creates the networks of one specification, either initialized anew or read from files. The part
 * that all their files have in common is read once. Confined to one thread.
 */
public final class EngineNetworks {
  /**
   * Largest number of floats in a tensor: 1 GiB of floats. A device of the tensor memory can store
   * this number of floats in one region.
   */
  private static final long MOST_NUMBERS = 1L << 28;

  /** Prefix of oneDNN's names of reference implementations, which are slow. */
  private static final String REFERENCE = "ref";

  /**
   * Assumed time of a kernel in nanoseconds while its true time is unknown: long enough that
   * tensors are copied while the kernel runs, so that the space for these copies is counted too.
   */
  private static final long SOME_KERNEL_NANOS = 100_000;

  private final ModelSpec spec;
  private final KernelLibrary kernels;
  private final Supplier<TensorMemory> memories;
  private final NetworkForms forms;

  /** Creates networks whose tensors are in DRAM. */
  public EngineNetworks(ModelSpec spec, KernelLibrary kernels) {
    this(spec, kernels, DramTensors::new, new NetworkForms());
  }

  /**
   * Creates networks whose tensors are in memories that the caller provides.
   *
   * @param memories creates the memory of a network, which the network closes
   * @param forms file forms of the specification's networks
   */
  public EngineNetworks(
      ModelSpec spec, KernelLibrary kernels, Supplier<TensorMemory> memories, NetworkForms forms) {
    this.spec = spec;
    this.kernels = kernels;
    this.memories = memories;
    this.forms = forms;
  }

  /**
   * Returns the plan by which the engine trains the network of a specification.
   *
   * @param placed whether a placement policy places the network's tensors
   * @param forms receives the form that the files of these networks have in common
   * @throws UncompilableException with the reason if the engine cannot train the network
   * @throws IllegalArgumentException if the network cannot be built
   */
  public static NetworkPlan plan(ModelSpec spec, boolean placed, NetworkForms forms)
      throws UncompilableException {
    NetworkForm form = StoredNetwork.form(spec, errorsFrom(spec));
    Optional<String> tooLarge = tooLarge(form.plan(), spec.fit().miniBatch(), placed);
    if (tooLarge.isPresent()) {
      throw new UncompilableException(tooLarge.get());
    }
    forms.used(form);
    return form.plan();
  }

  /**
   * Returns the file of a freshly initialised network.
   *
   * @throws UncompilableException with the reason if the engine cannot train it
   * @throws IllegalArgumentException if the network cannot be built
   */
  public static byte[] newFile(ModelSpec spec, long seed) throws UncompilableException {
    StoredNetwork created = StoredNetwork.create(spec, seed, spec.inputWidth());
    NetworkForm.Values values = created.values();
    try {
      return created
          .form()
          .encode(
              values.iterations(),
              NetworkForm.numbers(values.parameters()),
              NetworkForm.numbers(values.state()));
    } catch (IOException impossible) {
      throw new UncheckedIOException(impossible);
    }
  }

  /**
   * Returns the plan of the network in a file.
   *
   * @throws MalformedModelException if the file is damaged
   * @throws UncompilableException if the engine does not know the network, or the network is not of
   *     the specification
   */
  public static NetworkPlan plan(ModelSpec spec, byte[] file)
      throws MalformedModelException, UncompilableException {
    return StoredNetwork.decode(spec, NetworkForm.entries(file), spec.inputWidth()).form().plan();
  }

  /**
   * Returns whether all parameters and all numbers of the updater state in a file are finite.
   *
   * @param largestBytes largest total size of the unpacked entries of the file, in bytes
   * @throws MalformedModelException if the file is damaged
   * @throws UncompilableException if the engine does not know the network, or the network is not of
   *     the specification
   */
  public static boolean finite(ModelSpec spec, byte[] file, long largestBytes)
      throws MalformedModelException, UncompilableException {
    NetworkForm.Values values =
        StoredNetwork.decode(spec, NetworkForm.entries(file, largestBytes), spec.inputWidth())
            .values();
    return Predictions.finite(values.parameters(), 0, values.parameters().length)
        && Predictions.finite(values.state(), 0, values.state().length);
  }

  /**
   * Returns the kernels of a training for which a library has only a slow implementation, for
   * example "errors of layer 'first' (ref:any)".
   *
   * @param rows number of rows of a mini-batch; the result can differ for other numbers
   * @throws io.idlalayer.modelcontroller.engine.kernel.KernelRefusedException if the library cannot
   *     create a kernel of a training or of a test
   */
  public static List<String> slowKernels(NetworkPlan plan, KernelLibrary kernels, int rows) {
    NetworkTensors tensors = new NetworkTensors(plan);
    Progress progress = new Progress(0, 0);
    TapeWriter.inference(plan, tensors, kernels, Predictions.tapeRows(plan, rows)).tape().close();
    try (Tape tape = TapeWriter.training(plan, tensors, kernels, progress, rows).tape()) {
      return tape.steps().stream()
          .filter(step -> step.kernel().implementation().startsWith(REFERENCE))
          .map(
              step ->
                  "%s of layer '%s' (%s)"
                      .formatted(step.name(), step.layer(), step.kernel().implementation()))
          .toList();
    }
  }

  /**
   * Returns the task graph of a training, as placement policies see it: the training on a
   * mini-batch, and then a prediction for the rows of this mini-batch that one run predicts. Kernel
   * times are unknown.
   *
   * @param miniBatch largest number of rows of a mini-batch, at least 1
   * @param batch largest number of rows of a training, at least 1; it can be less than {@code
   *     miniBatch}
   * @param networks number of networks whose parameters and updater state are in the memory, at
   *     least 1
   */
  public static TaskGraph steps(
      NetworkPlan plan, KernelLibrary kernels, int miniBatch, long batch, int networks) {
    NetworkTensors own = new NetworkTensors(plan);
    List<Tensor> lasting = new ArrayList<>(own.lasting());
    for (int i = 1; i < networks; i++) {
      lasting.addAll(new NetworkTensors(plan).lasting());
    }
    int rows = (int) Math.min(miniBatch, batch);
    TapeWriter.Training training =
        TapeWriter.training(plan, own, kernels, new Progress(0, 0), rows);
    try (Tape trains = training.tape()) {
      TapeWriter.Inference tested =
          TapeWriter.inference(plan, own, kernels, Predictions.tapeRows(plan, batch));
      try (Tape tests = tested.tape()) {
        return step(trains, lasting, training.inputs())
            .then(step(tests, lasting, List.of(tested.features())), lasting.size());
      }
    }
  }

  private static TaskGraph step(Tape tape, List<Tensor> lasting, List<Tensor> inputs) {
    long[] nanos = new long[inputs.size() + tape.steps().size()];
    Arrays.fill(nanos, SOME_KERNEL_NANOS);
    return TapeGraph.timed(tape, lasting, inputs, nanos);
  }

  static Optional<String> tooLarge(NetworkPlan plan, int rows, boolean placed) {
    LayerPlan widest = plan.widest();
    long numbers = (long) rows * Math.max(plan.inputs(), widest.outputs());
    if (numbers > MOST_NUMBERS) {
      return Optional.of(
          "a mini-batch of %,d rows is %,d numbers at layer '%s'; at most %,d are possible"
              .formatted(rows, numbers, widest.name(), MOST_NUMBERS));
    }
    for (NetworkPlan.Parameters each : plan.parameters()) {
      if (placed && each.length() > MOST_NUMBERS) {
        return Optional.of(
            "%s has %,d parameters; a tensor that is placed has at most %,d: split the layer, or leave memory.tensors out"
                .formatted(each.name(), each.length(), MOST_NUMBERS));
      }
    }
    long fileBytes = Float.BYTES * ((long) plan.parameterLength() + plan.stateLength());
    if (fileBytes > ZipEntries.LARGEST_BYTES) {
      return Optional.of(
          "parameters and updater state are %,d bytes; a model file has at most %,d"
              .formatted(fileBytes, ZipEntries.LARGEST_BYTES));
    }
    return Optional.empty();
  }

  /**
   * Creates a freshly initialised network.
   *
   * @throws IllegalArgumentException if the specification's network cannot be built, or this engine
   *     cannot train it
   */
  public EngineNetwork create(long seed) {
    try {
      return taken(StoredNetwork.create(spec, seed, errorsFrom(spec)));
    } catch (UncompilableException unknown) {
      throw new IllegalArgumentException(unknown.getMessage(), unknown);
    }
  }

  /**
   * Returns the network in a file. The file can come from this engine or from Deeplearning4j.
   *
   * @throws MalformedModelException if the file has no network, or a network of another
   *     specification
   */
  public EngineNetwork decode(byte[] file) throws MalformedModelException {
    Map<String, byte[]> entries = NetworkForm.entries(file);
    NetworkForm known = forms.of(entries);
    if (known != null) {
      NetworkForm.Values values = known.values(entries);
      if (values != null) {
        return new EngineNetwork(known, values, kernels, memories.get());
      }
    }
    try {
      return taken(StoredNetwork.decode(spec, entries, errorsFrom(spec)));
    } catch (UncompilableException unknown) {
      throw new MalformedModelException("model.zip: " + unknown.getMessage(), unknown);
    }
  }

  /**
   * Returns the network in a file, for predictions only: the returned network has no memory for the
   * updater state.
   *
   * @throws MalformedModelException if the file has no network, or a network of another
   *     specification
   */
  public PredictingNetwork tested(byte[] file) throws MalformedModelException {
    Map<String, byte[]> entries = NetworkForm.parameterEntries(file);
    NetworkForm known = forms.of(entries);
    if (known != null) {
      float[] parameters = known.parameters(entries);
      if (parameters != null) {
        return new TestedNetwork(known.plan(), parameters, kernels);
      }
    }
    try {
      StoredNetwork read = StoredNetwork.decodeToPredict(spec, entries, errorsFrom(spec));
      forms.used(read.form());
      return new TestedNetwork(read.form().plan(), read.values().parameters(), kernels);
    } catch (UncompilableException unknown) {
      throw new MalformedModelException("model.zip: " + unknown.getMessage(), unknown);
    }
  }

  /**
   * Returns the first input column whose errors are needed. The rows of tables are trained with
   * these errors.
   */
  static int errorsFrom(ModelSpec spec) {
    return spec.embeddings().uses().isEmpty() ? spec.inputWidth() : spec.vectorColumns();
  }

  /**
   * Returns a network with the numbers of a file, and keeps the form of the file, because the next
   * files probably have the same form.
   */
  private EngineNetwork taken(StoredNetwork read) {
    forms.used(read.form());
    return new EngineNetwork(read.form(), read.values(), kernels, memories.get());
  }
}
