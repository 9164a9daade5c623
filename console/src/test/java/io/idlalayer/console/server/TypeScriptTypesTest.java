package io.idlalayer.console.server;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.databind.ObjectMapper;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;

final class TypeScriptTypesTest {
  private final TypeScriptTypes types =
      new TypeScriptTypes(
          """
          /** What { is : said. */
          export type State =
            | 'on'
            | 'off';

          export interface Point {
            /** epoch milliseconds */
            atMillis: number;
            state?: State;
            values: (number | null)[][];
            by: Record<string, Point[]>;
            parent: Point | null;
          }
          """);

  private List<String> problems(String json) throws IOException {
    return types.problems("Point", new ObjectMapper().readTree(json.replace('\'', '"')));
  }

  @Test
  void problems_ofAValueOfTheType_areNone() throws IOException {
    assertThat(problems("{'atMillis': 1, 'values': [[1, null], []], 'by': {}, 'parent': null}"))
        .isEmpty();
    assertThat(types.unmet()).containsExactly("Point.state");
    String one = "{'atMillis': 1, 'state': 'off', 'values': [], 'by': {}, 'parent': null}";
    assertThat(
            problems(
                "{'atMillis': 1, 'values': [], 'by': {'a': [%s]}, 'parent': %s}"
                    .formatted(one, one)))
        .isEmpty();
    assertThat(types.unmet()).isEmpty();
  }

  @Test
  void problems_ofAnotherValue_nameThePlace() throws IOException {
    assertThat(problems("{'values': [['NaN']], 'by': {'a': {}}, 'parent': null, 'more': 1}"))
        .containsExactlyInAnyOrder(
            ".atMillis is missing; Point has it",
            ".values[0][0] is \"NaN\", not a number",
            ".values[0][0] is \"NaN\", not null",
            ".by.a is {}, not an array",
            ".more is not in the type Point");
    assertThat(problems("{'atMillis': null, 'state': 'no', 'values': [], 'by': [], 'parent': 1}"))
        .containsExactlyInAnyOrder(
            ".atMillis is null, not a number",
            ".state is \"no\", not 'on'",
            ".state is \"no\", not 'off'",
            ".by is [], not an object",
            ".parent is 1, not a Point",
            ".parent is 1, not null");
  }

  @Test
  void aTypeThatIsNotDeclared_isRefused() {
    assertThatThrownBy(() -> types.problems("Line", new ObjectMapper().createObjectNode()))
        .hasMessage("there is no type Line");
  }
}
