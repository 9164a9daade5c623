package io.idlalayer.modelruntime.network;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.modelruntime.artifact.MalformedModelException;
import io.idlalayer.modelruntime.artifact.UnsupportedModelException;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where windows begin that choose their border themselves (mode Same). */
final class LayerStepsTest {
  private static final int[] NO_PADDING = {0, 0};

  private static LayerSettings.Windows windows(int[] size, int[] stride) {
    return new LayerSettings.Windows(size, stride, NO_PADDING, true, false);
  }

  private static float[] output(
      LayerSettings layer, RowShape.Image image, float[] parameters, float... pixels)
      throws MalformedModelException, UnsupportedModelException {
    NetworkDraft draft = new NetworkDraft(parameters);
    NetworkDraft.Rows in = draft.input(pixels.length).as(image);
    NetworkDraft.Rows out = new LayerSteps(draft).add("layer", layer, in, false);
    return draft.network(InputColumns.numbers(pixels.length), out).output(InputRows.of(pixels, 1));
  }

  /** Of one column; the window has one too. */
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
        new LayerSettings.Convolved(1, 1, false, Activation.IDENTITY, windows),
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
    int channels = 8;
    int size = 41;
    int window = 5;
    int filters = 2;
    for (int stride = 1; stride <= 2; stride++) {
      Random random = new Random(stride);
      float[] parameters = random(random, filters * channels * window * window);
      float[] pixels = random(random, channels * size * size);
      float[] found =
          output(
              new LayerSettings.Convolved(
                  channels,
                  filters,
                  false,
                  Activation.IDENTITY,
                  new LayerSettings.Windows(
                      new int[] {window, window},
                      new int[] {stride, stride},
                      NO_PADDING,
                      false,
                      false)),
              new RowShape.Image(channels, size, size),
              parameters,
              pixels);
      int places = (size - window) / stride + 1;
      assertThat(found).hasSize(filters * places * places);
      for (int i = 0; i < found.length; i++) {
        int filter = i / (places * places);
        int top = i / places % places * stride;
        int left = i % places * stride;
        double sum = 0;
        for (int tap = 0; tap < channels * window * window; tap++) {
          int line = tap / (window * window) * size + top + tap / window % window;
          sum +=
              (double) parameters[filter * channels * window * window + tap]
                  * pixels[line * size + left + tap % window];
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
