package io.idlalayer.console.server;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.annotation.JsonInclude.Include;
import com.fasterxml.jackson.databind.BeanDescription;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.SerializationConfig;
import com.fasterxml.jackson.databind.annotation.JsonSerialize;
import com.fasterxml.jackson.databind.introspect.BeanPropertyDefinition;
import io.idlalayer.console.history.FollowedPlan;
import io.idlalayer.console.history.Learners;
import io.idlalayer.console.history.MoveHistory;
import io.idlalayer.console.history.Note;
import io.idlalayer.console.history.SampleHistory;
import io.idlalayer.console.history.StatusTable;
import io.idlalayer.console.history.UpdateEntry;
import io.idlalayer.console.letters.DeadLetters;
import io.idlalayer.console.store.VersionTable;
import io.idlalayer.console.subscribers.ReportedSubscribers;
import io.idlalayer.console.whatif.KeptPlans;
import io.idlalayer.console.whatif.WhatIf;
import io.idlalayer.jobs.capacityplan.CapacityPlan;
import io.idlalayer.jobs.events.DecisionEvent;
import io.idlalayer.jobs.events.ProcessorUse;
import io.idlalayer.jobs.events.StageMoves;
import java.io.IOException;
import java.lang.reflect.AnnotatedArrayType;
import java.lang.reflect.AnnotatedParameterizedType;
import java.lang.reflect.AnnotatedType;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.RecordComponent;
import java.lang.reflect.Type;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Writes the page's TypeScript types from the records that the server sends: what Jackson writes of
 * them, with the words of their Javadoc, in the form that Prettier gives it.
 */
final class PageTypes {
  private static final String HEAD =
      """
      /**
       * What the server sends: the events of the decision topic and the answers of the console.
       *
       * Generated from the Java records, see "The page" in docs/console.md. Do not edit.
       */
      """;

  private static final int WIDTH = 120;

  /** What the server sends; the types of its parts follow from it. */
  private static final List<Class<?>> SENT =
      List.of(
          DecisionEvent.class,
          EventBroadcast.Hello.class,
          ConsoleInfo.class,
          Learners.Learner.class,
          StatusTable.class,
          UpdateEntry.class,
          Note.class,
          MoveHistory.class,
          FollowedPlan.class,
          SampleHistory.class,
          VersionTable.class,
          ReportedSubscribers.class,
          DeadLetters.Page.class,
          WhatIf.Answer.class,
          KeptPlans.Answer.class,
          RecordedAnswers.class,
          WriteRoutes.Done.class,
          Refusal.class);

  /** Names of types whose own name says too little outside their class. */
  private static final Map<Class<?>, String> NAMES =
      Map.ofEntries(
          Map.entry(DecisionEvent.Type.class, "EventType"),
          Map.entry(StageMoves.Move.class, "StageMove"),
          Map.entry(ConsoleInfo.Source.class, "ConsoleSource"),
          Map.entry(Learners.Learner.class, "LearnerInfo"),
          Map.entry(UpdateEntry.State.class, "UpdateState"),
          Map.entry(MoveHistory.Point.class, "MovePoint"),
          Map.entry(SampleHistory.Move.class, "SampleMove"),
          Map.entry(VersionTable.Version.class, "ModelVersion"),
          Map.entry(DeadLetters.Page.class, "DeadLetterPage"),
          Map.entry(DeadLetters.Letter.class, "DeadLetter"),
          Map.entry(ProcessorUse.Caused.class, "ProcessorCaused"),
          Map.entry(ProcessorUse.OfProcess.class, "ProcessorOfProcess"),
          Map.entry(WhatIf.Answer.class, "WhatIfAnswer"),
          Map.entry(KeptPlans.Answer.class, "CapacityAnswer"),
          Map.entry(CapacityPlan.Label.class, "CapacityLabel"),
          Map.entry(CapacityPlan.Row.class, "CapacityRow"),
          Map.entry(CapacityPlan.Update.class, "CapacityUpdate"),
          Map.entry(CapacityPlan.Measured.class, "CapacityMeasured"),
          Map.entry(CapacityPlan.Predicted.class, "CapacityPredicted"),
          Map.entry(CapacityPlan.SlowDevice.class, "CapacitySlowDevice"),
          Map.entry(CapacityPlan.Forecast.class, "CapacityForecast"),
          Map.entry(WhatIf.Row.class, "WhatIfRow"));

  /** What serializers of ours write, by their simple names. */
  private static final Map<String, String> SERIALIZERS =
      Map.of("ColumnSerializer", "(number | null)[]");

  private static final Set<Class<?>> NUMBERS =
      Set.of(int.class, long.class, double.class, Integer.class, Long.class, Double.class);

  private final ObjectMapper json = ConsoleJson.mapper();
  private final SourceComments comments = new SourceComments();
  private final StringBuilder text = new StringBuilder(HEAD);
  private final Map<String, Class<?>> declared = new TreeMap<>();

  private PageTypes() {}

  /** The whole file. */
  static String text() throws IOException {
    PageTypes types = new PageTypes();
    for (Class<?> each : SENT) {
      types.declare(each);
    }
    return types.text.toString();
  }

  /** A type, and behind it those of its parts. */
  private void declare(Class<?> type) throws IOException {
    Class<?> other = declared.putIfAbsent(name(type), type);
    if (other != null) {
      if (other != type) {
        throw new IllegalStateException(
            "%s and %s have one name; give one of them another in PageTypes"
                .formatted(other, type));
      }
      return;
    }
    text.append('\n');
    Set<Class<?>> parts = new LinkedHashSet<>();
    if (type.isEnum()) {
      text.append(comment("", comments.of(type).sentence())).append(union(type));
    } else {
      text.append(record(type, parts));
    }
    for (Class<?> part : parts) {
      declare(part);
    }
  }

