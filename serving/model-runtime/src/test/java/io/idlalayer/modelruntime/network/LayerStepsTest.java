package io.idlalayer.modelruntime.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where windows begin that choose their border themselves (mode Same), and large convolutions. */
final class LayerStepsTest {
  private static final int[] NO_PADDING = {0, 0};

  private static LayerSettings.Windows windows(int[] size, int[] stride) {
    return new LayerSettings.Windows(size, stride, NO_PADDING, true, false);
  }

  private static float[] output(
      LayerSettings layer, RowShape.Image image, float[] parameters, float... pixels)
      throws MalformedModelException, UnsupportedModelException {
    return output(layer, image, parameters, pixels, 1);
  }

  private static float[] output(
      LayerSettings layer, RowShape.Image image, float[] parameters, float[] pixels, int rows)
      throws MalformedModelException, UnsupportedModelException {
    InputColumns columns = InputColumns.ofNumbers(image.numbers());
    NetworkDraft draft = new NetworkDraft(columns, parameters);
    NetworkDraft.Rows in = draft.input().as(image);
    NetworkDraft.Rows out = new LayerSteps(draft).add("layer", layer, in, false);
    return draft.network(out).output(InputRows.of(pixels, rows));
  }

  /** Returns the pooled values of one column; the window has one column too. */
  private static float[] pooled(PoolingStep.Kind kind, int window, int stride, float... lines)
      throws MalformedModelException, UnsupportedModelException {
    LayerSettings.Windows windows = windows(new int[] {window, 1}, new int[] {stride, 1});
    return output(
        new LayerSettings.Pooled(kind, windows),
        new RowShape.Image(1, lines.length, 1),
        new float[0],
        lines);
  }

  @Test
  void pooling_withWindowsBeyondTheImage_beginsAboveIt() throws Exception {
    assertThat(pooled(PoolingStep.Kind.MAX, 3, 1, 1, 2, 4)).containsExactly(2, 4, 4);
    assertThat(pooled(PoolingStep.Kind.MEAN, 3, 1, 1, 2, 6)).containsExactly(1.5f, 3, 4);
    assertThat(pooled(PoolingStep.Kind.MEAN_WITH_BORDER, 3, 1, 1, 2, 6))
        .containsExactly(1, 3, 8f / 3);
    assertThat(pooled(PoolingStep.Kind.MAX, 2, 2, 1, 2, 4)).containsExactly(2, 4);
  }

  @Test
  void pooling_withOneLineThatNoWindowTouches_beginsWithTheImage() throws Exception {
    assertThat(pooled(PoolingStep.Kind.MAX, 1, 2, 1, 2)).containsExactly(1);
    assertThat(pooled(PoolingStep.Kind.MEAN, 2, 3, 1, 2, 4)).containsExactly(1.5f);
  }

  @Test
  void pooling_withLargerStrides_leavesOutAsManyLinesAsDeeplearning4j() throws Exception {
    for (PoolingStep.Kind kind : PoolingStep.Kind.values()) {
      assertThat(pooled(kind, 1, 3, 1, 2, 4)).containsExactly(2);
      assertThat(pooled(kind, 1, 4, 1, 2, 4, 8)).containsExactly(2);
      assertThat(pooled(kind, 1, 6, 1, 2, 4, 8, 16)).containsExactly(4);
      assertThat(pooled(kind, 1, 3, 1, 2, 4, 8, 16, 32)).containsExactly(2, 16);
    }
    assertThat(pooled(PoolingStep.Kind.MAX, 2, 5, 1, 2, 4, 8, 16)).containsExactly(4);
    assertThat(pooled(PoolingStep.Kind.MEAN, 2, 5, 1, 2, 4, 8, 16)).containsExactly(3);
    assertThat(pooled(PoolingStep.Kind.MEAN_WITH_BORDER, 2, 5, 1, 2, 4, 8, 16)).containsExactly(3);
  }

  @Test
  void pooling_withLargerStridesOfColumns_leavesOutColumns() throws Exception {
    LayerSettings.Windows windows = windows(new int[] {2, 1}, new int[] {2, 3});
    assertThat(
            output(
                new LayerSettings.Pooled(PoolingStep.Kind.MAX, windows),
                new RowShape.Image(1, 2, 3),
                new float[0],
                1,
                5,
                3,
                2,
                4,
                6))
        .containsExactly(5);
  }

  private static float[] filtered(int stride, float... lines)
      throws MalformedModelException, UnsupportedModelException {
    LayerSettings.Windows windows = windows(new int[] {1, 1}, new int[] {stride, 1});
    return output(
        new LayerSettings.Convolved(1, 1, false, ActivationFunction.IDENTITY, windows),
        new RowShape.Image(1, lines.length, 1),
        new float[] {3},
        lines);
  }

  /** Deeplearning4j cannot compute it either. */
  @Test
  void convolution_thatWouldLeaveOutTheFirstLine_isRefused() throws Exception {
    assertThat(filtered(2, 1, 2)).containsExactly(3);
    assertThat(filtered(2, 1, 2, 4)).containsExactly(3, 12);
    assertThatThrownBy(() -> filtered(3, 1, 2, 4))
        .isInstanceOf(MalformedModelException.class)
        .hasMessageContaining("layer has strides with which its filters leave out");
  }

  /** Too many numbers for all places at once, and no whole number of parts. */
  @Test
  void convolution_ofManyPlaces_isThatOfEachPlace() throws Exception {
    RowShape.Image image = new RowShape.Image(8, 41, 38);
    int[] size = {5, 4};
    int filters = 2;
    int rows = 3;
    for (int[] stride : new int[][] {{1, 1}, {2, 1}, {1, 3}}) {
      int[] padding = {2, 1};
      Random random = new Random(stride[0] + 10L * stride[1]);
      int taps = image.channels() * size[0] * size[1];
      float[] parameters = random(random, filters + filters * taps);
      float[] pixels = random(random, rows * image.numbers());
      float[] found =
          output(
              new LayerSettings.Convolved(
                  image.channels(),
                  filters,
                  true,
                  ActivationFunction.IDENTITY,
                  new LayerSettings.Windows(size, stride, padding, false, false)),
              image,
              parameters,
              pixels,
              rows);
      int lines = (image.height() + 2 * padding[0] - size[0]) / stride[0] + 1;
      int columns = (image.width() + 2 * padding[1] - size[1]) / stride[1] + 1;
      assertThat(found).hasSize(rows * filters * lines * columns);
      for (int i = 0; i < found.length; i++) {
        int column = i % columns;
        int line = i / columns % lines;
        int filter = i / (columns * lines) % filters;
        int row = i / (columns * lines * filters);
        double sum = parameters[filter];
        for (int tap = 0; tap < taps; tap++) {
          int y = line * stride[0] - padding[0] + tap / size[1] % size[0];
          int x = column * stride[1] - padding[1] + tap % size[1];
          if (y >= 0 && y < image.height() && x >= 0 && x < image.width()) {
            int channel = row * image.channels() + tap / (size[0] * size[1]);
            double weight = parameters[filters + filter * taps + tap];
            sum += weight * pixels[(channel * image.height() + y) * image.width() + x];
          }
        }
        assertThat(found[i]).isCloseTo((float) sum, within(1e-5f));
      }
    }
  }

  private static float[] random(Random random, int count) {
    float[] values = new float[count];
    for (int i = 0; i < count; i++) {
      values[i] = (float) random.nextGaussian();
    }
    return values;
  }
}
