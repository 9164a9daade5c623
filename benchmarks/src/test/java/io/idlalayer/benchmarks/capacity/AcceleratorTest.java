package io.idlalayer.benchmarks.capacity;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.within;

import io.idlalayer.middleware.capacity.LayerLoad;
import io.idlalayer.middleware.capacity.Overlay.Parallelism;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class AcceleratorTest {
  /** 128 cycles of computing; 1,350,144 bytes of memory take longer. */
  @Test
  void seconds_ofASmallProduct_areThoseOfItsMemory() {
    assertThat(Accelerator.PAPER.seconds(64, 1024, 250)).isCloseTo(1600.16e-9, within(1e-12));
    assertThat(Accelerator.PAPER.seconds(1 << 14, 1 << 14, 1 << 14))
        .isCloseTo((1 << 18) * 132e-9, within(1e-9));
  }

  @Test
  void layers_ofThePaper_areAsMany() {
    assertThat(weighted(PaperNet.ALEXNET)).isEqualTo(8);
    assertThat(weighted(PaperNet.GOOGLENET)).isEqualTo(58);
    assertThat(weighted(PaperNet.VGG_E)).isEqualTo(19);
    assertThat(weighted(PaperNet.RESNET)).isEqualTo(34);
    assertThat(weighted(PaperNet.RNN_GEMV)).isEqualTo(50);
    assertThat(weighted(PaperNet.LSTM_1)).isEqualTo(25);
    assertThat(weighted(PaperNet.LSTM_2)).isEqualTo(25);
    assertThat(weighted(PaperNet.GRU)).isEqualTo(187);
  }

  private static long weighted(PaperNet net) {
    return net.layers(Accelerator.PAPER, Parallelism.DATA, 1, 1).stream()
        .filter(layer -> layer.kind() != LayerLoad.Kind.CHEAP)
        .count();
  }

  @ParameterizedTest
  @EnumSource(PaperNet.class)
  void layers_dividedAmongDevices_haveTheirParts(PaperNet net) {
    List<LayerLoad> one = net.layers(Accelerator.PAPER, Parallelism.DATA, 1, 512);
    List<LayerLoad> data = net.layers(Accelerator.PAPER, Parallelism.DATA, 8, 512);
    List<LayerLoad> model = net.layers(Accelerator.PAPER, Parallelism.MODEL, 8, 512);
    for (int i = 0; i < one.size(); i++) {
      LayerLoad whole = one.get(i);
      assertThat(data.get(i).inputBytes()).isEqualTo(whole.inputBytes() / 8);
      assertThat(data.get(i).weightBytes()).isEqualTo(whole.weightBytes());
      assertThat(model.get(i).inputBytes()).isEqualTo(whole.inputBytes());
      assertThat(model.get(i).outputBytes()).isEqualTo(whole.outputBytes());
      assertThat(model.get(i).weightBytes())
          .isCloseTo(whole.weightBytes() / 8, within(whole.weightBytes() / 50 + 1));
    }
  }
}
