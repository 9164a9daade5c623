package io.idlalayer.middleware.placement.engine;

import io.idlalayer.middleware.memory.object.MemObject;
import io.idlalayer.middleware.placement.api.AllocationRequest;
import io.idlalayer.middleware.placement.api.Hint;
import io.idlalayer.middleware.placement.api.KernelEvent;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.zip.CRC32;

/** A net of bytes: what it computes is meaningless, but depends on every byte that it should. */
public final class ToyNet implements AutoCloseable {
  private static final long KERNEL_NANOS = 20_000;

  private final PlacedMemory memory;
  private final int[] widths;
  private final List<MemObject> weights = new ArrayList<>();
  private final List<MemObject> momenta = new ArrayList<>();
  private final List<MemObject> made = new ArrayList<>();
  private int kernel;
  private int steps;
  int failAtKernel = -1;

  public ToyNet(PlacedMemory memory, int... widths) throws InterruptedException {
    this.memory = memory;
    this.widths = widths;
    for (int layer = 1; layer < widths.length; layer++) {
      weights.add(filled(widths[layer], layer));
      momenta.add(filled(widths[layer], -layer));
    }
  }

  /** Fast bytes that no kernel of a step exceeds. */
  public static long largestKernel(int... widths) {
    long most = 0;
    for (int layer = 1; layer < widths.length; layer++) {
      most = Math.max(most, 2L * widths[layer - 1] + 3L * widths[layer]);
    }
    return most;
  }

  /** Fast bytes that hold everything. */
  public static long peak(int... widths) {
    long sum = 0;
    for (int width : widths) {
      sum += 4L * width;
    }
    return sum;
  }

  private MemObject create(int bytes) throws InterruptedException {
    MemObject object = memory.create(new AllocationRequest(bytes, Hint.AUTO, kernel));
    made.add(object);
    return object;
  }

  private MemObject filled(int bytes, int seed) throws InterruptedException {
    MemObject object = create(bytes);
    run(
        "fill",
        List.of(),
        object,
        arguments -> {
          ByteBuffer out = arguments.bytes(object);
          for (int i = 0; i < bytes; i++) {
            out.put(i, (byte) (31 * i + seed));
          }
        });
    return object;
  }

  private void run(String name, List<MemObject> reads, MemObject write, Kernel body)
      throws InterruptedException {
    if (kernel == failAtKernel) {
      failAtKernel = -1;
      memory.run(
          new KernelEvent(kernel, name, reads, List.of(write), KERNEL_NANOS),
          arguments -> {
            throw new IllegalStateException("kernel died");
          });
    }
    memory.run(new KernelEvent(kernel++, name, reads, List.of(write), KERNEL_NANOS), body);
  }

  /** out[i] = 31 * out[i] + the sum of all inputs' bytes at i. */
  private void mix(String name, List<MemObject> reads, MemObject write, boolean inPlace)
      throws InterruptedException {
    run(
        name,
        reads,
        write,
        arguments -> {
          ByteBuffer out = arguments.bytes(write);
          List<ByteBuffer> in = reads.stream().map(arguments::bytes).toList();
          for (int i = 0; i < out.capacity(); i++) {
            int sum = inPlace ? 31 * out.get(i) : 7;
            for (ByteBuffer each : in) {
              sum = 5 * sum + each.get(i % each.capacity());
            }
            out.put(i, (byte) sum);
          }
        });
  }

  public void step() throws InterruptedException {
    kernel = 0;
    made.clear();
    try {
      List<MemObject> activations = new ArrayList<>();
      activations.add(filled(widths[0], steps++));
      for (int layer = 1; layer < widths.length; layer++) {
        MemObject in = activations.get(layer - 1);
        MemObject out = create(widths[layer]);
        mix("forward", List.of(in, weights.get(layer - 1)), out, false);
        memory.softEvict(in);
        activations.add(out);
      }
      MemObject error = create(widths[widths.length - 1]);
      mix("loss", List.of(activations.get(widths.length - 1)), error, false);
      for (int layer = widths.length - 1; layer > 0; layer--) {
        error = backward(layer, activations, error);
      }
      memory.retire(error);
      memory.retire(activations.get(0));
    } finally {
      // What a step that failed has left.
      for (MemObject object : made) {
        memory.retire(object);
      }
    }
  }

  private MemObject backward(int layer, List<MemObject> activations, MemObject error)
      throws InterruptedException {
    MemObject in = activations.get(layer - 1);
    MemObject weight = weights.get(layer - 1);
    MemObject momentum = momenta.get(layer - 1);
    MemObject gradient = create(widths[layer]);
    mix("gradient", List.of(in, error), gradient, false);
    MemObject before = create(widths[layer - 1]);
    mix("error", List.of(error, weight), before, false);
    memory.retire(activations.get(layer));
    memory.retire(error);
    mix("momentum", List.of(gradient), momentum, true);
    memory.retire(gradient);
    mix("update", List.of(momentum), weight, true);
    memory.softEvict(weight);
    memory.softEvict(momentum);
    return before;
  }

  public long digest() throws InterruptedException {
    CRC32 crc = new CRC32();
    for (List<MemObject> objects : List.of(weights, momenta)) {
      for (MemObject object : objects) {
        memory.run(
            new KernelEvent(kernel, "digest", List.of(object), List.of()),
            arguments -> crc.update(arguments.bytes(object)));
      }
    }
    return crc.getValue();
  }

  @Override
  public void close() throws InterruptedException {
    for (MemObject object : weights) {
      memory.retire(object);
    }
    for (MemObject object : momenta) {
      memory.retire(object);
    }
  }
}
