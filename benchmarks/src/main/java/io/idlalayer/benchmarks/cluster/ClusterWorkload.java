package io.idlalayer.benchmarks.cluster;

import io.idlalayer.benchmarks.cluster.ClusterTrace.Access;
import io.idlalayer.benchmarks.cluster.ClusterTrace.Stage;
import java.util.ArrayList;
import java.util.List;

/**
 * The workloads of the source, by their accesses: the source prints no sizes, so each fills the
 * same share of a node's memories. Bytes of the networks are in the proportions of their shapes.
 */
enum ClusterWorkload {
  /**
   * Reads its input and writes what arrives from all nodes, sorts that in two passes, and writes
   * over the input. The application's own network traffic is the same for all policies and left
   * out.
   */
  TERASORT(0.2, 0.67) {
    @Override
    void build(Builder builder) {
      int parts = 20;
      int[][][] input = builder.parts(parts, 0.5);
      int[][][] received = builder.parts(parts, 0.5);
      int nodes = builder.nodes;
      for (int part = 0; part < parts; part++) {
        builder.begin();
        for (int node = 0; node < nodes; node++) {
          builder.access(node, input[node][part], false, 1);
        }
        for (int node = 0; node < nodes; node++) {
          builder.access(node, received[node][part], true, 1);
        }
        builder.end();
      }
      for (int part = 0; part < parts; part++) {
        builder.begin();
        for (int node = 0; node < nodes; node++) {
          builder.access(node, received[node][part], false, 2);
          builder.access(node, input[node][part], true, 1);
        }
        builder.end();
      }
    }
  },
  /** Reads all points again and again, and the centres for each of them. */
  KMEANS(0.3, 0.98) {
    @Override
    void build(Builder builder) {
      int parts = 20;
      int[][][] points = builder.parts(parts, 0.98);
      int[][][] centres = builder.parts(1, 0.02);
      for (int iteration = 0; iteration < 10; iteration++) {
        for (int part = 0; part < parts; part++) {
          builder.begin();
          for (int node = 0; node < builder.nodes; node++) {
            builder.access(node, points[node][part], false, 1);
            builder.access(node, centres[node][0], part == parts - 1, 2);
          }
          builder.end();
        }
      }
      builder.period = parts;
    }
  },
  /** 50 blocks of layers; 95 % of the bytes are activations, equal in all of them. */
  RESNET152(0.3, 0.6) {
    @Override
    void build(Builder builder) {
      int layers = 50;
      double[] activations = new double[layers];
      double[] weights = new double[layers];
      for (int layer = 0; layer < layers; layer++) {
        activations[layer] = 0.95 / layers;
        weights[layer] = 0.05 / layers;
      }
      network(builder, activations, weights);
    }
  },
  /** 19 layers: the first have most of the activations, the last most of the weights. */
  VGG19(0.5, 0.6) {
    @Override
    void build(Builder builder) {
      int layers = 19;
      double[] activations = new double[layers];
      double[] weights = new double[layers];
      double all = 0;
      for (int layer = 0; layer < layers; layer++) {
        activations[layer] = Math.pow(0.8, layer);
        weights[layer] = 0.05 + Math.pow(0.7, layers - 1 - layer);
        all += activations[layer] + weights[layer];
      }
      for (int layer = 0; layer < layers; layer++) {
        activations[layer] /= all;
        weights[layer] /= all;
      }
      network(builder, activations, weights);
    }
  };

  private static final int STEPS = 6;

  /** Compute time beside accesses, as a multiple of the time of all accesses in DRAM. */
  private static final double COMPUTE = 0.5;

  private final double latencyBound;
  private final double reads;

  ClusterWorkload(double latencyBound, double reads) {
    this.latencyBound = latencyBound;
    this.reads = reads;
  }

  abstract void build(Builder builder);

