package io.idlalayer.jobs.packaging;

import com.marcnuri.helm.Helm;
import com.marcnuri.helm.LintResult;
import com.marcnuri.helm.TemplateCommand;
import java.nio.file.Path;

/**
 * Renders a chart with Helm, which is a native library here, and so runs in a process of its own.
 * Arguments: the chart, then files of values.
 */
final class HelmRendering {
  private HelmRendering() {}

  public static void main(String[] args) {
    Path chart = Path.of(args[0]);
    try {
      LintResult lint = new Helm(chart).lint().strict().quiet().call();
      TemplateCommand template = new Helm(chart).template().withName("tests");
      for (int i = 1; i < args.length; i++) {
        template.withValuesFile(Path.of(args[i]));
      }
      System.out.println(template.call());
      if (lint.isFailed()) {
        throw new IllegalStateException(String.valueOf(lint.getMessages()));
      }
    } catch (IllegalStateException refused) {
      System.err.println(refused.getMessage());
      System.exit(1);
    }
    // Helm's runtime has threads of its own.
    System.exit(0);
  }
}
