package io.idlalayer.benchmarks.campaign.process;

import java.io.IOException;
import java.lang.reflect.Field;
import java.nio.file.Files;
import java.nio.file.Path;
import org.nd4j.common.primitives.Pair;
import org.nd4j.linalg.activations.BaseActivationFunction;
import org.nd4j.linalg.activations.impl.ActivationTanH;
import org.nd4j.linalg.api.ndarray.INDArray;

/**
 * A tanh that breaks its process when the file that {@code IDLA_FAULT_TRAINER} names says so: the
 * trainer's faults, from outside. Travels in a jar of its own on the class path of the processes
 * under test.
 */
public class FaultyActivation extends BaseActivationFunction {
  /** The activation function of ND4J in whose place this one is loaded, see {@link Product}. */
  static final String REPLACED = "org.nd4j.linalg.activations.impl.ActivationCube";

  private static final long serialVersionUID = 1L;

  private final ActivationTanH tanh = new ActivationTanH();

  /** What the file may say. */
  public enum Mode {
    /** Nothing is wrong. */
    NONE,
    /** Trainings throw. */
    EXCEPTION,
    /** A native allocation fails in a training. */
    OUT_OF_MEMORY,
    /** Trainings produce NaN. */
    NOT_A_NUMBER,
    /** The process dies in native code. */
    SEGMENTATION,
    /** Every batch takes half a second more. */
    SLOW,
    /** Trainings stand still until the file says otherwise. */
    HANG,
    /** A native allocation fails while a model is loaded, see {@link SubscriberProbe}. */
    OUT_OF_MEMORY_LOADING
  }

  private static Mode mode() {
    String file = System.getenv("IDLA_FAULT_TRAINER");
    if (file == null) {
      return Mode.NONE;
    }
    try {
      String text = Files.readString(Path.of(file)).trim();
      return text.isEmpty() ? Mode.NONE : Mode.valueOf(text);
    } catch (IOException | IllegalArgumentException none) {
      return Mode.NONE;
    }
  }

  @Override
  public INDArray getActivation(INDArray in, boolean training) {
    INDArray out = tanh.getActivation(in, training);
    return training ? broken(out) : out;
  }

  private static INDArray broken(INDArray out) {
    switch (mode()) {
      case EXCEPTION -> throw new IllegalStateException("injected: the training fails");
      case OUT_OF_MEMORY -> throw new OutOfMemoryError("injected: a native allocation failed");
      case NOT_A_NUMBER -> out.assign(Double.NaN);
      case SEGMENTATION -> crash();
      case SLOW -> sleep(500);
      case HANG -> {
        while (mode() == Mode.HANG) {
          sleep(50);
        }
      }
      default -> {}
    }
    return out;
  }

  /** Writes to address 0, as faulty native code would. */
  private static void crash() {
    try {
      Class<?> unsafe = Class.forName("sun.misc.Unsafe");
      Field field = unsafe.getDeclaredField("theUnsafe");
      field.setAccessible(true);
      Object instance = field.get(null);
      unsafe.getMethod("putLong", long.class, long.class).invoke(instance, 0L, 1L);
    } catch (ReflectiveOperationException changed) {
      Runtime.getRuntime().halt(139);
    }
  }

  private static void sleep(long millis) {
    try {
      Thread.sleep(millis);
    } catch (InterruptedException stopped) {
      Thread.currentThread().interrupt();
      throw new IllegalStateException("interrupted", stopped);
    }
  }

  @Override
  public Pair<INDArray, INDArray> backprop(INDArray in, INDArray epsilon) {
    return tanh.backprop(in, epsilon);
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof FaultyActivation;
  }

  @Override
  public int hashCode() {
    return 1;
  }

  @Override
  public String toString() {
    return "faulty tanh";
  }
}
