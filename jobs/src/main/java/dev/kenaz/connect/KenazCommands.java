package dev.kenaz.connect;

import dev.kenaz.error.UserError;
import org.apache.spark.sql.connect.planner.SparkConnectPlanner;
import org.apache.spark.sql.connect.plugin.CommandPlugin;
import org.sparkproject.connect.protobuf.Any;
import org.sparkproject.connect.protobuf.InvalidProtocolBufferException;

/**
 * Runs commands of Kenaz for clients of a server of Spark Connect. A command is an {@code Any} of
 * the type {@link #TYPE}, whose value is the text of a {@link FunctionCommand}. It is for {@code
 * spark.connect.extensions.command.classes}.
 */
public final class KenazCommands implements CommandPlugin {
  /** The type of the message; the value is no message of Protocol Buffers, but JSON. */
  static final String TYPE = "type.googleapis.com/dev.kenaz.Command";

  @Override
  public boolean process(byte[] extension, SparkConnectPlanner planner) {
    Any command;
    try {
      command = Any.parseFrom(extension);
    } catch (InvalidProtocolBufferException e) {
      return false; // It is another plugin's.
    }
    if (!command.getTypeUrl().equals(TYPE)) {
      return false;
    }
    try {
      FunctionCommand.run(planner.session(), command.getValue().toStringUtf8());
      return true;
    } catch (UserError e) {
      // Clients are sent the message, which has no codes.
      throw new IllegalArgumentException(e.toString(), e);
    } catch (LinkageError e) {
      // What a server of another version lacks would end its thread, and the client would wait.
      throw new IllegalArgumentException(
          "K8210: KenazCommands needs Spark Connect 4.2, and this is Spark "
              + planner.getClass().getPackage().getImplementationVersion()
              + ": "
              + e,
          e);
    }
  }
}
