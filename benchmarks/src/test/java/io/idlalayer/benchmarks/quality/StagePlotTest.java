package io.idlalayer.benchmarks.quality;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayInputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.w3c.dom.Document;

class StagePlotTest {
  @TempDir Path folder;

  @Test
  void plot_showsSharesAndTheSamplesThatMovedMost() throws Exception {
    Path runs = folder.resolve("runs.csv");
    Path traces = folder.resolve("traces.csv");
    Path svg = folder.resolve("plot.svg");
    RunFile.append(runs, RunFileTest.run("fuzzy", 256, 1, 0.75, 1));
    Files.write(
        traces,
        List.of(
            "stream,event,sample,stage,score",
            "elec,1,10,NEWBORN,0",
            "elec,20,10,MATURE,0",
            "elec,30,10,MATURE,0",
            "elec,40,10,DISCARD,0",
            "elec,1,11,NEWBORN,0",
            "elec,1,12,NEWBORN,0",
            "elec,20,12,PRESERVE,0",
            "elec,1,13,NEWBORN,0",
            "elec,20,13,PRESERVE,0"));
    StagePlot.main(new String[] {runs.toString(), traces.toString(), svg.toString()});

    Document drawn =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new ByteArrayInputStream(Files.readAllBytes(svg)));
    String text = Files.readString(svg);
    // Two times of four stages, four squares of the legend, the background.
    assertThat(drawn.getElementsByTagName("rect").getLength()).isEqualTo(2 * 4 + 4 + 1);
    assertThat(text)
        .contains("sample 10<", "sample 12<", "sample 13<")
        .doesNotContain("sample 11<");
  }
}
