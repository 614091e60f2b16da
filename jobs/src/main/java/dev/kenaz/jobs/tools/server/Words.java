package dev.kenaz.jobs.tools.server;

import dev.kenaz.jobs.tools.ToolFault;
import java.util.ArrayList;
import java.util.List;

/** Splits a command into words, which have no spaces or stand between double quotes. */
final class Words {
  private Words() {}

  static List<String> of(String line) {
    var words = new ArrayList<String>();
    int at = 0;
    while (at < line.length()) {
      if (Character.isWhitespace(line.charAt(at))) {
        at++;
      } else if (line.charAt(at) == '"') {
        int end = line.indexOf('"', at + 1);
        if (end < 0) {
          throw ToolFault.command("a quote without its end");
        }
        words.add(line.substring(at + 1, end));
        at = end + 1;
      } else {
        int start = at;
        while (at < line.length() && !Character.isWhitespace(line.charAt(at))) {
          at++;
        }
        words.add(line.substring(start, at));
      }
    }
    return words;
  }

  static List<Long> integers(List<String> words) {
    var numbers = new ArrayList<Long>();
    for (var w : words) {
      try {
        numbers.add(Long.parseLong(w));
      } catch (NumberFormatException _) {
        throw ToolFault.command("not an integer: " + w);
      }
    }
    return numbers;
  }
}
