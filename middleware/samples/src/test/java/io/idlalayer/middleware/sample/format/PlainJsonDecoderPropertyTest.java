package io.idlalayer.middleware.sample.format;

import static org.assertj.core.api.Assertions.assertThat;

import io.idlalayer.middleware.sample.IdLists;
import io.idlalayer.middleware.sample.MalformedSampleException;
import io.idlalayer.middleware.sample.Sample;
import io.idlalayer.middleware.sample.SampleSchema;
import io.idlalayer.middleware.sample.SampleSchema.CategoricalFeature;
import io.idlalayer.middleware.sample.SampleSchema.DenseFeature;
import io.idlalayer.middleware.sample.SampleSchema.IdFeature;
import io.idlalayer.middleware.sample.SampleSchema.Missing;
import io.idlalayer.middleware.sample.SampleSchema.Reading;
import io.idlalayer.middleware.sample.SampleSchema.Task;
import io.idlalayer.middleware.sample.TimePart;
import io.idlalayer.middleware.sample.text.EventEncoding;
import java.math.BigDecimal;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.SplittableRandom;
import java.util.stream.IntStream;
import net.jqwik.api.Example;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.constraints.IntRange;

final class PlainJsonDecoderPropertyTest {
  private static final SampleSchema SCHEMA =
      new SampleSchema(
          List.of(),
          List.of(
              DenseFeature.of("a"),
              new DenseFeature("x", 3, 1f),
              new DenseFeature("b", 1, 0.5f),
              new DenseFeature("m", 1, 1f, new Reading(Missing.MEAN, true, List.of(), List.of())),
              new DenseFeature(
                  "z", 1, 1f, new Reading(Missing.ZERO, false, List.of("-200", "?"), List.of())),
              new DenseFeature(
                  "t", 1, 1f, new Reading(Missing.ZERO, false, List.of(), List.of(TimePart.HOUR)))),
          List.of(new CategoricalFeature("kind", 8)),
          List.of(new IdFeature("user", 1), new IdFeature("tags", 4)),
          new SampleSchema.Label("y", Task.CLASSIFICATION, List.of("no", "1", "true")),
          "id");

  private static final String[] NUMBERS = {
    "0",
    "-0",
    "-0.0",
    "0.000",
    "7",
    "-12",
    "1.5",
    "100.25",
    "1e3",
    "-2.5E-3",
    "1E+2",
    "1e-400",
    "9007199254740993",
    "123456789012345678",
    "1234567890123456789",
    "9223372036854775808",
    "0.1234567890123456789",
    "99.123456789012",
    "90071992547.40993",
    "3.4028235e38",
    "3.5e38"
  };
  private static final String[] ODD = {
    "null",
    "true",
    "false",
    "-200",
    "-200.0",
    "\"?\"",
    "\"NA\"",
    "\"\"",
    "\"2024-03-05T10:00\"",
    "\"1e-300000000\""
  };
  private static final String[] TEXTS = {
    "\"no\"",
    "\"1\"",
    "\"\"",
    "\" 1 \"",
    "\"perhaps\"",
    "\"tru\\u0065\"",
    "\"sch\u00f6n\"",
    "1",
    "1.0",
    "1e0",
    "true",
    "false",
    "null",
    "-3"
  };
  private static final String[] IDS = {
    "17", "\"17\"", "-0", "1.50", "\"a|b\"", "true", "false", "null", "\"\""
  };
  private static final String[] OTHERS = {
    "[1,2]",
    "{}",
    "{\"deep\":[1,{}]}",
    "[]",
    "\"any\"",
    "1.25",
    "null",
    "tru",
    "01",
    "1.",
    ".5",
    "+1",
    "--1",
    "NaN",
    "1e",
    "\"open"
  };
  private static final String[] SPACES = {"", "", "", " ", "\n\t", "\r "};

  private final JsonSampleDecoder json = new JsonSampleDecoder(SCHEMA);
  private final JsonSampleDecoder jsonParts =
      new JsonSampleDecoder(SCHEMA, EventEncoding.UTF_8, EventParts.JOINED);
  private final PlainJsonDecoder plain = plain(SCHEMA, EventParts.WHOLE);
  private final PlainJsonDecoder plainParts = plain(SCHEMA, EventParts.JOINED);

  private static PlainJsonDecoder plain(SampleSchema schema, EventParts parts) {
    return new PlainJsonDecoder(new EventDraft(schema, parts));
  }