  private static String name(Class<?> type) {
    return NAMES.getOrDefault(type, type.getSimpleName());
  }

  private String union(Class<?> type) {
    List<String> values =
        Arrays.stream(type.getEnumConstants())
            .map(constant -> "'" + json.valueToTree(constant).textValue() + "'")
            .toList();
    String begin = "export type " + name(type) + " =";
    String line = begin + " " + String.join(" | ", values) + ";\n";
    return line.length() - 1 <= WIDTH
        ? line
        : values.stream()
            .map(value -> "\n  | " + value)
            .collect(Collectors.joining("", begin, ";\n"));
  }

  /**
   * @param parts takes the types that the record's type names
   */
  private String record(Class<?> type, Set<Class<?>> parts) throws IOException {
    SourceComments.Comment javadoc = comments.of(type);
    StringBuilder declaration = new StringBuilder(comment("", javadoc.sentence()));
    declaration.append("export interface ").append(name(type)).append(" {\n");
    SerializationConfig config = json.getSerializationConfig();
    BeanDescription bean = config.introspect(config.constructType(type));
    JsonInclude.Value inclusion = bean.findPropertyInclusion(config.getDefaultPropertyInclusion());
    for (BeanPropertyDefinition property : bean.findProperties()) {
      RecordComponent component = component(type, property.getInternalName());
      boolean nullable = isNullable(component.getAnnotatedType());
      Include include = inclusion.withOverrides(property.findInclusion()).getValueInclusion();
      boolean sometimesAbsent =
          include != Include.ALWAYS && (nullable || include != Include.NON_NULL);
      declaration
          .append(comment("  ", javadoc.parameters().getOrDefault(component.getName(), "")))
          .append("  ")
          .append(property.getName())
          .append(sometimesAbsent ? "?: " : ": ")
          .append(typescript(component, parts))
          .append(nullable && !sometimesAbsent ? " | null;\n" : ";\n");
    }
    return declaration.append("}\n").toString();
  }

  private static RecordComponent component(Class<?> type, String name) {
    if (!type.isRecord()) {
      throw new IllegalStateException(type + " is not a record, so its type cannot be written");
    }
    return Stream.of(type.getRecordComponents())
        .filter(component -> component.getName().equals(name))
        .findFirst()
        .orElseThrow(
            () -> new IllegalStateException("%s has no component %s".formatted(type, name)));
  }

  private static boolean isNullable(AnnotatedType type) {
    return type.isAnnotationPresent(Nullable.class);
  }

  private static String typescript(RecordComponent component, Set<Class<?>> parts) {
    JsonSerialize otherwise = component.getAccessor().getAnnotation(JsonSerialize.class);
    if (otherwise == null) {
      return typescript(component.getAnnotatedType(), parts);
    }
    String element = SERIALIZERS.get(otherwise.contentUsing().getSimpleName());
    if (element == null) {
      throw new IllegalStateException(component + ": PageTypes does not know its serializer");
    }
    return element + "[]";
  }

  private static String typescript(AnnotatedType type, Set<Class<?>> parts) {
    if (type instanceof AnnotatedArrayType array) {
      return array(array.getAnnotatedGenericComponentType(), parts);
    }
    Class<?> raw = raw(type.getType());
    if (type instanceof AnnotatedParameterizedType generic) {
      AnnotatedType[] arguments = generic.getAnnotatedActualTypeArguments();
      if (Collection.class.isAssignableFrom(raw)) {
        return array(arguments[0], parts);
      }
      if (Map.class.isAssignableFrom(raw) && arguments[0].getType() == String.class) {
        return "Record<string, " + element(arguments[1], parts) + ">";
      }
    } else if (NUMBERS.contains(raw)) {
      return "number";
    } else if (raw == boolean.class) {
      return "boolean";
    } else if (raw == String.class) {
      return "string";
    } else if (raw.isEnum() || raw.isRecord()) {
      parts.add(raw);
      return name(raw);
    }
    throw new IllegalStateException("PageTypes does not know what JSON has for " + type);
  }

  private static Class<?> raw(Type type) {
    return (Class<?>) (type instanceof ParameterizedType generic ? generic.getRawType() : type);
  }

  private static String array(AnnotatedType elements, Set<Class<?>> parts) {
    String element = element(elements, parts);
    return (element.contains("|") ? "(" + element + ")" : element) + "[]";
  }

  private static String element(AnnotatedType type, Set<Class<?>> parts) {
    return typescript(type, parts) + (isNullable(type) ? " | null" : "");
  }

  private static String comment(String indentation, String words) {
    if (words.isEmpty()) {
      return "";
    }
    String line = indentation + "/** " + words + " */\n";
    if (line.length() - 1 <= WIDTH) {
      return line;
    }
    String begin = "\n" + indentation + " * ";
    StringBuilder block = new StringBuilder(indentation).append("/**");
    for (String each : lines(words, WIDTH - begin.length() + 1)) {
      block.append(begin).append(each);
    }
    return block.append('\n').append(indentation).append(" */\n").toString();
  }

  private static List<String> lines(String words, int width) {
    List<String> lines = new ArrayList<>();
    StringBuilder line = new StringBuilder();
    for (String word : words.split(" ")) {
      if (line.length() + 1 + word.length() > width) {
        lines.add(line.toString());
        line.setLength(0);
      }
      line.append(line.isEmpty() ? "" : " ").append(word);
    }
    lines.add(line.toString());
    return lines;
  }
}
