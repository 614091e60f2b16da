package dev.kenaz.spark;

import dev.kenaz.error.UserError;
import dev.kenaz.value.Value;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.stream.IntStream;

/** Runs programs over shards: as many in one Spark job as there is memory for. */
final class ShardJob {
  /** How many bytes the programs of a job may take and give in all, unless there is but one. */
  private static final long ROOM = 64L << 20;

  /** A run that somebody asks for. */
  record Request(SparkRunner runner, ShardProgram program, List<Value> replicated) {}

  /**
   * What came of it.
   *
   * @param failure why there is no result; null if there is one
   */
  record Answer(SparkRunner.Result result, RuntimeException failure) {
    SparkRunner.Result get() {
      if (failure != null) {
        throw failure;
      }
      return result;
    }
  }

  private final List<Request> requests;
  private final ShardTask[] tasks;
  private final List<ShardRdd.Part> parts = new ArrayList<>();

  private ShardJob(List<Request> requests) {
    this.requests = requests;
    this.tasks = new ShardTask[requests.size()];
  }

  /** Does what is asked for, and returns what came of it, in the same order. */
  static List<Answer> answers(List<Request> requests) {
    var answers = new ArrayList<Answer>();
    var some = new ArrayList<Request>();
    long bytes = 0;
    for (var request : requests) {
      bytes += request.runner().bytes(request);
      if (!some.isEmpty() && bytes > ROOM) {
        answers.addAll(new ShardJob(List.copyOf(some)).run());
        some.clear();
        bytes = request.runner().bytes(request);
      }
      some.add(request);
    }
    answers.addAll(new ShardJob(some).run());
    return answers;
  }

  private List<Answer> run() {
    var first = requests.getFirst().runner();
    long start = System.nanoTime();
    var runners = new LinkedHashMap<SparkRunner, List<Integer>>();
    for (int i = 0; i < tasks.length; i++) {
      runners.computeIfAbsent(requests.get(i).runner(), _ -> new ArrayList<>()).add(i);
    }
    try {
      var outcomes =
          first.explained(
              () -> {
                runners.forEach(this::prepare);
                return outcomes();
              });
      return IntStream.range(0, tasks.length).mapToObj(i -> answer(i, outcomes.get(i))).toList();
    } catch (RuntimeException e) { // What fails here is Spark, and not one of the programs.
      return requests.stream().map(_ -> new Answer(null, e)).toList();
    } finally {
      double seconds = (System.nanoTime() - start) / 1e9;
      runners.keySet().forEach(r -> r.spend(new Spent(0, 0, 0, seconds)));
    }
  }

  /** Adds the partitions for the runs of a runner. */
  private void prepare(SparkRunner runner, List<Integer> runs) {
    var mine = runs.stream().map(requests::get).toList();
    var prepared = runner.tasks(mine);
    for (int i = 0; i < prepared.size(); i++) {
      tasks[runs.get(i)] = prepared.get(i);
    }
    var groups = runner.groups(mine);
    // Where there are fewer groups than slots, other slots take some of the programs.
    int turns =
        Math.clamp(
            runner.slots(mine.stream().map(Request::program)) / groups.size(), 1, runs.size());
    for (int t = 0; t < turns; t++) {
      var some = runs.subList(t * runs.size() / turns, (t + 1) * runs.size() / turns);
      var indices = some.stream().mapToInt(i -> i).toArray();
      for (var group : groups) {
        parts.add(new ShardRdd.Part(group.numbered(parts.size()), indices));
      }
    }
  }

  /** Returns for each run the outcomes of its partitions. */
  private List<List<Outcome>> outcomes() {
    var first = requests.getFirst();
    int others = requests.size() - 1;
    var title =
        first.runner().title(first.program())
            + (others == 0 ? "" : ", and %d more".formatted(others));
    if (requests.stream().allMatch(r -> r.runner().mayStay(r.program(), parts))) {
      return byRun(first.runner().stay(title, requests, List.of(tasks), parts));
    }
    Stay.closeLast();
    var spark = first.runner().context();
    var programs = requests.stream().map(Request::program);
    var rdd = first.runner().asking(new ShardRdd(spark, List.of(tasks), parts), programs);
    return JobTitle.during(
        spark,
        title,
        () ->
            others == 0
                ? List.of(first.runner().collect(tasks[0], rdd, parts.size(), first.program()))
                : byRun(OutcomeJob.runAll(spark, rdd)));
  }

  /** Returns the outcomes of each run, of those of each partition. */
  private List<List<Outcome>> byRun(List<List<Outcome>> found) {
    var all = requests.stream().map(_ -> (List<Outcome>) new ArrayList<Outcome>()).toList();
    for (var part : parts) {
      for (int i = 0; i < part.runs().length; i++) {
        all.get(part.runs()[i]).add(found.get(part.index()).get(i));
      }
    }
    return all;
  }

  private Answer answer(int run, List<Outcome> outcomes) {
    var request = requests.get(run);
    try {
      return new Answer(request.runner().combined(outcomes, request, parts.size()), null);
    } catch (UserError e) {
      return new Answer(null, e);
    }
  }
}