  private static String any(SplittableRandom random, String[] of) {
    return of[random.nextInt(of.length)];
  }

  /** An event as producers send it, or one that is a little wrong. */
  private static String event(SplittableRandom random, boolean isUsual) {
    List<String> members = new ArrayList<>();
    String[] numbers = isUsual ? new String[] {"1.5", "-99.123456789012", "7", "0"} : NUMBERS;
    String[] texts = isUsual ? new String[] {"\"no\"", "1", "true", "\"\"", "null"} : TEXTS;
    members.add("\"a\":" + space(random) + any(random, numbers));
    members.add("\"b\"" + space(random) + ":" + any(random, numbers));
    List<String> array = new ArrayList<>();
    int width = isUsual || random.nextInt(8) > 0 ? 3 : random.nextInt(5);
    for (int i = 0; i < width; i++) {
      array.add(space(random) + any(random, numbers) + space(random));
    }
    members.add("\"x\":[" + String.join(",", array) + "]");
    for (String name : List.of("kind", "y", "id")) {
      if (random.nextInt(4) > 0) {
        members.add("\"" + name + "\":" + any(random, texts) + space(random));
      }
    }
    for (String name : List.of("user", "tags")) {
      if (random.nextInt(4) > 0) {
        boolean isList = name.equals("tags") || (!isUsual && random.nextInt(8) == 0);
        members.add("\"" + name + "\":" + (isList ? list(random, isUsual) : any(random, texts)));
      }
    }
    if (!isUsual) {
      for (String name : List.of("m", "z", "t")) {
        if (random.nextInt(3) > 0) {
          members.add("\"" + name + "\":" + any(random, random.nextBoolean() ? NUMBERS : ODD));
        }
      }
    }
    members.add("\"more\":" + (isUsual ? "\"2016-04-01\"" : any(random, OTHERS)));
    if (!isUsual && random.nextInt(6) == 0) {
      members.add(members.get(random.nextInt(members.size())));
    }
    if (!isUsual && random.nextInt(6) == 0) {
      members.remove(random.nextInt(members.size()));
    }
    for (int i = members.size() - 1; i > 0 && random.nextBoolean(); i--) {
      members.add(members.remove(random.nextInt(i)));
    }
    return space(random) + "{" + space(random) + String.join(",", members) + "}" + space(random);
  }

  /** A list of ids. */
  private static String list(SplittableRandom random, boolean isUsual) {
    List<String> elements = new ArrayList<>();
    int count = random.nextInt(isUsual ? 5 : 7);
    for (int i = 0; i < count; i++) {
      String[] of = isUsual ? IDS : random.nextInt(4) == 0 ? OTHERS : TEXTS;
      elements.add(space(random) + any(random, of) + space(random));
    }
    return "[" + space(random) + String.join(",", elements) + "]";
  }

  private static String space(SplittableRandom random) {
    return any(random, SPACES);
  }

  private static String shown(Sample sample) {
    return "%s %s %s %s %s %s"
        .formatted(
            sample.id(),
            Arrays.toString(sample.dense()),
            Arrays.toString(sample.categorical()),
            keys(sample.ids()),
            sample.label(),
            sample.absent());
  }

  private static List<List<Long>> keys(IdLists ids) {
    List<List<Long>> all = new ArrayList<>();
    for (int feature = 0; feature < ids.features(); feature++) {
      all.add(IntStream.range(ids.from(feature), ids.to(feature)).mapToObj(ids::key).toList());
    }
    return all;
  }

  /** What the general decoder makes of an event; null if it refuses it. */
  private static String parsed(JsonSampleDecoder json, byte[] event) {
    try {
      return shown(json.parsed(event));
    } catch (MalformedSampleException refused) {
      return null;
    }
  }

  private void agree(byte[] event) {
    agree(plain, json, event);
    agree(plainParts, jsonParts, event);
  }

  private static void agree(PlainJsonDecoder plain, JsonSampleDecoder json, byte[] event) {
    Sample sample = plain.decode(event);
    if (sample != null) {
      String text = new String(event, StandardCharsets.ISO_8859_1);
      assertThat(shown(sample)).as(text).isEqualTo(parsed(json, event));
    }
  }

