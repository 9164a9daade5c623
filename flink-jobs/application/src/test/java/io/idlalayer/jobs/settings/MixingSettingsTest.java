package io.idlalayer.jobs.settings;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.jobs.settings.change.IdentityChange;
import io.idlalayer.jobs.settings.mixing.MixingSettings;
import io.idlalayer.jobs.settings.mixing.PartitionedTable;
import io.idlalayer.middleware.embedding.plan.KeyRanges;
import io.idlalayer.modelcontroller.gate.GateSettings;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What models can be mixed, and what is part of their identity. */
final class MixingSettingsTest {
  private static final String MIXED =
      """
      name: app
      partitions: 2
      mixing: {action: average, wait: 500ms}
      input: {features: [a, b], label: y, classes: 2}
      """;

  @TempDir Path folder;

  private ApplicationSettings read(String text) throws Exception {
    return ApplicationFiles.read(folder.resolve("app.yaml"), text);
  }

  @Test
  void read_averageOfTwoPartitions_isMixed() throws Exception {
    assertThat(read(MIXED).mixing())
        .isEqualTo(new MixingSettings(MixingSettings.Action.AVERAGE, 0.5));
    assertThat(read(MIXED.replaceFirst("mixing.*\n", "")).mixing()).isEqualTo(MixingSettings.NONE);
  }

  @Test
  void read_whatCannotBeMixed_isRefusedAtOnce() throws Exception {
    String text =
        """
        name: app
        mixing: {action: average}
        input: {features: [a], ids: [user], label: y, classes: 2}
        publishing:
          gate: {action: warn, after-publishing: roll-back, continue-from: in-service, trusted-file: checked.csv}
        """;
    assertThat(ApplicationFiles.problems(folder.resolve("app.yaml"), text, Map.of()))
        .anyMatch(each -> each.contains("one partition has nothing to mix"))
        .anyMatch(each -> each.contains("mixing.partition-by: says nothing; a model with an"))
        .anyMatch(
            each -> each.contains("publishing.gate.action: a mixed model is compared only before"))
        .anyMatch(each -> each.contains("gate.after-publishing: a mixed version is not compared"))
        .anyMatch(each -> each.contains("gate.continue-from: learners go on from their own models"))
        .anyMatch(each -> each.contains("gate.trusted-file: mixed models are compared on"));
  }

  @Test
  void read_gateThatHoldsMixedModels_isAccepted() throws Exception {
    String gate = "publishing: {gate: {action: hold, samples: 50, wait: 2s, margin: 0.02}}\n";
    assertThat(read(MIXED + gate).publishing().gate().action()).isEqualTo(GateSettings.Action.HOLD);
  }

  @Test
  void between_stateOfPartitionsWithoutMixing_isRefused() throws Exception {
    SettingsIdentity before = SettingsIdentity.of(read(MIXED.replaceFirst("mixing.*\n", "")));
    assertThat(IdentityChange.between(before, read(MIXED)).refusals())
        .containsExactly("mixing.action: none before, average now");
  }

  @Test
  void between_otherFeaturesOfAMixedModel_isRefused() throws Exception {
    SettingsIdentity before = SettingsIdentity.of(read(MIXED));
    IdentityChange change =
        IdentityChange.between(before, read(MIXED.replace("[a, b]", "[a, b, c]")));
    assertThat(change.refusals())
        .singleElement()
        .asString()
        .contains("cannot change while models are mixed");
  }

  private static final String PARTITIONED =
      """
      name: app
      partitions: 2
      mixing: {action: average, partition-by: user}
      input: {features: [a], ids: [user], label: y, classes: 2}
      embeddings: {dim: 4}
      """;

  @Test
  void read_partitionBy_sendsEventsByTheIdOfTheTable() throws Exception {
    ApplicationSettings settings = read(PARTITIONED);
    PartitionedTable table =
        PartitionedTable.of(settings.mixing(), settings.model(), 2).orElseThrow();
    assertThat(table).isEqualTo(new PartitionedTable(0, 0, KeyRanges.ofTable("user", 2)));
    ApplicationSettings plain = read(MIXED);
    assertThat(PartitionedTable.of(plain.mixing(), plain.model(), 2)).isEmpty();
  }

