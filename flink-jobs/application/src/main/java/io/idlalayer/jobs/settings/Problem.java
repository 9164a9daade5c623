package io.idlalayer.jobs.settings;

/**
 * One thing that is wrong with an application file.
 *
 * @param line line number from 1; 0 for the file as a whole
 * @param key dotted path of the key; empty for the file as a whole
 */
public record Problem(String file, int line, String key, String message) {
  @Override
  public String toString() {
    String place = line > 0 ? file + ":" + line : file;
    return key.isEmpty() ? place + ": " + message : place + ": " + key + ": " + message;
  }
}