  @Property(tries = 1000)
  void aPartOfAnEvent_isDecodedAsJacksonDoes(@ForAll long seed) {
    SplittableRandom random = new SplittableRandom(seed);
    List<String> members = new ArrayList<>();
    String[][] all = {
      {"a", "1.5", "null"},
      {"x", "[1,2,3]", "null"},
      {"b", "0"},
      {"m", "7", "null"},
      {"z", "0", "-200"},
      {"kind", "\"k\"", "\"\""},
      {"user", "\"u\""},
      {"tags", "[1,2]", "[]", "null"},
      {"y", "\"no\"", "1", "null"},
      {"id", "\"e1\"", "null"}
    };
    for (String[] each : all) {
      if (random.nextInt(3) == 0) {
        members.add("\"%s\":%s".formatted(each[0], each[1 + random.nextInt(each.length - 1)]));
      }
    }
    byte[] event = ("{" + String.join(",", members) + "}").getBytes(StandardCharsets.UTF_8);
    if (!members.isEmpty()) {
      Sample sample = plainParts.decode(event);
      assertThat(sample == null ? null : shown(sample)).isEqualTo(parsed(jsonParts, event));
    }
  }

  @Property(tries = 2000)
  void anEvent_isLeftOrDecodedAsJacksonDoes(@ForAll long seed) {
    agree(event(new SplittableRandom(seed), false).getBytes(StandardCharsets.UTF_8));
  }

  @Property(tries = 3000)
  void aDamagedEvent_isLeftOrDecodedAsJacksonDoes(@ForAll long seed, @ForAll byte damage) {
    SplittableRandom random = new SplittableRandom(seed);
    byte[] event = event(random, random.nextBoolean()).getBytes(StandardCharsets.UTF_8);
    byte[] likely = "{}[]\",:-.0eE \\nt".getBytes(StandardCharsets.US_ASCII);
    int at = random.nextInt(event.length);
    event[at] = random.nextBoolean() ? damage : likely[random.nextInt(likely.length)];
    agree(event);
    agree(Arrays.copyOf(event, random.nextInt(event.length)));
  }

  @Property(tries = 1000)
  void aUsualEvent_isDecoded(@ForAll long seed) {
    byte[] event = event(new SplittableRandom(seed), true).getBytes(StandardCharsets.UTF_8);
    Sample sample = plain.decode(event);
    assertThat(sample).isNotNull();
    assertThat(shown(sample)).isEqualTo(parsed(json, event));
  }

  @Property(tries = 2000)
  void aNumber_hasTheValueThatJavaReads(
      @ForAll long bits, @ForAll @IntRange(max = 20) int digits, @ForAll boolean isSmall) {
    double value = Double.longBitsToDouble(bits);
    if (isSmall || !Double.isFinite(value)) {
      value = (bits >> 11) * 0x1p-40;
    }
    List<String> texts =
        List.of(
            Double.toString(value),
            String.format(Locale.ROOT, "%." + digits + "e", value),
            Math.abs(value) < 1e18 ? String.format(Locale.ROOT, "%." + digits + "f", value) : "1",
            Math.abs(value) < 1e18 ? new BigDecimal(value).toPlainString() : "2");
    PlainNumber number = new PlainNumber();
    for (String text : texts) {
      byte[] bytes = (text + ",").getBytes(StandardCharsets.US_ASCII);
      boolean isFraction = text.matches(".*[.eE].*");
      boolean isRead = number.read(bytes, 0);
      assertThat(isRead).isEqualTo(text.length() <= 64 && (isFraction || digits(text) <= 18));
      if (isRead) {
        double expected = isFraction ? Double.parseDouble(text) : (double) Long.parseLong(text);
        assertThat(number.value()).isEqualTo(expected);
        assertThat(number.end()).isEqualTo(text.length());
      }
    }
  }

  private static long digits(String text) {
    return text.chars().filter(Character::isDigit).count();
  }

  @Example
  void aNameWithTwoRoles_isLeft() {
    SampleSchema both =
        new SampleSchema(
            List.of(),
            List.of(DenseFeature.of("y")),
            List.of(),
            new SampleSchema.Label("y", Task.REGRESSION, List.of()),
            null);
    byte[] event = "{\"y\":2}".getBytes(StandardCharsets.UTF_8);
    assertThat(plain(both, EventParts.WHOLE).decode(event)).isNull();
    assertThat(parsedBy(both, event)).isEqualTo("[2.0] 2.0");
  }

  private static String parsedBy(SampleSchema schema, byte[] event) {
    try {
      Sample sample = new JsonSampleDecoder(schema).decode(event);
      return Arrays.toString(sample.dense()) + " " + sample.label();
    } catch (MalformedSampleException refused) {
      return String.valueOf(refused.getMessage());
    }
  }
}
