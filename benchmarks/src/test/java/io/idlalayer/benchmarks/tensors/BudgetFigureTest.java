package io.idlalayer.benchmarks.tensors;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.StringReader;
import java.util.ArrayList;
import java.util.List;
import javax.xml.parsers.DocumentBuilderFactory;
import org.junit.jupiter.api.Test;
import org.w3c.dom.Element;
import org.w3c.dom.NodeList;
import org.xml.sax.InputSource;

final class BudgetFigureTest {
  private static final List<Double> SHARES = List.of(0.5, 1.0);

  private static BudgetFigure.Panel panel(String network) {
    return new BudgetFigure.Panel(
        network,
        List.of(
            new BudgetFigure.Line("one", List.of(4.0, 1.0), List.of(2.0, 1.0)),
            new BudgetFigure.Line("other", List.of(2.0, 1.0), List.of(1.0, 1.0))));
  }

  private static List<String> paths(String svg, boolean dashed) throws Exception {
    NodeList found =
        DocumentBuilderFactory.newInstance()
            .newDocumentBuilder()
            .parse(new InputSource(new StringReader(svg)))
            .getElementsByTagName("path");
    List<String> paths = new ArrayList<>();
    for (int i = 0; i < found.getLength(); i++) {
      Element path = (Element) found.item(i);
      if (path.hasAttribute("fill") && dashed == path.hasAttribute("stroke-dasharray")) {
        paths.add(path.getAttribute("d"));
      }
    }
    return paths;
  }

  @Test
  void draw_ofTwoNetworks_hasALineAndADashedOneForEachPolicy() throws Exception {
    String svg = BudgetFigure.draw(SHARES, List.of(panel("a-net"), panel("b-net")));
    assertThat(svg).contains("a-net", "b-net", "one", "other", "SIMULATED");
    // 4 is the top of the panel and 1 its bottom; half of the peak is its middle.
    assertThat(paths(svg, false))
        .startsWith("M174.0 64.0 L304.0 224.0", "M174.0 144.0 L304.0 224.0");
    assertThat(paths(svg, true))
        .startsWith("M174.0 144.0 L304.0 224.0", "M174.0 224.0 L304.0 224.0");
    assertThat(paths(svg, false)).hasSize(4);
  }
}
