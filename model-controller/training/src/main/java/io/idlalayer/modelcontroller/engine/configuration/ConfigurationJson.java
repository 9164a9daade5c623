package io.idlalayer.modelcontroller.engine.configuration;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.core.util.DefaultIndenter;
import com.fasterxml.jackson.core.util.DefaultPrettyPrinter;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.ObjectWriter;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.idlalayer.middleware.models.store.HeapShare;
import io.idlalayer.middleware.sample.text.JsonReason;
import io.idlalayer.modelcontroller.engine.compile.UncompilableException;
import io.idlalayer.modelcontroller.engine.compile.WrongConfigurationException;
import java.util.Locale;

/**
 * Reads and writes the text of configurations. A text that Deeplearning4j wrote is reproduced byte
 * for byte.
 */
public final class ConfigurationJson {
  private static final int DEEPEST = 100;
  private static final int MOST_CHARACTERS = 16 << 20;

  private static final ObjectMapper JSON =
      new ObjectMapper(
              JsonFactory.builder()
                  .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
                  .streamReadConstraints(
                      StreamReadConstraints.builder()
                          .maxNestingDepth(DEEPEST)
                          .maxTokenCount(HeapShare.ofThisProcess().jsonTokens())
                          .build())
                  .build())
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS);

  private static final ObjectWriter PRETTY =
      JSON.writer(new DefaultPrettyPrinter().withObjectIndenter(new DefaultIndenter("  ", "\n")));

  private ConfigurationJson() {}

  /**
   * Returns the configuration in a text.
   *
   * @throws UncompilableException with the reason and the place if the text is no configuration
   */
  public static ObjectNode parse(String text) throws UncompilableException {
    if (text.length() > MOST_CHARACTERS) {
      throw new UncompilableException(
          String.format(
              Locale.ROOT,
              "the configuration has %,d characters; at most %,d are read",
              text.length(),
              MOST_CHARACTERS));
    }
    try {
      JsonNode root = JSON.readTree(text);
      if (root instanceof ObjectNode object) {
        return object;
      }
      throw new WrongConfigurationException("it is not JSON: a configuration is an object");
    } catch (JsonProcessingException broken) {
      throw new WrongConfigurationException("it is not JSON: " + JsonReason.of(broken), broken);
    }
  }

  /** Returns the text of a configuration, as Deeplearning4j writes it. */
  public static String text(ObjectNode configuration) {
    try {
      return PRETTY.writeValueAsString(configuration);
    } catch (JsonProcessingException impossible) {
      throw new IllegalStateException(impossible);
    }
  }

  static ObjectNode object() {
    return JSON.createObjectNode();
  }
}
