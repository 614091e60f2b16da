package dev.kenaz.connect;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.apache.arrow.memory.RootAllocator;
import org.apache.arrow.vector.ipc.ArrowStreamReader;
import org.apache.spark.connect.proto.Command;
import org.apache.spark.connect.proto.ExecutePlanRequest;
import org.apache.spark.connect.proto.ExecutePlanResponse;
import org.apache.spark.connect.proto.Expression;
import org.apache.spark.connect.proto.Fetch;
import org.apache.spark.connect.proto.MlCommand;
import org.apache.spark.connect.proto.MlOperator;
import org.apache.spark.connect.proto.MlParams;
import org.apache.spark.connect.proto.MlRelation;
import org.apache.spark.connect.proto.ObjectRef;
import org.apache.spark.connect.proto.Plan;
import org.apache.spark.connect.proto.Relation;
import org.apache.spark.connect.proto.SQL;
import org.apache.spark.connect.proto.SparkConnectServiceGrpc;
import org.apache.spark.connect.proto.UserContext;
import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.connect.service.SparkConnectService$;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.sparkproject.connect.grpc.ManagedChannel;
import org.sparkproject.connect.grpc.netty.NettyChannelBuilder;
import org.sparkproject.connect.protobuf.Any;
import org.sparkproject.connect.protobuf.ByteString;

/**
 * A server of Spark Connect in this process, and a client that speaks its protocol: it sends what
 * PySpark sends, as there is no PySpark here, and Java's client has no machine learning.
 */
final class ConnectTest {
  private static final String POINTS =
      "select array(double(id & 1) * 10, double(id & 3)) as features from range(100)";

  private static SparkSession spark;
  private static ManagedChannel channel;

  @TempDir Path folder;

  @BeforeAll
  static void start() {
    spark =
        SparkSession.builder()
            .master("local[2]")
            .config("spark.ui.enabled", "false")
            .config("spark.sql.shuffle.partitions", "2")
            .config("spark.plugins", "org.apache.spark.sql.connect.SparkConnectPlugin")
            .config("spark.connect.grpc.binding.address", "127.0.0.1")
            .config("spark.connect.grpc.binding.port", "0")
            .config("spark.connect.extensions.command.classes", KenazCommands.class.getName())
            .config("spark.connect.ml.backend.classes", KenazBackend.class.getName())
            .getOrCreate();
    spark.sparkContext().setLogLevel("ERROR");
    int port = SparkConnectService$.MODULE$.localPort();
    channel = NettyChannelBuilder.forAddress("127.0.0.1", port).usePlaintext().build();
  }

  @AfterAll
  static void stop() {
    channel.shutdownNow();
    spark.stop();
  }

  /** A session of a client. */
  private record Client(String id) {
    List<ExecutePlanResponse> execute(Plan plan) {
      var request =
          ExecutePlanRequest.newBuilder()
              .setSessionId(id)
              .setUserContext(UserContext.newBuilder().setUserId("tester"))
              .setPlan(plan)
              .build();
      var all = new ArrayList<ExecutePlanResponse>();
      SparkConnectServiceGrpc.newBlockingStub(channel)
          .executePlan(request)
          .forEachRemaining(all::add);
      return all;
    }

    void command(String type, String value) {
      var any = Any.newBuilder().setTypeUrl(type).setValue(ByteString.copyFromUtf8(value));
      execute(Plan.newBuilder().setCommand(Command.newBuilder().setExtension(any.build())).build());
    }

    void register(String json) {
      command(KenazCommands.TYPE, json.replace('\'', '"'));
    }

    List<String> rows(Relation relation) throws IOException {
      var rows = new ArrayList<String>();
      for (var part : execute(Plan.newBuilder().setRoot(relation).build())) {
        var bytes = part.getArrowBatch().getData().newInput();
        if (!part.hasArrowBatch()) {
          continue;
        }
        try (var allocator = new RootAllocator();
            var reader = new ArrowStreamReader(bytes, allocator)) {
          while (reader.loadNextBatch()) {
            var root = reader.getVectorSchemaRoot();
            for (int i = 0; i < root.getRowCount(); i++) {
              int row = i;
              rows.add(
                  String.join(
                      ",",
                      root.getFieldVectors().stream()
                          .map(v -> String.valueOf(v.getObject(row)))
                          .toList()));
            }
          }
        }
      }
      return rows;
    }

