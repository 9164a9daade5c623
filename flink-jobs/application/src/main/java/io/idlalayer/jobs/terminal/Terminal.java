package io.idlalayer.jobs.terminal;

import io.idlalayer.jobs.settings.FolderNames;
import io.idlalayer.middleware.sample.text.NumberNotation;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import java.util.Locale;
import picocli.CommandLine;

/** Exit codes of commands, and the reporting of their errors. */
public final class Terminal {
  public static final int OK = 0;
  public static final int FAILED = 1;
  public static final int BAD_USAGE = 2;

  /** The input was learned, but not all of it: events were refused, lost or given up. */
  public static final int LOSSES = 3;

  /** Nothing of the input was learned, although events came. */
  public static final int NOTHING_LEARNED = 4;

  /**
   * The option for debugging: a command that has this option prints stack traces of errors if the
   * user gives it.
   */
  public static final String DEBUG = "--debug";

  /** Name of the system property with the folder into which JavaCPP unpacks native libraries. */
  public static final String NATIVE_CACHE = "org.bytedeco.javacpp.cachedir";

  private Terminal() {}

  /**
   * Makes the process independent of the machine's and the user's settings; called first in a main
   * method. It sets the locale, because Kafka and Flink build names by the rules of the locale, and
   * in Turkish the upper-case letter of i is not I. It sets the home, because a user who is not in
   * the user database and has no HOME gets the home "?", and JavaCPP would create a folder with
   * this name in the current folder.
   */
  public static void settle() {
    Locale.setDefault(Locale.ROOT);
    if ("?".equals(System.getProperty("user.home")) && System.getProperty(NATIVE_CACHE) == null) {
      System.setProperty(
          NATIVE_CACHE,
          Path.of(System.getProperty("java.io.tmpdir"), "idla-javacpp-" + userName()).toString());
    }
  }

  private static String userName() {
    return System.getProperty("user.name", "").replaceAll("[^A-Za-z0-9]", "_");
  }

  /** Returns a command line that reports each error as a message and an exit code. */
  public static CommandLine commandLine(Object command) {
    CommandLine line = new CommandLine(command);
    line.setExecutionExceptionHandler(Terminal::explain);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(Path.class, new PathConverter());
    line.registerConverter(Double.class, new NumberConverter());
    line.registerConverter(double.class, new NumberConverter());
    return line;
  }

  /**
   * Reads a path. This is a class and not a lambda, because Java 17 crashes while it archives
   * classes at the end of a run if there are two equal lambdas of an interface from such an old
   * class file (JDK-8274944).
   */
  private static final class PathConverter implements CommandLine.ITypeConverter<Path> {
    @Override
    public Path convert(String text) {
      try {
        return FolderNames.path(text);
      } catch (IllegalArgumentException refused) {
        throw new CommandLine.TypeConversionException(String.valueOf(refused.getMessage()));
      }
    }
  }

  /**
   * Reads a number. The JDK's parser is not used, because it also accepts 1d and 0x1p3 as numbers.
   */
  private static final class NumberConverter implements CommandLine.ITypeConverter<Double> {
    @Override
    public Double convert(String text) {
      double number = NumberNotation.PLAIN.read(text);
      if (Double.isNaN(number)) {
        throw new CommandLine.TypeConversionException("'" + text + "' is not a number");
      }
      return number;
    }
  }

  private static int explain(
      Exception failed, CommandLine line, CommandLine.ParseResult arguments) {
    PrintWriter err = line.getErr();
    boolean usage = failed instanceof UsageException;
    if (usage) {
      err.println(failed.getMessage());
    } else {
      err.println("error: " + FailureText.of(failed));
      if (!LogFile.where().isEmpty()) {
        err.println("(" + LogFile.where() + ")");
      }
    }
    if (arguments.hasMatchedOption(DEBUG)) {
      StringWriter trace = new StringWriter();
      failed.printStackTrace(new PrintWriter(trace));
      err.println(trace);
    } else if (!usage && !FailureText.complete(failed)) {
      err.println("(run again with --debug for the stack trace)");
    }
    err.flush();
    return usage ? BAD_USAGE : FAILED;
  }
}
