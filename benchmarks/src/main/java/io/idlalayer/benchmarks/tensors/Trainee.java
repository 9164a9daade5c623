package io.idlalayer.benchmarks.tensors;

import io.idlalayer.benchmarks.measure.CpuTime;
import io.idlalayer.middleware.placement.api.TaskGraph;
import io.idlalayer.modelcontroller.engine.CompiledStep;
import io.idlalayer.modelcontroller.engine.EngineNetwork;
import io.idlalayer.modelcontroller.engine.EngineNetworks;
import io.idlalayer.modelcontroller.engine.NetworkForms;
import io.idlalayer.modelcontroller.engine.StepRecording;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.kernel.KernelLibrary;
import io.idlalayer.modelcontroller.engine.kernel.onednn.OneDnnKernels;
import io.idlalayer.modelcontroller.engine.memory.TensorMemory;
import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.util.Arrays;
import java.util.SplittableRandom;
import java.util.function.LongSupplier;
import org.apache.commons.codec.digest.DigestUtils;
import org.jspecify.annotations.Nullable;

/** A network before its first step, and the mini-batch on which each step trains it. */
final class Trainee {
  private static final int SEED = 7;

  private final ModelSpec spec;
  private final KernelLibrary kernels = new OneDnnKernels();
  private final NetworkForms forms = new NetworkForms();
  private final int rows;
  private final float[] features;
  private final float[] labels;

  /**
   * The file of the untrained network. Reading the file is much faster than initialising a network
   * with Deeplearning4j.
   */
  private byte @Nullable [] untrained;

  private Trainee(ModelSpec spec, int rows) {
    this.spec = spec;
    this.rows = rows;
    SplittableRandom random = new SplittableRandom(SEED);
    features = new float[rows * spec.inputWidth()];
    for (int i = 0; i < features.length; i++) {
      features[i] = (float) random.nextGaussian();
    }
    labels = new float[rows * spec.outputWidth()];
    for (int row = 0; row < rows; row++) {
      labels[row * spec.outputWidth() + row % spec.outputWidth()] = 1;
    }
  }

  /** Returns a trainee whose parameters and normally distributed batch are always the same. */
  static Trainee of(ReferenceNet net, NetScale scale, int batch) {
    return new Trainee(net.spec(scale), batch);
  }

  /** Returns a trainee for any network with dense inputs and classes. */
  static Trainee of(ModelSpec spec, int batch) {
    return new Trainee(spec, batch);
  }

  ModelSpec spec() {
    return spec;
  }

  /** Returns the number of rows of a mini-batch. */
  int rows() {
    return rows;
  }

  /**
   * Returns the recorded step with the median processor time of each kernel, so that other programs
   * on the machine do not count. Only processor time of the calling thread is measured; if kernels
   * use further threads, these do equal work at the same time.
   */
  TaskGraph recorded() {
    return recorded(CpuTime::nanos);
  }

  /** Returns the recorded step with the median time of each kernel by the given clock. */
  TaskGraph recorded(LongSupplier nanoTime) {
    try (CompiledStep step = new CompiledStep(spec, kernels, rows)) {
      return StepRecording.record(step, nanoTime);
    } catch (UncompilableException unknown) {
      throw new IllegalStateException("a reference network is not known", unknown);
    }
  }

  /**
   * Returns a new network. Its tensors are in the given memory, which is closed together with the
   * network.
   */
  EngineNetwork network(TensorMemory memory) throws IOException {
    EngineNetworks networks = new EngineNetworks(spec, kernels, () -> memory, forms);
    byte[] known = untrained;
    if (known != null) {
      try {
        return networks.decode(known);
      } catch (MalformedModelException impossible) {
        throw new IllegalStateException("a network that was just written", impossible);
      }
    }
    EngineNetwork made = networks.create(SEED);
    boolean written = false;
    try {
      untrained = made.encode();
      written = true;
      return made;
    } finally {
      if (!written) {
        made.close();
      }
    }
  }

  /** Trains one step on the whole mini-batch. */
  void fit(EngineNetwork network) throws InterruptedException {
    network.fit(features, labels, rows, null, null, null);
  }

  /** Trains one step on the first rows of the mini-batch. */
  void fit(EngineNetwork network, int count) throws InterruptedException {
    float[] given = Arrays.copyOf(features, count * spec.inputWidth());
    float[] wanted = Arrays.copyOf(labels, count * spec.outputWidth());
    network.fit(given, wanted, count, null, null, null);
  }

  /**
   * Returns the SHA-256 of the file of a network, which holds the parameters and the updater state.
   */
  static String digest(EngineNetwork network) throws IOException {
    return DigestUtils.sha256Hex(network.encode());
  }
}
