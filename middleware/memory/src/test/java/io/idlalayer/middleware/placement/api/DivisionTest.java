package io.idlalayer.middleware.placement.api;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.placement.api.Division.Section;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;

class DivisionTest {
  private static Division random(SplittableRandom random) {
    int arguments = 1 + random.nextInt(4);
    List<Section> sections = new ArrayList<>();
    for (int i = 0; i <= random.nextInt(3); i++) {
      List<Integer> widths = new ArrayList<>();
      for (int j = 0; j < arguments; j++) {
        widths.add(random.nextInt(9));
      }
      sections.add(new Section(1 + random.nextInt(2000), widths));
    }
    return new Division(sections);
  }

  @Property(tries = 500)
  void cuts_coverEveryByteOnceAndInOrder(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Division division = random(random);
    List<Division.Cut> cuts = division.cut(1 + random.nextInt(50));
    long[] at = new long[division.arguments()];
    long total = 0;
    for (Division.Cut cut : cuts) {
      List<Integer> widths = division.sections().get(cut.section()).widths();
      for (int i = 0; i < at.length; i++) {
        assertThat(cut.spans().get(i).offset()).isEqualTo(at[i]);
        assertThat(cut.spans().get(i).bytes()).isEqualTo(cut.elements() * widths.get(i));
        at[i] += cut.spans().get(i).bytes();
        total += cut.spans().get(i).bytes();
      }
    }
    for (int i = 0; i < at.length; i++) {
      assertThat(at[i]).isEqualTo(division.bytes(i));
    }
    assertThat(total).isEqualTo(division.bytes());
  }

  @Property(tries = 500)
  void cuts_areMultiplesOfVectors_exceptTheLastOfASection(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    Division division = random(random);
    List<Division.Cut> cuts = division.cut(1 + random.nextInt(50));
    for (int i = 0; i + 1 < cuts.size(); i++) {
      if (cuts.get(i).section() == cuts.get(i + 1).section()) {
        assertThat(cuts.get(i).elements()).isPositive();
        assertThat(cuts.get(i).elements() % 64).isZero();
      }
    }
  }

  @Example
  void aWeightAndABias_areCutApart() {
    Division division =
        new Division(List.of(new Section(1000, List.of(4, 8)), new Section(10, List.of(4, 0))));
    List<Division.Cut> cuts = division.cut(3);
    assertThat(cuts).extracting(Division.Cut::elements).containsExactly(320L, 320L, 320L, 40L, 10L);
    assertThat(cuts).extracting(Division.Cut::section).containsExactly(0, 0, 0, 0, 1);
    assertThat(cuts.get(4).spans())
        .containsExactly(new Division.Span(4000, 40), new Division.Span(8000, 0));
  }

  @Example
  void badSections_areRefused() {
    assertThatThrownBy(() -> new Division(List.of())).isInstanceOf(IllegalArgumentException.class);
    assertThatThrownBy(() -> new Section(0, List.of(4))).hasMessageContaining("0 elements");
    assertThatThrownBy(() -> new Section(1, List.of(-4))).hasMessageContaining("-4");
    Section one = new Section(1, List.of(4));
    Section two = new Section(1, List.of(4, 4));
    assertThatThrownBy(() -> new Division(List.of(one, two)))
        .hasMessageContaining("same arguments");
  }
}
