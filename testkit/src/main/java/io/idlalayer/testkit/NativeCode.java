package io.idlalayer.testkit;

import java.util.List;

/**
 * The native code that JavaCPP brings in a process that a test starts: what it brings in the JVM of
 * the test. Without this, {@code ./idla verify --without-natives} would test such a process with
 * native code.
 *
 * <p>Safe for several threads.
 */
public final class NativeCode {
  private static final String PLATFORM = "org.bytedeco.javacpp.platform";

  private NativeCode() {}

  /**
   * Returns the options of Java that such a process needs; none if this JVM has the native code of
   * its machine.
   */
  public static List<String> options() {
    String platform = System.getProperty(PLATFORM);
    return platform == null ? List.of() : List.of("-D" + PLATFORM + "=" + platform);
  }
}
