package io.idlalayer.libfolder;

import java.util.Locale;
import java.util.regex.Pattern;

/** The processor that a native library is for, as the names of libraries say it. */
enum Processor {
  ARM64("aarch_?64|arm64"),
  X86_64("x86_64|amd64|linux64|win64|linux-x64"),
  /** One on which no platform of the product runs. */
  OTHER("arm|x86|i386|linux32|ppc|riscv|s390|loongarch|mips|sparc"),
  /** The library has code for several processors, or there is only one for its system. */
  UNNAMED("");

  private final Pattern names;

  Processor(String names) {
    this.names = Pattern.compile(names);
  }

  /** Returns the first processor that a name has in it. */
  static Processor of(String name) {
    String lower = name.toLowerCase(Locale.ROOT);
    for (Processor processor : values()) {
      if (processor.names.matcher(lower).find()) {
        return processor;
      }
    }
    throw new AssertionError(name);
  }
}
