package io.idlalayer.middleware.placement.plan.autotm;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import org.junit.jupiter.api.Test;

class CopyOrderTest {
  private static final double[] TENS = {10, 10, 10, 10};

  private static CopyOrder.Copy copy(int flow, int release, int deadline, double nanos) {
    return new CopyOrder.Copy(flow, 0, release, deadline, nanos);
  }

  private static List<String> begun(CopyOrder.Copy... copies) {
    return CopyOrder.of(TENS, List.of(copies)).stream()
        .map(each -> "%d before %d".formatted(each.copy().flow(), each.kernel()))
        .toList();
  }

  @Test
  void of_twoThatMayBegin_beginsWithTheOneThatIsNeededFirst() {
    assertThat(begun(copy(0, 0, 4, 8), copy(1, 0, 2, 8)))
        .containsExactly("1 before 0", "0 before 0");
  }

  /** A device that is never idle would copy 25 from the first kernel on, and 9 end too late. */
  @Test
  void of_longCopy_waitsForAShortOneThatComesLater() {
    assertThat(begun(copy(0, 0, 6, 25), copy(1, 1, 2, 9)))
        .containsExactly("1 before 1", "0 before 1");
  }

  /** The first copy takes until the end of kernel 1. */
  @Test
  void of_busyDevice_doesNotBeginEarly() {
    assertThat(begun(copy(0, 0, 2, 20), copy(1, 0, 4, 5)))
        .containsExactly("0 before 0", "1 before 2");
  }

  @Test
  void of_copyThatIsDue_beginsAlthoughTheDeviceIsBusy() {
    assertThat(begun(copy(0, 0, 1, 30), copy(1, 0, 1, 30)))
        .containsExactly("0 before 0", "1 before 0");
  }

  @Test
  void of_copyFromTheStepBefore_beginsThere() {
    assertThat(begun(copy(0, -1, 0, 5))).containsExactly("0 before 3");
  }

  @Property(tries = 200)
  void of_anyCopies_beginsEachOnceWithinItsTime(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    int kernels = random.nextInt(1, 9);
    double[] nanos = random.doubles(kernels, 1, 20).toArray();
    List<CopyOrder.Copy> copies =
        IntStream.range(0, random.nextInt(12))
            .mapToObj(
                flow -> {
                  int release = random.nextInt(-kernels + 1, kernels);
                  int deadline = release + random.nextInt(1, kernels + 1);
                  return copy(flow, release, deadline, random.nextDouble(1, 30));
                })
            .toList();
    List<CopyOrder.Begun> begun = CopyOrder.of(nanos, copies);
    assertThat(begun).extracting(CopyOrder.Begun::copy).containsExactlyInAnyOrderElementsOf(copies);
    for (CopyOrder.Begun each : begun) {
      int after = Math.floorMod(each.kernel() - each.copy().release(), kernels);
      assertThat(each.copy().release() + after).isLessThan(each.copy().deadline());
    }
  }
}
