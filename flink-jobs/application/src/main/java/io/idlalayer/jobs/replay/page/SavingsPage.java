package io.idlalayer.jobs.replay.page;

import io.idlalayer.jobs.replay.page.Savings.Way;
import io.idlalayer.modelcontroller.replay.Machine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Writes {@link Savings} as a page of HTML that needs no server, no script and no other file. Its
 * colors are light or dark, depending on the settings of the reader's browser.
 */
public final class SavingsPage {
  private static final String STYLE =
      """
      :root { color-scheme: light dark; --line: #8886; --events: #888; --rule: #0a7d4f; --other: #3465a4; }
      @media (prefers-color-scheme: dark) { :root { --rule: #3ecf8e; --other: #8ab4f8; } }
      body { font: 16px/1.5 system-ui, sans-serif; max-width: 60rem; margin: 2rem auto; padding: 0 1rem; }
      table { border-collapse: collapse; width: 100%; }
      th, td { padding: .3rem .6rem; border-bottom: 1px solid var(--line); text-align: right; }
      th:first-child, td:first-child { text-align: left; }
      tr.rule { font-weight: 600; color: var(--rule); }
      .short { font-size: 1.15rem; }
      .box { overflow-x: auto; }
      svg { width: 100%; height: auto; }
      svg text { fill: currentColor; font: 12px system-ui, sans-serif; }
      small { opacity: .8; }
      """;

  private final Savings savings;
  private final String source;
  private final @Nullable Price price;

  private SavingsPage(Savings savings, String source, @Nullable Price price) {
    this.savings = savings;
    this.source = source;
    this.price = price;
  }

  /**
   * Writes the page.
   *
   * @param source displayed name of the recording
   * @param price price of an hour of training; null to show only times
   */
  public static void write(Savings savings, String source, @Nullable Price price, Path file)
      throws IOException {
    Path folder = file.toAbsolutePath().getParent();
    if (folder != null) {
      Files.createDirectories(folder);
    }
    Files.writeString(file, html(savings, source, price));
  }

  static String html(Savings savings, String source, @Nullable Price price) {
    return new SavingsPage(savings, source, price).page();
  }

  private String page() {
    String title = "What keeping a model current would have cost";
    return String.join(
        "\n",
        "<!DOCTYPE html>",
        "<html lang=\"en\">",
        "<head>",
        "<meta charset=\"utf-8\"/>",
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\"/>",
        "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src 'unsafe-inline'\"/>",
        "<title>" + title + "</title>",
        "<style>",
        STYLE + "</style>",
        "</head>",
        "<body>",
        "<h1>" + title + "</h1>",
        paragraph(input()),
        "<h2>In short</h2>",
        "<div class=\"short\">",
        paragraph(asFresh()),
        paragraph(asCheap()),
        paragraph(best()),
        "</div>",
        "<h2>Ways to keep it current</h2>",
        table(),
        "<h2>Training time against waiting time</h2>",
        paragraph(
            "Each dot of the line is a fixed interval. Further left is cheaper, further down is"
                + " fresher. Both scales are logarithmic."),
        "<div class=\"box\">" + SavingsChart.tradeOff(savings) + "</div>",
        "<h2>When it would have trained</h2>",
        "<div class=\"box\">" + SavingsChart.overTime(savings) + "</div>",
        "<p><small>"
            + Html.text(
                "SIMULATED by idla replay, in virtual time: nothing was trained. Fixed intervals"
                    + " begin with the first event, and an interval without events has no training."
                    + " The best ones are those of about 200 that were tried; one between them may"
                    + " be better by luck."
                    + " A sample waits from its arrival to the end of the training that learns it.")
            + "</small></p>",
        "</body>",
        "</html>",
        "");
  }

  private static String paragraph(String text) {
    return "<p>" + Html.text(text) + "</p>";
  }

  private String input() {
    return format(
        "%s: %,d events over %s. A training takes %s and %s for each sample; %s. A second of training costs as much as %s samples that wait for a second.",
        source,
        savings.trace().arrivals(),
        Times.text(savings.trace().spanSeconds()),
        Times.text(savings.costs().fixedSeconds()),
        Times.text(savings.costs().secondsPerSample()),
        savings.machine() == Machine.ONE
            ? "one runs at a time"
            : "several may run at the same time",
        plain(savings.costs().weight()));
  }

  private static String format(String text, Object... values) {
    return String.format(Locale.ROOT, text, values);
  }

  private static String plain(double number) {
    String text = format("%,.2f", number);
    return text.replaceFirst("\\.?0+$", "");
  }

