package io.idlalayer.benchmarks.capacity;

import io.idlalayer.middleware.capacity.LayerLoad;
import io.idlalayer.middleware.capacity.LayerLoad.Kind;
import io.idlalayer.middleware.capacity.Overlay.Parallelism;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/**
 * The networks of MC-DLA's table III. Time steps of the recurrent ones are recalled, hidden sizes
 * chosen: the paper gives none.
 */
enum PaperNet {
  ALEXNET {
    @Override
    void layers(Draft draft) {
      draft.convolution(3, 96, 11, 55, 227).pool(96, 55, 27);
      draft.convolution(96, 256, 5, 27, 27).pool(256, 27, 13);
      draft.convolution(256, 384, 3, 13, 13).convolution(384, 384, 3, 13, 13);
      draft.convolution(384, 256, 3, 13, 13).pool(256, 13, 6);
      draft.dense(9216, 4096).dense(4096, 4096).dense(4096, 1000);
    }
  },
  GOOGLENET {
    @Override
    void layers(Draft draft) {
      draft.convolution(3, 64, 7, 112, 224).pool(64, 112, 56);
      draft.convolution(64, 64, 1, 56, 56).convolution(64, 192, 3, 56, 56).pool(192, 56, 28);
      draft.inception(28, 192, 64, 96, 128, 16, 32, 32);
      draft.inception(28, 256, 128, 128, 192, 32, 96, 64).pool(480, 28, 14);
      draft.inception(14, 480, 192, 96, 208, 16, 48, 64);
      draft.inception(14, 512, 160, 112, 224, 24, 64, 64);
      draft.inception(14, 512, 128, 128, 256, 24, 64, 64);
      draft.inception(14, 512, 112, 144, 288, 32, 64, 64);
      draft.inception(14, 528, 256, 160, 320, 32, 128, 128).pool(832, 14, 7);
      draft.inception(7, 832, 256, 160, 320, 32, 128, 128);
      draft.inception(7, 832, 384, 192, 384, 48, 128, 128).pool(1024, 7, 1);
      draft.dense(1024, 1000);
    }
  },
  VGG_E {
    @Override
    void layers(Draft draft) {
      int channels = 3;
      int side = 224;
      int[][] blocks = {{64, 2}, {128, 2}, {256, 4}, {512, 4}, {512, 4}};
      for (int[] block : blocks) {
        for (int i = 0; i < block[1]; i++) {
          draft.convolution(channels, block[0], 3, side, side);
          channels = block[0];
        }
        draft.pool(channels, side, side / 2);
        side /= 2;
      }
      draft.dense(25088, 4096).dense(4096, 4096).dense(4096, 1000);
    }
  },
  RESNET {
    @Override
    void layers(Draft draft) {
      draft.convolution(3, 64, 7, 112, 224).pool(64, 112, 56);
      int channels = 64;
      int side = 56;
      int[][] stages = {{64, 3}, {128, 4}, {256, 6}, {512, 3}};
      for (int[] stage : stages) {
        for (int i = 0; i < 2 * stage[1]; i++) {
          int from = side;
          if (channels != stage[0]) {
            side /= 2;
          }
          draft.convolution(channels, stage[0], 3, side, from);
          channels = stage[0];
        }
      }
      draft.pool(512, 7, 1).dense(512, 1000);
    }
  },
  RNN_GEMV {
    @Override
    void layers(Draft draft) {
      draft.recurrent(50, 2560, 1);
    }
  },
  LSTM_1 {
    @Override
    void layers(Draft draft) {
      draft.recurrent(25, 1024, 4);
    }
  },
  LSTM_2 {
    @Override
    void layers(Draft draft) {
      draft.recurrent(25, 2048, 4);
    }
  },
  GRU {
    @Override
    void layers(Draft draft) {
      draft.recurrent(187, 2816, 3);
    }
  };

  abstract void layers(Draft draft);

  String title() {
    return name().toLowerCase(Locale.ROOT).replace('_', '-');
  }

  /**
   * Layers as each of several devices has them.
   *
   * @param batch examples of a mini-batch over all devices, at least 1
   */
  List<LayerLoad> layers(Accelerator device, Parallelism parallelism, int devices, int batch) {
    Draft draft = new Draft(device, parallelism, devices, batch);
    layers(draft);
    return draft.made;
  }

  /** The layers so far. */
  static final class Draft {
    private final Accelerator device;
    private final double examples;
    private final int outputShare;
    private final List<LayerLoad> made = new ArrayList<>();

    Draft(Accelerator device, Parallelism parallelism, int devices, int batch) {
      this.device = device;
      examples = parallelism == Parallelism.DATA ? Math.ceil((double) batch / devices) : batch;
      outputShare = parallelism == Parallelism.DATA ? 1 : devices;
    }

    /** A convolution as a product (im2col), with the sides of its output and input. */
    Draft convolution(int in, int out, int kernel, int side, int inputSide) {
      return product(
          Kind.CONVOLUTION,
          examples * side * side,
          out,
          (double) in * kernel * kernel,
          examples * in * inputSide * inputSide);
    }

    Draft dense(int in, int out) {
      return product(Kind.WEIGHTED, examples, out, in, examples * in);
    }

    /** Six convolutions; the input of the module is that of its last one. */
    Draft inception(int side, int in, int... widths) {
      double pixels = examples * side * side;
      int[][] products = {
        {widths[0], in, 1, 0},
        {widths[1], in, 1, 0},
        {widths[2], widths[1], 3, 1},
        {widths[3], in, 1, 0},
        {widths[4], widths[3], 5, 1},
        {widths[5], in, 1, 1}
      };
      for (int[] each : products) {
        double depth = (double) each[1] * each[2] * each[2];
        product(Kind.CONVOLUTION, pixels, each[0], depth, each[3] * pixels * each[1]);
      }
      return this;
    }

    Draft pool(int channels, int from, int to) {
      double in = examples * channels * from * from * device.bytesPerNumber();
      double out = examples * channels * to * to * device.bytesPerNumber();
      double seconds = device.passSeconds((in + out) / outputShare);
      made.add(new LayerLoad("pool", Kind.CHEAP, seconds, seconds, (long) in, (long) out, 0));
      return this;
    }

    /** Time steps that share parameters: their gradients are whole after the last of them. */
    void recurrent(int steps, int hidden, int gates) {
      for (int step = 0; step < steps; step++) {
        product(Kind.WEIGHTED, examples, gates * hidden, 2.0 * hidden, examples * 2 * hidden);
        LayerLoad made = this.made.remove(this.made.size() - 1);
        this.made.add(
            new LayerLoad(
                made.name(),
                made.kind(),
                made.forwardSeconds(),
                made.backwardSeconds(),
                made.inputBytes(),
                (long) (examples * hidden * device.bytesPerNumber()),
                step == 0 ? made.weightBytes() : 0));
      }
    }

    private Draft product(Kind kind, double m, int outputs, double k, double inputs) {
      double n = Math.ceil((double) outputs / outputShare);
      double bytes = device.bytesPerNumber();
      made.add(
          new LayerLoad(
              "layer " + made.size(),
              kind,
              device.seconds(m, n, k),
              device.seconds(m, k, n) + device.seconds(k, n, m),
              (long) (inputs * bytes),
              (long) (m * outputs * bytes),
              (long) (n * k * bytes)));
      return this;
    }
  }

  static List<PaperNet> all() {
    return Arrays.asList(values());
  }
}
