package io.idlalayer.middleware.sample.change;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.idlalayer.middleware.sample.AbsentValues;
import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.KeyContext;
import io.idlalayer.middleware.sample.RowIndex;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleCodec;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.history.KeyHistories;
import java.util.BitSet;
import java.util.List;
import org.junit.jupiter.api.Test;

final class SampleChangeTest {
  private static final DenseFeature A = DenseFeature.of("a");
  private static final DenseFeature B = new DenseFeature("b", 2, 1);
  private static final CategoricalFeature KIND = new CategoricalFeature("kind", 3);
  private static final CategoricalFeature SITE = new CategoricalFeature("site", 4);

  private static SampleSchema schema(List<DenseFeature> dense, List<CategoricalFeature> kinds) {
    return new SampleSchema(
        List.of(),
        dense,
        kinds,
        new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of("0", "1")),
        "id");
  }

  private static SchemaChange change(List<DenseFeature> before, List<DenseFeature> now) {
    return SchemaChange.between(schema(before, List.of(KIND)), schema(now, List.of(KIND)));
  }

  @Test
  void between_equalSchemas_isNone() {
    SchemaChange none = change(List.of(A, B), List.of(A, B));
    assertThat(none.isNone()).isTrue();
    assertThat(none.describe()).isEmpty();
    assertThat(none.dense().isUnchanged()).isTrue();
    assertThat(none.oneHots().isUnchanged()).isTrue();
  }

  @Test
  void between_otherFeatures_saysWhatChanged() {
    DenseFeature c = DenseFeature.of("c");
    SchemaChange change =
        SchemaChange.between(
            schema(List.of(A, B), List.of(KIND, SITE)),
            schema(List.of(new DenseFeature("b", 3, 1), c, A), List.of(SITE)));
    assertThat(change.describe())
        .isEqualTo(
            "added feature c; removed feature kind; 3 instead of 2 numbers in b;"
                + " other order of features");
    assertThat(change.refusals()).isEmpty();
    assertThat(change.dense().toString()).isEqualTo("ColumnMap[3 to [1, 2, -1, -1, 0]]");
    assertThat(change.dense().removed()).isEmpty();
    assertThat(change.categorical().toString()).isEqualTo("ColumnMap[2 to [1]]");
    assertThat(change.oneHots().toString()).isEqualTo("ColumnMap[7 to [3, 4, 5, 6]]");
    assertThat(change.oneHots().removed()).containsExactly(0, 1, 2);
  }

  @Test
  void between_otherMeaning_isRefusedWithTheReason() {
    Reading zero = new Reading(Missing.ZERO, true, List.of(), List.of());
    SchemaChange change =
        SchemaChange.between(
            schema(List.of(A, B, DenseFeature.of("c")), List.of(KIND)),
            schema(
                List.of(new DenseFeature("a", 1, 2), new DenseFeature("b", 2, 1, zero)),
                List.of(new CategoricalFeature("kind", 5))));
    assertThat(change.isNone()).isFalse();
    assertThat(change.refusals()).hasSize(3);
    assertThat(change.refusals().get(0)).startsWith("input.features: scale of a: 1.0 before, 2.0");
    assertThat(change.refusals().get(1)).startsWith("input.features: b is read in another way");
    assertThat(change.refusals().get(2)).startsWith("input.categorical: buckets of kind: 3 before");
    assertThat(
            SchemaChange.between(schema(List.of(A), List.of()), schema(List.of(B), List.of(KIND)))
                .refusals())
        .singleElement()
        .asString()
        .contains("none of the features from before is left");
    assertThatThrownBy(
            () -> new SampleChange(schema(List.of(A), List.of()), schema(List.of(B), List.of())))
        .isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void of_aSample_hasMissingValuesWhereFeaturesAreNew() throws Exception {
    DenseFeature flagged =
        new DenseFeature("f", 2, 1, new Reading(Missing.MEAN, true, List.of(), List.of()));
    DenseFeature time =
        new DenseFeature(
            "t", 1, 1, new Reading(Missing.ZERO, true, List.of(), List.of(TimePart.DAY_CYCLE)));
    SampleChange change =
        new SampleChange(
            schema(List.of(A, B), List.of(KIND)),
            schema(List.of(B, flagged, time, DenseFeature.of("c")), List.of(SITE, KIND)));
    BitSet absent = new BitSet();
    absent.set(2);
    Sample before =
        new Sample(
            "e1",
            new double[] {1, 2, 3},
            new int[] {2},
            IdLists.NONE,
            1,
            AbsentValues.of(absent, absent),
            0.5);
    Sample after = change.of(before);
    assertThat(after.dense())
        .containsExactly(2, 3, Double.NaN, 1, Double.NaN, 1, 0, 0, 1, Double.NaN);
    assertThat(after.categorical()).containsExactly(0, 2);
    assertThat(after.label()).isEqualTo(1);
    assertThat(after.weight()).isEqualTo(0.5);
    assertThat(after.id()).isEqualTo("e1");
    assertThat(after.absent().at(0)).isFalse();
    assertThat(after.absent().at(1)).as("as before").isTrue();
    assertThat(after.absent().neededAt(1)).isTrue();
    assertThat(after.absent().at(9)).as("a later event may bring it").isTrue();
    assertThat(after.absent().neededAt(9)).as("but it trains without").isFalse();
    assertThat(after.absent().at(10)).isTrue();
    assertThat(after.absent().at(11)).isFalse();
    Sample stored = new SampleCodec().decode(new SampleCodec().encode(after));
    assertThat(stored.dense()).isEqualTo(after.dense());
  }

  /** What is missing may be read in another way, as long as samples have as many values. */
  @Test
  void of_otherMissingValues_areThoseOfTheSchemaNow() {
    Reading zero = new Reading(Missing.ZERO, false, List.of("NA"), List.of());
    Reading mean = new Reading(Missing.MEAN, false, List.of(), List.of());
    SampleChange change =
        new SampleChange(
            schema(
                List.of(
                    new DenseFeature("a", 1, 1, mean), DenseFeature.of("b"), DenseFeature.of("c")),
                List.of()),
            schema(
                List.of(
                    new DenseFeature("a", 1, 1, zero),
                    new DenseFeature("b", 1, 1, mean),
                    DenseFeature.of("c")),
                List.of()));
    assertThat(change.schema().describe()).isEqualTo("other missing values of a, b");
    assertThat(change.schema().isNone()).isFalse();
    BitSet awaited = new BitSet();
    awaited.set(1, 3);
    Sample after =
        change.of(
            new Sample(
                "e1",
                new double[] {Double.NaN, 0, 0},
                new int[0],
                IdLists.NONE,
                1,
                AbsentValues.of(awaited, awaited)));
    assertThat(after.dense()).containsExactly(0, Double.NaN, 0);
    assertThat(after.absent().at(1)).isTrue();
    assertThat(after.absent().neededAt(1)).as("the mean will do").isFalse();
    assertThat(after.absent().neededAt(2)).isTrue();
  }

  @Test
  void of_aLabelWithoutFeatures_staysAsItIs() {
    SampleChange change =
        new SampleChange(schema(List.of(A), List.of()), schema(List.of(A, B), List.of()));
    Sample label = Sample.labelOf("e1", 1);
    assertThat(change.of(label)).isSameAs(label);
    assertThatThrownBy(() -> change.of(Sample.of(new double[] {1, 2}, 0)))
        .isInstanceOf(IllegalArgumentException.class)
        .hasMessageContaining("2 values where 1 columns were");
  }

  private static SampleSchema classes(String... names) {
    return schema(List.of(A), List.of())
        .with(new SampleSchema.Label("y", SampleSchema.Task.CLASSIFICATION, List.of(names)));
  }

  private static Sample of(String name, SampleSchema schema) {
    return Sample.of(new double[] {1}, schema.label().classes().indexOf(name));
  }

  @Test
  void of_otherClasses_keepTheirNames() {
    SampleSchema before = classes("red", "green", "blue");
    SampleSchema now = classes("blue", "new", "red");
    SampleChange change = new SampleChange(before, now);
    assertThat(change.schema().describe())
        .isEqualTo("added class new; removed class green; other order of classes");
    assertThat(change.of(of("red", before)).label()).isEqualTo(2);
    assertThat(change.of(of("blue", before)).label()).isZero();
    assertThat(change.keeps(of("red", before))).isTrue();
    Sample gone = of("green", before);
    assertThat(change.keeps(gone)).isFalse();
    assertThatThrownBy(() -> change.of(gone)).hasMessageContaining("class is there no more");
    assertThat(change.of(Sample.labelOf("e", 0)).label()).isEqualTo(2);
    Sample unlabeled = gone.withLabel(Sample.NO_LABEL);
    assertThat(change.keeps(unlabeled)).isTrue();
    assertThat(change.of(unlabeled).labeled()).isFalse();
    SchemaChange other = SchemaChange.between(before, classes("a", "b"));
    assertThat(other.refusals()).singleElement().asString().startsWith("input.classes: none of");
    assertThat(SchemaChange.between(before, classes("red", "green", "blue")).isNone()).isTrue();
  }

  @Test
  void of_otherIds_areMissingOrGo() {
    SampleSchema plain = schema(List.of(A), List.of());
    SampleSchema before =
        plain.withIds(List.of(new IdFeature("user", 1), new IdFeature("shops", 3)));
    SampleSchema now =
        plain.withIds(
            List.of(new IdFeature("shops", 5), new IdFeature("item", 1), new IdFeature("user", 1)));
    SampleChange change = new SampleChange(before, now);
    assertThat(change.schema().describe())
        .isEqualTo(
            "added feature item; at most 5 instead of 3 ids in shops; other order of features");
    Sample sample =
        new Sample(
            "e1",
            new double[] {1},
            new int[0],
            new IdLists(new long[] {7, 8, 9}, new int[] {1, 3}),
            1);
    Sample after = change.of(sample);
    assertThat(after.ids())
        .isEqualTo(new IdLists(new long[] {8, 9, IdLists.MISSING, 7}, new int[] {2, 3, 4}));
    assertThat(after.absent().at(2)).as("a later event may bring it").isTrue();
    assertThat(after.absent().at(1)).isFalse();
    SampleChange less = new SampleChange(before, plain.withIds(List.of(before.ids().get(1))));
    assertThat(less.of(sample).ids()).isEqualTo(new IdLists(new long[] {8, 9}, new int[] {2}));
    assertThat(
            SchemaChange.between(
                    before,
                    plain.withIds(
                        List.of(
                            new IdFeature("user", 1, RowIndex.hash(10)),
                            new IdFeature("shops", 2))))
                .refusals())
        .satisfiesExactly(
            first -> assertThat(first).contains("the ids of user would find other rows"),
            second -> assertThat(second).contains("at-most of shops: 3 before, 2 now"));
  }

  /** The one-hot of a key's last label has a column for each class. */
  @Test
  void histories_ofKeys_keepTheClassesOfTheirLabels() {
    SampleSchema.History history = new SampleSchema.History("key", 2, false, 10);
    SampleSchema before = classes("red", "green", "blue").with(history);
    SampleSchema now = classes("blue", "new", "red").with(history);
    KeyHistories histories = new KeyHistories(before);
    Sample last = null;
    for (String name : List.of("blue", "red", "green")) {
      last = histories.inContext(of(name, before).withContext(KeyContext.ofKey(7)));
      histories.remember(last);
    }
    SampleChange change = new SampleChange(before, now);
    Sample third = last.withLabel(0);
    assertThat(third.context().values()).containsExactly(1, 0, 0, 0, 0, 1);
    assertThat(change.of(third).context().values()).containsExactly(0, 0, 1, 1, 0, 0);

    KeyHistories restored = new KeyHistories(now);
    restored.restore(histories.snapshot());
    restored.changed(change.schema());
    Sample next = restored.inContext(of("red", now).withContext(KeyContext.ofKey(7)));
    assertThat(next.context().values()).as("green is forgotten").containsExactly(0, 0, 1, 0, 0, 0);
  }

  @Test
  void histories_ofKeys_compareWhatStays() {
    SampleSchema.History history = new SampleSchema.History("key", 1, true, 10);
    SampleSchema before = schema(List.of(A, DenseFeature.of("b")), List.of()).with(history);
    SampleSchema now = schema(List.of(DenseFeature.of("c"), A), List.of()).with(history);
    KeyHistories histories = new KeyHistories(before);
    Sample first =
        histories.inContext(Sample.of(new double[] {1, 2}, 1).withContext(KeyContext.ofKey(7)));
    histories.remember(first);
    SampleChange change = new SampleChange(before, now);
    assertThat(change.of(first).context().values()).containsExactly(0, 0, Double.NaN, Double.NaN);

    KeyHistories restored = new KeyHistories(now);
    restored.restore(histories.snapshot());
    restored.changed(change.schema());
    Sample next =
        restored.inContext(Sample.of(new double[] {5, 4}, 0).withContext(KeyContext.ofKey(7)));
    assertThat(next.context().values()).containsExactly(0, 1, Double.NaN, 3);
  }
}
