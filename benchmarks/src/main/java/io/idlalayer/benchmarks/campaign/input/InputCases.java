package io.idlalayer.benchmarks.campaign.input;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;

/** Draws cases: three of four are inputs that a run reads, the others are refused before. */
public final class InputCases {
  private static final int REFUSED_OF = 4;
  private static final List<String> SHARES = List.of("0", "0.001", "0.9", "100%");

  private InputCases() {}

  /** Draws a case. */
  public static InputCase draw(SplittableRandom random) {
    try {
      if (random.nextInt(REFUSED_OF) == 0) {
        return RefusedCases.draw(random);
      }
      Theme[] themes = Theme.values();
      return read(themes[random.nextInt(themes.length)], random);
    } catch (IOException inMemory) {
      throw new UncheckedIOException(inMemory);
    }
  }

  /** Draws a case that is read. */
  static InputCase read(Theme theme, SplittableRandom random) throws IOException {
    InputSettings settings = new SettingsDraw(theme, random).draw();
    List<Draft> events = new EventDraw(settings, theme, random).draw();
    FileBytes.Written file = FileBytes.of(settings, events, text(settings, theme, random), random);
    List<Reading> readings = events.stream().map(Draft::reading).toList();
    if (!Counts.of(readings).equals(Counts.of(new ReferenceReader(settings).read(file.bytes())))) {
      throw new IllegalStateException("the reader and the generator differ about " + theme);
    }
    List<String> options = new ArrayList<>();
    double allowed = 0;
    if (random.nextInt(3) == 0) {
      String share = SHARES.get(random.nextInt(SHARES.size()));
      options.addAll(List.of("--allow-malformed", share));
      allowed = share.endsWith("%") ? 1 : Double.parseDouble(share);
    }
    List<String> about =
        List.of(
            theme.words(),
            settings.json() ? "JSON" : "CSV",
            file.suffix().endsWith("z") || file.suffix().endsWith("p") ? "an archive" : "a file");
    return new InputCase(
        about,
        settings.applicationFile(InputCase.NAME),
        "in" + file.suffix(),
        file.bytes(),
        options,
        readings,
        Expected.of(readings, allowed, words(theme)));
  }

  private static EventText text(InputSettings settings, Theme theme, SplittableRandom random) {
    return settings.json()
        ? new JsonText(settings, theme, random)
        : new CsvText(settings, random, theme == Theme.STRAY_QUOTE);
  }

  private static List<String> words(Theme theme) {
    return switch (theme) {
      case FIELD_CASE -> List.of("did you mean.*Site");
      case NESTED -> List.of("(?i)top level|inside of|did you mean");
      case ONE_TO_K, STRANGE_LABELS -> List.of("no class has|none of the");
      default -> List.of();
    };
  }
}
