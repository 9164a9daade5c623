package io.idlalayer.jobs.proposal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.jobs.settings.ApplicationFiles;
import io.idlalayer.jobs.settings.ApplicationSettings;
import io.idlalayer.jobs.settings.ApplicationSettings.Format;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.file.UnreadableFileException;
import io.idlalayer.modelruntime.artifact.ModelSpec;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.Charset;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.zip.GZIPOutputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

final class ProposerTest {
  private static final int ROWS = 400;

  @TempDir Path folder;

  private static Wishes wishes(@Nullable String label) {
    return new Wishes("app", label, null, null, null, 1_000);
  }

  private Proposal propose(String text, @Nullable String label) throws Exception {
    return Proposer.ofFile(Files.writeString(folder.resolve("in.csv"), text), wishes(label));
  }

  private ApplicationSettings read(Proposal proposal) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), proposal.yaml());
  }

  private ApplicationSettings settings(String text, @Nullable String label) throws Exception {
    return read(propose(text, label));
  }

  private void assertNone(String text, @Nullable String label, String... parts) {
    assertThatThrownBy(() -> propose(text, label))
        .isInstanceOf(NoProposalException.class)
        .hasMessageContainingAll(parts);
  }

  private static String rows(String header, IntFunction<String> row) {
    String head = header.isEmpty() ? "" : header + "\n";
    return IntStream.range(0, ROWS).mapToObj(row).collect(Collectors.joining("\n", head, "\n"));
  }

  /** Rows with two numbers and a class of noise, whose labels do not go with the ones before. */
  private static String plain(String header, String delimiter) {
    Random random = new Random(3);
    return rows(
        header,
        i ->
            String.format(
                Locale.ROOT,
                "%.4f%s%.2f%s%d",
                random.nextDouble(),
                delimiter,
                100 * random.nextDouble(),
                delimiter,
                random.nextInt(2)));
  }

  private static List<String> dense(ApplicationSettings settings) {
    return settings.input().schema().dense().stream().map(SampleSchema.DenseFeature::name).toList();
  }

  @ParameterizedTest
  @ValueSource(strings = {",", ";", "\t", "|", "::", " "})
  void ofFile_eachDelimiter_isFound(String delimiter) throws Exception {
    ApplicationSettings named =
        settings(plain(String.join(delimiter, "a", "b", "label"), delimiter), null);
    assertThat(named.input().text().delimiter()).isEqualTo(delimiter);
    assertThat(named.input().header()).isTrue();
    assertThat(dense(named)).containsExactly("a", "b");
    assertThat(named.input().schema().label().classes()).containsExactly("0", "1");
    ApplicationSettings numbered = settings(plain("", delimiter), null);
    assertThat(numbered.input().header()).isFalse();
    assertThat(numbered.input().schema().columns()).containsExactly("f1", "f2", "f3");
    assertThat(numbered.input().schema().label().name()).isEqualTo("f3");
  }

  @Test
  void ofFile_separatorLineOfExcel_isPassedOver() throws Exception {
    ApplicationSettings settings = settings("sep=;\n" + plain("a;b;label", ";"), null);
    assertThat(settings.input().text().delimiter()).isEqualTo(";");
    assertThat(dense(settings)).containsExactly("a", "b");
  }

  @Test
  void ofFile_oddNames_areSaidSoThatTheReaderTakesThem() throws Exception {
    String header = "\"a, b\",user.name,größe \uD83D\uDE00,yes,\"say \"\"x\"\"\",#5: {x},label";
    Random random = new Random(1);
    ApplicationSettings settings =
        settings(
            rows(
                header,
                i ->
                    IntStream.range(0, 6)
                            .mapToObj(j -> String.format(Locale.ROOT, "%.3f", random.nextDouble()))
                            .collect(Collectors.joining(","))
                        + ","
                        + random.nextInt(2)),
            null);
    assertThat(dense(settings))
        .containsExactly("a, b", "user.name", "größe \uD83D\uDE00", "yes", "say \"x\"", "#5: {x}");
    assertReadable(settings);
  }

  /** Asserts that the file from which an application was proposed is an input of it. */
  private void assertReadable(ApplicationSettings settings) throws IOException {
    try (var reader = io.idlalayer.jobs.produce.Inputs.open(folder.resolve("in.csv"), settings)) {
      assertThat(reader.next()).isTrue();
    }
  }

  @Test
  void ofFile_namesThatCannotBeSaid_areLeftOutAndTheFileIsStillAnInput() throws Exception {
    Proposal proposal = propose(plain4("x,x,a1..a3,${env:HOME},label"), null);
    ApplicationSettings settings = read(proposal);
    assertThat(settings.input().schema().columns()).containsExactly("x", "", "", "", "label");
    assertThat(dense(settings)).containsExactly("x");
    assertThat(proposal.yaml()).contains("- a column without a usable name");
    assertReadable(settings);
  }

  private static String plain4(String header) {
    Random random = new Random(5);
    return rows(
        header,
        i ->
            String.format(
                Locale.ROOT,
                "%.3f,%.3f,%.3f,%.3f,%d",
                random.nextDouble(),
                random.nextDouble(),
                random.nextDouble(),
                random.nextDouble(),
                random.nextInt(2)));
  }

  @Test
  void ofFile_tooLittle_isRefusedWithTheReason() {
    assertNone("", null, "the file is empty");
    assertNone("a,b,label\n1,2,0\n", null, "too few events to judge anything: 1 of at least 20");
    assertNone("just some\nwords and\nno rows, at\nall\n", null, "neither JSON objects nor rows");
    assertNone(rows("a,b,label", i -> "1,2,0"), null, "nothing to learn");
    assertNone(rows("a,b,label", i -> "1,2," + i % 2), "b", "--label b: all events have the same");
    assertNone(
        rows("a,b,label", i -> "1,2," + i % 3), null, "no field is left", "'a': it is '1' in all");
    assertThatThrownBy(() -> Proposer.ofFile(folder.resolve("none.csv"), wishes(null)))
        .isInstanceOf(NoProposalException.class)
        .hasMessageContaining("does not exist");
  }

  @Test
  void ofFile_weakLabel_namesCandidatesAndTheOption() throws Exception {
    Random random = new Random(2);
    String text =
        rows(
            "first,second,third",
            i -> random.nextInt(3) + "," + random.nextInt(9) + "," + random.nextInt(7));
    assertNone(text, null, "--label NAME", "first: 3 values", "third: 7 values");
    assertNone(text, "secnd", "'secnd' is none of the fields; did you mean 'second'?");
    ApplicationSettings settings = settings(text, "second");
    assertThat(settings.input().schema().label().classes()).hasSize(9);
    assertThat(dense(settings)).containsExactly("first", "third");
  }

  @Test
  void ofFile_labelFirstWithoutHeader_isFound() throws Exception {
    Random random = new Random(4);
    ApplicationSettings settings =
        settings(rows("", i -> random.nextInt(2) + "," + random.nextGaussian()), null);
    assertThat(settings.input().schema().label().name()).isEqualTo("f1");
  }

  @Test
  void ofFile_textLabels_areClassesInOrder() throws Exception {
    Random random = new Random(4);
    ApplicationSettings settings =
        settings(
            rows(
                "a,class",
                i -> random.nextGaussian() + "," + (random.nextBoolean() ? "no" : "Yes: sure")),
            null);
    assertThat(settings.input().schema().label().classes()).containsExactly("Yes: sure", "no");
  }

  @Test
  void ofFile_labelsWithDecimals_areWholeClasses() throws Exception {
    Random random = new Random(4);
    ApplicationSettings settings =
        settings(
            rows("a,class", i -> random.nextGaussian() + "," + random.nextInt(3) + ".0"), null);
    assertThat(settings.input().schema().label().classes()).containsExactly("0", "1", "2");
  }

  @Test
  void ofFile_manyNumbersAsLabel_areARegression() throws Exception {
    Random random = new Random(4);
    Proposal proposal =
        propose(rows("a,target", i -> random.nextGaussian() + "," + random.nextGaussian()), null);
    ApplicationSettings settings = read(proposal);
    assertThat(settings.input().schema().label().task()).isEqualTo(Task.REGRESSION);
    assertThat(proposal.remarks()).anySatisfy(it -> assertThat(it).contains("number is predicted"));
  }

  @Test
  void ofFile_leaksConstantsCountersAndIds_areLeftOutWithTheReason() throws Exception {
    Random random = new Random(6);
    Proposal proposal =
        propose(
            rows(
                "row,event_id,note,same,copy,verdict,a,label",
                i -> {
                  int label = random.nextInt(2);
                  return String.format(
                      Locale.ROOT,
                      "%d,e%06x,words %d of it,EUR,%d,%s,%.3f,%d",
                      i + 1,
                      i * 7919,
                      i,
                      label,
                      label == 1 ? "bad" : "good",
                      random.nextDouble(),
                      label);
                }),
            null);
    ApplicationSettings settings = read(proposal);
    assertThat(dense(settings)).containsExactly("a");
    assertThat(settings.input().schema().categorical()).isEmpty();
    assertThat(settings.input().schema().id()).isEqualTo("event_id");
    assertThat(proposal.yaml())
        .contains("- row: it counts the events")
        .contains("- same: it is 'EUR' in all events")
        .contains("- copy: it equals the label, so it may be known only after")
        .contains("- verdict: it has values of which each comes with one label only")
        .contains("- note: nearly every event has another value");
    assertThat(proposal.remarks())
        .anySatisfy(
            it -> assertThat(it).startsWith("Left out: 'copy', because it equals the label"));
  }

  @Test
  void ofFile_leaksOfNumbers_areFoundByTheirSize() throws Exception {
    Random random = new Random(6);
    Proposal classes =
        propose(
            rows(
                "a,margin,label",
                i -> {
                  double margin = random.nextGaussian();
                  return random.nextDouble() + "," + margin + "," + (margin > 0.3 ? 1 : 0);
                }),
            null);
    assertThat(classes.yaml()).contains("- margin: it separates the labels by its size alone");
    Proposal targets =
        propose(
            rows(
                "a,cents,target",
                i -> {
                  double target = random.nextGaussian();
                  return random.nextDouble() + "," + 100 * target + "," + target;
                }),
            null);
    assertThat(targets.yaml()).contains("- cents: it is the label times a factor");
  }

  @Test
  void ofFile_textsOfFewAndManyValues_areCategoriesAndIds() throws Exception {
    Random random = new Random(7);
    ApplicationSettings few =
        settings(
            rows(
                "color,a,label",
                i ->
                    List.of("red", "green", "blue").get(random.nextInt(3))
                        + ","
                        + random.nextGaussian()
                        + ","
                        + random.nextInt(2)),
            null);
    assertThat(few.input().schema().categorical())
        .containsExactly(new SampleSchema.CategoricalFeature("color", 16));
    assertThat(few.model().network()).isInstanceOf(ModelSpec.Network.Mlp.class);
    ApplicationSettings many =
        settings(
            rows(
                "color,user,a,click",
                i ->
                    List.of("red", "green", "blue").get(random.nextInt(3))
                        + ",u"
                        + random.nextInt(150)
                        + ","
                        + random.nextGaussian()
                        + ","
                        + (random.nextInt(8) == 0 ? 1 : 0)),
            null);
    assertThat(many.input().schema().ids()).extracting("name").containsExactly("color", "user");
    assertThat(many.model().network()).isInstanceOf(ModelSpec.Network.WideAndDeep.class);
    assertThat(many.metric().key()).isEqualTo("normalized-entropy");
  }

  @Test
  void ofFile_onlyIds_isAModelWithTables() throws Exception {
    Random random = new Random(8);
    ApplicationSettings settings =
        settings(
            rows(
                "user,item,rating",
                i -> random.nextInt(60) + "," + random.nextInt(90) + "," + (1 + random.nextInt(5))),
            null);
    assertThat(settings.input().schema().ids()).extracting("name").containsExactly("user", "item");
    assertThat(settings.input().schema().label().task()).isEqualTo(Task.REGRESSION);
  }

  @Test
  void ofFile_timesAndMissingNumbers_areRead() throws Exception {
    Random random = new Random(9);
    Proposal proposal =
        propose(
            rows(
                "at,age,fare,label",
                i ->
                    String.format(
                        Locale.ROOT,
                        "2024-03-%02d %02d:%02d:00,%s,%s,%d",
                        1 + i / 16,
                        i % 24,
                        random.nextInt(60),
                        random.nextInt(5) == 0 ? "" : Integer.toString(random.nextInt(90)),
                        random.nextInt(9) == 0 ? "?" : Double.toString(random.nextDouble()),
                        random.nextInt(10) < (i % 24 < 12 ? 2 : 8) ? 1 : 0)),
            null);
    SampleSchema schema = read(proposal).input().schema();
    assertThat(schema.dense()).extracting("name").containsExactly("at", "age", "fare");
    assertThat(schema.dense().get(0).reading().time())
        .extracting(Enum::name)
        .containsExactly("DAY_CYCLE");
    assertThat(schema.dense().get(1).reading().missing()).isEqualTo(SampleSchema.Missing.MEAN);
    assertThat(schema.dense().get(1).reading().indicator()).isTrue();
    assertThat(schema.dense().get(2).reading().missingValues()).containsExactly("?");
    assertThat(proposal.remarks()).noneSatisfy(it -> assertThat(it).contains("refused"));
  }

  @Test
  void ofFile_timesOfFewUsers_areLeftOut() throws Exception {
    Random random = new Random(9);
    // One user comes each evening, and has labels of its own.
    Proposal proposal =
        propose(
            rows(
                "at,x,label",
                i ->
                    String.format(
                        Locale.ROOT,
                        "2024-03-%02d %02d:%02d:00,%.4f,%d",
                        1 + i / 16,
                        new SplittableRandom(i / 16).nextInt(24),
                        i % 16,
                        random.nextDouble(),
                        random.nextInt(10) < new SplittableRandom(1_000 + i / 16).nextInt(10)
                            ? 1
                            : 0)),
            null);
    assertThat(dense(read(proposal))).containsExactly("x");
    assertThat(proposal.remarks())
        .anySatisfy(it -> assertThat(it).contains("whose cycles say nothing of the label"));
  }

  @Test
  void ofFile_decimalCommas_areFound() throws Exception {
    Random random = new Random(9);
    ApplicationSettings settings =
        settings(
            rows(
                "a;b;label",
                i ->
                    String.format(
                            Locale.ROOT,
                            "%,.2f;%.3f;%d",
                            1e5 * random.nextDouble(),
                            random.nextDouble(),
                            random.nextInt(2))
                        .replace(',', '\'')
                        .replace('.', ',')
                        .replace('\'', '.')),
            null);
    assertThat(settings.input().text().notation().decimal()).isEqualTo(",");
    assertThat(settings.input().text().notation().thousands()).isEqualTo(".");
    assertThat(dense(settings)).containsExactly("a", "b");
  }

  @Test
  void ofFile_decimalCommasWithThousands_areFoundWithTheirDelimiter() throws Exception {
    for (String thousands : List.of(".", "\u202f")) {
      ApplicationSettings settings =
          settings(
              rows(
                  "size;label",
                  i ->
                      "%d%s%03d,%d;%d"
                          .formatted(1 + i % 9, thousands, i * 7 % 1_000, i % 10, i * i % 3 % 2)),
              "label");
      assertThat(settings.input().text().delimiter()).isEqualTo(";");
      assertThat(settings.input().text().notation().decimal()).isEqualTo(",");
      assertThat(settings.input().text().notation().thousands().isBlank())
          .isEqualTo(!thousands.equals("."));
    }
  }

  @Test
  void ofFile_lineEndsInQuotes_areInTheirRow() throws Exception {
    Random random = new Random(3);
    ApplicationSettings settings =
        settings(
            rows(
                "\"a\nb\",x,label",
                i ->
                    "\"q\"\"%d\n,\",%d,%d"
                        .formatted(i % 3, random.nextInt(1_000), random.nextInt(2))),
            "label");
    assertThat(settings.input().schema().columns()).containsExactly("a\nb", "x", "label");
    assertThat(settings.input().header()).isTrue();
  }

  @Test
  void ofFile_jsonObjects_areFieldsOfTheTopLevel() throws Exception {
    Random random = new Random(9);
    Proposal proposal =
        propose(
            rows(
                "",
                i ->
                    String.format(
                        Locale.ROOT,
                        "{\"a\": %.3f, \"v\": [1, %d, 3], \"tags\": [\"t%d\", \"t%d\"], \"geo\": {\"lat\": %.3f, \"zone\": \"utc\"}, \"ok\": %s, \"label\": \"%s\"%s}",
                        random.nextDouble(),
                        random.nextInt(9),
                        random.nextInt(200),
                        random.nextInt(200),
                        random.nextDouble(),
                        random.nextBoolean(),
                        random.nextBoolean() ? "x" : "y",
                        i % 2 == 0 ? ", \"b\": 2.5e" + i % 3 : "")),
            null);
    ApplicationSettings settings = read(proposal);
    assertThat(settings.input().format()).isEqualTo(Format.JSON);
    assertThat(dense(settings)).containsExactly("a", "v", "geo.lat", "ok", "b");
    assertThat(settings.input().schema().dense().get(1).width()).isEqualTo(3);
    assertThat(settings.input().schema().ids())
        .extracting("name", "mostIds")
        .containsExactly(org.assertj.core.groups.Tuple.tuple("tags", 4));
    assertThat(proposal.yaml()).contains("- geo.zone: it is 'utc' in all events");
    assertThat(proposal.remarks()).noneSatisfy(it -> assertThat(it).contains("refused"));
  }

  @Test
  void ofFile_jsonArrayOrSeveralLines_isRefusedAsARunRefusesIt() {
    assertThatThrownBy(() -> propose("[{\"a\": 1},\n{\"a\": 2}]\n", null))
        .hasMessageContaining("one JSON array");
    assertThatThrownBy(() -> propose("{\"a\": 1,\n\"b\": 2}\n", null))
        .hasMessageContaining("over several lines");
  }

  @Test
  void ofFile_jsonWithCommasAtTheEnd_isRefused() {
    assertNone(rows("", i -> "{\"a\": %d, \"label\": %d},".formatted(i, i % 2)), null, "only 0 of");
  }

  @Test
  void ofFile_packedAndMarkedFiles_areRead() throws Exception {
    Path gz = folder.resolve("in.csv.gz");
    try (OutputStream out = new GZIPOutputStream(Files.newOutputStream(gz))) {
      out.write(("\uFEFF" + plain("a,b,label", ",")).getBytes(StandardCharsets.UTF_8));
    }
    assertThat(dense(read(Proposer.ofFile(gz, wishes(null))))).containsExactly("a", "b");
    assertThat(read(Proposer.ofFile(gz, new Wishes(null, null, null, null, null, 100))).name())
        .isEqualTo("in");
  }

  @Test
  void ofFile_otherEncodings_areReadOrRefusedAsARunDoes() throws Exception {
    String text = plain("größe,b,label", ",");
    Path latin =
        Files.write(folder.resolve("latin.csv"), text.getBytes(Charset.forName("windows-1252")));
    Proposal guessed = Proposer.ofFile(latin, wishes(null));
    assertThat(read(guessed).input().text().encoding()).isEqualTo("windows-1252");
    assertThat(dense(read(guessed))).containsExactly("größe", "b");
    Path marked = Files.write(folder.resolve("marked.csv"), text.getBytes(StandardCharsets.UTF_16));
    assertThat(dense(read(Proposer.ofFile(marked, wishes(null))))).containsExactly("größe", "b");
    Path bare = Files.write(folder.resolve("bare.csv"), text.getBytes(StandardCharsets.UTF_16LE));
    assertThatThrownBy(() -> Proposer.ofFile(bare, wishes(null)))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining("say utf-16le");
    Wishes said = new Wishes("app", null, null, null, "utf-16le", 1_000);
    assertThat(dense(read(Proposer.ofFile(bare, said)))).containsExactly("größe", "b");
    Path wide = Files.write(folder.resolve("wide.csv"), text.getBytes(Charset.forName("UTF-32")));
    assertThatThrownBy(() -> Proposer.ofFile(wide, wishes(null)))
        .isInstanceOf(UnreadableFileException.class)
        .hasMessageContaining("UTF-32");
  }

  @Test
  void ofFile_aMillionColumns_isRefusedInBoundedTime() throws Exception {
    String row = "0," + "1,".repeat(999_998) + "2\n";
    List<String> rows = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      rows.add(row);
    }
    assertNone(String.join("", rows), null, "1,000,000 columns", "10,000 at most");
  }

  @Test
  void ofFile_thousandsOfColumns_haveAFileThatCanBeRead() throws Exception {
    Random random = new Random(2);
    ApplicationSettings settings =
        settings(
            IntStream.range(0, 60)
                .mapToObj(
                    i ->
                        IntStream.range(0, 3_000)
                                .mapToObj(j -> Double.toString(random.nextInt(1_000) / 8.0))
                                .collect(Collectors.joining(","))
                            + ","
                            + random.nextInt(2))
                .collect(Collectors.joining("\n")),
            null);
    assertThat(settings.input().schema().columns()).hasSize(3_001);
  }

  @Test
  void ofFile_headerOfOtherLength_isNamed() {
    String text = rows("a,label", i -> i * 0.37 + "," + i % 7 + "," + i % 2);
    Wishes header = new Wishes("app", null, null, true, null, 1_000);
    assertThatThrownBy(
            () -> Proposer.ofFile(Files.writeString(folder.resolve("in.csv"), text), header))
        .isInstanceOf(NoProposalException.class)
        .hasMessageContaining("the first line has 2 fields, and the rows have 3");
  }

  @Test
  void ofFile_labelsThatStay_haveAHistory() throws Exception {
    Random random = new Random(2);
    int[] state = {0};
    ApplicationSettings alone =
        settings(
            IntStream.range(0, 2 * ROWS)
                .mapToObj(
                    i -> {
                      state[0] = random.nextInt(10) == 0 ? 1 - state[0] : state[0];
                      return random.nextGaussian() + "," + state[0];
                    })
                .collect(Collectors.joining("\n", "a,label\n", "\n")),
            null);
    SampleSchema.History history = alone.input().schema().history();
    assertThat(history).isNotNull();
    assertThat(history == null ? "" : history.key()).isNull();
    int[] levels = new int[4];
    ApplicationSettings keyed =
        settings(
            IntStream.range(0, 2 * ROWS)
                .mapToObj(
                    i -> {
                      int key = random.nextInt(4);
                      levels[key] += random.nextInt(3) - 1;
                      return "station-"
                          + key
                          + ","
                          + random.nextGaussian()
                          + ","
                          + (100 * key + levels[key]);
                    })
                .collect(Collectors.joining("\n", "station,a,target\n", "\n")),
            null);
    SampleSchema.History ofKey = keyed.input().schema().history();
    assertThat(ofKey == null ? "" : ofKey.key()).isEqualTo("station");
    assertThat(settings(plain("a,b,label", ","), null).input().schema().history()).isNull();
  }

  @Test
  void ofTopic_rows_haveNoHeader() throws Exception {
    EventRows.Choice choice = new EventRows.Choice(2_000);
    plain("", ",").lines().forEach(it -> choice.add(it.getBytes(StandardCharsets.UTF_8)));
    Proposal proposal = Proposer.ofTopic(choice.rows(true), "clicks", wishes(null));
    ApplicationSettings settings = read(proposal);
    assertThat(settings.input().topic()).isEqualTo("clicks");
    assertThat(settings.input().header()).isFalse();
    assertThatThrownBy(
            () -> Proposer.ofTopic(new EventRows(List.of(), 0, 0, true), "none", wishes(null)))
        .isInstanceOf(NoProposalException.class)
        .hasMessageContaining("no events");
  }

  @Test
  void ofTopic_recordsOfARegistry_areRefused() {
    EventRows.Choice choice = new EventRows.Choice(2_000);
    for (int i = 0; i < 100; i++) {
      choice.add(new byte[] {0, 0, 0, 0, 1, 2, (byte) i});
    }
    assertThatThrownBy(() -> Proposer.ofTopic(choice.rows(true), "clicks", wishes(null)))
        .isInstanceOf(NoProposalException.class)
        .hasMessageContaining("write the file with 'input.format' and 'input.registry'");
  }

  @Test
  void read_longInput_keepsTheFrontAndSpreadsTheRest() {
    EventRows.Choice choice = new EventRows.Choice(100);
    for (int i = 0; i < 100_000; i++) {
      choice.add(Integer.toString(i).getBytes(StandardCharsets.US_ASCII));
    }
    EventRows rows = choice.rows(true);
    List<Integer> numbers =
        rows.records().stream()
            .map(it -> Integer.parseInt(new String(it, StandardCharsets.US_ASCII)))
            .toList();
    assertThat(rows.front()).isEqualTo(50);
    assertThat(numbers).hasSizeBetween(75, 100).isSorted();
    assertThat(numbers.subList(0, 50)).endsWith(49);
    assertThat(numbers.get(numbers.size() - 1)).isGreaterThan(90_000);
  }
}