    List<String> sql(String query) throws IOException {
      return rows(query(query));
    }

    ObjectRef fit(String estimator, Map<String, Expression.Literal> params, String rows) {
      var operator =
          MlOperator.newBuilder()
              .setName(estimator)
              .setUid("est_" + UUID.randomUUID())
              .setType(MlOperator.OperatorType.OPERATOR_TYPE_ESTIMATOR);
      var fit =
          MlCommand.Fit.newBuilder()
              .setEstimator(operator)
              .setParams(MlParams.newBuilder().putAllParams(params))
              .setDataset(query(rows));
      var command = Command.newBuilder().setMlCommand(MlCommand.newBuilder().setFit(fit));
      return execute(Plan.newBuilder().setCommand(command).build()).stream()
          .filter(ExecutePlanResponse::hasMlCommandResult)
          .map(r -> r.getMlCommandResult().getOperatorInfo().getObjRef())
          .findFirst()
          .orElseThrow();
    }

    String fetch(ObjectRef model, String method) {
      var fetch =
          Fetch.newBuilder()
              .setObjRef(model)
              .addMethods(Fetch.Method.newBuilder().setMethod(method));
      var command = Command.newBuilder().setMlCommand(MlCommand.newBuilder().setFetch(fetch));
      return execute(Plan.newBuilder().setCommand(command).build()).stream()
          .filter(ExecutePlanResponse::hasMlCommandResult)
          .map(r -> r.getMlCommandResult().getParam().toString())
          .findFirst()
          .orElseThrow();
    }
  }

  private static Client client() {
    return new Client(UUID.randomUUID().toString());
  }

  private static Relation query(String text) {
    return Relation.newBuilder().setSql(SQL.newBuilder().setQuery(text)).build();
  }

  private static Relation transform(ObjectRef model, String rows) {
    var transform = MlRelation.Transform.newBuilder().setObjRef(model).setInput(query(rows));
    return Relation.newBuilder()
        .setMlRelation(MlRelation.newBuilder().setTransform(transform))
        .build();
  }

  private static Expression.Literal text(String value) {
    return Expression.Literal.newBuilder().setString(value).build();
  }

  private static Expression.Literal integer(int value) {
    return Expression.Literal.newBuilder().setInteger(value).build();
  }

  @Test
  void clientsRegisterFunctions() throws IOException {
    var client = client();
    client.register(
        "{'register': 'row', 'name': 'price', 'program': 'entry price [d] (w: [d]f64) (b: f64)"
            + " (x: [d]f64) : f64 = f64.sum (map2 (*) w x) + b', 'entry': 'price',"
            + " 'first': [[3.5, -1], 7]}");
    assertEquals(List.of("12.0"), client.sql("select price(array(2.0D, 2.0D))"));
    client.register(
        "{'register': 'aggregate', 'name': 'total', 'entry': 'total', 'program':"
            + " 'entry total [n] (k: i64) (x: [n]i64) : i64 = k * i64.sum x', 'first': [2]}");
    assertEquals(List.of("90"), client.sql("select total(id) from range(10)"));
    var file = folder.resolve("twice.fut");
    Files.writeString(file, "entry twice (x: i64) : i64 = 2 * x");
    client.register(
        "{'register': 'row', 'name': 'twice', 'entry': 'twice', 'file': '" + file + "'}");
    assertEquals(List.of("8"), client.sql("select twice(4)"));
    client.register(
        "{'register': 'gradient', 'name': 'slope', 'entry': 'loss', 'program':"
            + " 'entry loss [n] (w: f64) (x: [n]f64) : f64 = f64.sum (map (* (w * w)) x)',"
            + " 'first': [0.5]}");
    assertEquals(List.of("45.0"), client.sql("select slope(double(id)) from range(10)"));
    client.register(
        "{'register': 'table', 'name': 'flags', 'entry': 'flags', 'program':"
            + " 'entry flags [n] (which: [2]bool) (x: [n]i64) = map (\\\\v -> which[v % 2]) x',"
            + " 'first': [[true, false]]}");
    assertEquals(
        List.of("true", "false"),
        client.sql("select * from flags(table(select id from range(2)))"));
    // Another session has no such function.
    var e = assertThrows(Exception.class, () -> client().sql("select price(array(1.0D, 1.0D))"));
    assertTrue(e.getMessage().contains("price"), e.getMessage());
  }

