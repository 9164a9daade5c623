package io.idlalayer.middleware.sample.text;

import com.fasterxml.jackson.core.JacksonException;
import com.fasterxml.jackson.core.JsonLocation;
import com.fasterxml.jackson.core.io.JsonEOFException;
import java.util.Locale;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Says in words for users why a parser refused a text as JSON. */
public final class JsonReason {
  /** End of the parser's reasons that says how a program sets the parser up. */
  private static final Pattern OF_THE_PARSER =
      Pattern.compile(
          "(: enable `| \\((for|start marker at) [^()]*\\[Source: | \\(not recognized as one).*",
          Pattern.DOTALL);

  /** Name of the limit that a text exceeds, which is a method of the parser. */
  private static final Pattern LIMIT = Pattern.compile(", from `[^`]*`");

  private JsonReason() {}

  /** Returns the reason, with line and column if they are known. */
  public static String of(JacksonException refused) {
    String reason =
        refused instanceof JsonEOFException
            ? "it ends before it is complete"
            : LIMIT
                .matcher(OF_THE_PARSER.matcher(refused.getOriginalMessage()).replaceFirst(""))
                .replaceFirst("");
    @Nullable JsonLocation location = refused.getLocation();
    return location == null || location.getLineNr() < 1
        ? reason
        : String.format(
            Locale.ROOT,
            "%s (line %d, column %d)",
            reason,
            location.getLineNr(),
            location.getColumnNr());
  }
}
