package io.idlalayer.benchmarks.quality;

import io.idlalayer.benchmarks.quality.RunFile.Run;
import io.idlalayer.datacontroller.api.StageCounts;
import io.idlalayer.middleware.sample.LifeStage;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * Draws figures 5.5 and 5.6 of Rang 2021 for a run: the shares of the life stages at five times,
 * and the lives of the three samples that moved most. Arguments: a run file and a trace file of
 * {@link QualityExperiment} that hold one run, and the SVG file to write.
 */
public final class StagePlot {
  private static final String[] COLOURS = {"#9aa7b8", "#4c7fb8", "#2f9e6e", "#d9c3a5"};
  private static final LifeStage[] ORDER = {
    LifeStage.NEWBORN, LifeStage.MATURE, LifeStage.PRESERVE, LifeStage.DISCARD
  };

  /** From below: the axis of figure 5.6. */
  private static final List<String> LEVELS = List.of("DISCARD", "NEWBORN", "MATURE", "PRESERVE");

  private static final int HEIGHT = 240;
  private static final int LEFT = 70;
  private static final int BAR = 46;
  private static final int TRACE_LEFT = 460;
  private static final int TRACE_WIDTH = 520;
  private static final int SAMPLES = 3;

  private final StringBuilder svg = new StringBuilder();

  private StagePlot() {}

  public static void main(String[] args) throws IOException {
    List<Run> runs = RunFile.read(Path.of(args[0]));
    StagePlot plot = new StagePlot();
    plot.head();
    plot.shares(runs.get(0).outcome().stages());
    plot.lives(lives(Files.readAllLines(Path.of(args[1]))), runs.get(0).outcome().events());
    Files.writeString(Path.of(args[2]), plot.svg.append("</svg>\n"));
  }

  private void head() {
    line("<svg xmlns='http://www.w3.org/2000/svg' width='1000' height='320' font-size='12'");
    line(" font-family='sans-serif'><rect width='1000' height='320' fill='white'/>");
  }

  private void line(String format, Object... values) {
    svg.append(String.format(Locale.ROOT, format, values)).append('\n');
  }

  private void shares(List<StageCounts> times) {
    line("<text x='%d' y='20'>Stored samples by life stage, at fifths of the stream</text>", LEFT);
    for (int t = 0; t < times.size(); t++) {
      StageCounts counts = times.get(t);
      int[] each = {counts.newborn(), counts.mature(), counts.preserve(), counts.discard()};
      double total = Math.max(1, Arrays.stream(each).sum());
      double y = 40 + HEIGHT;
      for (int i = 0; i < each.length; i++) {
        double height = HEIGHT * each[i] / total;
        y -= height;
        line(
            "<rect x='%d' y='%.1f' width='%d' height='%.1f' fill='%s'/>",
            LEFT + t * (BAR + 12), y, BAR, height, COLOURS[i]);
      }
      line("<text x='%d' y='296'>%d/5</text>", LEFT + t * (BAR + 12) + 12, t + 1);
    }
    for (int i = 0; i < ORDER.length; i++) {
      int y = 60 + 20 * i;
      line("<rect x='370' y='%d' width='12' height='12' fill='%s'/>", y - 10, COLOURS[i]);
      line("<text x='388' y='%d'>%s</text>", y, ORDER[i].toString().toLowerCase(Locale.ROOT));
    }
  }

  /** Event and stage of each change, of the samples that changed most. */
  private static Map<String, List<String[]>> lives(List<String> lines) {
    List<String> columns = List.of(lines.get(0).split(","));
    int event = columns.indexOf("event");
    int sample = columns.indexOf("sample");
    int stage = columns.indexOf("stage");
    Map<String, List<String[]>> all = new LinkedHashMap<>();
    for (String line : lines.subList(1, lines.size())) {
      String[] cells = line.split(",");
      List<String[]> life = all.computeIfAbsent(cells[sample], key -> new ArrayList<>());
      if (life.isEmpty() || !life.get(life.size() - 1)[1].equals(cells[stage])) {
        life.add(new String[] {cells[event], cells[stage]});
      }
    }
    Map<String, List<String[]>> most = new LinkedHashMap<>();
    all.entrySet().stream()
        .sorted((a, b) -> Integer.compare(b.getValue().size(), a.getValue().size()))
        .limit(SAMPLES)
        .forEach(each -> most.put(each.getKey(), each.getValue()));
    return most;
  }

  private void lives(Map<String, List<String[]>> lives, int events) {
    line("<text x='%d' y='20'>Lives of the samples that moved most, by event</text>", TRACE_LEFT);
    for (int level = 0; level < LEVELS.size(); level++) {
      line(
          "<text x='%d' y='%d' fill='#666'>%s</text>",
          TRACE_LEFT - 2, y(level) - 4, LEVELS.get(level).toLowerCase(Locale.ROOT));
      line("<path d='M%d %d h%d' stroke='#ddd'/>", TRACE_LEFT, y(level), TRACE_WIDTH);
    }
    int number = 0;
    for (Map.Entry<String, List<String[]>> life : lives.entrySet()) {
      StringBuilder path = new StringBuilder();
      for (String[] change : life.getValue()) {
        double x = TRACE_LEFT + TRACE_WIDTH * Double.parseDouble(change[0]) / events;
        int y = y(LEVELS.indexOf(change[1])) + 3 * number;
        path.append(String.format(Locale.ROOT, path.isEmpty() ? "M%.1f %d" : " H%.1f V%d", x, y));
      }
      path.append(" H").append(TRACE_LEFT + TRACE_WIDTH);
      line("<path d='%s' fill='none' stroke='%s' stroke-width='1.5'/>", path, colour(number));
      line(
          "<text x='%d' y='%d' fill='%s'>sample %s</text>",
          TRACE_LEFT + 150 * number, 310, colour(number), life.getKey());
      number++;
    }
  }

  private static String colour(int number) {
    return new String[] {"#b8434c", "#4c7fb8", "#2f9e6e"}[number];
  }

  private static int y(int level) {
    return 270 - 66 * level;
  }
}