  @Test
  void whatIsNoCommandIsRefused() {
    var client = client();
    for (var bad :
        List.of(
            "{'register': 'row', 'name': 'f'}",
            "{'register': 'rows', 'name': 'f', 'program': '', 'entry': 'f'}",
            "{'register': 'row', 'name': 'f', 'program': '', 'wrong': 1}",
            "{'register': 'row', 'name': 'f', 'program': '', 'entry': 'f', 'first': ['text']}",
            "{'register': 'row', 'name': 'f', 'program': '', 'entry': 'f', 'first': [[1, true]]}",
            "{'register': 'row', 'name': 'f', 'program': '', 'file': 'f.fut', 'entry': 'f'}",
            "{'register': 'model', 'name': 'f', 'program': ''}",
            "{'register': 'model', 'name': 'f', 'file': 'm', 'entry': 'f'}",
            "no JSON")) {
      var e = assertThrows(Exception.class, () -> client.register(bad), bad);
      assertTrue(e.getMessage().contains("K6115"), e.getMessage());
    }
    var e =
        assertThrows(
            Exception.class,
            () ->
                client.register(
                    "{'register': 'row', 'name': 'f', 'program': 'entry f (x: f64) = y', 'entry':"
                        + " 'f'}"));
    assertTrue(e.getMessage().contains("f.fut:1:20"), e.getMessage());
    // What is another plugin's is left to it.
    assertThrows(Exception.class, () -> client.command("type.googleapis.com/else", "{}"));
  }

  @Test
  void estimatorsOfMllibAreReplaced() throws IOException {
    var client = client();
    var params =
        Map.of("k", integer(2), "seed", Expression.Literal.newBuilder().setLong(1).build());
    for (var name :
        List.of("org.apache.spark.ml.clustering.KMeans", "dev.kenaz.ml.clustering.KMeans")) {
      var model = client.fit(name, params, POINTS);
      var counts = client.rows(transform(model, POINTS));
      assertEquals(100, counts.size());
      assertEquals(
          50,
          counts.stream()
              .filter(r -> r.endsWith(counts.getFirst().substring(counts.getFirst().length() - 2)))
              .count());
      assertTrue(client.fetch(model, "clusterCenterMatrix").contains("struct"));
    }
    // MLlib's takes this distance, and Kenaz refuses it.
    var cosine = Map.of("k", integer(2), "distanceMeasure", text("cosine"));
    var e =
        assertThrows(
            Exception.class,
            () -> client.fit("org.apache.spark.ml.clustering.KMeans", cosine, POINTS));
    assertTrue(e.getMessage().contains("distanceMeasure=cosine"), e.getMessage());
    assertEquals(
        "dev.kenaz.ml.feature.PCA",
        new KenazBackend().transform("org.apache.spark.ml.feature.PCA").orElseThrow());
    assertFalse(new KenazBackend().transform("org.apache.spark.ml.feature.IDF").isPresent());
  }

  @Test
  void programsAreTrained() throws IOException {
    var client = client();
    var file = folder.resolve("mean.fut");
    Files.writeString(
        file,
        """
        type model = { m: f64 }
        def init [n] (x: [n]f64) : model = { m = x[0] }
        def loss [n] (m: model) (x: [n]f64) (shift: f64) : f64 =
          f64.sum (map (\\x -> (x + shift - m.m) ** 2) x) / f64.i64 n
        def predict [n] (m: model) (x: [n]f64) : [n]f64 = map (\\x -> f64.round (x - m.m)) x
        """);
    var params =
        Map.of(
            "program", text(file.toString()),
            "data.columns.x", text("x"),
            "settings",
                text(
                    "{\"parameters.shift\": 1.5, \"optimiser.name\": \"l-bfgs\", \"iterations\": 20}"));
    var rows = "select double(id) as x from range(10)";
    var model = client.fit("dev.kenaz.ml.KenazEstimator", params, rows);
    assertEquals(
        List.of("0.0,-6.0", "1.0,-5.0", "2.0,-4.0"),
        client.rows(transform(model, rows)).subList(0, 3));
  }
}
