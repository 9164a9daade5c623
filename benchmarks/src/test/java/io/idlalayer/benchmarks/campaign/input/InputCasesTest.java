package io.idlalayer.benchmarks.campaign.input;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

final class InputCasesTest {
  private static final int SEEDS = 12;

  @ParameterizedTest
  @EnumSource(Theme.class)
  void read_anySeed_readerReadsWhatWasWritten(Theme theme) throws IOException {
    for (int seed = 0; seed < SEEDS; seed++) {
      SplittableRandom random = new SplittableRandom(seed * 31L + theme.name().hashCode());
      InputSettings settings = new SettingsDraw(theme, random).draw();
      List<Draft> events = new EventDraw(settings, theme, random).draw();
      EventText text =
          settings.json()
              ? new JsonText(settings, theme, random)
              : new CsvText(settings, random, theme == Theme.STRAY_QUOTE);
      byte[] file = FileBytes.of(settings, events, text, random).bytes();
      List<Reading> read = new ReferenceReader(settings).read(file);
      assertThat(read)
          .as("seed %d, %s", seed, settings)
          .containsExactlyElementsOf(events.stream().map(Draft::reading).toList());
    }
  }

  @Test
  void draw_equalSeeds_equalCases() {
    InputCase first = InputCases.draw(new SplittableRandom(7));
    InputCase second = InputCases.draw(new SplittableRandom(7));
    assertThat(second.applicationFile("a")).isEqualTo(first.applicationFile("a"));
    assertThat(second.bytes()).isEqualTo(first.bytes());
    assertThat(second.expected()).isEqualTo(first.expected());
  }

  @Test
  void draw_threeHundredSeeds_haveAllThemesAndExitCodes() {
    Set<String> about = new HashSet<>();
    Set<Integer> exitCodes = new HashSet<>();
    SplittableRandom random = new SplittableRandom(1);
    for (int i = 0; i < 300; i++) {
      InputCase drawn = InputCases.draw(random);
      about.add(drawn.about().get(0));
      exitCodes.add(drawn.expected().exitCode());
    }
    assertThat(about).containsAll(EnumSet.allOf(Theme.class).stream().map(Theme::words).toList());
    assertThat(exitCodes).containsExactlyInAnyOrder(0, 2, 3, 4);
  }

  @Test
  void all_refusedCases_haveWordsAndAnApplicationOfTheRound() {
    for (InputCase refused : RefusedCases.all()) {
      assertThat(refused.expected().words()).as("%s", refused.about()).isNotEmpty();
      assertThat(refused.applicationFile("round7"))
          .contains("name: round7\n")
          .doesNotContain(InputCase.NAME);
    }
  }
}
