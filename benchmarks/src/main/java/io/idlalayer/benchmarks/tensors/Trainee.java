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

/** A network before its first step, and the mini-batch that it is trained on again and again. */
final class Trainee {
  private static final int SEED = 7;

  private final ModelSpec spec;
  private final KernelLibrary kernels = new OneDnnKernels();
  private final NetworkForms forms = new NetworkForms();
  private final int rows;
  private final float[] features;
  private final float[] labels;

  /** Its file: reading it is much faster than having Deeplearning4j initialise a network. */
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

  /** Always the same parameters and the same normally distributed batch. */
  static Trainee of(ReferenceNet net, NetScale scale, int batch) {
    return new Trainee(net.spec(scale), batch);
  }

  /** The same batch for a network of any form with dense inputs and classes. */
  static Trainee of(ModelSpec spec, int batch) {
    return new Trainee(spec, batch);
  }

  ModelSpec spec() {
    return spec;
  }

  /** Rows of a mini-batch. */
  int rows() {
    return rows;
  }

  /**
   * Its step, with the median processor time of each kernel, so that other programs on the machine
   * do not count. Further threads do the same work beside it.
   */
  TaskGraph recorded() {
    return recorded(CpuTime::nanos);
  }

  /** Its step, with the median time of each kernel by some clock. */
  TaskGraph recorded(LongSupplier nanoTime) {
    try (CompiledStep step = new CompiledStep(spec, kernels, rows)) {
      return StepRecording.record(step, nanoTime);
    } catch (UncompilableException unknown) {
      throw new IllegalStateException("a reference network is not known", unknown);
    }
  }

  /** A new network, whose tensors are in a memory that is closed with it. */
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

  /** A step. */
  void fit(EngineNetwork network) throws InterruptedException {
    network.fit(features, labels, rows, null, null, null);
  }

  /** A step on the first rows of the mini-batch. */
  void fit(EngineNetwork network, int count) throws InterruptedException {
    float[] given = Arrays.copyOf(features, count * spec.inputWidth());
    float[] wanted = Arrays.copyOf(labels, count * spec.outputWidth());
    network.fit(given, wanted, count, null, null, null);
  }

  /** SHA-256 of the file of a network: of parameters and updater state. */
  static String digest(EngineNetwork network) throws IOException {
    return DigestUtils.sha256Hex(network.encode());
  }
}
