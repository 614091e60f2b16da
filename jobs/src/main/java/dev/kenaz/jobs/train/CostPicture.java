package dev.kenaz.jobs.train;

import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;
import org.knowm.xchart.BitmapEncoder;
import org.knowm.xchart.BitmapEncoder.BitmapFormat;
import org.knowm.xchart.XYChartBuilder;
import org.knowm.xchart.style.Styler.ChartTheme;
import org.knowm.xchart.style.Styler.LegendPosition;
import org.knowm.xchart.style.markers.SeriesMarkers;

/** Draws the cost by iteration. */
public final class CostPicture {
  private CostPicture() {}

  static void write(String title, List<Double> costs, OutputStream out) throws IOException {
    write(title, Map.of("loss", costs), out);
  }

  /**
   * Draws several trainings in one picture, as a PNG.
   *
   * @param curves the costs by name; the names are shown only if there are several
   */
  public static void write(String title, Map<String, List<Double>> curves, OutputStream out)
      throws IOException {
    System.setProperty("java.awt.headless", "true");
    var chart =
        new XYChartBuilder()
            .width(900)
            .height(540)
            .title(title)
            .xAxisTitle("iteration")
            .yAxisTitle("loss")
            .theme(ChartTheme.GGPlot2)
            .build();
    chart.getStyler().setLegendPosition(LegendPosition.OutsideE);
    chart.getStyler().setLegendVisible(curves.size() > 1);
    chart.getStyler().setYAxisDecimalPattern("0.###E0");
    curves.forEach(
        (name, costs) -> {
          var iterations = IntStream.range(0, costs.size()).mapToObj(i -> (double) i).toList();
          chart.addSeries(name, iterations, costs).setMarker(SeriesMarkers.CIRCLE);
        });
    BitmapEncoder.saveBitmap(chart, out, BitmapFormat.PNG);
  }
}
