package io.idlalayer.sql;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.List;
import org.apache.flink.table.api.DataTypes;
import org.apache.flink.table.api.ValidationException;
import org.apache.flink.table.catalog.Column;
import org.apache.flink.table.catalog.ResolvedSchema;
import org.apache.flink.table.types.DataType;
import org.apache.flink.table.types.logical.LogicalType;
import org.junit.jupiter.api.Test;

final class FeatureColumnsTest {
  private static final FeatureColumns COLUMNS =
      FeatureColumns.of(
          ResolvedSchema.of(
              Column.physical("x", DataTypes.DOUBLE()),
              Column.physical("n", DataTypes.BIGINT()),
              Column.physical("tags", DataTypes.ARRAY(DataTypes.STRING()))));

  private static FeatureColumns given(DataType x, DataType n, DataType tags) {
    List<LogicalType> types =
        List.of(x.getLogicalType(), n.getLogicalType(), tags.getLogicalType());
    return COLUMNS.given(types);
  }

  @Test
  void given_typesThatCanBeCast_areTaken() {
    DataType texts = DataTypes.ARRAY(DataTypes.CHAR(3));
    for (DataType x :
        List.of(DataTypes.TINYINT(), DataTypes.INT(), DataTypes.DECIMAL(5, 2), DataTypes.NULL())) {
      assertThat(given(x, DataTypes.SMALLINT(), texts).columns())
          .extracting(FeatureColumns.Input::given)
          .contains(x.getLogicalType());
    }
    assertThat(given(DataTypes.DOUBLE(), DataTypes.BIGINT(), DataTypes.NULL()).columns())
        .hasSize(3);
  }

  @Test
  void given_typesThatCannotBeCast_areAllNamed() {
    assertThatThrownBy(
            () -> given(DataTypes.BOOLEAN(), DataTypes.DOUBLE(), DataTypes.ARRAY(DataTypes.INT())))
        .isInstanceOf(ValidationException.class)
        .hasMessage(
            "column 'x' is DOUBLE in INPUT, but BOOLEAN in the query;"
                + " column 'n' is BIGINT in INPUT, but DOUBLE in the query;"
                + " column 'tags' is ARRAY<STRING> in INPUT, but ARRAY<INT> in the query;"
                + " cast it in the query, or declare its type in INPUT");
    assertThatThrownBy(
            () -> given(DataTypes.ARRAY(DataTypes.INT()), DataTypes.INT(), DataTypes.STRING()))
        .hasMessageContaining("column 'x' is DOUBLE in INPUT, but ARRAY<INT> in the query")
        .hasMessageContaining("column 'tags'");
    assertThatThrownBy(() -> COLUMNS.given(List.of()))
        .hasMessageContaining("the query gives 0 columns, but INPUT has 3");
  }
}
