package io.idlalayer.middleware.capacity;

import io.idlalayer.middleware.capacity.LayerLoad.Kind;
import io.idlalayer.middleware.capacity.LinkEngine.Flow;
import io.idlalayer.middleware.capacity.RingCollective.Operation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * A training step of a layered network whose inputs of layers leave the devices after their last
 * use in the forward pass and come back before the backward pass needs them (Rhu 2016), on devices
 * that share the work (Kwon 2018).
 *
 * <p>The input of a layer leaves while that layer computes. That of the layer below comes back
 * while a layer runs backward. A layer ends when its computing and its transfers have ended.
 */
public final class Overlay {
  private final SystemSpec system;
  private final Options options;

  /** The rules by which inputs are moved. */
  public enum Rule {
    /** Moves none, if everything fits; else those of convolutions, if the rest fits; else all. */
    DYNAMIC,
    /** Moves those of convolutions. */
    CONVOLUTIONS,
    /** Moves all but those of cheap layers, which are computed again. */
    ALL
  }

  /** The ways in which devices share the work. */
  public enum Parallelism {
    /** Each device trains a part of the mini-batch; gradients are added. */
    DATA,
    /** Each device has a part of each layer's outputs; outputs and errors are exchanged. */
    MODEL
  }

  /**
   * The way in which a step runs.
   *
   * @param keepLast whether the input of the last layer stays, which is needed again at once. The
   *     paper moves it too
   */
  public record Options(Rule rule, Parallelism parallelism, boolean keepLast) {}

  /**
   * A simulated step.
   *
   * @param seconds duration of the step
   * @param computeSeconds time of all layers, without waiting
   * @param collectiveSeconds time of all collectives; some are beside computing
   * @param transferSeconds time of all transfers to and from memory; most are beside computing
   * @param movedBytes bytes that left each device; equally many came back
   * @param movedLayers number of layers whose input was moved
   * @param laneBytes bytes that each lane of the system carried
   * @param digest equal for equal courses of events
   */
  public record Result(
      double seconds,
      double computeSeconds,
      double collectiveSeconds,
      double transferSeconds,
      long movedBytes,
      int movedLayers,
      List<Double> laneBytes,
      long digest) {
    public Result {
      laneBytes = List.copyOf(laneBytes);
    }
  }

  public Overlay(SystemSpec system, Options options) {
    this.system = system;
    this.options = options;
  }

  /**
   * Runs a step.
   *
   * @param layers layers as one device has them, in the order of the forward pass
   * @throws InfeasibleException if a device has too little memory
   */
  public Result run(List<LayerLoad> layers) throws InfeasibleException {
    return new Step(layers, moved(layers)).result();
  }

  /** Returns, for each layer, whether its input is moved out. */
  private boolean[] moved(List<LayerLoad> layers) throws InfeasibleException {
    if (!system.overlays()) {
      return new boolean[layers.size()];
    }
    boolean[] all = chosen(layers, Rule.ALL, options.keepLast());
    long least = bytes(layers, all, true);
    if (least > system.deviceBytes()) {
      throw new InfeasibleException(system.name(), system.deviceBytes(), least);
    }
    if (options.rule() != Rule.DYNAMIC) {
      return chosen(layers, options.rule(), options.keepLast());
    }
    boolean[] none = new boolean[layers.size()];
    if (bytes(layers, none, false) <= system.deviceBytes()) {
      return none;
    }
    boolean[] convolutions = chosen(layers, Rule.CONVOLUTIONS, options.keepLast());
    return bytes(layers, convolutions, true) <= system.deviceBytes() ? convolutions : all;
  }

  /** Returns the bytes that a device needs at least, if the input of the last layer stays. */
  public static long leastBytes(List<LayerLoad> layers) {
    return bytes(layers, chosen(layers, Rule.ALL, true), true);
  }

  private static boolean[] chosen(List<LayerLoad> layers, Rule rule, boolean keepLast) {
    boolean[] chosen = new boolean[layers.size()];
    int end = layers.size() - (keepLast ? 1 : 0);
    for (int i = 0; i < end; i++) {
      Kind kind = layers.get(i).kind();
      chosen[i] = kind == Kind.CONVOLUTION || (rule == Rule.ALL && kind == Kind.WEIGHTED);
    }
    return chosen;
  }

  /**
   * Returns the bytes that a device needs: parameters and gradients, inputs that stay, and twice
   * the input and output of the largest layer, with their errors.
   */
  private static long bytes(List<LayerLoad> layers, boolean[] moved, boolean recomputes) {
    long weights = 0;
    long staying = 0;
    long largest = 0;
    for (int i = 0; i < moved.length; i++) {
      LayerLoad layer = layers.get(i);
      weights += layer.weightBytes();
      boolean recomputed = recomputes && layer.kind() == Kind.CHEAP;
      staying += moved[i] || recomputed ? 0 : layer.inputBytes();
      largest = Math.max(largest, layer.inputBytes() + layer.outputBytes());
    }
    return 2 * weights + staying + 2 * largest;
  }

