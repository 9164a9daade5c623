package io.idlalayer.jobs.proposal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Locale;
import java.util.Random;
import java.util.function.IntFunction;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Proposals for files whose rows are odd, but no reason to refuse the file. */
final class OddRowsProposalTest {
  private static final Wishes LABEL = new Wishes("app", "label", null, null, null, 1_000);

  @TempDir Path folder;

  private Proposal propose(String header, IntFunction<String> more) throws Exception {
    Random random = new Random(5);
    String rows =
        IntStream.range(0, 300)
            .mapToObj(
                i ->
                    String.format(
                        Locale.ROOT,
                        "%.4f,%s,%d",
                        random.nextDouble(),
                        more.apply(i),
                        random.nextInt(2)))
            .collect(Collectors.joining("\n", header + "\n", "\n"));
    return Proposer.ofFile(Files.writeString(folder.resolve("in.csv"), rows), LABEL);
  }

  @Test
  void ofFile_headerInTheMiddle_isRefusedAsARowAndNoClass() throws Exception {
    Proposal proposal = propose("x,size,label", i -> i == 150 ? "1,0\nx,size,label\n0.5,1" : "2.5");
    assertThat(proposal.yaml())
        .contains("classes: [\"0\", \"1\"]")
        .doesNotContain("missing-values");
    assertThat(proposal.remarks())
        .anySatisfy(each -> assertThat(each).contains("1 of the 302 events"));
  }

  @Test
  void ofFile_quotesBehindNumbers_areCharacters() throws Exception {
    String[] sizes = {"5\"", "6\"", "3 1/2\"", "\"7\"\"\""};
    Proposal proposal = propose("x,size,label", i -> sizes[i % sizes.length]);
    assertThat(proposal.yaml()).contains("columns: [x, size, label]", "4 texts, such as '5\"'");
    assertThat(proposal.remarks()).noneMatch(each -> each.contains("refused"));
  }

  @Test
  void ofFile_datesWithoutAnOrder_areLeftOutWithTheReason() throws Exception {
    Proposal proposal =
        propose(
            "x,day,label",
            i -> String.format(Locale.ROOT, "%02d/%02d/2024", 1 + i % 28, 1 + i % 12));
    assertThat(proposal.remarks())
        .anySatisfy(
            each ->
                assertThat(each)
                    .contains("Left out: 'day'", "day and month", "write them as year-month-day"));
  }
}
