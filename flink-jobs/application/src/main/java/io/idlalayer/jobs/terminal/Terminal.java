package io.idlalayer.jobs.terminal;

import io.idlalayer.jobs.settings.FolderNames;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Path;
import picocli.CommandLine;

/** Exit codes of commands, and the reporting of their errors. */
public final class Terminal {
  public static final int OK = 0;
  public static final int FAILED = 1;
  public static final int BAD_USAGE = 2;

  /**
   * The option for debugging: a command that inherits it prints stack traces of errors when it is
   * given.
   */
  public static final String DEBUG = "--debug";

  private Terminal() {}

  /** Returns a command line that reports each error as a message and an exit code. */
  public static CommandLine commandLine(Object command) {
    CommandLine line = new CommandLine(command);
    line.setExecutionExceptionHandler(Terminal::explain);
    line.setCaseInsensitiveEnumValuesAllowed(true);
    line.registerConverter(Path.class, Terminal::path);
    return line;
  }

  private static Path path(String text) {
    try {
      return FolderNames.path(text);
    } catch (IllegalArgumentException refused) {
      throw new CommandLine.TypeConversionException(String.valueOf(refused.getMessage()));
    }
  }

  private static int explain(
      Exception failed, CommandLine line, CommandLine.ParseResult arguments) {
    PrintWriter err = line.getErr();
    boolean usage = failed instanceof UsageException;
    if (usage) {
      err.println(failed.getMessage());
    } else {
      String message = failed.getMessage();
      err.println("error: " + (message == null ? failed.toString() : message));
      if (!LogFile.where().isEmpty()) {
        err.println("(" + LogFile.where() + ")");
      }
    }
    if (arguments.hasMatchedOption(DEBUG)) {
      StringWriter trace = new StringWriter();
      failed.printStackTrace(new PrintWriter(trace));
      err.println(trace);
    } else if (!usage && !(failed instanceof IOException)) {
      err.println("(run again with --debug for the stack trace)");
    }
    err.flush();
    return usage ? BAD_USAGE : FAILED;
  }
}
