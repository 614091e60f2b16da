package dev.kenaz.spark;

import static dev.kenaz.error.ErrorCode.K8204;

import dev.kenaz.error.Span;
import dev.kenaz.error.UserError;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.UnknownHostException;
import java.util.Arrays;
import java.util.List;

/**
 * Looks for the master of a standalone cluster. Spark does so too, but it takes a minute, says
 * nothing in that time, and nothing of the reason afterwards.
 */
final class MasterSearch {
  private static final String STANDALONE = "spark://";

  /** A master that is just being started comes within this time. */
  private static final int TRIES = 8;

  private static final int MILLIS_BETWEEN = 1000;
  private static final int MILLIS_OF_TRY = 5000;

  private MasterSearch() {}

  /**
   * Returns if one of the masters answers, or if the text isn't that of standalone masters.
   *
   * @throws UserError K8204 if none does
   */
  static void require(String master) {
    if (!master.startsWith(STANDALONE)) {
      return;
    }
    var places =
        Arrays.stream(master.substring(STANDALONE.length()).split(","))
            .map(p -> p.split(":"))
            .toList();
    if (places.stream().anyMatch(p -> p.length != 2 || !p[1].matches("\\d{1,5}"))) {
      return; // Spark says what is wrong.
    }
    var reason = search(places);
    if (!reason.isEmpty()) {
      throw new UserError(
          K8204,
          Span.NONE,
          "can't reach Spark's master " + master + ": " + reason,
          "is the master running there, and does its page show the same address?");
    }
  }

  /** Returns why no place answers, or "" if one does. */
  private static String search(List<String[]> places) {
    var reason = "";
    for (int i = 0; i < TRIES; i++) {
      boolean unknown = true;
      for (var place : places) {
        try (var socket = new Socket()) {
          var address = new InetSocketAddress(place[0], Integer.parseInt(place[1]));
          if (address.isUnresolved()) {
            throw new UnknownHostException("there is no host " + place[0]);
          }
          unknown = false;
          socket.connect(address, MILLIS_OF_TRY);
          return "";
        } catch (IOException | IllegalArgumentException e) {
          reason = e.getMessage();
        }
      }
      if (unknown || !slept()) {
        break;
      }
    }
    return reason;
  }

  private static boolean slept() {
    try {
      Thread.sleep(MILLIS_BETWEEN);
      return true;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return false;
    }
  }
}