  @Test
  void read_partitionByWithWhatItDoesNotDo_isRefusedAtOnce() throws Exception {
    String text =
        """
        name: app
        partitions: 2
        mixing: {action: average, partition-by: user}
        input: {features: [a], ids: [{name: user, at-most: 3}, item], id: event, label: y, classes: 2}
        embeddings: {dim: 4}
        publishing: {gate: {action: hold}}
        """;
    assertThat(ApplicationFiles.problems(folder.resolve("app.yaml"), text, Map.of()))
        .anyMatch(each -> each.contains("mixing.partition-by: 'user' may have several ids"))
        .anyMatch(
            each ->
                each.contains("mixing.partition-by: every partition uses the rows of table 'item'"))
        .anyMatch(
            each -> each.contains("mixing.partition-by: events are sent by 'user', and what"));
  }

  @Test
  void read_partitionByAnUnknownFeature_isRefused() throws Exception {
    assertThat(
            ApplicationFiles.problems(
                folder.resolve("app.yaml"), PARTITIONED.replace("by: user", "by: a"), Map.of()))
        .containsExactly("mixing.partition-by: 'a' is none of 'input.ids', which are [user]");
    assertThat(
            ApplicationFiles.problems(
                folder.resolve("app.yaml"), PARTITIONED.replace("average", "off"), Map.of()))
        .containsExactly("mixing.partition-by: takes effect with 'action: average' only");
  }

  @Test
  void between_otherPartitionsOfATable_isRefused() throws Exception {
    SettingsIdentity before = SettingsIdentity.of(read(PARTITIONED));
    assertThat(
            IdentityChange.between(
                    before, read(PARTITIONED.replace("partitions: 2", "partitions: 3")))
                .refusals())
        .containsExactly("partitions: 2 before, 3 now");
  }

  private static final String SHARED =
      """
      name: app
      partitions: 2
      mixing: {action: average, partition-by: user}
      input: {features: [a], ids: [item, user], label: y, classes: 2}
      embeddings: {dim: 4, tables: [{name: items, features: [item], rows: 1000}]}
      """;

  @Test
  void read_otherTableOfFixedSize_isMixed() throws Exception {
    ApplicationSettings settings = read(SHARED);
    PartitionedTable table =
        PartitionedTable.of(settings.mixing(), settings.model(), 2).orElseThrow();
    assertThat(table).isEqualTo(new PartitionedTable(1, 1, KeyRanges.ofTable("user", 2)));
    assertThat(table.others(settings.model())).containsExactly(0);
  }

  @Test
  void read_otherTableThatCannotBeMixed_isRefused() throws Exception {
    // 4 numbers a row, and two rows more than there are ids.
    assertThat(read(SHARED.replace("1000", "1048574")).mixing().on()).isTrue();
    assertThat(problems(SHARED.replace("1000", "1048575")))
        .singleElement()
        .asString()
        .contains("partition uses take 17 MiB")
        .contains("at most 16 MiB can be mixed");
    assertThat(problems(SHARED.replace("[item], rows: 1000", "[item, user]")))
        .singleElement()
        .asString()
        .startsWith("mixing.partition-by: 'item' uses the table of 'user', whose rows lie in");
    assertThat(problems(SHARED + "publishing: {gate: {action: hold}}\n"))
        .singleElement()
        .asString()
        .startsWith("publishing.gate.action: mixed models with rows that every partition uses");
  }

  @Test
  void read_otherTableOfManyPartitions_isMixedUpToABound() throws Exception {
    // 16 bytes of weights and 4 of uses for each row, 128 times: 209,715 rows fit into 512 MiB.
    String many = SHARED.replace("partitions: 2", "partitions: 128");
    assertThat(read(many.replace("1000", "209713")).mixing().on()).isTrue();
    assertThat(problems(many.replace("1000", "209714")))
        .singleElement()
        .asString()
        .startsWith("mixing.partition-by: the mixer keeps the weights and uses of the rows")
        .contains("128 times 4.0 MiB are 513 MiB")
        .endsWith(
            "but it can keep at most 512 MiB: lower 'rows' in 'embeddings.tables' or 'partitions'");
    assertThat(read(many.replace("128", "127").replace("1000", "209714")).mixing().on()).isTrue();
  }

  private Iterable<String> problems(String text) throws Exception {
    return ApplicationFiles.problems(folder.resolve("app.yaml"), text, Map.of());
  }
}