  /** One step, as tasks. */
  private final class Step {
    private final List<LayerLoad> layers;
    private final boolean[] moved;
    private final boolean recomputes;
    private final LinkEngine engine = new LinkEngine(system.lanes());
    private final List<Integer> collectives = new ArrayList<>();
    private final List<Integer> transfers = new ArrayList<>();
    private double computeSeconds;
    private long movedBytes;
    private int movedLayers;

    Step(List<LayerLoad> layers, boolean[] moved) {
      this.layers = layers;
      this.moved = moved;
      for (int i = 0; i < moved.length; i++) {
        movedLayers += moved[i] ? 1 : 0;
        movedBytes += moved[i] ? layers.get(i).inputBytes() : 0;
      }
      recomputes = movedLayers > 0;
    }

    Result result() {
      backward(forward());
      LinkEngine.Outcome outcome = engine.run();
      return new Result(
          outcome.seconds(),
          computeSeconds,
          spent(outcome, collectives),
          spent(outcome, transfers),
          movedBytes,
          movedLayers,
          Arrays.stream(outcome.laneBytes()).boxed().toList(),
          outcome.digest());
    }

    private double spent(LinkEngine.Outcome outcome, List<Integer> tasks) {
      return tasks.stream()
          .mapToDouble(task -> outcome.ends()[task] - outcome.starts()[task])
          .sum();
    }

    /** Adds the forward pass; returns what has to end before the backward pass. */
    private List<Integer> forward() {
      List<Integer> barrier = List.of();
      for (int i = 0; i < layers.size(); i++) {
        LayerLoad layer = layers.get(i);
        List<Integer> ends = new ArrayList<>();
        int computed = compute(layer.forwardSeconds(), barrier);
        ends.add(computed);
        if (moved[i]) {
          ends.add(transfer(layer.inputBytes(), system.out(), barrier));
        }
        if (options.parallelism() == Parallelism.MODEL && system.devices() > 1) {
          ends.add(collective(Operation.ALL_GATHER, layer.outputBytes(), List.of(computed)));
        }
        barrier = ends;
      }
      return barrier;
    }

    private void backward(List<Integer> afterForward) {
      List<Integer> barrier = afterForward;
      List<Integer> lastReduce = List.of();
      int last = layers.size() - 1;
      if (last >= 0 && moved[last]) {
        // Nothing runs that its way back could hide behind.
        barrier = List.of(transfer(layers.get(last).inputBytes(), system.in(), barrier));
      }
      for (int i = last; i >= 0; i--) {
        LayerLoad layer = layers.get(i);
        boolean again = recomputes && layer.kind() == Kind.CHEAP;
        double seconds = layer.backwardSeconds() + (again ? layer.forwardSeconds() : 0);
        int computed = compute(seconds, barrier);
        List<Integer> ends = new ArrayList<>(List.of(computed));
        if (i > 0 && moved[i - 1]) {
          ends.add(transfer(layers.get(i - 1).inputBytes(), system.in(), barrier));
        }
        if (system.devices() > 1 && options.parallelism() == Parallelism.MODEL && i > 0) {
          ends.add(collective(Operation.ALL_REDUCE, layer.inputBytes(), List.of(computed)));
        }
        if (system.devices() > 1 && options.parallelism() == Parallelism.DATA) {
          List<Integer> after = new ArrayList<>(lastReduce);
          after.add(computed);
          lastReduce = List.of(collective(Operation.ALL_REDUCE, layer.weightBytes(), after));
        }
        barrier = ends;
      }
    }

    private int compute(double seconds, List<Integer> after) {
      computeSeconds += seconds;
      return engine.add(seconds, List.of(), after);
    }

    private int transfer(long bytes, SystemSpec.Ways ways, List<Integer> after) {
      long left = system.placement().leftBytes(bytes);
      List<Flow> flows = new ArrayList<>();
      flows.add(new Flow(left, ways.left()));
      if (left < bytes) {
        flows.add(new Flow(bytes - left, ways.right()));
      }
      int task = engine.add(0, flows, after);
      transfers.add(task);
      return task;
    }

    private int collective(Operation operation, long bytes, List<Integer> after) {
      double sent = system.collective().sentBytes(operation, bytes) / system.rings().size();
      List<Flow> flows = system.rings().stream().map(lanes -> new Flow(sent, lanes)).toList();
      double hops = bytes == 0 ? 0 : system.collective().hopSeconds(operation);
      int task = engine.add(hops, flows, after);
      collectives.add(task);
      return task;
    }
  }
}
