package io.idlalayer.jobs.replay.page;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.modelcontroller.optimum.ScheduleCosts;
import io.idlalayer.modelcontroller.replay.ArrivalTrace;
import io.idlalayer.modelcontroller.replay.Machine;
import io.idlalayer.modelcontroller.replay.RuleOutcome;
import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

final class SavingsPageTest {
  private static Savings.Way way(double period, double wait, double training) {
    RuleOutcome outcome = new RuleOutcome("x", 100 * wait, wait, 2 * wait, 1_234, training, 0, 0);
    return new Savings.Way(outcome, period, new long[Savings.PARTS]);
  }

  private static Savings savings(Savings.Way rule, Savings.Way fresh, Savings.Way cheap) {
    return new Savings(
        ArrivalTrace.ofSeconds(0, 10, 7_200),
        new ScheduleCosts(0.002, 30, 1_000),
        Machine.ONE,
        rule,
        way(Double.NaN, 5, 7_200),
        List.of(way(60, 31, 3_600)),
        List.of(way(30, 16, 5_000), way(3_600, 1_800, 60)),
        fresh,
        cheap,
        800,
        true);
  }

  private static final Savings GAIN =
      savings(way(Double.NaN, 10, 1_800), way(12, 9, 3_600), way(90, 40, 1_700));

  private static Document parsed(String html) throws Exception {
    var factory = DocumentBuilderFactory.newInstance();
    return factory.newDocumentBuilder().parse(new InputSource(new StringReader(html)));
  }

  private static List<String> texts(Document page, String tag) {
    NodeList found = page.getElementsByTagName(tag);
    List<String> texts = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      texts.add(found.item(i).getTextContent());
    }
    return texts;
  }

  @Test
  void html_gain_isSaidInTimeAndMoney() throws Exception {
    Document page = parsed(SavingsPage.html(GAIN, "clicks.log", Price.of("2 EUR")));
    assertThat(texts(page, "p"))
        .contains(
            "clicks.log: 3 events over 2 h. A training takes 30 s and 2 ms for each sample; one runs"
                + " at a time. A second of training costs as much as 1,000 samples that wait for a"
                + " second.",
            "As fresh: under iDlaLayer's rule a sample waits 10 s on average. The cheapest fixed"
                + " interval under which it waits no longer is 12 s. It trains for 1 h, the rule for"
                + " 30 min. The rule saves 50 % of the training, 1.00 EUR instead of 2.00 EUR.",
            "As cheap: the freshest fixed interval that trains no longer than the rule (30 min) is"
                + " 90 s. Under it a sample waits 40 s on average, 4.00 times as long as under the"
                + " rule.",
            "Waiting and training together, the rule costs 1.25 times what the best schedule"
                + " possible does, which knows all arrivals beforehand.");
    assertThat(texts(page, "td"))
        .containsSubsequence("every 1 min", "1,234", "1 h", "2.00 EUR", "31 s", "62 s", "3.88");
  }

  @Test
  void html_loss_isSaidToo() {
    Savings loss = savings(way(Double.NaN, 10, 4_500), way(12, 9, 3_600), null);
    assertThat(SavingsPage.html(loss, "x", null))
        .contains("The rule trains 25 % longer; that interval could be chosen only with all")
        .contains("each fixed interval trains longer than the rule (75 min)")
        .doesNotContain("cost of training");
    Savings none = savings(way(Double.NaN, 10, 4_500), null, null);
    assertThat(SavingsPage.html(none, "x", null))
        .contains("No fixed interval from 30 s on is as fresh.");
  }

  @Test
  void html_namesOfOthers_areText() throws Exception {
    String name = "a</title><script>alert(1)</script>&\"\u0000.log";
    String html = SavingsPage.html(GAIN, name, new Price(1, "<b>"));
    assertThat(html).doesNotContain("<script").doesNotContain("<b>").doesNotContain("\u0000");
    assertThat(html).doesNotContain("src=").doesNotContain("href=").contains("default-src 'none'");
    assertThat(texts(parsed(html), "p").get(0)).startsWith("a</title><script>alert(1)</script>&\"");
  }

  @Test
  void html_otherLocale_isTheSame() {
    Locale before = Locale.getDefault();
    String expected = SavingsPage.html(GAIN, "x", Price.of("0.4"));
    try {
      for (String other : List.of("ar-EG", "de-DE", "tr-TR")) {
        Locale.setDefault(Locale.forLanguageTag(other));
        assertThat(SavingsPage.html(GAIN, "x", Price.of("0.4"))).isEqualTo(expected);
      }
    } finally {
      Locale.setDefault(before);
    }
  }

  @ParameterizedTest
  @CsvSource({
    "0, 0 ms",
    "0.0005, 0.5 ms",
    "0.999, 999 ms",
    "1, 1 s",
    "60, 1 min",
    "63.46, 63.5 s",
    "90, 90 s",
    "150, 2.5 min",
    "3600, 1 h",
    "4872, 81.2 min",
    "86400, 24 h",
    "604800, 7 days",
    "1e9, '11,574 days'"
  })
  void text_seconds_hasTheUnitThatPeopleUse(double seconds, String text) {
    assertThat(Times.text(seconds)).isEqualTo(text);
  }

  @ParameterizedTest
  @ValueSource(
      strings = {"", "EUR", "0", "-1 EUR", "1e300", "0x1p3 EUR", "1 EURO-CENTS-OF-A-LONG-NAME"})
  void of_noPrice_isRefused(String text) {
    assertThatThrownBy(() -> Price.of(text))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("such as '0.40 EUR'");
  }

  @Test
  void of_amounts_haveCurrencyAndDigits() {
    assertThat(Price.of(" 0.40  EUR ").of(1_800)).isEqualTo("0.20 EUR");
    assertThat(Price.of("0.40").of(36)).isEqualTo("0.0040");
    assertThat(Price.of("1000 $").of(3.6e6)).isEqualTo("1,000,000.00 $");
  }
}