  /** Forward and backward passes; a weight has a gradient and a moment of its size. */
  private static void network(Builder builder, double[] activations, double[] weights) {
    int layers = activations.length;
    int[][][] kept = new int[layers][][];
    int[][][] values = new int[layers][][];
    int[][][] states = new int[layers][][];
    for (int layer = 0; layer < layers; layer++) {
      values[layer] = builder.each(weights[layer] / 3);
      states[layer] = builder.each(2 * weights[layer] / 3);
      kept[layer] = builder.each(activations[layer]);
    }
    for (int step = 0; step < STEPS; step++) {
      for (int layer = 0; layer < layers; layer++) {
        builder.begin();
        for (int node = 0; node < builder.nodes; node++) {
          builder.access(node, values[layer][node], false, 2);
          if (layer > 0) {
            builder.access(node, kept[layer - 1][node], false, 2);
          }
          builder.access(node, kept[layer][node], true, 1);
        }
        builder.end();
      }
      for (int layer = layers - 1; layer >= 0; layer--) {
        builder.begin();
        for (int node = 0; node < builder.nodes; node++) {
          builder.access(node, kept[layer][node], false, 2);
          builder.access(node, values[layer][node], false, 2);
          builder.access(node, states[layer][node], true, 1);
          builder.access(node, values[layer][node], true, 1);
        }
        builder.end();
      }
    }
    builder.period = 2 * layers;
  }

  /**
   * Returns the accesses of this workload.
   *
   * @param nodeBytes bytes of each node's blocks
   * @param blockBytes size of a block
   */
  ClusterTrace trace(long[] nodeBytes, long blockBytes) {
    Builder builder = new Builder(nodeBytes, blockBytes);
    build(builder);
    return new ClusterTrace(
        name(),
        builder.sizes(),
        builder.homes.stream().mapToInt(Integer::intValue).toArray(),
        builder.stages,
        latencyBound,
        reads,
        builder.period);
  }

  /** Collects blocks and stages. */
  private static final class Builder {
    final int nodes;
    int period;
    final List<Integer> homes = new ArrayList<>();
    final List<Stage> stages = new ArrayList<>();
    private final long[] nodeBytes;
    private final long blockBytes;
    private List<Access> accesses = new ArrayList<>();

    Builder(long[] nodeBytes, long blockBytes) {
      this.nodeBytes = nodeBytes.clone();
      this.blockBytes = blockBytes;
      nodes = nodeBytes.length;
    }

    long[] sizes() {
      long[] sizes = new long[homes.size()];
      java.util.Arrays.fill(sizes, blockBytes);
      return sizes;
    }

    /** Makes blocks of a share of each node's bytes. */
    int[][] each(double share) {
      int[][] made = new int[nodes][];
      for (int node = 0; node < nodes; node++) {
        int count = (int) Math.max(1, Math.round(share * nodeBytes[node] / blockBytes));
        made[node] = new int[count];
        for (int i = 0; i < count; i++) {
          made[node][i] = homes.size();
          homes.add(node);
        }
      }
      return made;
    }

    /** Makes parts of equal size, which together have a share of each node's bytes. */
    int[][][] parts(int count, double share) {
      int[][][] made = new int[nodes][count][];
      for (int part = 0; part < count; part++) {
        int[][] blocks = each(share / count);
        for (int node = 0; node < nodes; node++) {
          made[node][part] = blocks[node];
        }
      }
      return made;
    }

    void begin() {
      accesses = new ArrayList<>();
    }

    void access(int node, int[] blocks, boolean write, int passes) {
      for (int block : blocks) {
        accesses.add(new Access(node, block, write, passes));
      }
    }

    void end() {
      double[] bytes = new double[nodes];
      for (Access access : accesses) {
        bytes[access.node()] += (double) access.passes() * blockBytes;
      }
      double most = java.util.Arrays.stream(bytes).max().orElse(0);
      stages.add(new Stage(accesses, COMPUTE * most / Medium.DRAM.readBytesPerNano()));
    }
  }
}