  private String asFresh() {
    Way rule = savings.adaptive();
    Way other = savings.asFresh();
    String wait = Times.text(rule.meanWaitSeconds());
    if (other == null) {
      return format(
          "As fresh: under iDlaLayer's rule a sample waits %s on average. No fixed interval from %s on"
              + " is as fresh.",
          wait, Times.text(savings.sweep().get(0).periodSeconds()));
    }
    return format(
        "As fresh: under iDlaLayer's rule a sample waits %s on average. The cheapest fixed interval"
            + " under which it waits no longer is %s. It trains for %s, the rule for %s. %s",
        wait,
        Times.text(other.periodSeconds()),
        Times.text(other.trainingSeconds()),
        Times.text(rule.trainingSeconds()),
        saved(other.trainingSeconds(), rule.trainingSeconds()));
  }

  private String saved(double otherSeconds, double ruleSeconds) {
    if (otherSeconds <= 0) {
      return "No training takes any time.";
    }
    double share = 100 * (1 - ruleSeconds / otherSeconds);
    String money =
        price == null
            ? ""
            : format(", %s instead of %s", price.of(ruleSeconds), price.of(otherSeconds));
    String chosen = "; that interval could be chosen only with all arrivals known beforehand";
    return share >= 0
        ? format("The rule saves %.0f %% of the training%s.", share, money)
        : format("The rule trains %.0f %% longer%s%s.", -share, money, chosen);
  }

  private String asCheap() {
    Way rule = savings.adaptive();
    Way other = savings.asCheap();
    String trains = Times.text(rule.trainingSeconds());
    if (other == null) {
      return format("As cheap: each fixed interval trains longer than the rule (%s).", trains);
    }
    double waits = rule.meanWaitSeconds();
    return format(
        "As cheap: the freshest fixed interval that trains no longer than the rule (%s) is %s. Under"
            + " it a sample waits %s on average%s.",
        trains,
        Times.text(other.periodSeconds()),
        Times.text(other.meanWaitSeconds()),
        waits > 0
            ? format(", %.2f times as long as under the rule", other.meanWaitSeconds() / waits)
            : "");
  }

  private String best() {
    double ratio =
        savings.bestCost() <= 0 ? 1 : savings.adaptive().outcome().cost() / savings.bestCost();
    return format(
        "Waiting and training together, the rule costs %.2f times what the best schedule possible"
            + " does, which knows all arrivals beforehand%s.",
        ratio, savings.exact() ? "" : " (at most: only a lower bound of the best cost is known)");
  }

  private String table() {
    StringBuilder rows = new StringBuilder("<div class=\"box\"><table>\n<tr><th>way</th>");
    rows.append("<th>trainings</th><th>training time</th>");
    if (price != null) {
      rows.append("<th>cost of training</th>");
    }
    rows.append("<th>mean wait</th><th>99 of 100 wait at most</th><th>cost, best = 1</th></tr>\n");
    row(rows, " class=\"rule\"", "iDlaLayer's rule (adaptive)", savings.adaptive());
    row(rows, "", "without a pause", savings.continuous());
    for (Way each : savings.usual()) {
      row(rows, "", "every " + Times.text(each.periodSeconds()), each);
    }
    if (savings.asFresh() != null) {
      Way fresh = savings.asFresh();
      row(rows, "", "every " + Times.text(fresh.periodSeconds()) + ", as fresh", fresh);
    }
    if (savings.asCheap() != null) {
      Way cheap = savings.asCheap();
      row(rows, "", "every " + Times.text(cheap.periodSeconds()) + ", as cheap", cheap);
    }
    return rows.append("</table></div>").toString();
  }

  private void row(StringBuilder rows, String attributes, String name, Way way) {
    rows.append("<tr").append(attributes).append("><td>").append(Html.text(name)).append("</td>");
    cell(rows, format("%,d", way.outcome().updates()));
    cell(rows, Times.text(way.trainingSeconds()));
    if (price != null) {
      cell(rows, price.of(way.trainingSeconds()));
    }
    cell(rows, Times.text(way.meanWaitSeconds()));
    cell(rows, Times.text(way.outcome().p99LatencySeconds()));
    cell(
        rows,
        savings.bestCost() <= 0 ? "" : format("%,.2f", way.outcome().cost() / savings.bestCost()));
    rows.append("</tr>\n");
  }

  private static void cell(StringBuilder rows, String text) {
    rows.append("<td>").append(Html.text(text)).append("</td>");
  }
}
