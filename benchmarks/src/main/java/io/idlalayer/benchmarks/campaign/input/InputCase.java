package io.idlalayer.benchmarks.campaign.input;

import java.util.List;

/**
 * An application file and an input, with what must come of them.
 *
 * @param about what the case is about, in words
 * @param applicationFile the application file, in which {@link #NAME} stands for its name
 * @param fileName name of the input file
 * @param bytes the input file
 * @param options further options of the run
 * @param readings events of the file as they must be read; empty if the run is refused
 * @param expected what must come of it
 */
public record InputCase(
    List<String> about,
    String applicationFile,
    String fileName,
    byte[] bytes,
    List<String> options,
    List<Reading> readings,
    Expected expected) {
  /** Stands for the name of the application in its file. */
  static final String NAME = "@name@";

  /** Returns the application file of an application with a name. */
  public String applicationFile(String name) {
    return applicationFile.replace(NAME, name);
  }
}
